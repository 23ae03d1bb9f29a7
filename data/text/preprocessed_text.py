"""Parallel text preprocessed by a profile: processed once, on all cores, and cached by content."""

import contextlib
import json
from collections import Counter
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from itertools import compress
from typing import NamedTuple

from tqdm import tqdm

from data.cache import build_for_content
from data.errors import InputError
from data.files import write_json
from data.text.cleaning import REASONS, CleaningRules, first_occurrences
from data.text.parallel_text import SIDES, ParallelText, text_bar
from data.text.profiles import Profile, profile_named
from data.text.truecasing import Truecaser, count_forms
from data.workers import map_chunks

FORMAT = 3  # version of the cached files: increase it when they change


class PreprocessedText(NamedTuple):
    """A preprocessed parallel text, its truecasers if any, and the number of dropped pairs by reason."""

    text: ParallelText
    truecasers: tuple[Truecaser, Truecaser] | None
    dropped: dict[str, int]


def apply_profile(
    text: ParallelText,
    profile: str,
    languages: tuple[str, str],
    *,
    rules: CleaningRules | None = None,
    truecasers: tuple[Truecaser, Truecaser] | None = None,
) -> PreprocessedText:
    """Preprocess a parallel text by a profile, or take it from the cache.

    RAM grows with the number of different words, not of lines. Raises `InputError` if no pair is left.

    Args:
        rules: which training pairs to drop; None keeps every line, as for test sets.
        truecasers: (source, target); None learns them on this text, which must then be the training text.
    """
    form = profile_named(profile)
    if form == Profile() and rules in (None, CleaningRules()):
        return PreprocessedText(text, None, {})
    content = [FORMAT, profile, languages, rules and asdict(rules), text.digests()]
    if form.is_tokenized:
        content += [version("sacremoses"), [truecaser.digest for truecaser in truecasers or ()]]
    build = partial(_build, text, profile, languages, rules, truecasers)
    folder = build_for_content("prepared", content, build)
    description = json.loads((folder / "description.json").read_text(encoding="utf-8"))
    if form.is_truecased and truecasers is None:
        truecasers = tuple(Truecaser.load(folder / f"{side}.truecase") for side in SIDES)
    return PreprocessedText(ParallelText(*(folder / side for side in SIDES)), truecasers, description["dropped"])


def _build(text, profile, languages, rules, truecasers, folder):
    """Write the files `source`, `target`, `source.truecase`, `target.truecase` and `description.json`."""
    pairs, dropped = text.pairs(), Counter()
    if rules is not None and rules.drop_duplicates:
        is_first = first_occurrences(text.pairs())
        dropped["duplicate"] = int((~is_first).sum())
        pairs = compress(pairs, is_first)
    form = profile_named(profile)
    forms = Counter(), Counter()
    kept = 0
    process = partial(_process, form, languages, rules, form.is_truecased and truecasers is None)
    with _open_sides(folder) as files, text_bar(text, "tokenising" if form.is_tokenized else "cleaning") as bar:
        bar.update(dropped["duplicate"])
        for sides, kept_now, dropped_now, forms_now in map_chunks(process, pairs):
            for file, side in zip(files, sides, strict=False):
                file.write(side)
            for counts, more in zip(forms, forms_now, strict=False):
                counts.update(more)
            kept += kept_now
            dropped.update(dropped_now)
            bar.update(kept_now + sum(dropped_now.values()))
    if kept == 0:
        reasons = ", ".join(f"{dropped[reason]:,} {reason}" for reason in REASONS if dropped[reason])
        raise InputError(
            f"all pairs of {text.source} and {text.target} were dropped ({reasons}); relax the cleaning limits"
        )
    if form.is_truecased:
        truecasers = truecasers or tuple(map(Truecaser, forms))
        for side, truecaser in zip(SIDES, truecasers, strict=True):
            truecaser.save(folder / f"{side}.truecase")
        tokenized = ParallelText(*((folder / side).rename(folder / f"{side}.tokenized") for side in SIDES))
        with _open_sides(folder) as files:
            # In this process: handing lines to others takes as long as truecasing them.
            for pair in tqdm(tokenized.pairs(), "truecasing", kept, unit=" pairs", disable=None):
                for file, truecaser, line in zip(files, truecasers, pair, strict=True):
                    file.write(f"{truecaser.truecase(line)}\n")
        tokenized.source.unlink()
        tokenized.target.unlink()
    write_json(folder / "description.json", {"dropped": dropped})


def _process(form, languages, rules, counts_forms, pairs):
    """Preprocess a chunk of pairs up to truecasing and clean it.

    Return the lines of each side as one string (no sides if no pair is left), the numbers of pairs kept and of pairs
    dropped by reason, and, if wanted, the word form counts of each side.
    """
    pairs = [tuple(map(form.before_truecasing, languages, pair)) for pair in pairs]
    kept, dropped = pairs, Counter()
    if rules is not None:
        reasons = [rules.reason_to_drop(*pair) for pair in pairs]
        kept = [pair for pair, reason in zip(pairs, reasons, strict=True) if reason is None]
        dropped.update(reason for reason in reasons if reason)
    sides = list(zip(*kept, strict=True))
    lines = ["".join(f"{line}\n" for line in side) for side in sides]
    return lines, len(kept), dropped, list(map(count_forms, sides)) if counts_forms else []


@contextlib.contextmanager
def _open_sides(folder):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(open(folder / side, "w", encoding="utf-8", newline="\n")) for side in SIDES]
