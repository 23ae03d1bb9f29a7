"""Readers for parallel text as it is distributed: paths of files in, a stream of one line for each language out.

Start at `plain.py`, the simplest. Each raises `data.errors.InputError` with file and line for a malformed file:
different numbers of lines or segments, ids that do not match, bytes that are not UTF-8, a gzip file cut short.
"""

from data.readers.help_pages import read_help_pages
from data.readers.markup import read_sgm, read_talks, read_xml
from data.readers.plain import read_plain, read_table

__all__ = ["read_help_pages", "read_plain", "read_sgm", "read_table", "read_talks", "read_xml"]
