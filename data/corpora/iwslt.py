"""Specifications of the TED talks of IWSLT, as the papers use them.

Their publisher WIT3 offers the releases of 2014 to 2016 on Google Drive, as one archive of archives a year.
"""

from functools import partial

from data.corpora.published import ARCHIVE, ArchivedCorpus, cut_regularly, text
from data.readers import read_talks, read_xml

LICENCE = "Creative Commons BY-NC-ND; attribution: ted.com"
CITATION = "Cettolo et al. 2012, WIT3: Web Inventory of Transcribed and Translated Talks"
OVERVIEWS = {
    14: "Cettolo et al. 2014, Report on the 11th IWSLT Evaluation Campaign",
    15: "Cettolo et al. 2015, The IWSLT 2015 Evaluation Campaign",
    16: "Cettolo et al. 2016, The IWSLT 2016 Evaluation Campaign",
    17: "Cettolo et al. 2017, Overview of the IWSLT 2017 Evaluation Campaign",
}


def _sets(archive, year, pair, names):
    return tuple(
        text(archive, read_xml, *(f"{pair}/IWSLT{year}.{name}.{pair}.{code}.xml" for code in pair.split("-")))
        for name in names
    )


def _corpus(year, pair, train, sets, note, *, titles=False, cut=None):
    """Return a release (year of two digits) of a pair such as `de-en`.

    `sets` is {split: (archive, names of its sets)}; with `titles`, titles and descriptions of talks are training text.
    """
    talks = [f"{pair}/train.tags.{pair}.{code}" for code in pair.split("-")]
    return ArchivedCorpus(
        name=f"iwslt{year}_{pair}",
        languages=tuple(pair.split("-")),
        licence=LICENCE,
        citation=f"{OVERVIEWS[year]}; {CITATION}",
        splits={
            "train": (text(ARCHIVE[train], partial(read_talks, titles=titles), *talks),),
            **{split: _sets(ARCHIVE[archive], year, pair, names) for split, (archive, names) in sets.items()},
        },
        cut=cut,
        note=note,
    )


IWSLT_CORPORA = (
    _corpus(
        14,
        "de-en",
        "iwslt14-de-en.tgz",
        {"test": ("iwslt14-de-en.tgz", ["TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012"])},
        "The splits of Goindani & Shrivastava 2021 (160K/7.3K/6.7K), which are those of fairseq: titles and "
        "descriptions are pairs, every 23rd pair is development text. fairseq cleans by length before it cuts; "
        "here the cut comes first, so that the development sets differ.",
        titles=True,
        cut=partial(cut_regularly, interval=23),
    ),
    _corpus(
        14,
        "es-en",
        "2014-01.tgz",
        {
            "dev": ("2014-01.tgz", ["TED.dev2010", "TED.tst2010", "TED.tst2011", "TED.tst2012"]),
            "test": ("2014-01-test.tgz", ["TED.tst2014"]),
        },
        "The splits of Ampomah et al. 2020: 183k, 5,593 and tst2014.",
    ),
    _corpus(
        15,
        "en-vi",
        "2015-01.tgz",
        {"dev": ("2015-01.tgz", ["TED.tst2012"]), "test": ("2015-01.tgz", ["TED.tst2013"])},
        "The splits of Ampomah et al. 2020: 133k, tst2012 (1,553) and tst2013 (1,268). Text as released; the "
        "edition of Stanford's NLP group is the same text tokenised, with the special characters of Moses.",
    ),
    _corpus(
        16,
        "de-en",
        "2016-01.tgz",
        {
            "dev": ("2016-01.tgz", ["TED.dev2010"]),
            "test": ("2016-01.tgz", [f"TED.tst{year}" for year in range(2010, 2015)]),
        },
        "Li & Luo 2022 train on 181,149 pairs, validate on 12,098 and test on tst2010 to tst2014, which they "
        "count as 11,825. The release has 196,884, dev2010 with 887 and tst2010 to tst2014 with 6,996: where their "
        "development set comes from, they do not say.",
    ),
    _corpus(
        17,
        "de-en",
        "iwslt17-de-en.tgz",
        {
            "dev": ("iwslt17-de-en.tgz", ["TED.dev2010"]),
            "test": ("iwslt17-de-en.tgz", [f"TED.tst{year}" for year in range(2010, 2016)]),
        },
        "206,112, 888 and 8,079 pairs. Iida et al. 2019 name this release, but their sizes (160K/7.3K/6.7K) are "
        "those of fairseq's splits of IWSLT14: see iwslt14_de-en.",
    ),
)
