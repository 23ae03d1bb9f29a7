"""Parts that several files of tests of this folder share."""

import pytest


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """A server of a model with interacting heads."""
    from tests.interacting_head.serve.serving import Serving

    serving = Serving(tmp_path_factory.mktemp("serving"), "interacting_head")
    yield serving
    assert serving.worker.stop(30)
