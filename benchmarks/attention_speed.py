"""Time and RAM of one self-attention layer, forward and backward, for every scheme.

All layers of one length and number of heads are timed in turns in one process with one thread, so that other work on
the machine does not change their ratios. Each such group, and each measurement of RAM, has its own process.
"""

import functools
import math
import os
import time
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.child_process import ChildProcess

LOOP = "Algorithm 1, printed loop"
PAIRWISE_LOOP = "equations (11)–(12), printed loop"
KERAS = "keras MultiHeadAttention"
PAIRS = "interacting_head, head_pairs"
BASE = "multi_head"
MEAN_LENGTH = 25  # key size of fixed_head_size: the mean length of a sentence of IWSLT16 in tokens
HEADS_SHOWN = (2, 8, 64)
QUADRATIC = (PAIRS, LOOP, PAIRWISE_LOOP)
MOST_HEADS_IN_A_LOOP = 32  # TensorFlow takes many minutes to build the graph of 64² pairs and of their gradients


def add_arguments(parser):
    heads_help = "numbers of heads; default: 2 4 8 16 32 64"
    parser.add_argument("--heads", type=int, nargs="+", default=[2, 4, 8, 16, 32, 64], metavar="H", help=heads_help)
    lengths_help = "sentence lengths; default: 25 100"
    parser.add_argument("--lengths", type=int, nargs="+", default=[25, 100], metavar="T", help=lengths_help)
    parser.add_argument("--batch-size", type=int, default=32, metavar="B", help="sentences; default: %(default)s")
    parser.add_argument("--model-dim", type=int, default=512, metavar="D", help="model size; default: %(default)s")
    rounds_help = "how often each layer is timed; default: %(default)s"
    parser.add_argument("--rounds", type=int, default=25, metavar="N", help=rounds_help)
    seconds_help = "time limit for a layer at one length and number of heads, from the third round on"
    parser.add_argument("--seconds", type=float, default=30, metavar="S", help=seconds_help)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these layers and multi_head")
    parser.add_argument("--no-memory", action="store_true", help="do not measure RAM")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="result file; default: benchmarks/results/attention.json. Its other rows are kept",
    )


def main(arguments):
    rows = []
    for length in arguments.lengths:
        for heads in arguments.heads:
            names = [name for name in layer_makers() if not arguments.only or name in (BASE, *arguments.only)]
            cell = in_child(time_cell, names, heads, length, arguments)
            for name in names:
                row = {"layer": name, "T": length, "h": heads, **cell.get(name, {})}
                if name in cell and not arguments.no_memory:
                    row["MiB"] = in_child(peak_memory, name, heads, length, arguments, keep_memory=False)
                rows.append(row)
                print(*(f"{value:.3f}" if isinstance(value, float) else value for value in row.values()), flush=True)
    path = Path(arguments.output or results.FOLDER / "attention.json")
    names = list(layer_makers())
    rows = [*results.former_rows(path, rows, ("T", "h", "layer")), *rows]
    rows = sorted(rows, key=lambda row: (row["T"], row["h"], names.index(row["layer"])))
    conditions = {
        "what": "self-attention, forward and backward by inputs and weights, float32, tf.function, one thread",
        "sizes": f"B = {arguments.batch_size}, d = {arguments.model_dim}; fixed_head_size has key size "
        f"{MEAN_LENGTH}; multi_layer attends to two sources (M-00)",
        "T, h": "sentence length of queries and keys, number of heads; the result file has all lengths and numbers",
        "ratio": "the median over rounds of the time relative to multi_head in the same round",
        "printed loops": f"up to {MOST_HEADS_IN_A_LOOP} heads, with more TensorFlow builds the graph for minutes",
    }
    results.write("attention", "attention", rows, views(rows), conditions, path, arguments.conditions)


def views(rows):
    """Return the tables; see `results.write`. They show `HEADS_SHOWN`, or all numbers of heads if one is missing."""
    measured, longest = {row["h"] for row in rows}, max(row["T"] for row in rows)
    heads = HEADS_SHOWN if measured.issuperset(HEADS_SHOWN) else sorted(measured)
    return [
        {
            "caption": caption,
            "where": {"h": list(heads), "code": None, **where},
            "index": ["T", "layer"],
            "columns": "h",
            "values": [field],
            "digits": {"ms": 1},
        }
        for field, caption, where in (
            ("ratio", "Time relative to multi_head", {}),
            ("ms", "Milliseconds", {"layer": [BASE, KERAS]}),
            ("MiB", "Peak memory in MiB beyond inputs and weights", {"T": longest}),
        )
    ]


def layer_makers():
    """Return name → function of (heads H, key size K) that makes the layer."""
    return {
        BASE: scheme("multi_head"),
        KERAS: keras_attention,
        "fixed_head_size": lambda H, K: scheme("fixed_head_size")(H, MEAN_LENGTH, K),
        "talking_heads": scheme("talking_heads"),
        "interacting_head": scheme("interacting_head"),
        PAIRS: scheme("interacting_head", implementation="head_pairs"),
        LOOP: scheme("interacting_head", implementation="listing"),
        "interacting_head_pairwise": scheme("interacting_head_pairwise"),
        PAIRWISE_LOOP: scheme("interacting_head_pairwise", implementation="listing"),
        "dynamic_head_importance": scheme("dynamic_head_importance"),
        "multi_hop": scheme("multi_hop"),
        "multi_layer": scheme("multi_layer", num_sources=2),
    }


def scheme(name, **options):
    """Return a function that makes a layer of the registry."""

    def make(num_heads, key_dim, value_dim=None):
        from layers import ATTENTION_SCHEMES  # imports Keras

        return ATTENTION_SCHEMES[name](num_heads, key_dim, value_dim, **options)

    return make


def keras_attention(num_heads, key_dim):
    """Return Keras' own layer."""
    import keras

    # Like our layers, without bias in the projections of queries, keys and values.
    return keras.layers.MultiHeadAttention(num_heads, key_dim, use_bias=False)


def in_child(function, *arguments, **settings):
    """Return the result of a function in a new process with one TensorFlow thread."""
    with ChildProcess(function, threads=1, **settings) as child:
        return child(*arguments)


def make_step(name, heads, length, arguments):
    """Return a function that runs one forward and backward pass of a built layer."""
    import tensorflow as tf

    B, D = arguments.batch_size, arguments.model_dim
    layer = layer_makers()[name](heads, D // heads)
    x, cotangent = (tf.constant(np.random.default_rng(seed).normal(size=(B, length, D)), "float32") for seed in (1, 2))
    layer.build(x.shape, x.shape)
    return tensorflow_gradients(layer, x, cotangent)


def tensorflow_gradients(layer, x, cotangent, jit_compile=False):
    """Return a compiled function that computes the gradients of a built layer's inputs and weights."""
    import tensorflow as tf

    @tf.function(jit_compile=jit_compile)
    def gradients(x, cotangent):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x, x)
        return tape.gradient(outputs, [x, *(weight.value for weight in layer.trainable_weights)], cotangent)

    return functools.partial(gradients.get_concrete_function(x, cotangent), x, cotangent)


def time_cell(names, heads, length, arguments):
    """Time the layers in turns; return `{name: {"ms": median, "ratio": to multi_head}}`."""
    steps, seconds = {}, {name: [] for name in names}
    for name in names:
        if fits(name, heads, length, arguments):
            steps[name] = make_step(name, heads, length, arguments)
            steps[name]()  # warms up
    for _ in range(arguments.rounds):
        for name, step in steps.items():
            timed = seconds[name]
            if len(timed) >= 2 and sum(timed) > arguments.seconds:
                continue
            started = time.perf_counter()
            step()[0].numpy()
            timed.append(time.perf_counter() - started)
    found = {}
    for name in steps:
        turns = list(zip(seconds[name], seconds[BASE], strict=False))  # one of both may have ended earlier
        ratio = np.median([ours / base for ours, base in turns])
        found[name] = {"ms": 1000 * float(np.median(seconds[name])), "ratio": float(ratio)}
    return found


def fits(name, heads, length, arguments):
    """Return whether the logits of all pairs of heads and their gradients fit into RAM, and a loop can be built."""
    if name not in QUADRATIC:
        return True
    if name in (LOOP, PAIRWISE_LOOP) and heads > MOST_HEADS_IN_A_LOOP:
        return False
    pairs = 4 * arguments.batch_size * (heads * length) ** 2
    return 3 * pairs < os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def peak_memory(name, heads, length, arguments):
    """Return the peak MiB of a step beyond inputs and weights."""
    step = make_step(name, heads, length, arguments)
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak
    step()[0].numpy()
    return math.ceil((status("VmHWM") - before) / 1024)


def status(field):
    """Return a field of /proc/self/status, in KiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field + ":"))
