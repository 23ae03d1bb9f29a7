"""Commands on tiny corpora, and the folders in which they run."""

import shutil

from tests import tiny_corpus
from tests.command_line import OWN

TUNE = ["interacting_head.tune", "tiny.yaml", "--space", "space.yaml", "--search-dir", "search", *OWN]
TUNE += [word for setting in tiny_corpus.SETTINGS for word in ("--set", setting)]
"""A search of hyper-parameters; it needs `tiny.yaml`, `space.yaml` and the corpus of `tiny_corpus`."""
PREPARE = ["data.prepare", "some", "--source-language", "de", "--target-language", "en", "--profile", "truecased"]
PREPARE += ["--vocabulary-size", "300", "--corpora-dir", "corpora", "--output-dir", "out/prepared"]
"""A preparation of the corpus of `write_some`."""
REPRODUCE = ["tiny/1", "--seeds", "1", "--corpora-dir", "corpora", "--runs-dir", "runs", "-o", "out"]
"""Arguments of `tests.tiny_reproduction` that make its table from the corpus of `write_tiny`."""


def write_some(folder, pairs):
    """Write the corpus `some` with a number of pairs into a folder, and return the folder."""
    (folder / "corpora" / "some").mkdir(parents=True, exist_ok=True)
    tiny_corpus.write_corpus(folder / "corpora" / "some", pairs=pairs)
    return folder


def write_tiny(folder):
    """Write the corpus `tiny` into a folder, and return the folder."""
    corpus = folder / "corpora" / "tiny"
    corpus.mkdir(parents=True)
    tiny_corpus.write_corpus(corpus)
    for language in ("de", "en"):
        shutil.copy(corpus / f"dev.{language}", corpus / f"test.{language}")
    return folder
