"""Cases of every scheme that were computed by an independent program."""

from pathlib import Path

import pytest

from tests import skip_reasons

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "attention"
needs_oracle = pytest.mark.skipif(not ORACLE.is_dir(), reason=skip_reasons.ORACLE)
