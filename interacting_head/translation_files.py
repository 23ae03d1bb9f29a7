"""Translation of files and streams: what `translate.py` does."""

import contextlib
import json
import math
import sys
import time

from data.errors import InputError
from data.parallel_text import decode_lines, open_text_file
from interacting_head.command_line import atomic_write, without_import_noise
from interacting_head.run_directory import RunDirectory


def translate_file(arguments):
    """Translates `arguments.input` to `arguments.output`; see `translate.py --help` for the fields."""
    for name in ("beam_size", "max_length", "batch_size", "n_best"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    penalty = arguments.length_penalty
    if penalty is not None and not (penalty >= 0 and math.isfinite(penalty)):
        raise InputError(f"--length-penalty must be a number of at least 0, got {penalty}")
    if arguments.n_best > 1 and arguments.output_type == "text":
        raise InputError("--n-best above 1 needs --output-type moses or json: text is one line out for one line in")
    run = RunDirectory.open(arguments.model)
    run.weights(arguments.checkpoint)
    beam_size = arguments.beam_size or run.config.decode.beam_size
    if arguments.n_best > beam_size:
        raise InputError(f"--n-best {arguments.n_best} is above the beam size {beam_size}")
    form = {"text": _as_text, "moses": _as_moses, "json": _as_json}[arguments.output_type]
    name = "standard input" if arguments.input == "-" else arguments.input
    with open_text_file(arguments.input) as file:
        _translate(decode_lines(file, name), arguments, form)


def _translate(lines, arguments, form):
    """Translates the lines and prints a summary; `form` makes text of a line's number and hypotheses."""
    with without_import_noise():
        from interacting_head.translator import Translator  # imports Keras: after all checks of the arguments

    translator = Translator.from_run(
        arguments.model,
        arguments.checkpoint,
        beam_size=arguments.beam_size,
        alpha=arguments.length_penalty,
        kind=arguments.length_penalty_type,
        max_length=arguments.max_length,
        batch_size=arguments.batch_size,
    )
    started, sentences, tokens = time.perf_counter(), 0, 0
    with _output(arguments.output) as output:
        # Someone who types wants an answer to each line.
        interactive = arguments.input == "-" and sys.stdin.isatty()
        for number, hypotheses in enumerate(translator.translate(lines, window=1 if interactive else None)):
            if arguments.keep_tokenized:
                hypotheses = list(map(translator.tokenized, hypotheses))
            output.write(form(number, hypotheses[: arguments.n_best]))
            if interactive:
                output.flush()
            sentences += 1
            tokens += len(hypotheses[0].tokens)
    seconds = time.perf_counter() - started
    print(
        f"{sentences:,} sentences in {seconds:.1f} s: {sentences / seconds:,.1f} sentences/s, "
        f"{tokens / seconds:,.0f} tokens/s",
        file=sys.stderr,
    )


def _as_text(number, hypotheses):
    return hypotheses[0].text + "\n"


def _as_moses(number, hypotheses):
    return "".join(f"{number} ||| {h.text} ||| score={h.score:.6f} ||| {h.score:.6f}\n" for h in hypotheses)


def _as_json(number, hypotheses):
    best = hypotheses[0]
    record = {"translation": best.text, "score": round(best.score, 6), "tokens": best.tokens}
    if len(hypotheses) > 1:
        record["n_best"] = [{"translation": h.text, "score": round(h.score, 6), "tokens": h.tokens} for h in hypotheses]
    return json.dumps(record, ensure_ascii=False) + "\n"


def _output(path):
    """The standard output where the path is `-`, or else a file that appears when it is complete."""
    if path != "-":
        return atomic_write(path)
    sys.stdout.reconfigure(encoding="utf-8")
    return contextlib.nullcontext(sys.stdout)
