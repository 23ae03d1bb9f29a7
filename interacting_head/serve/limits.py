"""Limits of a request."""

CHARACTERS = 5000  # of a request's text
SUBWORDS = 5000  # of a request's text: characters that were never seen have up to four each
LINES = 100  # of a request's text
BEAM_SIZE = 16  # at most; search is compiled, or set up, once for each
TOKENS = 256  # of a sentence whose attention is shown, end symbol included: a heat map has their square of cells
BODY = 2**17  # bytes: the longest text, escaped
WAITING = 256  # requests that wait for the engine
CONNECTIONS = 512  # at a time, fewer if the process may not open that many files
SECONDS = 30  # that a client may take for the whole of a request, and for reading the answer
