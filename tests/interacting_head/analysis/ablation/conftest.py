"""A run directory that the tests of commands share."""

import pytest

from tests.interacting_head.analysis import untrained_runs
from tests.interacting_head.export import exports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run of six heads with random weights, and text for it."""
    folder = tmp_path_factory.mktemp("ablation")
    untrained_runs.make(folder / "run", exports.subwords(folder), encoder_layers=1, decoder_layers=1)
    untrained_runs.write_text(folder)
    return folder
