"""Specifications of public corpora; corpora published file by file."""

import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.cache import warn_of_damage
from data.corpora.download import download
from data.errors import InputError
from data.files import sha256


@dataclass(frozen=True)
class CorpusSpecification(abc.ABC):
    """A public corpus; `citation` is what to cite."""

    name: str
    languages: tuple[str, ...]
    licence: str
    citation: str

    @abc.abstractmethod
    def fetch(self, folder: Path, languages: Collection[str], archive_folders: Sequence[Path] = ()) -> None:
        """Bring the files `<split>.<language>.gz` of these languages into `folder`, as far as missing.

        Archives may already lie in `archive_folders`; downloads go to the last.

        Raises:
            InputError: when they cannot be fetched; it says which files to put where.
        """


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
        """Return whether `path` is this file, whole."""
        return path.is_file() and sha256(path) == self.sha256


@dataclass(frozen=True)
class LineAlignedCorpus(CorpusSpecification):
    """A corpus published as line-aligned gzip files."""

    files: tuple[PublishedFile, ...]

    def fetch(self, folder, languages, archive_folders=()):
        wanted = {f"{file.split}.{file.language}.gz": file for file in self.files if file.language in languages}
        missing = {name: file for name, file in wanted.items() if not file.is_at(folder / name)}
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
                    f"{error}; without internet, put {needed} into {folder} or name a folder that holds "
                    f"{self.name}/ with --corpora-dir"
                ) from error
