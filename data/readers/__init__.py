"""Readers for parallel text as it is distributed: each takes paths and yields aligned lines, as a stream.

A reader yields tuples of one line for each language, in the order of the files (or columns) that it is given.
Each raises `data.errors.InputError` with file and line where a file is not what it should be: other numbers of
lines, bad markup, bytes that are not UTF-8, a gzip file cut short.
"""

from data.readers.help_pages import read_help_pages
from data.readers.markup import read_sgm, read_xml
from data.readers.plain import read_plain, read_table
from data.readers.talks import read_talks

__all__ = ["read_help_pages", "read_plain", "read_sgm", "read_table", "read_talks", "read_xml"]
