"""Codes of languages, such as `de` and `pt_BR`."""

import re


def base_language(code: str) -> str:
    """Return the code of a language in small letters and without its region: `pt` for `pt_BR`, by which rules go."""
    return re.split("[-_]", code.lower())[0]
