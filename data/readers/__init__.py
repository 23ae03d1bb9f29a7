"""Readers for published parallel text: file paths in, tuples of one line for each language out.

Each raises `data.errors.InputError` with file and line for a malformed file. Start at `plain.py`, the simplest.
"""

from data.readers.help_pages import read_help_pages
from data.readers.markup import read_sgm, read_talks, read_xml
from data.readers.plain import read_plain, read_table

__all__ = ["read_help_pages", "read_plain", "read_sgm", "read_table", "read_talks", "read_xml"]
