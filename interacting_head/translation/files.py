"""Parts of `interacting-head translate`: checks of files, the translator, output formats and the output."""

import argparse
import contextlib
import functools
import gzip
import io
import itertools
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from data.errors import InputError
from data.files import STANDARD_OUTPUT, full_disk_named
from interacting_head.config import DecodeConfig
from interacting_head.console import atomic_write
from interacting_head.runs.run_folder import EXPORTS, TRANSLATIONS, run_files
from interacting_head.translation.engines import CAPABILITIES, ENGINES, load_engine
from interacting_head.translation.options import check_search, fields_as_options, search_fields
from interacting_head.translation.streams import BATCHES_IN_WINDOW, is_prompt, separate_output

if TYPE_CHECKING:
    from tqdm import tqdm

    from interacting_head.translation.translator import Translator

ADVICE = "lower --batch-size or --batch-tokens, --beam-size, --max-length or --max-source-length"
FIRST_BATCHES = 4  # of the first window, for early output; of all windows if the output is a terminal


def load_translator(arguments: argparse.Namespace) -> "Translator":
    """Return the `Translator` of the command line."""
    load_engine(arguments.engine)  # usually imports Keras, hence only now
    from interacting_head.translation.translator import Translator

    with fields_as_options():
        return Translator.from_run(
            arguments.model,
            arguments.checkpoint,
            batch_size=arguments.batch_size,
            batch_tokens=arguments.batch_tokens,
            engine=arguments.engine,
            max_source_length=arguments.max_source_length,
            advice=ADVICE,
            **search_fields(arguments),
        )


def output_form(arguments: argparse.Namespace, translator: "Translator") -> Callable:
    """Return a function of a line number, lines and their translations, which yields a string for each line."""
    from interacting_head.translation import output_formats

    form = {
        "text": output_formats.text_line if arguments.score is None else output_formats.score_line,
        "moses": output_formats.moses_lines,
        "json": functools.partial(
            output_formats.json_line, subwords=translator.target_subwords, in_lists=translator.options.n_best > 1
        ),
    }[arguments.output_type]
    inspector = None
    if wanted := arguments.details:
        from interacting_head.translation.inspection import Inspector

        [model] = translator.engine.models
        inspector = Inspector(model, ["cross"] if "attention" in wanted else [], "head-importance" in wanted)
    source = translator.source_subwords, translator.source_form

    def formed(number, lines, found):
        more = output_formats.detailed(lines, found, inspector, *source) if inspector else itertools.repeat(None)
        if arguments.keep_tokenized:
            found = [[translator.tokenized(one) for one in n_best] for n_best in found]
        return map(form, itertools.count(number), found, more)

    return formed


def check_runs(arguments: argparse.Namespace) -> int:
    """Check the run directories before Keras is imported; return the number of sentences translated together."""
    from interacting_head.runs.exports import open_run  # imports NumPy

    batch_size = DecodeConfig.batch_size
    for number, path in enumerate(arguments.model):
        # Other engines may get an exported folder instead, which they check.
        if arguments.engine in (None, "keras") or (Path(path) / "config.yaml").is_file():
            run = open_run(path, ENGINES)
            run.find_weights(arguments.checkpoint)
            if number == 0:
                check_search(arguments, run.config.decode)
                batch_size = run.config.decode.batch_size
    return arguments.batch_size or batch_size


def choose_engine(arguments: argparse.Namespace) -> None:
    """Set `arguments.engine` if the command line does not name one; say so if there was a choice."""
    if arguments.engine is None:
        from interacting_head.translation.engines import choice  # imports NumPy

        wanted = {name for name in CAPABILITIES if getattr(arguments, name, None) not in (None, [])}
        given = arguments.model, arguments.checkpoint, wanted, arguments.max_source_length, search_fields(arguments)
        arguments.engine, line = choice.choose_engine(*given)
        if line is not None:
            print(line, file=sys.stderr)


def window_sizes(arguments: argparse.Namespace, output: TextIO) -> tuple[int, int]:
    """Return the number of batches of the first window, and of the largest."""
    if arguments.details:
        return 1, 1  # arrays are held too
    return FIRST_BATCHES, FIRST_BATCHES if output.isatty() else BATCHES_IN_WINDOW


def check_output(arguments: argparse.Namespace) -> None:
    """Raise `InputError` if an output file is also read, under any name, or written twice: it would be replaced."""
    written = [(name, path) for name in ("output", "summary", "alignment") if (path := getattr(arguments, name))]
    for (name, path), (option, other) in itertools.combinations(written, 2):
        if _is_same_place(path, other):
            raise InputError(f"--{option} {other} is the same file as --{name}; name another output file")
    for option, path in written:
        _check_written(arguments, option, path)


def _check_written(arguments, option, output):
    if output == "-" or not os.path.isfile(output):  # devices and pipes are not replaced
        return
    for name in ("input", "prefix", "score"):
        if (path := getattr(arguments, name)) is not None and _is_same_file(path, output):
            raise InputError(f"--{option} {output} is the same file as --{name}; name another output file")
    for model in arguments.model:
        if any(os.path.samefile(path, output) for path in _files_of_model(Path(model))):
            raise InputError(f"--{option} {output} is a file of the model {model}; name another output file")


def _is_same_place(path, other):
    """Return whether two outputs, which may not be there yet, are one file; a device takes both."""
    found = [_status(one, sys.stdout) for one in (path, other)]
    if None in found or path == other == "-":
        return os.path.realpath(path) == os.path.realpath(other)
    return stat.S_ISREG(found[0].st_mode) and os.path.samestat(*found)


def _is_same_file(path, other):
    found = _status(path, sys.stdin)
    return found is not None and os.path.samestat(found, os.stat(other))


def _status(path, standard):
    """Return the status of a file, or of a standard stream for `-`; None if it is missing or closed."""
    try:
        return os.stat(path) if path != "-" else os.fstat(standard.fileno())
    except (AttributeError, OSError):
        return None


def _files_of_model(folder):
    """Return the files of a run directory and of its exports, and all files below any other folder."""
    is_run = (folder / "config.yaml").is_file()
    paths = [*run_files(folder), *folder.glob(f"{EXPORTS}/**/*")] if is_run else folder.glob("**/*")
    return [path for path in paths if path.is_file() and path.parent != folder / TRANSLATIONS]


@contextlib.contextmanager
def open_output(arguments: argparse.Namespace) -> Iterator[TextIO]:
    """Yield standard output, or a file that is written atomically, as gzip if its name ends in .gz."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(full_disk_named(STANDARD_OUTPUT if arguments.output == "-" else arguments.output))
        output = sys.stdout
        if output is None and arguments.output == "-":
            raise InputError("the standard output is closed; name a file with --output")
        if is_prompt(arguments.input):
            output = stack.enter_context(separate_output())
        if arguments.output != "-":
            output = stack.enter_context(open_whole(arguments.output))
        output.reconfigure(encoding="utf-8")
        yield output


@contextlib.contextmanager
def open_whole(path: str | Path) -> Iterator[TextIO]:
    """Yield a text file to write that appears when it is complete; a gzip file if its name ends so."""
    with contextlib.ExitStack() as stack:
        if str(path).endswith(".gz"):
            file = stack.enter_context(atomic_write(path, "wb"))
            # Neither name nor time in the header: the same translations give the same file.
            compressed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
            yield stack.enter_context(io.TextIOWrapper(stack.enter_context(compressed), encoding="utf-8"))
        else:
            yield stack.enter_context(atomic_write(path))


@contextlib.contextmanager
def open_summary(arguments: argparse.Namespace) -> Iterator[Callable]:
    """Yield a function that writes its arguments as JSON to the file of `--summary`, which is opened at once.

    Without a file it writes nothing.
    """
    if arguments.summary is None:
        yield lambda **values: None
        return
    with atomic_write(arguments.summary) as file:
        yield lambda **values: file.write(f"{json.dumps(values)}\n")


@contextlib.contextmanager
def open_alignment(arguments: argparse.Namespace, translator: "Translator") -> Iterator[Callable]:
    """Yield a function of lines and their translations, which writes their links if `--alignment` asks for them."""
    if arguments.alignment is None:
        yield lambda lines, found: None
        return
    from interacting_head.translation.aligner import Aligner

    if arguments.keep_tokenized and not translator.target_form.is_tokenized:
        raise InputError(
            "--alignment links words, and --keep-tokenized prints sub-words with the profile raw; leave one of the two "
            "out"
        )
    aligner = Aligner(translator)
    if aligner.choice.is_default:
        print(
            f"words are aligned by {aligner.choice}, the default; choose the best head with "
            "interacting-head analyze alignment --store",
            file=sys.stderr,
        )
    with open_whole(arguments.alignment) as file:
        yield lambda lines, found: file.writelines(f"{line}\n" for line in aligner.lines(lines, found))
    if count := aligner.unaligned:
        lines, their = (f"{count:,} lines have", "their") if count > 1 else ("1 line has", "its")
        print(f"warning: {lines} no alignment: the model splits {their} words differently", file=sys.stderr)


def progress_bar(count: int | None, arguments: argparse.Namespace, output: TextIO) -> "tqdm":
    """Return a progress bar, shown only on a terminal without other output."""
    from tqdm import tqdm

    shown = sys.stderr.isatty() and not (output.isatty() or is_prompt(arguments.input))
    return tqdm(total=count, unit=" sentences", disable=not shown, leave=False)
