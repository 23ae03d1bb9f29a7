"""The public corpora by name: addresses, sizes, checksums, licences, splits.

A checksum or size of None is unknown or changes; `SOURCE.json` of the corpus then has the checksum that was used.
"""

from functools import partial

from data.corpora.iwslt import IWSLT_CORPORA
from data.corpora.published import (
    Archive,
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
    archive = Archive(f"{three_letters}-eng.zip", f"https://www.manythings.org/anki/{three_letters}-eng.zip")
    return ArchivedCorpus(
        name=f"tatoeba_en-{language}",
        languages=("en", language),
        licence="CC BY 2.0 FR; attribution: tatoeba.org and manythings.org/anki",
        citation="sentence pairs of the Tatoeba project, https://tatoeba.org",
        splits={"train": (text(archive, partial(read_table, columns=(0, 1)), f"{three_letters}.txt"),)},
        cut=partial(cut_at_random, held_out=2_000),
        note="The archive grows over time, and so do the splits.",
    )


def _libreoffice_help(language, size, sha256):
    version = "7.4.7-1+deb12u14"
    folder = "https://deb.debian.org/debian/pool/main/libr/libreoffice/"

    def package(code, size, sha256):
        name = f"libreoffice-help-{code}_{version}_all.deb"
        return Archive(name, folder + name.replace("+", "%2B"), size=size, sha256=sha256)

    english = package("en-us", 1_753_504, "8faa840285734d6cfe1ed25537b48f07e74bd6412e3917bf8e5f8a653f7b3712")
    return ArchivedCorpus(
        name=f"libreoffice_help_en-{language}",
        languages=("en", language),
        licence="MPL-2.0",
        citation="LibreOffice 7.4 help, The Document Foundation; Debian packages libreoffice-help-*",
        splits={
            "train": (
                Text(((english, "*/text/*.html"), (package(language, size, sha256), "*/text/*.html")), read_help_pages),
            )
        },
        cut=partial(cut_at_random, held_out=1_000),
    )


def _hindencorp():
    archive = Archive(
        "hindencorp05.plaintext.gz",
        "https://lindat.mff.cuni.cz/repository/xmlui/bitstream/handle/11858/00-097C-0000-0023-625F-0/"
        "hindencorp05.plaintext.gz",
        size=23_899_723,
        sha256="a86260f5b09f3d3a9ab4ad102676e8602c32b2ad95619424aee575378ceb8792",
    )
    # Source, alignment type and alignment quality stand before the texts; `<s>` divides segments.
    read = partial(read_table, columns=(4, 3), width=5, separator="<s>")
    return ArchivedCorpus(
        name="hindencorp",
        languages=("hi", "en"),
        licence="CC BY-NC-SA 3.0",
        citation="Bojar et al. 2014, HindEnCorp 0.5: Hindi-English and Hindi-only Corpus for Machine Translation",
        splits={"train": (text(archive, read),)},
        cut=partial(cut_at_random, held_out=7_000),
        note="Goindani & Shrivastava 2021 drew 7K pairs each for development and test, which they do not name.",
    )


def _ted(language, split_sizes):
    archive = Archive(
        "ted_talks.tar.gz",
        "http://phontron.com/data/ted_talks.tar.gz",
        size=352_222_045,
        sha256="03457b9ebc6d60839f1a48c5a03c940266aff78b81fcda4c6d9e2a5a7fb670ae",
    )
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
        _libreoffice_help("de", 3_293_908, "00490b63c509ac96f7f212d6a6e40452d3e0d1f97ccf4b824dd5ec4c01e8277f"),
        _libreoffice_help("cs", 3_250_456, "9fcbf9b3cbbc1370d827d5bc59df0227fa95bdf3b5628b907ef5fb4d8d55be6a"),
        *IWSLT_CORPORA,
        *WMT_CORPORA,
        _hindencorp(),
        _ted("be", "Goindani & Shrivastava 2021: 4.5K, 1K and 2.6K pairs"),
    )
}
