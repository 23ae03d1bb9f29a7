"""Shared by all command-line scripts: one-line errors, exit codes, quiet pipes."""

import argparse
import contextlib
import errno
import gc
import io
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from data.errors import InputError
from data.files import ADVICE, NO_ROOM, STANDARD_OUTPUT, UNWRITABLE

LONGEST_MESSAGE = 4000  # characters
PROGRAM = "interacting-head"
"""The command that has other commands as verbs; they keep its name where it called them."""


class RunError(Exception):
    """A failure at run time, reported in one line with exit code 1."""


class ArgumentParser(argparse.ArgumentParser):
    """An `argparse.ArgumentParser` whose errors are one line, `error: …`, with exit code 2."""

    def __init__(self, *args, **kwargs):
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        if sys.argv[0].startswith(f"{PROGRAM} ") and not str(kwargs.get("prog")).startswith(sys.argv[0]):
            kwargs["prog"] = sys.argv[0]
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def parse_args(self, *args: object, **kwargs: object) -> argparse.Namespace:
        if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions; this prints them and exits
            import argcomplete

            argcomplete.autocomplete(self)
        return super().parse_args(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        print(f"error: {one_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def install_command(extra: str) -> str:
    """Return the command that installs an extra: from a checkout with the tested versions, else by the package."""
    name = f"requirements-{extra}.txt"
    is_checkout = (Path(__file__).parents[1] / name).is_file()
    return f"pip install -r {name}" if is_checkout else f"pip install '{PROGRAM}[{extra}]'"


def run(main: Callable[[], int | None]) -> NoReturn:
    """Call `main()` and exit with 0 on success, 1 on failure, 2 on bad input (`InputError`), or 130 if interrupted."""
    _open_standard_streams()
    if sys.stderr is None:
        sys.stderr = open(2, "w")  # noqa: SIM115 (for the rest of the process)
    if isinstance(sys.stdout, io.TextIOWrapper):  # None where it is closed
        # As on standard error: escape what the encoding lacks, and file names that are not text.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = main() or 0
        if sys.stdout:
            sys.stdout.flush()
    except (InputError, RunError) as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        code = 2 if isinstance(error, InputError) else 1
    except BrokenPipeError:  # the reader has closed the pipe, as `| head -1` does
        code = 0 if _is_closed(sys.stdout) else 1
    except OSError as error:  # a full disk, a folder without write permission
        print(f"error: {format_os_error(error)}", file=sys.stderr)
        code = 2 if error.errno in UNWRITABLE else 1
    except ModuleNotFoundError as error:
        advice = "pip install -r requirements.txt, and install the backend that KERAS_BACKEND names"
        print(f"error: {error}; {advice}", file=sys.stderr)
        code = 1
    except MemoryError as error:
        print(f"error: not enough memory{f' ({error})' if str(error) else ''}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 130
    _flush_standard_output()
    # Python would take TensorFlow's graphs apart object by object, for up to a minute; the system frees them at once.
    gc.freeze()
    raise SystemExit(code)


def _open_standard_streams():
    """Make closed standard streams the null device, also in child processes: no other file may get their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _is_closed(stream):
    """Return whether the reader of a pipe has closed it."""
    with contextlib.suppress(AttributeError, OSError):  # there is no stream, or this system has no `poll`
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return bool(poll.poll(0))
    return False


def folder_name(word: str) -> str:
    """Return the name of a folder: an argparse `type` that rejects an empty one, as of a variable that is not set."""
    if not word:
        raise argparse.ArgumentTypeError("the name is empty; name a folder")
    return word


def renamed(former: dict[str, str]) -> Callable[[str], str]:
    """Return an argparse `type` that rejects a former name and states the current one."""

    def present(word):
        if word in former:
            raise argparse.ArgumentTypeError(f"{word!r} is now called {former[word]!r}")
        return word

    return present


def one_line(error: Exception | str) -> str:
    """Return an error or its message as one printable line, shortened if very long."""
    text = str(error)
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} … {text[-LONGEST_MESSAGE // 2 :]}"
    # Escape line breaks and anything that moves the cursor or changes colours.
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def format_os_error(error: OSError) -> str:
    """Return an `OSError` in one line, with advice if the disk is full or the file is not writable."""
    if error.errno in NO_ROOM:
        # Errors about files have a name; one without comes from the standard output.
        place = STANDARD_OUTPUT if error.filename is None else error.filename
        kept = ""
        if place != STANDARD_OUTPUT and (os.path.isfile(place) or not os.path.exists(place)):
            kept = "the previous file is unchanged; " if os.path.exists(place) else "no partial file is left; "
        return f"cannot write {place}: {error.strerror}; {kept}free up space and run the same command again"
    if error.errno in UNWRITABLE and error.filename is not None:
        if error.errno == errno.ENAMETOOLONG:
            return f"{error.filename}: {error.strerror}; choose a shorter name"
        if error.errno == errno.EROFS:
            return f"cannot write {error.filename}: {error.strerror}; {ADVICE}"
        return f"cannot open {error.filename}: {error.strerror}; check its permissions, or {ADVICE}"
    return " ".join(str(error).split())


def _flush_standard_output():
    """Flush; if that fails, discard the rest, because Python would retry at exit and print a traceback."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
