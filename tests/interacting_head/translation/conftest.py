import pytest

from tests.interacting_head.export import exports


@pytest.fixture(scope="package")
def subwords(tmp_path_factory):
    """Sub-words of a few German and English words."""
    return exports.subwords(tmp_path_factory.mktemp("subwords"))[0]
