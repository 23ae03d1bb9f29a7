"""Published corpora: downloaded as files or archives, checked, and written as line-aligned files."""

import contextlib
import gzip
import hashlib
import http.client
import json
import shutil
import urllib.request
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.cache import ADVICE, build_once, warn_of_damage
from data.corpora.archives import unpack
from data.errors import InputError, counted
from data.files import NO_ROOM, atomic_write, check_folder, sha256, write_json

TIMEOUT = 30  # seconds without an answer
# Some servers refuse Python's own name (manythings.org answers 406).
USER_AGENT = "Mozilla/5.0 (compatible; interacting-head)"
BLOCK = 1 << 20  # bytes


def download(address: str, path: Path, sha256: str | None = None) -> str:
    """Download `address` to `path`, creating its folder, and return the SHA-256 of the content.

    Raises `InputError`, leaving no file, if the address cannot be reached, or the content is truncated or does not
    match `sha256`; `OSError` if there is no room.
    """
    digest = hashlib.sha256()
    request = urllib.request.Request(address, headers={"User-Agent": USER_AGENT})
    try:
        with atomic_write(path, "wb", parents=True) as file:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                expected = int(response.headers.get("Content-Length") or 0)
                with tqdm(total=expected or None, unit="B", unit_scale=True, desc=path.name, disable=None) as bar:
                    while block := response.read(BLOCK):
                        file.write(block)
                        digest.update(block)
                        bar.update(len(block))
            if expected and file.tell() != expected:
                raise InputError(f"could not download {address}: {file.tell():,} of {expected:,} bytes arrived")
            if sha256 not in (None, digest.hexdigest()):
                raise InputError(f"{address} has the SHA-256 {digest.hexdigest()}, expected {sha256}")
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        raise InputError(f"could not download {address}: {getattr(error, 'reason', None) or error}") from error
    return digest.hexdigest()


Pairs = Callable[[], Iterable[tuple[str, str]]]  # each call starts from the beginning
SplitPairs = Iterator[tuple[str, tuple[str, str]]]


def cut_at_random(pairs: Pairs, held_out: int) -> SplitPairs:
    """Yield (split, pair); `dev` and `test` are drawn by a hash of the pair, so they depend on the content alone.

    Repeated pairs are dropped. `dev` and `test` get `held_out` pairs each, at most a tenth of all, whose sides occur
    only once: sentences shared with training would make the test too easy. `pairs` is called twice. RAM: about 130
    bytes a pair. Raises `InputError` if too few pairs qualify.
    """
    hashes = [array("Q"), array("Q"), array("Q")]  # of pair, source, target
    for source, target in pairs():
        for values, text in zip(hashes, (f"{source}\t{target}", source, target), strict=True):
            values.append(_hash(text))
    pair_hash, source_hash, target_hash = (np.frombuffer(values, np.uint64) for values in hashes)
    first = np.zeros(len(pair_hash), bool)
    first[np.unique(pair_hash, return_index=True)[1]] = True
    once = np.flatnonzero(first)
    for side in (source_hash, target_hash):
        _, index, counts = np.unique(side[first], return_inverse=True, return_counts=True)
        once = np.intersect1d(once, np.flatnonzero(first)[counts[index] == 1], assume_unique=True)
    size = min(held_out, int(first.sum()) // 10, len(once) // 2)
    if size == 0:
        raise InputError(
            f"the corpus is too small: it has {counted(first.sum(), 'different pair')}, {len(once)} with sentences "
            "that occur once, but a development set and a test set need at least 10 and 2"
        )
    drawn = once[np.argsort(pair_hash[once], kind="stable")]
    place = np.full(len(pair_hash), -1)  # in `drawn`, of the pairs that are held out
    place[drawn[: 2 * size]] = np.arange(2 * size)
    held = {}
    for number, pair in enumerate(pairs()):
        if place[number] >= 0:
            held[int(place[number])] = pair
        elif first[number]:
            yield "train", pair
    for number in sorted(held):
        yield ("dev" if number < size else "test"), held[number]


def cut_regularly(pairs: Pairs, interval: int) -> SplitPairs:
    """Yield (split, pair): every `interval`-th pair for `dev`, the rest for `train`."""
    for number, pair in enumerate(pairs(), start=1):
        yield ("dev" if number % interval == 0 else "train"), pair


def _hash(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclass(frozen=True)
class _Corpus:
    """A public corpus.

    `fetch` adds missing files `<split>.<language>.gz` of the given languages to a folder. Archives may already be in
    `archive_folders`; downloads go to the last. If that fails, its `InputError` says which files to put where.
    """

    name: str
    languages: tuple[str, ...]
    licence: str
    citation: str


@dataclass(frozen=True)
class PublishedFile:
    """One published gzip file with one language of one split."""

    split: str
    language: str
    address: str
    sha256: str

    @property
    def published_name(self) -> str:
        return self.address.rpartition("/")[2]

    def is_at(self, path: Path) -> bool:
        return path.is_file() and sha256(path) == self.sha256


@dataclass(frozen=True)
class LineAlignedCorpus(_Corpus):
    """A corpus published as line-aligned gzip files."""

    files: tuple[PublishedFile, ...]

    def fetch(self, folder: Path, languages: Collection[str], archive_folders: Sequence[Path] = ()) -> None:
        wanted = {f"{file.split}.{file.language}.gz": file for file in self.files if file.language in languages}
        missing = {
            name: file
            for name, file in wanted.items()
            if not (file.is_at(folder / name) or (folder / name.removesuffix(".gz")).is_file())
        }
        if missing:
            check_folder(folder, ADVICE)  # otherwise the advice would be about downloads
        for name, file in missing.items():
            if (folder / name).exists():
                warn_of_damage(folder / name, "wrong checksum")
            try:
                download(file.address, folder / name, file.sha256)
            except InputError as error:
                needed = ", ".join(
                    name if file.published_name == name else f"{file.published_name} as {name}"
                    for name, file in missing.items()
                    if not file.is_at(folder / name)
                )
                raise InputError(
                    f"{error}; without internet, put {needed} into {folder}, or name a folder that contains "
                    f"{self.name}/ with --corpora-dir"
                ) from error


FORMAT = 1  # version of the corpora built from archives: increase it when a reader or a cut gives other lines
SOURCE = "SOURCE.json"  # the file that says where such a corpus comes from
ARCHIVES = "archives"  # the folder of published archives within a folder of corpora


@dataclass(frozen=True)
class Archive:
    """A published file with a corpus or a part of it.

    Args:
        file_name: its name on disk, unique among all corpora.
        size: bytes; None if unknown or changing, as for `sha256`.
        md5: an alternative to `sha256`.
        inner: an archive within this one that contains the files. It may also be given alone, as `part_name`.
    """

    file_name: str
    address: str
    size: int | None = None
    sha256: str | None = None
    md5: str | None = None
    inner: str | None = None
    by_hand: bool = False  # only a browser can download it

    @property
    def part_name(self) -> str | None:
        """The file name for the inner archive alone: `2016-01-de-en.tgz` of `2016-01.tgz`."""
        return self.inner and f"{self.file_name.partition('.')[0]}-{self.inner.rpartition('/')[2]}"

    def find(self, folders: Iterable[Path]) -> Path | None:
        names = [name for name in (self.file_name, self.part_name) if name]
        return next((folder / name for name in names for folder in folders if (folder / name).is_file()), None)

    def instruction(self) -> str:
        """Describe the file for a person who downloads it."""
        size = f", {self.size:,} bytes" if self.size else ""
        part = f" or its {self.inner} as {self.part_name}" if self.inner else ""
        return f"{self.file_name} ({self.address}{size}){part}"

    def check(self, path: Path) -> str:
        """Return the SHA-256 of a file; raise `InputError` if its content is not the published one."""
        found = sha256(path)
        if path.name != self.file_name:
            return found  # the checksum of a part is not known
        known, actual = self.sha256, found
        if known is None and self.md5 is not None:
            with open(path, "rb") as file:
                known, actual = self.md5, hashlib.file_digest(file, "md5").hexdigest()
        if known not in (None, actual):
            raise InputError(
                f"{path} has the checksum {actual}, but {known} is published: it is damaged, truncated or a different "
                "file; delete it and fetch it again"
            )
        return found

    def unpack(self, path: Path, folder: Path, wanted: Iterable[str]) -> dict[str, Path]:
        if self.inner and path.name == self.file_name:
            path = unpack(path, folder, {self.inner})[self.inner]
        return unpack(path, folder, set(wanted))


@dataclass(frozen=True)
class Text:
    """Published files of a split and their reader.

    `files` are (archive, name in it): None if the archive is the file itself; for a pattern with `*`, the reader gets
    the folder of the matching files. `read`, of `data.readers`, takes their paths and yields lines in language order.
    """

    files: tuple[tuple[Archive, str | None], ...]
    read: Callable[..., Iterator[tuple[str, ...]]]


@dataclass(frozen=True)
class ArchivedCorpus(_Corpus):
    """A corpus published in archives, converted to line-aligned gzip files.

    Each split concatenates texts; `cut` divides the pairs of `train` if other sets are cut from it. `note` relates the
    splits to the papers' splits. `definition` describes readers, files and cut: with another one, the corpus is built
    again.
    """

    splits: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    cut: Callable[[Callable[[], Iterable]], SplitPairs] | None = None
    note: str = ""
    definition: str = ""

    def files(self) -> list[tuple[Archive, str | None]]:
        return [file for texts in self.splits.values() for text in texts for file in text.files]

    def archives(self) -> list[Archive]:
        return list(dict.fromkeys(archive for archive, _ in self.files()))

    def fetch(self, folder: Path, languages: Collection[str], archive_folders: Sequence[Path] = ()) -> None:
        archive_folders = [*archive_folders] or [folder.parent / ARCHIVES]
        build = partial(self._build, archive_folders=archive_folders)
        build_once(folder, build, unchecked=True, is_current=self._is_current)

    def _is_current(self, folder):
        # Earlier versions of this project stored no digest, and a user's own folder has no such file.
        source = json.loads((folder / SOURCE).read_text("utf-8")) if (folder / SOURCE).is_file() else {}
        return source.get("definition", self._digest()) == self._digest()

    def _digest(self):
        return hashlib.sha256(f"{FORMAT} {self.definition}".encode()).hexdigest()

    def _build(self, folder, archive_folders):
        # Ask for files that a person has to fetch before downloading anything large.
        archives = sorted(self.archives(), key=lambda archive: not archive.by_hand)
        located = {archive: self._locate(archive, archive_folders) for archive in archives}
        description = {
            "name": self.name,
            "licence": self.licence,
            "citation": self.citation,
            "note": self.note,
            "definition": self._digest(),
            "archives": [
                {"file": path.name, "address": archive.address, "sha256": sha256}
                for archive, (path, sha256) in located.items()
            ],
        }
        unpacked = folder / "unpacked"
        paths = {}
        for number, (archive, (path, _)) in enumerate(located.items()):
            names = {name for owner, name in self.files() if owner == archive and name is not None}
            root = unpacked / str(number)
            found = archive.unpack(path, root, names) if names else {}
            paths |= {(archive, name): found.get(name, root) for name in names} | {(archive, None): path}
        for split, texts in self.splits.items():
            pairs = partial(_read, texts, paths)
            cut = self.cut(pairs) if self.cut and split == "train" else ((split, lines) for lines in pairs())
            _write(folder, split_languages(split, self.languages), cut, f"{self.name} {split}")
        shutil.rmtree(unpacked, ignore_errors=True)
        write_json(folder / SOURCE, description)

    def _locate(self, archive, folders):
        """Return the path and SHA-256 of an archive; download it if it is missing, or damaged in the last folder."""
        damage = None
        if path := archive.find(folders):
            try:
                return path, archive.check(path)
            except InputError as error:
                if path.parent != folders[-1] or archive.by_hand:
                    raise
                warn_of_damage(path, "wrong checksum")
                damage = error
        path = folders[-1] / archive.file_name
        problem, reason = f"{archive.file_name} can only be downloaded with a browser", None
        if not archive.by_hand:
            try:
                download(archive.address, path, archive.sha256)
                return path, archive.check(path)
            except InputError as error:
                if damage:
                    raise damage from None
                problem, reason = f"{error}; without internet", error
        missing = [other.instruction() for other in self.archives() if other.find(folders) is None]
        raise InputError(
            f"{problem}: put {', '.join(missing)} into {' or '.join(map(str, folders))}, or name a folder that "
            f"contains {self.name}/ with --corpora-dir"
        ) from reason


def split_languages(split: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the two languages in a split name such as `test.en-cs`, else all languages of the corpus."""
    pair = split.partition(".")[2]
    return tuple(pair.split("-")) if pair else languages


def _read(texts, paths):
    for part in texts:
        yield from part.read(*(paths[file] for file in part.files))


def _write(folder, languages, lines, description):
    """Write (split, a line for each language) to the files of the splits."""
    with contextlib.ExitStack() as stack:
        bar = stack.enter_context(tqdm(desc=description, unit=" lines", disable=None, leave=False))
        files = {}
        for split, group in lines:
            if split not in files:
                paths = [folder / f"{split}.{language}.gz" for language in languages]
                # Neither name nor time in the header: the same lines give the same file.
                files[split] = [stack.enter_context(gzip.GzipFile(path, "wb", 6, mtime=0)) for path in paths]
            for file, line in zip(files[split], group, strict=True):
                file.write(f"{line}\n".encode())
            bar.update()
