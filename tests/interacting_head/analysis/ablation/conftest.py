"""A run directory that the tests of commands share."""

import pytest

from tests.interacting_head.analysis import untrained_runs
from tests.interacting_head.export import exports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with runs of six heads with random weights, one of them of talking heads, and text for them."""
    folder = tmp_path_factory.mktemp("ablation")
    both = exports.subwords(folder)
    untrained_runs.make(folder / "run", both, encoder_layers=1, decoder_layers=1)
    untrained_runs.make(folder / "talking", both, encoder_layers=1, decoder_layers=1, scheme="talking_heads")
    untrained_runs.write_text(folder)
    return folder
