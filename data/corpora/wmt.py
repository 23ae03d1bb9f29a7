"""Specifications of the news translation tasks of WMT, as the papers use them."""

from data.corpora.published import Archive, ArchivedCorpus, text
from data.readers import read_plain, read_sgm

LICENCE = "may be freely used for research; see statmt.org"
CITATION_14 = "Bojar et al. 2014, Findings of the 2014 Workshop on Statistical Machine Translation"
CITATION_17 = "Bojar et al. 2017, Findings of the 2017 Conference on Machine Translation"

EUROPARL = Archive(
    "training-parallel-europarl-v7.tgz",
    "https://www.statmt.org/wmt13/training-parallel-europarl-v7.tgz",
    size=657_632_379,
    sha256="0224c7c710c8a063dfd893b0cc0830202d61f4c75c17eb8e31836103d27d96e7",
)
COMMON_CRAWL = Archive(
    "training-parallel-commoncrawl.tgz",
    "https://www.statmt.org/wmt13/training-parallel-commoncrawl.tgz",
    size=918_311_367,
    sha256="c7a74e2ea01ac6c920123108627e35278d4ccb5701e15428ffa34de86fa3a9e5",
)
NEWS_COMMENTARY_9 = Archive(
    "training-parallel-nc-v9.tgz",
    "https://www.statmt.org/wmt14/training-parallel-nc-v9.tgz",
    size=80_418_416,
    sha256="cb8953f292298e6877ae433c98912b927cb0766b303f4540512ddd286c748485",
)
NEWS_COMMENTARY_12 = Archive(
    "training-parallel-nc-v12.tgz",
    "https://data.statmt.org/wmt17/translation-task/training-parallel-nc-v12.tgz",
    size=168_591_139,
    sha256="2b45f30ef1d550d302fd17dd3a5cbe19134ccc4c2cf50c2dae534aee600101a2",
)
RAPID = Archive(
    "rapid2016.tgz",
    "https://data.statmt.org/wmt18/translation-task/rapid2016.tgz",
    size=161_050_516,
    sha256="41557dd5d8f0ed3a6d98bce3b798b1a9d3b68361eb99d902329ddbb943a6b55a",
)
# That of 2019 holds the development and test sets of all the years before.
NEWS_TESTS = Archive(
    "wmt19-dev.tgz",
    "https://data.statmt.org/wmt19/translation-task/dev.tgz",
    size=38_654_961,
    sha256="7a7deccf82ebb05ba508dba5eb21356492224e8f630ec4f992132b029b4b25e7",
)


def _training(archive, stem, languages, foreign):
    """Return files such as `training/europarl-v7.de-en.de`; English is the second language of their names."""
    return text(archive, read_plain, *(f"{stem}.{foreign}-en.{code}" for code in languages))


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
    train = tuple(_training(archive, stem, languages, foreign) for archive, stem in training)
    return ArchivedCorpus(name, languages, LICENCE, citation, {"train": train, **splits}, note=note)


def _wmt17(languages, training, note):
    splits = {
        "dev": (_newstest(2013, languages),),
        **{f"newstest{year}": (_newstest(year, languages),) for year in range(2014, 2018)},
        "newstest2014_2017": tuple(_newstest(year, languages) for year in (2014, 2017)),
    }
    return _task(f"wmt17_{'-'.join(languages)}", languages, CITATION_17, training, splits, note)


SHARED_TRAINING = ((EUROPARL, "training/europarl-v7"), (COMMON_CRAWL, "commoncrawl"))
WMT17_TRAINING = (*SHARED_TRAINING, (NEWS_COMMENTARY_12, "training/news-commentary-v12"))

WMT_CORPORA = (
    _task(
        "wmt14_en-de",
        ("en", "de"),
        CITATION_14,
        (*SHARED_TRAINING, (NEWS_COMMENTARY_9, "training/news-commentary-v9")),
        {"dev": (_newstest(2013, ("en", "de")),), "test": (_newstest(2014, ("en", "de")),)},
        "Ampomah et al. 2020: 4.56 million pairs, newstest2013 and newstest2014 (3,003, the full set).",
    ),
    _wmt17(
        ("en", "de"),
        (*WMT17_TRAINING, (RAPID, "rapid2016")),
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
