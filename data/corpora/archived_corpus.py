"""Corpora published in archives: found or fetched, unpacked, read, and written as line-aligned files."""

import contextlib
import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tqdm import tqdm

from data.cache import build_once, warn_of_damage
from data.corpora.archives import unpack
from data.corpora.download import download
from data.corpora.held_out import SplitPairs
from data.corpora.specification import CorpusSpecification
from data.errors import InputError
from data.files import sha256

ARCHIVES = "archives"  # the folder of published archives within a folder of corpora


@dataclass(frozen=True)
class Archive:
    """A published file that holds a corpus or a part of it.

    Args:
        file_name: its name on disk, unique among all corpora.
        size: bytes; None if unknown or changing.
        sha256: likewise. The one that was used is recorded in any case.
        md5: known where `sha256` is not.
        inner: an archive within this one that holds the files. It may also be given alone, as `part_name`.
        by_hand: whether only a browser can fetch it from `address`.
    """

    file_name: str
    address: str
    size: int | None = None
    sha256: str | None = None
    md5: str | None = None
    inner: str | None = None
    by_hand: bool = False

    @property
    def part_name(self) -> str | None:
        """The file name for the inner archive alone: `2016-01-de-en.tgz` of `2016-01.tgz`."""
        return self.inner and f"{self.file_name.partition('.')[0]}-{self.inner.rpartition('/')[2]}"

    def find(self, folders: Iterable[Path]) -> Path | None:
        """Return the file or its part in one of the folders."""
        names = [name for name in (self.file_name, self.part_name) if name]
        return next((folder / name for name in names for folder in folders if (folder / name).is_file()), None)

    def instruction(self) -> str:
        """Describe the file for a person who fetches it."""
        size = f", {self.size:,} bytes" if self.size else ""
        part = f" or its {self.inner} as {self.part_name}" if self.inner else ""
        return f"{self.file_name} ({self.address}{size}){part}"

    def check(self, path: Path) -> str:
        """Return the SHA-256 of the file `path`; raise `InputError` if its content is not the published one."""
        found = sha256(path)
        if path.name != self.file_name:
            return found  # of parts no checksum is known
        known, actual = self.sha256, found
        if known is None and self.md5 is not None:
            with open(path, "rb") as file:
                known, actual = self.md5, hashlib.file_digest(file, "md5").hexdigest()
        if known not in (None, actual):
            raise InputError(
                f"{path} has the checksum {actual} where {known} is published: it is damaged, cut short or another "
                "file; delete it and fetch it again"
            )
        return found

    def unpack(self, path: Path, folder: Path, wanted: Iterable[str]) -> dict[str, Path]:
        """Write the files `wanted` under `folder`; see `data.corpora.archives.unpack`."""
        if self.inner and path.name == self.file_name:
            path = unpack(path, folder, {self.inner})[self.inner]
        return unpack(path, folder, set(wanted))


@dataclass(frozen=True)
class Text:
    """Some of the text of a split: published files and their reader.

    Args:
        files: (archive, name within it). The name is None if the archive is the file itself; for a pattern with `*`,
            the reader gets the folder of the matching files.
        read: a reader of `data.readers` that takes the paths of `files` and yields lines in the order of the languages.
    """

    files: tuple[tuple[Archive, str | None], ...]
    read: Callable[..., Iterator[tuple[str, ...]]]


def text(archive: Archive, read: Callable[..., Iterator[tuple[str, ...]]], *names: str) -> Text:
    """Return a `Text` whose files are all in one archive; without names, the archive itself is the file."""
    return Text(tuple((archive, name) for name in names or (None,)), read)


@dataclass(frozen=True)
class ArchivedCorpus(CorpusSpecification):
    """A corpus published in archives, which are unpacked, read and written as line-aligned gzip files.

    Args:
        splits: the texts of each split, one after another. A split in only two of more languages is called
            `<split>.<language>-<language>`.
        cut: divides the pairs of `train` if other sets are cut from it.
        note: how the splits relate to the papers' splits.
    """

    splits: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    cut: Callable[[Callable[[], Iterable]], SplitPairs] | None = None
    note: str = ""

    def archives(self) -> list[Archive]:
        """Return the archives that the corpus needs."""
        return list(dict.fromkeys(archive for archive, _ in self._files()))

    def fetch(self, folder, languages, archive_folders=()):
        archive_folders = [*archive_folders] or [folder.parent / ARCHIVES]
        build_once(folder, partial(self._build, archive_folders=archive_folders), unchecked=True)

    def _files(self):
        return [file for texts in self.splits.values() for part in texts for file in part.files]

    def _build(self, folder, archive_folders):
        # What a person has to fetch is asked for before anything large is downloaded.
        archives = sorted(self.archives(), key=lambda archive: not archive.by_hand)
        located = {archive: self._locate(archive, archive_folders) for archive in archives}
        description = {
            "name": self.name,
            "licence": self.licence,
            "citation": self.citation,
            "note": self.note,
            "archives": [
                {"file": path.name, "address": archive.address, "sha256": sha256}
                for archive, (path, sha256) in located.items()
            ],
        }
        unpacked = folder / "unpacked"
        paths = {}
        for number, (archive, (path, _)) in enumerate(located.items()):
            names = {name for owner, name in self._files() if owner == archive and name is not None}
            root = unpacked / str(number)
            found = archive.unpack(path, root, names) if names else {}
            paths |= {(archive, name): found.get(name, root) for name in names} | {(archive, None): path}
        for split, texts in self.splits.items():
            pairs = partial(_read, texts, paths)
            _, _, pair = split.partition(".")
            cut = self.cut(pairs) if self.cut and split == "train" else ((split, lines) for lines in pairs())
            _write(folder, pair.split("-") if pair else self.languages, cut, f"{self.name} {split}")
        shutil.rmtree(unpacked, ignore_errors=True)
        (folder / "SOURCE.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")

    def _locate(self, archive, folders):
        """Return the path of an archive and its SHA-256.

        It is fetched if no folder has it, or if it is damaged in the last one, which downloads go to.
        """
        if path := archive.find(folders):
            try:
                return path, archive.check(path)
            except InputError as error:
                if path.parent != folders[-1] or archive.by_hand:
                    raise
                warn_of_damage(path, "wrong checksum")
                try:
                    download(archive.address, path, archive.sha256)
                except InputError:
                    raise error from None
                return path, archive.check(path)
        path = folders[-1] / archive.file_name
        reason = None
        if archive.by_hand:
            problem = f"{archive.file_name} can only be fetched with a browser"
        else:
            try:
                download(archive.address, path, archive.sha256)
                return path, archive.check(path)
            except InputError as error:
                problem, reason = f"{error}; without internet", error
        missing = [other.instruction() for other in self.archives() if other.find(folders) is None]
        raise InputError(
            f"{problem}: put {', '.join(missing)} into {' or '.join(map(str, folders))}, or name a folder that holds "
            f"{self.name}/ with --corpora-dir"
        ) from reason


def _read(texts, paths):
    for part in texts:
        yield from part.read(*(paths[file] for file in part.files))


def _write(folder, languages, lines, description):
    """Write (split, a line for each language) into the files of the splits."""
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
