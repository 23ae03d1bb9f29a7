import gzip

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file of this name, gzipped where it ends in .gz, and return its path."""

    def write(name, content):
        content = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return tmp_path / name

    return write
