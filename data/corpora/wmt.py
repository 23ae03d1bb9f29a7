"""Specifications of the news translation tasks of WMT, as the papers use them."""

from data.corpora.published import ARCHIVE, ArchivedCorpus, text
from data.readers import read_plain, read_sgm

LICENCE = "may be freely used for research; see statmt.org"
CITATION_14 = "Bojar et al. 2014, Findings of the 2014 Workshop on Statistical Machine Translation"
CITATION_17 = "Bojar et al. 2017, Findings of the 2017 Conference on Machine Translation"

# The development and test sets of all years up to 2019.
NEWS_TESTS = ARCHIVE["wmt19-dev.tgz"]


def _newstest(year, languages):
    """Return a news test set: plain text up to 2013, then an `.sgm` file for the source and one for the reference."""
    if year <= 2013:
        stem = "news-test2008" if year == 2008 else f"newstest{year}"
        return text(NEWS_TESTS, read_plain, *(f"dev/{stem}.{code}" for code in languages))
    source, target = languages
    # In 2014 one set of files served both directions, named after the one into English.
    direction = f"{target}{source}" if year == 2014 and source == "en" else f"{source}{target}"
    names = f"newstest{year}-{direction}-src.{source}.sgm", f"newstest{year}-{direction}-ref.{target}.sgm"
    return text(NEWS_TESTS, read_sgm, *(f"dev/{name}" for name in names))


def _task(name, languages, citation, training, splits, note):
    """Return the corpus of a task; `training` is (archive, beginning of names in it) of all its training text."""
    [foreign] = {*languages} - {"en"}
    # The files are called `training/europarl-v7.de-en.de`, with English as the second language.
    train = tuple(
        text(ARCHIVE[archive], read_plain, *(f"{stem}.{foreign}-en.{code}" for code in languages))
        for archive, stem in training
    )
    return ArchivedCorpus(name, languages, LICENCE, citation, {"train": train, **splits}, note=note)


def _wmt17(languages, training, note):
    splits = {
        "dev": (_newstest(2013, languages),),
        **{f"newstest{year}": (_newstest(year, languages),) for year in range(2014, 2018)},
        "newstest2014_2017": tuple(_newstest(year, languages) for year in (2014, 2017)),
    }
    return _task(f"wmt17_{'-'.join(languages)}", languages, CITATION_17, training, splits, note)


SHARED_TRAINING = (
    ("training-parallel-europarl-v7.tgz", "training/europarl-v7"),
    ("training-parallel-commoncrawl.tgz", "commoncrawl"),
)
WMT17_TRAINING = (*SHARED_TRAINING, ("training-parallel-nc-v12.tgz", "training/news-commentary-v12"))

WMT_CORPORA = (
    _task(
        "wmt14_en-de",
        ("en", "de"),
        CITATION_14,
        (*SHARED_TRAINING, ("training-parallel-nc-v9.tgz", "training/news-commentary-v9")),
        {"dev": (_newstest(2013, ("en", "de")),), "test": (_newstest(2014, ("en", "de")),)},
        "Ampomah et al. 2020: 4.56 million pairs, newstest2013 and newstest2014 (3,003, the full set).",
    ),
    _wmt17(
        ("en", "de"),
        (*WMT17_TRAINING, ("rapid2016.tgz", "rapid2016")),
        "Li & Luo 2022 (EN-DE, tests newstest2014 to 2017) and, with source and target exchanged, Iida et al. 2019 and "
        "Goindani & Shrivastava 2021 (newstest2014 and 2017 joined).",
    ),
    _wmt17(
        ("en", "cs"),
        WMT17_TRAINING,
        "Li & Luo 2022. Their million pairs are Europarl, Common Crawl and News Commentary; CzEng, of 57 million, is "
        "not among them.",
    ),
    ArchivedCorpus(
        name="newstest",
        languages=("cs", "de", "en", "es"),
        licence=LICENCE,
        citation=CITATION_17,
        splits={
            **{f"newstest{year}": (_newstest(year, ("cs", "de", "en", "es")),) for year in range(2008, 2014)},
            **{
                f"newstest{year}.en-{code}": (_newstest(year, ("en", code)),)
                for year in range(2014, 2018)
                for code in ("cs", "de")
            },
        },
        note="Test sets by year; those up to 2012 also serve as training text.",
    ),
)
