"""The public corpora by name: their licences, citations, splits and readers.

Addresses, sizes and checksums are in `archives.tsv` and `multi30k.sha256`. Where they are missing, they are unknown or
change; `SOURCE.json` of the corpus then has the checksum that was used.
"""

from functools import partial
from pathlib import Path

from data.corpora.iwslt import IWSLT_CORPORA
from data.corpora.published import (
    ARCHIVE,
    ArchivedCorpus,
    CorpusSpecification,
    LineAlignedCorpus,
    PublishedFile,
    Text,
    cut_at_random,
    text,
)
from data.corpora.wmt import WMT_CORPORA
from data.readers import read_help_pages, read_table

_MULTI30K = (
    "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
)


def _multi30k_files():
    for line in (Path(__file__).parent / "multi30k.sha256").read_text(encoding="utf-8").splitlines():
        sha256, name = line.split()
        split, language = name.split(".")
        # The published name of the development set is `val`.
        yield PublishedFile({"val": "dev"}.get(split, split), language, f"{_MULTI30K}{name}.gz", sha256)


def _tatoeba(language, three_letters):
    read = partial(read_table, columns=(0, 1))
    return ArchivedCorpus(
        name=f"tatoeba_en-{language}",
        languages=("en", language),
        licence="CC BY 2.0 FR; attribution: tatoeba.org and manythings.org/anki",
        citation="sentence pairs of the Tatoeba project, https://tatoeba.org",
        splits={"train": (text(ARCHIVE[f"{three_letters}-eng.zip"], read, f"{three_letters}.txt"),)},
        cut=partial(cut_at_random, held_out=2_000),
        note="The archive grows over time, and so do the splits.",
    )


def _libreoffice_help(language):
    packages = [ARCHIVE[f"libreoffice-help-{code}_7.4.7-1+deb12u14_all.deb"] for code in ("en-us", language)]
    return ArchivedCorpus(
        name=f"libreoffice_help_en-{language}",
        languages=("en", language),
        licence="MPL-2.0",
        citation="LibreOffice 7.4 help, The Document Foundation; Debian packages libreoffice-help-*",
        splits={"train": (Text(tuple((package, "*/text/*.html") for package in packages), read_help_pages),)},
        cut=partial(cut_at_random, held_out=1_000),
    )


def _hindencorp():
    # Source, alignment type and alignment quality stand before the texts; `<s>` divides segments.
    read = partial(read_table, columns=(4, 3), width=5, separator="<s>")
    return ArchivedCorpus(
        name="hindencorp",
        languages=("hi", "en"),
        licence="CC BY-NC-SA 3.0",
        citation="Bojar et al. 2014, HindEnCorp 0.5: Hindi-English and Hindi-only Corpus for Machine Translation",
        splits={"train": (text(ARCHIVE["hindencorp05.plaintext.gz"], read),)},
        cut=partial(cut_at_random, held_out=7_000),
        note="Goindani & Shrivastava 2021 drew 7K pairs each for development and test, which they do not name.",
    )


def _ted(language, split_sizes):
    archive = ARCHIVE["ted_talks.tar.gz"]
    read = partial(read_table, columns=(language, "en"), null=("NULL",), escaped=True)
    return ArchivedCorpus(
        name=f"ted_{language}-en",
        languages=(language, "en"),
        licence="Creative Commons BY-NC-ND; attribution: ted.com",
        citation="Qi et al. 2018, When and Why are Pre-trained Word Embeddings Useful for Neural Machine Translation?",
        splits={split: (text(archive, read, f"all_talks_{split}.tsv"),) for split in ("train", "dev", "test")},
        note=f"{split_sizes}. Published tokenised, with the special characters of Moses, which are resolved here.",
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
        _libreoffice_help("de"),
        _libreoffice_help("cs"),
        *IWSLT_CORPORA,
        *WMT_CORPORA,
        _hindencorp(),
        _ted("be", "Goindani & Shrivastava 2021: 4.5K, 1K and 2.6K pairs"),
    )
}
