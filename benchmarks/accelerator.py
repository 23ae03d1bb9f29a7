"""Measure a GPU, or a CPU with smaller sizes, in ten minutes: `KERAS_BACKEND=jax python benchmarks/accelerator.py`.

It measures training in tokens/s and as a share of the speed of large matrix products, attention forward and backward
of each scheme and of Keras' layer, beam search in sentences/s, and peak memory, on the backend in KERAS_BACKEND.
"""

import dataclasses
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import results
from benchmarks.accelerators.cases import SIZES, attention_cases, attention_dim, search_cases, training_cases
from benchmarks.accelerators.device import device_name, matmul_peak
from benchmarks.report import shown
from interacting_head.console import ArgumentParser, importing_keras, run
from interacting_head.training.peak_ram import peak_memory

FLOAT32, BFLOAT16 = "float32", "mixed_bfloat16"
BACKENDS = {"jax": "JAX", "tensorflow": "TensorFlow"}
SHARES = {"training": 0.55, "attention": 0.9, "search": 1.0}
"""Part → the share of all minutes after which none of its cases is begun."""


def main():
    arguments = parse_arguments()
    with importing_keras():
        import keras

        from interacting_head.training.precision import multiplies_bfloat16
    device = device_name()
    name = arguments.sizes or ("small" if "CPU" in device else "full")
    sizes, backend = SIZES[name], keras.backend.backend()
    precisions = [BFLOAT16, FLOAT32] if multiplies_bfloat16() else [FLOAT32]
    print(f"{backend} on {device}: sizes {name}, {', '.join(precisions)}", file=sys.stderr, flush=True)
    started = time.perf_counter()
    peaks = {precision: matmul_peak(precision, sizes.matrix) for precision in precisions}
    rows, left_out = [], []
    for part, cases in (
        ("training", training_cases(sizes, precisions, peaks)),
        ("attention", attention_cases(sizes, precisions[0])),
        ("search", search_cases(sizes, precisions[0])),
    ):
        for case, measure in cases if part in arguments.parts else ():
            if time.perf_counter() - started > 60 * arguments.minutes * SHARES[part]:
                left_out.append(" ".join(map(str, case.values())))
                continue
            for row in measured(measure):
                rows.append({"part": part, **case, **row, "peak GiB": peak_memory() / 2**30})
                print(", ".join(f"{field} {shown(value, 3)}" for field, value in rows[-1].items()), flush=True)
    conditions = {
        "what": f"sizes {name}: {', '.join(f'{key} {value}' for key, value in dataclasses.asdict(sizes).items())}",
        "training": "Adam, dropout 0.1, label smoothing 0.1, no padding, FFN 4 d, heads of size 64, tokens of "
        "both sides; FLOPs of matrix products that every scheme has, attention weights left out",
        "attention": f"self-attention, d = {attention_dim(sizes)}, {precisions[0]}, forward and backward by inputs and "
        "weights; ratio: the median over turns of the time relative to Keras' layer in the same turn",
        "search": f"beam 4, source and target of {sizes.length} tokens, {precisions[0]}",
        "matmul peak": ", ".join(f"{precision} {peak / 1e12:.3g} TFLOP/s" for precision, peak in peaks.items()),
        "T, h": "sentence length of queries and keys, number of heads; the result file has all lengths",
        **({} if "CPU" in device else {"peak GiB": "of the process up to then, on the device"}),
        "left out for lack of time": "; ".join(left_out) or "nothing",
    }
    path = arguments.output or results.FOLDER / f"accelerator_{backend}.json"
    column = f"{BACKENDS.get(backend, backend)}, {results.processor_name(device.removeprefix('CPU '))}"
    path = results.write(
        "accelerator", "backends", rows, views(rows, "CPU" in device), conditions, path, arguments.conditions, column
    )
    print(f"wrote {path}", file=sys.stderr)


def parse_arguments():
    """Parse the command line."""
    parser = ArgumentParser(prog="accelerator.py", description=__doc__)
    parser.add_argument("--sizes", choices=SIZES, help="default: full, or small without an accelerator")
    parser.add_argument("--minutes", type=float, default=10, metavar="N", help="no case is begun later; default: 10")
    parser.add_argument("--parts", nargs="+", choices=SHARES, default=list(SHARES), metavar="PART", help="only these")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    parser.add_argument("--output", metavar="FILE", help="default: benchmarks/results/accelerator_BACKEND.json")
    return parser.parse_args()


def measured(measure):
    """Return the rows of a case, or one row that says that it does not fit into the device's memory."""
    try:
        return measure()
    except Exception as error:  # each backend has its own error for this
        if "RESOURCE_EXHAUSTED" not in str(error) and "ResourceExhausted" not in type(error).__name__:
            raise
        return [{"failed": "out of memory"}]


def views(rows, on_cpu):
    """Return the tables; see `results.write`. On a CPU, peaks of memory include earlier cases and are not shown."""
    memory = [] if on_cpu else ["peak GiB"]
    longest = max((row["T"] for row in rows if row["part"] == "attention"), default=None)
    return [
        {
            "caption": "Training",
            "where": {"part": "training"},
            "index": ["precision", "d", "tokens", "scheme"],
            "values": ["tokens/s", "of matmul peak", "first step s", *memory, "failed"],
            "digits": {"first step s": 1, "peak GiB": 1},
        },
        {
            "caption": "Attention: time relative to Keras' layer",
            "where": {"part": "attention", "T": longest, "code": None},
            "index": ["T", "layer"],
            "columns": "h",
            "values": ["ratio", "failed"],
        },
        {
            "caption": "Search",
            "where": {"part": "search"},
            "index": ["rows", "scheme"],
            "values": ["sentences/s", "first call s", "failed"],
            "digits": {"sentences/s": 1, "first call s": 1},
        },
    ]


if __name__ == "__main__":
    run(main)
