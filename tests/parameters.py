"""Parameters of tests that are many: a few of them in `make test`, all of them in `make test-all`."""

import pytest


def mostly_slow(values, *quick):
    """Parameters for `pytest.mark.parametrize`; all but the `quick` ones are marked slow."""
    return [value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in values]
