"""Truecasing of sentence-initial words, with the rules and file format of Moses.

sacremoses' truecaser differs from train-truecaser.perl and truecase.perl (known forms, opening quotes), and holds the
training corpus in RAM.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from data.errors import InputError
from data.files import atomic_write, check_plain

SENTENCE_ENDS = frozenset(".:?!")
# They may stand before the first word of a sentence.
OPENINGS = frozenset(["(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"])
_COUNT = re.compile(r"\(\d{1,18}(/\d{1,18})?\)")


class Truecaser:
    """The usual casing of words, from the `counts` of forms that `count_forms` returns."""

    def __init__(self, counts: Mapping[str, int]):
        forms: dict[str, list[tuple[int, str]]] = {}
        for form, count in counts.items():
            forms.setdefault(form.lower(), []).append((count, form))
        # The form with more small letters precedes an equally frequent one.
        self._forms = {word: sorted(found, reverse=True) for word, found in sorted(forms.items())}
        self._best = {word: found[0][1] for word, found in self._forms.items()}
        self._known = frozenset(counts)

    @classmethod
    def load(cls, path: str | Path) -> "Truecaser":
        """Read a model file of `save` or of Moses' train-truecaser.perl; raise `InputError` if it is malformed."""
        counts = {}
        check_plain(path)
        try:
            lines = Path(path).read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise InputError(f"cannot read the truecasing model {path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not a truecasing model: it is not UTF-8 text") from error
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if len(words) % 2 or not all(map(_COUNT.fullmatch, words[1::2])):
                raise InputError(f"{path}, line {number}: not in a truecasing model's format, `word (3/4) Word (1)`")
            for form, count in zip(words[::2], words[1::2], strict=True):
                counts[form] = int(re.search(r"\d+", count)[0])
        return cls(counts)

    def save(self, path: str | Path) -> None:
        """Write the model in Moses' format: a word per line, `best (count/all) other (count) …`."""
        with atomic_write(path, newline="\n") as file:
            file.write(self._text())

    @property
    def digest(self) -> str:
        """SHA-256 of what `save` writes."""
        return hashlib.sha256(self._text().encode()).hexdigest()

    def truecase(self, line: str) -> str:
        """Return a tokenised line with the usual casing of first words and of unseen forms."""
        best, known = self._best, self._known
        tokens = line.split(" ")
        is_start = True
        for i, token in enumerate(tokens):
            if is_start or token not in known:
                tokens[i] = best.get(token.lower(), token)
            is_start = token in SENTENCE_ENDS or (is_start and token in OPENINGS)
        return " ".join(tokens)

    def _text(self):
        lines = []
        for found in self._forms.values():
            (count, best), *others = found
            total = sum(count for count, _ in found)
            lines.append(" ".join([f"{best} ({count}/{total})", *(f"{form} ({count})" for count, form in others)]))
        return "".join(f"{line}\n" for line in lines)


def count_forms(lines: Iterable[str]) -> Counter:
    """Count word forms, except at the start of a sentence, where the casing is not the word's own."""
    counts: Counter = Counter()
    for line in lines:
        tokens = line.split()
        start = 0
        while start < len(tokens) and tokens[start] in OPENINGS:
            start += 1
        counts.update(
            token
            for previous, token in zip(tokens[start:], tokens[start + 1 :], strict=False)
            if previous not in SENTENCE_ENDS
        )
    return counts


def detruecase(line: str) -> str:
    """Return a tokenised line with a capital letter at each start of a sentence, like Moses' detruecase.perl."""
    tokens = line.split(" ")
    is_start = True
    for i, token in enumerate(tokens):
        if is_start:
            tokens[i] = token[:1].upper() + token[1:]
        is_start = token in SENTENCE_ENDS or (is_start and token in OPENINGS)
    return " ".join(tokens)
