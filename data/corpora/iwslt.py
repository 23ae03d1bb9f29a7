"""Specifications of the TED talks of IWSLT, as the papers use them.

Their publisher WIT3 offers the releases of 2014 to 2016 on Google Drive, as one archive of archives a year.
"""

from functools import partial

from data.corpora.published import Archive, ArchivedCorpus, cut_regularly, text
from data.readers import read_talks, read_xml

LICENCE = "Creative Commons BY-NC-ND; attribution: ted.com"
CITATION = "Cettolo et al. 2012, WIT3: Web Inventory of Transcribed and Translated Talks"
OVERVIEWS = {
    14: "Cettolo et al. 2014, Report on the 11th IWSLT Evaluation Campaign",
    15: "Cettolo et al. 2015, The IWSLT 2015 Evaluation Campaign",
    16: "Cettolo et al. 2016, The IWSLT 2016 Evaluation Campaign",
    17: "Cettolo et al. 2017, Overview of the IWSLT 2017 Evaluation Campaign",
}
DRIVE = "https://drive.google.com/file/d/"


def _release(year, drive_id, inner, md5=None, kind=""):
    name = f"20{year}-01{kind}"
    return Archive(f"{name}.tgz", f"{DRIVE}{drive_id}/view", md5=md5, inner=f"{name}/texts/{inner}.tgz", by_hand=True)


def _talks(archive, pair, titles=False):
    return text(
        archive, partial(read_talks, titles=titles), *(f"{pair}/train.tags.{pair}.{code}" for code in pair.split("-"))
    )


def _sets(archive, year, pair, names):
    return tuple(
        text(archive, read_xml, *(f"{pair}/IWSLT{year}.{name}.{pair}.{code}.xml" for code in pair.split("-")))
        for name in names
    )


def _corpus(year, pair, train, sets, note, *, titles=False, cut=None):
    """Return a release (year of two digits) of a pair such as `de-en`.

    `sets` is {split: (archive, names of its sets)}; with `titles`, titles and descriptions of talks are training text.
    """
    return ArchivedCorpus(
        name=f"iwslt{year}_{pair}",
        languages=tuple(pair.split("-")),
        licence=LICENCE,
        citation=f"{OVERVIEWS[year]}; {CITATION}",
        splits={
            "train": (_talks(train, pair, titles),),
            **{split: _sets(archive, year, pair, names) for split, (archive, names) in sets.items()},
        },
        cut=cut,
        note=note,
    )


_14_DE_EN = Archive("iwslt14-de-en.tgz", "https://dl.fbaipublicfiles.com/fairseq/data/iwslt14/de-en.tgz")
_14_ES_EN = _release(14, "1GnBarJIbNgEIIDvUyKDtLmv35Qcxg6Ed", "es/en/es-en")
_14_ES_EN_TEST = _release(14, "1JyKJZbbf2hIIXe-xVwW1uqMy8LDY6qgN", "es/en/es-en", kind="-test")
_15_EN_VI = _release(15, "1Mz-iiRxRqbCVbsYfKZQ6yuAxHNzYTMnI", "en/vi/en-vi")
_16_DE_EN = _release(16, "1l5y6Giag9aRPwGtuZHswh3w5v3qEz8D8", "de/en/de-en", md5="c393ed3fc2a1b0f004b3331043f615ae")
_17_DE_EN = Archive(
    "iwslt17-de-en.tgz",
    "https://huggingface.co/datasets/iwslt2017/resolve/ebd7c60d9800c2a1be010a227e5f0a2363730f7a/data/"
    "2017-01-trnted/texts/de/en/de-en.tgz",
    size=16_751_373,
    sha256="ebcd53c53c8df742437e3a0fb964772e78764c3f6d4e38df0b6a2f71abc3a8b4",
)

IWSLT_CORPORA = (
    _corpus(
        14,
        "de-en",
        _14_DE_EN,
        {"test": (_14_DE_EN, ["TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"])},
        "The splits of Goindani & Shrivastava 2021 (160K/7.3K/6.7K), which are those of fairseq: titles and "
        "descriptions are pairs, every 23rd pair is development text. fairseq cleans by length before it cuts; "
        "here the cut comes first, so that the development sets differ.",
        titles=True,
        cut=partial(cut_regularly, interval=23),
    ),
    _corpus(
        14,
        "es-en",
        _14_ES_EN,
        {
            "dev": (_14_ES_EN, ["TED.dev2010", "TED.tst2010", "TED.tst2011", "TED.tst2012"]),
            "test": (_14_ES_EN_TEST, ["TED.tst2014"]),
        },
        "The splits of Ampomah et al. 2020: 183k, 5,593 and tst2014.",
    ),
    _corpus(
        15,
        "en-vi",
        _15_EN_VI,
        {"dev": (_15_EN_VI, ["TED.tst2012"]), "test": (_15_EN_VI, ["TED.tst2013"])},
        "The splits of Ampomah et al. 2020: 133k, tst2012 (1,553) and tst2013 (1,268). Text as released; the "
        "edition of Stanford's NLP group is the same text tokenised, with the special characters of Moses.",
    ),
    _corpus(
        16,
        "de-en",
        _16_DE_EN,
        {"dev": (_16_DE_EN, ["TED.dev2010"]), "test": (_16_DE_EN, [f"TED.tst{year}" for year in range(2010, 2015)])},
        "Li & Luo 2022 train on 181,149 pairs, validate on 12,098 and test on tst2010 to tst2014, which they "
        "count as 11,825. The release has 196,884, dev2010 with 887 and tst2010 to tst2014 with 6,996: where their "
        "development set comes from, they do not say.",
    ),
    _corpus(
        17,
        "de-en",
        _17_DE_EN,
        {"dev": (_17_DE_EN, ["TED.dev2010"]), "test": (_17_DE_EN, [f"TED.tst{year}" for year in range(2010, 2016)])},
        "206,112, 888 and 8,079 pairs. Iida et al. 2019 name this release, but their sizes (160K/7.3K/6.7K) are "
        "those of fairseq's splits of IWSLT14: see iwslt14_de-en.",
    ),
)
