"""The product of hidden vectors with the vocabulary's embeddings: one transposed copy, or transposed in each product.

Both are timed in turns in one process with one thread. The copy itself, made once for a search or a step, is not timed.
"""

import time

import numpy as np

from benchmarks import results
from benchmarks.child_process import ChildProcess

SIZES = ((128, 6000), (256, 8000), (512, 32000))
"""Model size and number of sub-words."""
REPEATS = 10


def add_arguments(parser):
    rows_help = "hypotheses of a step, or tokens of a part of a batch; default: %(default)s"
    parser.add_argument("--rows", type=int, nargs="+", default=[4, 16, 64, 256], metavar="N", help=rows_help)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="turns; default: %(default)s")
    output_help = "result file; default: benchmarks/results/vocabulary_product.json"
    parser.add_argument("--output", metavar="FILE", help=output_help)


def main(arguments):
    rows = []
    with ChildProcess(milliseconds, threads=1) as child:
        for D, N in SIZES:
            for count in arguments.rows:
                turns = np.array([child(D, N, count) for _ in range(1 + arguments.rounds)])[1:]
                each, copy = np.median(turns, axis=0)
                row = {"d": D, "sub-words": N, "rows": count, "ms, transposing": each, "ms, with a copy": copy}
                rows.append({**row, "over transposing": float(np.median(turns[:, 1] / turns[:, 0]))})
                print(*rows[-1].values(), flush=True)
    conditions = {
        "what": f"float32, one thread; {arguments.rounds} turns of {REPEATS} products, medians",
        "over transposing": "time with a copy that is transposed once, over the time of a product that transposes",
    }
    values = ["ms, transposing", "ms, with a copy", "over transposing"]
    views = [{"caption": "Product with the vocabulary", "index": ["d", "sub-words", "rows"], "values": values}]
    path = results.write("vocabulary_product", "translation", rows, views, conditions, arguments.output)
    print(f"wrote {path}")


def milliseconds(D, N, count):
    """Return the times of a product that transposes, and of one with a copy, of hidden vectors `(count, D)`."""
    import tensorflow as tf
    from keras import ops

    from layers.projection import transposed

    if (D, N, count) not in FUNCTIONS:
        hidden, embeddings = tf.random.normal((count, D)), tf.random.normal((N, D))
        copy = transposed(embeddings)
        each = tf.function(lambda: ops.matmul(hidden, ops.transpose(embeddings)))
        FUNCTIONS[D, N, count] = each, tf.function(lambda: ops.matmul(hidden, copy))
    return [timed(function) for function in FUNCTIONS[D, N, count]]


FUNCTIONS = {}
"""Compiled functions of the measuring process, by sizes."""


def timed(function):
    """Return the milliseconds of a call."""
    function()
    started = time.perf_counter()
    for _ in range(REPEATS):
        product = function()
    product.numpy()
    return (time.perf_counter() - started) / REPEATS * 1000
