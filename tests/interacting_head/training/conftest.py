"""A small corpus, its configuration and a cache folder, shared by the files that train on it."""

import pytest

from tests import tiny_corpus


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache folder of a file's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return tiny_corpus.write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def config(files):
    return tiny_corpus.configuration(files)
