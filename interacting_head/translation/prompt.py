"""A prompt on a terminal, apart from what goes to the standard output."""

import contextlib
import os
import sys

PROMPT = "> "


@contextlib.contextmanager
def separate_output():
    """Yields a text file for the standard output; what is printed in the block goes to the standard error.

    `input` prints its prompt on the standard output, into the file where that has been redirected. With the standard
    error in its place the prompt, and the editing of the line, stay on the terminal.
    """
    sys.stdout.flush()
    with open(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)
        try:
            yield output
        finally:
            sys.stdout.flush()
            os.dup2(output.fileno(), 1)


def typed_lines():
    """Yields what is typed, line by line, with editing and a history where Python has readline.

    Ctrl-D ends it. Ctrl-C discards the line, and a second one in its place raises `KeyboardInterrupt`.
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (`input` uses it from now on)
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    interrupted = False
    while True:
        try:
            line = input(PROMPT if sys.stderr.isatty() else "")
            interrupted = False
            line.encode("utf-8")
        except EOFError:
            print(file=sys.stderr)
            return
        except UnicodeEncodeError:
            print("this line is not UTF-8 text; set the terminal to UTF-8", file=sys.stderr)
            continue
        except KeyboardInterrupt:
            print(file=sys.stderr)
            if interrupted:
                raise
            interrupted = True
            continue
        yield line
