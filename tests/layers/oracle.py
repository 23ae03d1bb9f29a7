"""Cases of every scheme that were computed by an independent program."""

from pathlib import Path

import pytest

from tests import absent

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "attention"
needs_oracle = pytest.mark.skipif(not ORACLE.is_dir(), reason=absent.ORACLE)
