"""Specifications of the TED talks of IWSLT, as the papers use them.

WIT3, their publisher, offers the releases of 2014 to 2016 on Google Drive, as one archive of archives a year.
"""

from functools import partial

from data.corpora.archived_corpus import Archive, ArchivedCorpus, text
from data.corpora.held_out import cut_regularly
from data.readers import read_talks, read_xml

LICENCE = "Creative Commons BY-NC-ND; attribution: ted.com"
CITATION = "Cettolo et al. 2012, WIT3: Web Inventory of Transcribed and Translated Talks"
DRIVE = "https://drive.google.com/file/d/"


def _release(year, drive_id, inner, md5=None, kind=""):
    name = f"20{year}-01{kind}"
    return Archive(f"{name}.tgz", f"{DRIVE}{drive_id}/view", md5=md5, inner=f"{name}/texts/{inner}.tgz", by_hand=True)


def _talks(archive, pair, titles=False):
    return text(
        archive, partial(read_talks, titles=titles), *(f"{pair}/train.tags.{pair}.{code}" for code in pair.split("-"))
    )


def _sets(archive, year, pair, names):
    """The texts of development or test sets, such as `TED.tst2010`, one after another."""
    return tuple(
        text(archive, read_xml, *(f"{pair}/IWSLT{year}.{name}.{pair}.{code}.xml" for code in pair.split("-")))
        for name in names
    )


def _iwslt14_de_en():
    archive = Archive("iwslt14-de-en.tgz", "https://dl.fbaipublicfiles.com/fairseq/data/iwslt14/de-en.tgz")
    return ArchivedCorpus(
        name="iwslt14_de-en",
        languages=("de", "en"),
        licence=LICENCE,
        citation="Cettolo et al. 2014, Report on the 11th IWSLT Evaluation Campaign; " + CITATION,
        splits={
            "train": (_talks(archive, "de-en", titles=True),),
            "test": _sets(
                archive, 14, "de-en", ("TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")
            ),
        },
        cut=partial(cut_regularly, interval=23),
        note=(
            "The splits of Goindani & Shrivastava 2021 (160K/7.3K/6.7K), which are those of fairseq: titles and "
            "descriptions are pairs, every 23rd pair is development text. fairseq cleans by length before it cuts; "
            "here the cut comes first, so that the development sets differ."
        ),
    )


def _iwslt14_es_en():
    archive = _release(14, "1GnBarJIbNgEIIDvUyKDtLmv35Qcxg6Ed", "es/en/es-en")
    test = _release(14, "1JyKJZbbf2hIIXe-xVwW1uqMy8LDY6qgN", "es/en/es-en", kind="-test")
    return ArchivedCorpus(
        name="iwslt14_es-en",
        languages=("es", "en"),
        licence=LICENCE,
        citation="Cettolo et al. 2014, Report on the 11th IWSLT Evaluation Campaign; " + CITATION,
        splits={
            "train": (_talks(archive, "es-en"),),
            "dev": _sets(archive, 14, "es-en", ("TED.dev2010", "TED.tst2010", "TED.tst2011", "TED.tst2012")),
            "test": _sets(test, 14, "es-en", ("TED.tst2014",)),
        },
        note="The splits of Ampomah et al. 2020: 183k, 5,593 and tst2014.",
    )


def _iwslt15_en_vi():
    archive = _release(15, "1Mz-iiRxRqbCVbsYfKZQ6yuAxHNzYTMnI", "en/vi/en-vi")
    return ArchivedCorpus(
        name="iwslt15_en-vi",
        languages=("en", "vi"),
        licence=LICENCE,
        citation="Cettolo et al. 2015, The IWSLT 2015 Evaluation Campaign; " + CITATION,
        splits={
            "train": (_talks(archive, "en-vi"),),
            "dev": _sets(archive, 15, "en-vi", ("TED.tst2012",)),
            "test": _sets(archive, 15, "en-vi", ("TED.tst2013",)),
        },
        note=(
            "The splits of Ampomah et al. 2020: 133k, tst2012 (1,553) and tst2013 (1,268). Text as released; the "
            "edition of Stanford's NLP group is the same text tokenised, with the special characters of Moses."
        ),
    )


def _iwslt16_de_en():
    archive = _release(16, "1l5y6Giag9aRPwGtuZHswh3w5v3qEz8D8", "de/en/de-en", md5="c393ed3fc2a1b0f004b3331043f615ae")
    return ArchivedCorpus(
        name="iwslt16_de-en",
        languages=("de", "en"),
        licence=LICENCE,
        citation="Cettolo et al. 2016, The IWSLT 2016 Evaluation Campaign; " + CITATION,
        splits={
            "train": (_talks(archive, "de-en"),),
            "dev": _sets(archive, 16, "de-en", ("TED.dev2010",)),
            "test": _sets(archive, 16, "de-en", [f"TED.tst{year}" for year in range(2010, 2015)]),
        },
        note=(
            "Li & Luo 2022 train on 181,149 pairs, validate on 12,098 and test on tst2010 to tst2014, which they "
            "count as 11,825. The release has 196,884, dev2010 with 887 and tst2010 to tst2014 with 6,996: where their "
            "development set comes from, they do not say."
        ),
    )


def _iwslt17_de_en():
    archive = Archive(
        "iwslt17-de-en.tgz",
        "https://huggingface.co/datasets/iwslt2017/resolve/ebd7c60d9800c2a1be010a227e5f0a2363730f7a/data/"
        "2017-01-trnted/texts/de/en/de-en.tgz",
        size=16_751_373,
        sha256="ebcd53c53c8df742437e3a0fb964772e78764c3f6d4e38df0b6a2f71abc3a8b4",
    )
    return ArchivedCorpus(
        name="iwslt17_de-en",
        languages=("de", "en"),
        licence=LICENCE,
        citation="Cettolo et al. 2017, Overview of the IWSLT 2017 Evaluation Campaign; " + CITATION,
        splits={
            "train": (_talks(archive, "de-en"),),
            "dev": _sets(archive, 17, "de-en", ("TED.dev2010",)),
            "test": _sets(archive, 17, "de-en", [f"TED.tst{year}" for year in range(2010, 2016)]),
        },
        note=(
            "206,112, 888 and 8,079 pairs. Iida et al. 2019 name this release, but their sizes (160K/7.3K/6.7K) are "
            "those of fairseq's splits of IWSLT14: see iwslt14_de-en."
        ),
    )


IWSLT_CORPORA = (_iwslt14_de_en(), _iwslt14_es_en(), _iwslt15_en_vi(), _iwslt16_de_en(), _iwslt17_de_en())
