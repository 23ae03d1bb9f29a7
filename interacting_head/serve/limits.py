"""Limits of a request."""

CHARACTERS = 5000
"""Characters of a request's text."""

SUBWORDS = 5000
"""Sub-words of a request's text: characters that were never seen have up to four each."""

LINES = 100
"""Lines of a request's text."""

BEAM_SIZE = 16
"""Largest beam size. Search is compiled, or set up, once for each."""

TOKENS = 256
"""Sub-words of a sentence whose attention is shown, end symbol included: a heat map has their square of cells."""

BODY = 2**17
"""Bytes of the body of a request: the longest text, escaped."""

WAITING = 256
"""Requests that wait for the engine."""

CONNECTIONS = 512
"""Connections at a time, fewer where the process may not have so many files open."""

SECONDS = 30
"""Seconds that a client may take for the whole of a request, and for reading the answer."""
