"""What several files of tests share."""

import pytest

from tests import tiny_corpus
from tests.command_line import TRAIN, run


@pytest.fixture(scope="session")
def workplace(tmp_path_factory):
    """A folder with a corpus, a configuration and a trained run, in which the commands are run."""
    folder = tmp_path_factory.mktemp("cli")
    files = tiny_corpus.write_corpus(folder)
    assert {path.name for path in files.values()} == {"train.de", "train.en", "dev.de", "dev.en"}
    (folder / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
    trained = run(folder, "train.py", *TRAIN)
    assert trained.code == 0, trained.errors
    (folder / "training.log").write_text(trained.errors)
    return folder
