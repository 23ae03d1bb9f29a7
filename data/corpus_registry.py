"""The public corpora that can be fetched by name: addresses, checksums, licences."""

import gzip
import hashlib
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from data.cache import build_once
from data.download import download
from data.errors import InputError

LARGEST_MEMBER = 1 << 30  # bytes: what a member of an archive may unpack to
HELD_OUT = 2_000  # pairs of a development or test set cut from a corpus that is published without


@dataclass(frozen=True)
class CorpusSpecification:
    """A public corpus.

    Args:
        name: the name it is asked for by.
        languages: codes of its languages.
        licence: as its publishers state it.
        citation: what to cite.
    """

    name: str
    languages: tuple[str, ...]
    licence: str
    citation: str

    def fetch(self, folder: Path, languages: Collection[str]) -> None:
        """Brings the files `<split>.<language>.gz` of these languages into `folder`, as far as missing.

        Raises:
            InputError: when they cannot be fetched; says which files to put where.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class PublishedFile:
    """One gzip file with one language of one split; `sha256` is that of the published file."""

    split: str
    language: str
    address: str
    sha256: str

    @property
    def published_name(self) -> str:
        return self.address.rpartition("/")[2]


@dataclass(frozen=True)
class LineAlignedCorpus(CorpusSpecification):
    """A corpus published as line-aligned gzip files."""

    files: tuple[PublishedFile, ...]

    def fetch(self, folder, languages):
        wanted = {f"{file.split}.{file.language}.gz": file for file in self.files if file.language in languages}
        missing = {name: file for name, file in wanted.items() if not (folder / name).exists()}
        for name, file in missing.items():
            try:
                download(file.address, folder / name, file.sha256)
            except InputError as error:
                needed = ", ".join(
                    name if file.published_name == name else f"{file.published_name} as {name}"
                    for name, file in missing.items()
                    if not (folder / name).exists()
                )
                raise InputError(
                    f"{error}; without internet, put {needed} into {folder} or name a folder that holds "
                    f"{self.name}/ with --corpora-dir"
                ) from error


@dataclass(frozen=True)
class TabSeparatedCorpus(CorpusSpecification):
    """A corpus published as a zip archive of one file, a pair a line: `languages` in order, other columns.

    Its content changes over time, so no checksum can be fixed: that of the archive used is kept in the file
    `SOURCE.json`. Development and test set are drawn from the pairs both of whose sides occur once, in the
    order of a hash of the pair: they depend on the content alone.
    """

    address: str
    member: str

    def fetch(self, folder, languages):
        archive = folder.parent / self.address.rpartition("/")[2]

        def convert(temporary):
            if not archive.exists():
                try:
                    download(self.address, archive)
                except InputError as error:
                    raise InputError(
                        f"{error}; without internet, put {archive.name} into {archive.parent} or name a "
                        f"folder that holds {self.name}/ with --corpora-dir"
                    ) from error
            for split, pairs in split_pairs(_read_pairs(archive, self.member)).items():
                for side, language in enumerate(self.languages):
                    _write_lines(temporary / f"{split}.{language}.gz", (pair[side] for pair in pairs))
            source = {
                "address": self.address,
                "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
                "licence": self.licence,
                "citation": self.citation,
            }
            (temporary / "SOURCE.json").write_text(json.dumps(source, indent=2) + "\n", encoding="utf-8")

        build_once(folder, convert)


def split_pairs(pairs: Iterable[tuple[str, str]], held_out: int = HELD_OUT) -> dict[str, list[tuple[str, str]]]:
    """Divides distinct pairs into `train`, `dev` and `test`, the same way wherever and in whatever order.

    Args:
        pairs: (source, target); repetitions are dropped.
        held_out: size of `dev` and of `test`; at most a tenth of the pairs each.

    Raises:
        InputError: when there are too few pairs that may be held out.
    """
    pairs = list(dict.fromkeys(pairs))
    sources, targets = Counter(source for source, _ in pairs), Counter(target for _, target in pairs)
    # A sentence that also stands in the training set would make the test easier than it says.
    once = [pair for pair in pairs if sources[pair[0]] == targets[pair[1]] == 1]
    once.sort(key=lambda pair: hashlib.sha256("\t".join(pair).encode()).digest())
    size = min(held_out, len(pairs) // 10, len(once) // 2)
    if size == 0:
        raise InputError(f"{len(pairs)} pairs are too few to hold out a development and a test set")
    dev, test = once[:size], once[size : 2 * size]
    held = {*dev, *test}
    return {"train": [pair for pair in pairs if pair not in held], "dev": dev, "test": test}


def _read_pairs(archive: Path, member: str) -> list[tuple[str, str]]:
    """The first two columns of a tab-separated member, runs of white space made one blank."""
    try:
        with zipfile.ZipFile(archive) as file:
            if file.getinfo(member).file_size > LARGEST_MEMBER:
                raise InputError(f"{member} in {archive} unpacks to more than {LARGEST_MEMBER:,} bytes: not read")
            lines = file.read(member).decode("utf-8").split("\n")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"{archive} is not a zip archive with the text {member}; delete it and try again") from error
    rows = (line.split("\t") for line in lines)
    pairs = (tuple(" ".join(column.split()) for column in row[:2]) for row in rows if len(row) >= 2)
    return [pair for pair in pairs if all(pair)]


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    # Neither name nor time in the header: the same lines give the same file.
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.writelines(f"{line}\n".encode() for line in lines)


_MULTI30K = (
    "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
)
_MULTI30K_SHA256 = """
train.de 726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6
train.en d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f
train.cs a65adb8b32e3bc664f21ecba7a6e7f6950fd1f405e135f7c312faabdb6255077
train.fr 622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c
val.de f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a
val.en 14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28
val.cs b63226e05c4bd5dd6a42897d74b86a1b9d2c31498252c572b1ea7f7996927fcc
val.fr ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9
test_2016_flickr.de 9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8
test_2016_flickr.en 611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9
test_2016_flickr.cs 200a4a74cc9560f051924abb9803be008d1908d77f747e9141aeb86dfd2797f1
test_2016_flickr.fr 6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90
test_2017_flickr.de a2c89666db00c495cd8513b9d708d5a3acc205d7de312ef2bf5fb7ebc1540aee
test_2017_flickr.en 76a444ee25172e72695cddb13ae4a3bda59430617be88e0bb46b60504f054074
test_2017_flickr.fr 3ba671ceb2299f3304ffafefea7a833d08632fbaf0ba18546f8a2ec2391af496
test_2017_mscoco.de 799e4854c25d601cb6cb6be29eabe5667734c61ace2f495e03e429031a0bc338
test_2017_mscoco.en aab300bfb4427697987e02cd0aacd44bfe8aa50456231b6474c08038bbed2b58
test_2017_mscoco.fr 754f3072ba9f124569ba5258b32730fc1d214bbf8e0c6dfb2b74401676220db0
test_2018_flickr.de ddd0130c7d97482dc5197a02141dae8dd79f20f03586c480d675c09a32daf608
test_2018_flickr.en ef4f4844037d4c5dea75c9a8ed5fd78905967a26f67c255e230cc9780032654d
test_2018_flickr.cs 7d0a9db904f94c554a8c58049a9f3a5357c27f46cc3d710d70cb0b4a2585b8c2
test_2018_flickr.fr fb2b83fcceb937a4f7e3e93c1c51c22aba92f1e342391e6b5ba392b16a920501
"""


def _multi30k_files():
    for line in _MULTI30K_SHA256.split("\n")[1:-1]:
        name, sha256 = line.split()
        split, language = name.split(".")
        # The published name of the development set is `val`.
        yield PublishedFile({"val": "dev"}.get(split, split), language, f"{_MULTI30K}{name}.gz", sha256)


def _tatoeba(language, three_letters):
    return TabSeparatedCorpus(
        name=f"tatoeba_en-{language}",
        languages=("en", language),
        licence="CC BY 2.0 FR; attribution: tatoeba.org and manythings.org/anki",
        citation="sentence pairs of the Tatoeba project, https://tatoeba.org",
        address=f"https://www.manythings.org/anki/{three_letters}-eng.zip",
        member=f"{three_letters}.txt",
    )


KNOWN_CORPORA: dict[str, CorpusSpecification] = {
    corpus.name: corpus
    for corpus in (
        LineAlignedCorpus(
            name="multi30k",
            languages=("en", "de", "fr", "cs"),
            licence="none stated; captions derived from Flickr30k, for research",
            citation="Elliott et al. 2016, Multi30K: Multilingual English-German Image Descriptions",
            files=tuple(_multi30k_files()),
        ),
        _tatoeba("de", "deu"),
        _tatoeba("es", "spa"),
        _tatoeba("cs", "ces"),
        _tatoeba("vi", "vie"),
        _tatoeba("hi", "hin"),
        _tatoeba("be", "bel"),
    )
}
