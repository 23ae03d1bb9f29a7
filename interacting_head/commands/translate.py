"""Translate text, one line out for each line in, from standard input to standard output."""

import sys
import time

from data.errors import counted
from interacting_head.console import run
from interacting_head.translation import files
from interacting_head.translation.options import parse_arguments
from interacting_head.translation.streams import checked_count, is_prompt, open_windows

SLOW = 60  # seconds after which a faster engine is suggested


def main() -> None:
    """Translate what the command line names."""
    arguments = parse_arguments(__doc__)
    batch_size = files.check_runs(arguments)
    files.choose_engine(arguments)
    files.check_output(arguments)
    other_path = arguments.score if arguments.prefix is None else arguments.prefix
    count = checked_count(arguments.input, other_path)  # also rejects files that are not text, before hours of work
    sentences = tokens = 0
    with files.open_summary(arguments) as summarize, files.open_output(arguments) as output:
        translator = files.load_translator(arguments)
        form = files.output_form(arguments, translator)
        sizes = [batches * batch_size for batches in files.window_sizes(arguments, output)]
        if is_prompt(arguments.input):
            print(f"{', '.join(arguments.model)}: type one sentence per line, Ctrl-D to end", file=sys.stderr)
        how = {"score": arguments.score is not None, "token_scores": arguments.output_type == "json"}
        started = time.perf_counter()
        with (
            open_windows(arguments.input, other_path, *sizes) as windows,
            files.open_alignment(arguments, translator) as align,
            files.progress_bar(count, arguments, output) as progress,
        ):
            for lines, found in translator.translate_windows(windows, **how):
                output.writelines(form(sentences, lines, found))
                output.flush()
                align(lines, found)
                progress.update(len(lines))
                sentences += len(lines)
                tokens += sum(len(best.tokens) - (best.pieces - 1) for best, *_ in found)
        seconds = time.perf_counter() - started
        summarize(sentences=sentences, tokens=tokens, seconds=seconds)
    for warning in translator.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(
        f"{counted(sentences, 'sentence')} in {seconds:.1f} s: "
        f"{sentences / seconds:,.1f} sentences/s, {tokens / seconds:,.0f} tokens/s",
        file=sys.stderr,
    )
    # Which alignments another engine gives is known only from its export.
    if seconds > SLOW and not (arguments.details or arguments.alignment or other_path):
        faster = translator.engine.faster_engine(translator.options, arguments.max_source_length)
        if faster is not None:
            hint = f"--engine {faster} gives almost the same translations in less time (docs/translation.md)"
            print(hint, file=sys.stderr)


if __name__ == "__main__":
    run(main)
