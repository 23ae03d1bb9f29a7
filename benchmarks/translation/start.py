"""Seconds until a program translates its first line with the Keras engine, by stages.

Each turn is a new process that does what `interacting-head translate` does for one line.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import results
from interacting_head.console import RunError
from interacting_head.runs.run_directory import RunDirectory

ROOT = Path(__file__).parents[2]
PYTHON, KERAS, MODEL, FIRST, SECOND = "Python", "Keras and TensorFlow", "the model", "first line", "second line"


def add_arguments(parser):
    parser.add_argument("-m", "--model", required=True, metavar="RUN_DIR", help="a trained run")
    line_help = "the line to translate; default: %(default)s"
    parser.add_argument("--line", default="Der alte Mann liest ein Buch.", help=line_help)
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="number of processes; default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/start.json")
    parser.add_argument("--conditions", default="", metavar="TEXT", help="what else ran on the machine")


def main(arguments):
    folder = str(Path(arguments.model).resolve())
    turns = [stages_of_a_process(folder, arguments.line) for _ in range(arguments.rounds)]
    seconds = {stage: float(np.median([turn[stage] for turn in turns])) for stage in turns[0]}
    to_the_first = float(np.median([sum(turn.values()) - turn[SECOND] for turn in turns]))
    rows = [{"stage": stage, "seconds": one} for stage, one in seconds.items()]
    rows.append({"stage": "from the start to the first line", "seconds": to_the_first})
    model = RunDirectory.open(folder).config.model
    conditions = {
        "model": f"d {model.model_dim}, {model.encoder_layers} + {model.decoder_layers} layers",
        "turns": f"{arguments.rounds} processes, medians",
        PYTHON: "the interpreter and this project's modules without Keras",
        FIRST: "with tracing and optimising the search, which later lines reuse",
    }
    views = [{"caption": "Start of translation with Keras", "index": ["stage"], "values": ["seconds"]}]
    path = results.write("start", "translation", rows, views, conditions, arguments.output, arguments.conditions)
    print(f"wrote {path}")


def stages_of_a_process(folder, line):
    """Return `{stage: seconds}` of a new process."""
    command = [sys.executable, "-m", "benchmarks.translation.start", folder, line, str(time.monotonic())]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if process.returncode:
        raise RunError(f"{' '.join(command)} failed: {process.stderr[-1000:]}")
    return json.loads(process.stdout)


def translate_one_line(folder, line, started):
    """Print `{stage: seconds}` of this process, which started at a time of `time.monotonic`."""
    from interacting_head.translation.engines import load_engine

    ends = {PYTHON: time.monotonic()}
    load_engine("keras")
    ends[KERAS] = time.monotonic()
    from interacting_head.translation.translator import Translator

    translator = Translator.from_run(folder)
    ends[MODEL] = time.monotonic()
    for stage in (FIRST, SECOND):
        list(translator.translate([line]))
        ends[stage] = time.monotonic()
    seconds = np.diff([started, *ends.values()])
    print(json.dumps(dict(zip(ends, seconds.tolist(), strict=True))))


if __name__ == "__main__":
    translate_one_line(*sys.argv[1:3], float(sys.argv[3]))
