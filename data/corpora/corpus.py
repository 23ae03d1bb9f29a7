"""Parallel corpora by name or by file: found in a folder, generated, or fetched."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.cache import build_once, cache_folder
from data.corpora.mixes import is_mix, join, parse_mix
from data.corpora.published import ARCHIVES
from data.corpora.registry import KNOWN_CORPORA
from data.errors import InputError, nearest_names
from data.text.cleaning import pair_hashes
from data.text.parallel_text import ParallelText

SHARED = 0.1
"""Share of the pairs of a text that may be training pairs by chance: short sentences are often the same."""

QUICKSTART = "quickstart"


@dataclass(frozen=True)
class Corpus:
    """A parallel corpus in one direction, with its texts by split (`train`, `dev`, `test`, …)."""

    name: str
    source_language: str
    target_language: str
    splits: Mapping[str, ParallelText]

    def split(self, name: str) -> ParallelText:
        """Return the text of a split; raise `InputError` if there is none."""
        if name not in self.splits:
            raise InputError(
                f"corpus {self.name} ({self.source_language}-{self.target_language}) has no split {name!r}; "
                f"it has {', '.join(self.splits)}"
            )
        return self.splits[name]


def open_corpus(name: str, source_language: str, target_language: str, corpora_dir: str | Path | None = None) -> Corpus:
    """Return a corpus by its name, or a mix of several, see `data.corpora.mixes`.

    It is searched for in `<corpora_dir>/<name>` (default: the environment variable `CORPORA_DIR`) and then in
    `corpora/<name>` of the cache, as files `<split>.<language>[.gz]` or `<split>.<pair>.<language>[.gz]`. `quickstart`
    is generated; missing `KNOWN_CORPORA` are downloaded, or built from the folder `archives` of either.

    Raises `InputError` if there is no such corpus in these languages, it cannot be fetched, or the mix is malformed.
    """
    if is_mix(name):
        return _open_mix(name, source_language, target_language, corpora_dir)
    languages = source_language, target_language
    if name == QUICKSTART:
        return _corpus_in(name, languages, [_quickstart_folder()])
    roots = _roots(corpora_dir)
    folders = [root / name for root in roots]
    known = KNOWN_CORPORA.get(name)
    if not (known or any(folder.is_dir() for folder in folders)) or name in ("", "..") or Path(name).name != name:
        raise _unknown(name, roots)
    found_by_user = any(_splits_in(folder, languages) for folder in folders[:-1])
    if known and set(languages) <= set(known.languages) and not found_by_user:
        known.fetch(folders[-1], set(languages), [root / ARCHIVES for root in roots])
    return _corpus_in(name, languages, folders)


def _open_mix(name, source_language, target_language, corpora_dir):
    """Join texts; splits that the mix does not name come from the first corpus that has them, unless trained on.

    A split may be trained on under another name, such as a newstest that is also the `dev` of a corpus.
    """
    parts = parse_mix(name)
    names = dict.fromkeys(part.corpus for part in parts)
    opened = {part: open_corpus(part, source_language, target_language, corpora_dir) for part in names}
    texts = {part.use: [] for part in parts}
    for part in parts:
        texts[part.use] += [(opened[part.corpus].split(split), part.weight) for split in part.splits]
    splits = {use: join(weighted, (source_language, target_language)) for use, weighted in texts.items()}
    trained_on = {(part.corpus, split) for part in parts for split in part.splits if part.use == "train"}
    named = [pair_hashes(opened[corpus].split(split).pairs()) for corpus, split in trained_on if split != "train"]
    hashes = np.concatenate([np.array([], np.uint64), *named])
    for corpus in opened.values():
        for split, text in corpus.splits.items():
            is_free = split not in ("train", *splits) and (corpus.name, split) not in trained_on
            if is_free and not (len(hashes) and _share(text, hashes) > SHARED):
                splits[split] = text
    return Corpus(name, source_language, target_language, splits)


def _share(text, hashes):
    """Return the share of the pairs of a text that have one of the hashes; 0 if it cannot be read."""
    try:
        return np.isin(pair_hashes(text.pairs()), hashes).mean()
    except InputError:  # which only those who use the split need to know
        return 0.0


def own_text(
    source: str | Path,
    target: str | Path,
    dev_source: str | Path,
    dev_target: str | Path,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Corpus:
    """Return the user's line-aligned files, plain or `.gz`, as a corpus with the splits `train` and `dev`.

    Languages default to the file suffixes, as in `train.de.gz`. Raises `InputError` if a file is missing or a language
    is neither given nor a suffix.
    """
    files = {"--source": source, "--target": target, "--dev-source": dev_source, "--dev-target": dev_target}
    if missing := [option for option, path in files.items() if not path]:
        raise InputError(f"your own text needs four files, {', '.join(files)}; add {', '.join(missing)}")
    for option, path in files.items():
        if not Path(path).exists():
            raise InputError(f"{option} {path}: no such file; check the name")
        if not Path(path).is_file():
            raise InputError(
                f"{option} {path} must be a regular file, because it is read twice; save the text to a file"
            )
    return Corpus(
        "own_text",
        source_language or _language_of(source, "source"),
        target_language or _language_of(target, "target"),
        {"train": ParallelText(source, target), "dev": ParallelText(dev_source, dev_target)},
    )


def _language_of(path, side):
    suffix = Path(str(path).removesuffix(".gz")).suffix[1:]
    if suffix == "txt" or not re.fullmatch(r"[a-z]{2,3}([-_][A-Za-z]+)?", suffix):
        raise InputError(
            f"cannot tell the language of {path} from its name (as from train.de or train.de.gz); "
            f"set it with --set data.{side}_language=CODE"
        )
    return suffix


def _roots(corpora_dir):
    """Return the folders of corpora in search order; the cache comes last."""
    given = corpora_dir or os.environ.get("CORPORA_DIR")
    if given and not Path(given).is_dir():
        raise InputError(f"the corpora folder {given} does not exist; check --corpora-dir or CORPORA_DIR")
    return [*([Path(given)] if given else []), cache_folder() / "corpora"]


def _quickstart_folder():
    # The text depends on these files, code and tables: each version has its own folder.
    code = Path(__file__).parents[1]
    tables = [path for pattern in ("*.py", "*.tsv") for path in sorted((code / "quickstart").glob(pattern))]
    content = b"".join(path.read_bytes() for path in (code / "quickstart_corpus.py", *tables))
    folder = cache_folder() / "corpora" / f"{QUICKSTART}-{hashlib.sha256(content).hexdigest()[:12]}"

    def write(temporary):
        from data import quickstart_corpus  # needed only once

        quickstart_corpus.write(temporary)

    return build_once(folder, write)


def _splits_in(folder, languages):
    """Return {name: ParallelText} of the splits that exist in both languages."""
    if not folder.is_dir():
        return {}
    source, target = ({stem: path for stem, code, path in _files_in(folder) if code == x} for x in languages)
    splits = {}
    for stem in sorted(source.keys() & target.keys()):
        split, _, pair = stem.rpartition(".")
        if not split or sorted(pair.split("-")) != sorted(languages):
            split = stem
        splits.setdefault(split, ParallelText(source[stem], target[stem]))
    return splits


def _files_in(folder):
    """Yield (stem, language, path) of the files named `<stem>.<language>[.gz]`."""
    # A plain file comes after its `.gz` file, so that a dictionary keeps the plain one.
    for path in sorted(folder.iterdir(), key=lambda path: path.name, reverse=True):
        stem, _, language = path.name.removesuffix(".gz").rpartition(".")
        if stem and not stem.startswith(".") and path.is_file():
            yield stem, language, path


def _corpus_in(name, languages, folders):
    for folder in folders:
        if splits := _splits_in(folder, languages):
            return Corpus(name, *languages, splits)
    found = set(KNOWN_CORPORA[name].languages) if name in KNOWN_CORPORA else set()
    for folder in folders:
        files = list(_files_in(folder)) if folder.is_dir() else []
        stems = Counter(stem for stem, _, _ in files)
        # Other files (README.md) share their stem with no file.
        found |= {code for stem, code, _ in files if stems[stem] > 1}
    raise InputError(
        f"corpus {name} has no split in both {languages[0]!r} and {languages[1]!r}; languages found: "
        f"{', '.join(sorted(found)) or 'none'} (expected files: <split>.<language>[.gz] in "
        f"{' or '.join(map(str, folders))})"
    )


def _unknown(name, roots):
    names = {QUICKSTART, *KNOWN_CORPORA}
    for root in roots:
        if root.is_dir():
            names.update(folder.name for folder in root.iterdir() if folder.is_dir())
    names = sorted(x for x in names if not x.startswith((".", f"{QUICKSTART}-")) and x != ARCHIVES)
    near = nearest_names(name, names, most=3)
    return InputError(
        f"unknown corpus {name!r}; {'did you mean ' + ' or '.join(near) + '? ' if near else ''}"
        f"known corpora: {', '.join(names)}; use --corpora-dir to name a folder with further corpora"
    )
