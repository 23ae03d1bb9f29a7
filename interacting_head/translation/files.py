"""Translation and scoring of files and streams: what `translate.py` does."""

import contextlib
import importlib
import itertools
import sys
import time
from pathlib import Path

from data.errors import InputError
from data.files import NO_ROOM
from interacting_head.console import RunError, atomic_write, importing_keras
from interacting_head.translation.line_windows import (
    STANDARD_INPUT,
    aligned,
    check_aligned,
    count_lines,
    is_prompt,
    windows,
)
from interacting_head.translation.options import ENGINES, check_search, search_fields
from interacting_head.translation.prompt import separate_output

BATCHES = 64  # of a window: sentences sorted by length together, and held at a time
FIRST_BATCHES = 4  # of the first window, so that there is something to see; of all where someone watches
BATCH_SIZE = 64  # where no run says another


def translate_file(arguments):
    """Translates `arguments.input` to `arguments.output`; see `translate.py --help` for the fields.

    Raises:
        InputError: for what the command line names and cannot be used.
        RunError: where the output does not fit on its disk.
    """
    batch_size = _check_runs(arguments)
    name = _name(arguments.input)
    beside = arguments.score if arguments.prefix is None else arguments.prefix
    count = count_lines(arguments.input)  # so what is not text is known before hours of work
    if beside is not None:
        check_aligned(name, count, _name(beside), count_lines(beside))
    with _output(arguments) as output:
        work = _Work(arguments)
        first, largest = FIRST_BATCHES, FIRST_BATCHES if output.isatty() else BATCHES
        if arguments.details:
            first = largest = 1  # arrays are held too
        lines = windows(arguments.input, first * batch_size, largest * batch_size)
        groups = zip(lines, itertools.repeat(None)) if beside is None else aligned(lines, beside, name)
        if is_prompt(arguments.input):
            print(f"{', '.join(arguments.model)}: one sentence a line, Ctrl-D ends", file=sys.stderr)
        started = time.perf_counter()
        with _progress(count, arguments, output) as progress:
            for group in groups:
                output.writelines(work.results(*group))
                output.flush()
                progress.update(len(group[0]))
        seconds = time.perf_counter() - started
    print(
        f"{work.sentences:,} sentences in {seconds:.1f} s: {work.sentences / seconds:,.1f} sentences/s, "
        f"{work.tokens / seconds:,.0f} tokens/s",
        file=sys.stderr,
    )


class _Work:
    """An engine, and the form of its results.

    Attributes:
        sentences, tokens: how many there have been; tokens are sub-words of the best translations.
    """

    def __init__(self, arguments):
        module, _, name = ENGINES[arguments.engine].partition(":")
        with importing_keras():
            engine = getattr(importlib.import_module(module), name)  # most likely imports Keras: only now
            from interacting_head.translation import forms as translation_forms

        if "keras" in sys.modules:  # engines without it have their own threads
            from interacting_head.model.compilation import share_cores

            share_cores()
        self.arguments = arguments
        self.sentences = self.tokens = 0
        self.engine = engine.from_run(
            arguments.model,
            arguments.checkpoint,
            batch_size=arguments.batch_size,
            batch_tokens=arguments.batch_tokens,
            **search_fields(arguments),
        )
        self.form = {
            "text": translation_forms.text_line if arguments.score is None else translation_forms.score_line,
            "moses": translation_forms.moses_lines,
            "json": translation_forms.JsonLine(self.engine.target_subwords),
        }[arguments.output_type]
        self.details = None
        if wanted := arguments.details:
            from interacting_head.translation.inspection import Inspector

            inspector = Inspector(
                self.engine.models[0], ["cross"] if "attention" in wanted else [], "head-importance" in wanted
            )
            self.details = translation_forms.Details(inspector, self.engine.source_subwords, self.engine.source_form)

    def results(self, lines, beside):
        """Yields what is written for each line.

        Args:
            lines: a list of them.
            beside: as many prefixes, or translations to score; None without.
        """
        if self.arguments.score is None:
            found = self.engine.translate(lines, len(lines), beside, first_number=self.sentences)
        else:
            found = ([scored] for scored in self.engine.score(lines, beside, len(lines)))
        details = itertools.repeat(None)
        if self.details:
            found = list(found)
            details = self.details(lines, found)
        for translations, more in zip(found, details, strict=False):
            if self.arguments.keep_tokenized:
                translations = [self.engine.tokenized(translation) for translation in translations]
            yield self.form(self.sentences, translations, more)
            self.sentences += 1
            self.tokens += len(translations[0].tokens)


def _check_runs(arguments):
    """Looks at the run directories before Keras is imported; returns how many sentences are translated together."""
    from interacting_head.run_directory import RunDirectory

    batch_size = BATCH_SIZE
    for number, path in enumerate(arguments.model):
        # Other engines may be given a folder of their own instead, and know what is wrong with it.
        if arguments.engine == "tensorflow" or (Path(path) / "config.yaml").is_file():
            run = RunDirectory.open(path)
            run.weights(arguments.checkpoint)
            if number == 0:
                check_search(arguments, run.config.decode)
                batch_size = run.config.decode.batch_size
    return arguments.batch_size or batch_size


def _name(path):
    return STANDARD_INPUT if path == "-" else path


@contextlib.contextmanager
def _output(arguments):
    """What is written to: the standard output, or else a file that appears when it is complete."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(_full_disk_told(arguments.output))
        output = sys.stdout
        if output is None and arguments.output == "-":
            raise InputError("the standard output is closed; name a file with --output")
        if is_prompt(arguments.input):
            output = stack.enter_context(separate_output())
        if arguments.output != "-":
            output = stack.enter_context(atomic_write(arguments.output))
        output.reconfigure(encoding="utf-8")
        yield output


@contextlib.contextmanager
def _full_disk_told(path):
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        name = "the standard output" if path == "-" else path
        raise RunError(f"cannot write {name}: {error.strerror}; make room and start again") from error


def _progress(count, arguments, output):
    """A bar on a terminal that shows nothing else."""
    from tqdm import tqdm

    shown = sys.stderr.isatty() and not (output.isatty() or is_prompt(arguments.input))
    return tqdm(total=count, unit=" sentences", disable=not shown, leave=False)
