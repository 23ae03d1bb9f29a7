"""Limits of the server: of a request, of the queue, and of connections."""

CHARACTERS = 5000  # of a request's text
SUBWORDS = 5000  # of a request's text: unseen characters take up to four each
LINES = 100  # of a request's text
BEAM_SIZE = 16  # at most; search is compiled, or set up, once for each size
TOKENS = 256  # of a sentence whose attention is shown, end symbol included: heat map cells grow with the square
BODY = 2**17  # bytes: the longest text, escaped
WAITING = 256  # requests in the queue
CONNECTIONS = 512  # at a time, fewer if the process may not open that many files
SECONDS = 30  # for a client to send a whole request, and to read the response
