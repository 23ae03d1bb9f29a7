"""Training speed of our model and a keras-hub Transformer of the same sizes, in turns, with two allocators.

It needs requirements-benchmarks.txt and the corpus Multi30k. Tokens are source and target tokens without padding.
FLOPs count the matrix products, forward and backward.
"""

import contextlib
import itertools
import multiprocessing
import os
import tempfile
import time
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from benchmarks import results
from benchmarks.accelerators.device import matmul_peak
from benchmarks.child_process import ChildProcess
from benchmarks.schemes_training import settings
from data.text.subwords import PAD
from interacting_head import recipes
from interacting_head.config import override
from interacting_head.console import RunError
from interacting_head.model.flops import matmul_flops

KERAS_HUB = "keras-hub"
WIDE = "width 256"
SIZES = {
    "width 128": (),
    WIDE: (
        "model.model_dim=256",
        "model.feed_forward_dim=1024",
        "model.attention.num_heads=8",
        "model.dropout=0.1",
        "data.vocabulary_size=8000",
        "train.batch_tokens=4096",
    ),
}
"""Name → settings of `multi30k_de_en`."""
PRECISIONS = ("float32", "mixed_bfloat16")
AS_IT_IS, KEPT = "as it is", "ours"
FREE, BUSY = "no core kept busy", "one core kept busy"
ALLOCATORS = {AS_IT_IS: False, KEPT: True}
MATRIX = 2048  # rows and columns of the product that gives the peak
WARM_UP = 0  # traces all functions with the batches of the first turn


def add_arguments(parser):
    sizes_help = "width of the models, with batches that fit it; default: %(default)s"
    parser.add_argument("--sizes", choices=SIZES, default=WIDE, help=sizes_help)
    parser.add_argument("--corpora-dir", metavar="DIR", help="folder of the corpora, as for train.py")
    parser.add_argument("--busy-core", action="store_true", help="keep one core busy with another process meanwhile")
    names = list(settings())
    schemes_help = "schemes to measure; default: all"
    parser.add_argument("--schemes", nargs="+", choices=names, default=names, metavar="NAME", help=schemes_help)
    precisions_help = "default: all; without bfloat16 instructions, mixed_bfloat16 takes keras-hub minutes"
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=PRECISIONS, help=precisions_help)
    parser.add_argument("--rounds", type=int, default=6, metavar="N", help="turns of each model; default: %(default)s")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="steps in each turn; default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/training.json")


def main(arguments):
    turns = range(arguments.rounds)
    cases = [(model, precision) for precision in arguments.precisions for model in (KERAS_HUB, *arguments.schemes)]
    found = {}
    with contextlib.ExitStack() as stack:
        children = {
            (schemes, allocator): stack.enter_context(ChildProcess(Trainings(arguments, schemes), keep_memory))
            for schemes in ((), tuple(arguments.schemes))
            for allocator, keep_memory in ALLOCATORS.items()
        }
        peak = stack.enter_context(ChildProcess(matmul_peak))
        before = {precision: peak(precision, MATRIX) for precision in arguments.precisions}
        load = busy_core() if arguments.busy_core else contextlib.nullcontext()
        with load, tqdm(total=len(cases) * len(ALLOCATORS) * (1 + len(turns)), unit="turn") as progress:
            for turn in (WARM_UP, *turns):
                for model, precision in cases:
                    schemes = () if model == KERAS_HUB else tuple(arguments.schemes)
                    for allocator in ALLOCATORS:
                        found[model, precision, allocator, turn] = children[schemes, allocator](model, precision, turn)
                        progress.update()
        peaks = {precision: max(before[precision], peak(precision, MATRIX)) for precision in arguments.precisions}
    rows = []
    for model, precision in cases:
        for allocator in ALLOCATORS:
            timed = [found[model, precision, allocator, turn] for turn in turns]
            seconds = np.array([measured.seconds for measured in timed])
            theirs = [found[KERAS_HUB, precision, allocator, turn].seconds for turn in turns]
            rate = float(np.median([measured.flops for measured in timed] / seconds))
            rows.append(
                {
                    "sizes": arguments.sizes,
                    "machine": BUSY if arguments.busy_core else FREE,
                    "model": model,
                    "precision": precision,
                    "allocator": allocator,
                    "tokens/s": round(float(np.median([measured.tokens for measured in timed] / seconds))),
                    "over keras-hub": float(np.median(theirs / seconds)),
                    "GFLOP/s": rate / 1e9,
                    "of matmul peak": rate / peaks[precision],
                    "system s per 100 s": 100 * sum(measured.system_seconds for measured in timed) / seconds.sum(),
                }
            )
    conditions = {
        arguments.sizes: described(configuration(arguments.sizes)),
        "turns": f"{arguments.rounds} of {arguments.steps} steps each, medians",
        "allocator": f"{AS_IT_IS}: the system's allocator; {KEPT}: the process keeps freed memory, like train.py",
        "over keras-hub": "with the same precision and allocator, in the same turns",
        "threads": "keras-hub: TensorFlow's own choice; ours: parts of a batch side by side, like train.py",
        "GFLOP/s (result file)": "of the matrix products that every scheme has in common, attention weights left out",
        "keras-hub": "TransformerEncoder, TransformerDecoder, tied ReversibleEmbedding, sine positions, `fit` with "
        "sparse cross-entropy without label smoothing; padding masked",
        "matmul peak": ", ".join(f"{precision} {peak / 1e9:,.0f} GFLOP/s" for precision, peak in peaks.items())
        + ", without the load" * arguments.busy_core,
    }
    load = "another process keeps one core busy" if arguments.busy_core else None
    path = results.write("training", "training", rows, views(rows), conditions, arguments.output, load)
    print(f"wrote {path}")


def views(rows):
    """Return a table for each width and machine; see `results.write`."""
    found = []
    for sizes, machine in dict.fromkeys((row["sizes"], row["machine"]) for row in rows):
        found.append(
            {
                "caption": ", ".join([sizes, *([machine] if machine == BUSY else [])]),
                "where": {"sizes": sizes, "machine": machine},
                "index": ["model", "allocator"],
                "columns": "precision",
                "values": ["tokens/s", "over keras-hub"],
            }
        )
    return found


class Turn(NamedTuple):
    """Cost and work of one turn."""

    seconds: float
    system_seconds: float
    tokens: int
    flops: float


class Trainings:
    """The models of a measuring process; a call trains one of them for a turn.

    Args:
        arguments: the parsed command line.
        schemes: our schemes, with each part of a batch on its own core as in `train.py`; none: keras-hub's model.
    """

    def __init__(self, arguments, schemes):
        self.arguments, self.schemes = arguments, schemes
        self.batches, self.models = [], {}

    def __call__(self, name, precision, turn):
        if not self.models:
            self._make()
        steps, (model, sizes) = self.arguments.steps, self.models[name, precision]
        part = self.batches[turn * steps : (turn + 1) * steps]
        before = os.times()
        seconds = fit(model, part)
        system_seconds = os.times().system - before.system
        tokens, flops = sum(map(real_tokens, part)), sum(flops_of(*sizes, batch) for batch in part)
        return Turn(seconds, system_seconds, tokens, flops)

    def _make(self):
        import keras

        from interacting_head.model.building import build_model
        from interacting_head.model.compilation import share_cores_in_training
        from interacting_head.training import setup

        if self.schemes:
            share_cores_in_training()
        config = configuration(self.arguments.sizes)
        count = self.arguments.rounds * self.arguments.steps
        self.batches, subwords = prepared(config, count, self.arguments.corpora_dir)
        sizes = config.model, subwords[1].vocabulary_size
        for precision in self.arguments.precisions:
            keras.config.set_dtype_policy(precision)
            if not self.schemes:
                self.models[KERAS_HUB, precision] = keras_hub_model(config, subwords[0].vocabulary_size), sizes
            for scheme in self.schemes:
                scheme_config = override(config, [f"{key}={value}" for key, value in settings()[scheme].items()])
                model = build_model(scheme_config, *subwords)
                training_model = setup.make_training_model(model, scheme_config, count + self.arguments.steps)
                self.models[scheme, precision] = training_model, sizes


def configuration(sizes):
    """Return the configuration of a key of `SIZES`."""
    return override(recipes.get("multi30k_de_en"), SIZES[sizes])


def described(config):
    """Return the sizes of a configuration as text."""
    model, train = config.model, config.train
    return (
        f"d {model.model_dim}, {model.encoder_layers} + {model.decoder_layers} layers, "
        f"FFN {model.feed_forward_dim}, {model.attention.num_heads} heads, {config.data.vocabulary_size:,} sub-words, "
        f"{train.batch_tokens:,}-token batches, {model.normalization}-norm, dropout {model.dropout}, Adam, clipping"
    )


@contextlib.contextmanager
def busy_core():
    """Keep the last of this process's cores busy with a process that runs on no other core."""
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_count_for_ever, args=(max(os.sched_getaffinity(0)),), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _count_for_ever(core):
    os.sched_setaffinity(0, {core})
    while True:
        sum(range(1_000_000))


def prepared(config, steps, corpora_dir):
    """Return the batches of a number of steps and the two `Subwords`; raise `RunError` without keras-hub."""
    from interacting_head.runs.run_directory import RunDirectory
    from interacting_head.training import run_text, setup

    try:
        import keras_hub  # noqa: F401
    except ImportError as error:
        raise RunError(f"{error}: install requirements-benchmarks.txt") from error
    with tempfile.TemporaryDirectory() as folder:
        corpus = run_text.open_text(config.data, corpora_dir)
        text = run_text.prepare_run_text(config.data, RunDirectory(folder), corpus)
        return list(itertools.islice(setup.make_batches(config, text.pairs), steps)), text.subwords


def fit(model, batches):
    """Return the seconds that `fit` takes for batches."""
    from data.batches.pipeline import as_tf_dataset

    started = time.perf_counter()
    model.fit(as_tf_dataset(batches), steps_per_epoch=len(batches), verbose=0, shuffle=False)
    return time.perf_counter() - started


def real_tokens(batch):
    """Return source and target tokens of a batch without padding."""
    inputs, labels = batch
    return int((inputs["source_ids"] != 0).sum() + (labels != 0).sum())


def flops_of(model, vocabulary_size, batch):
    """Return FLOPs of a training step with a batch."""
    inputs, labels = batch
    source, target = int((inputs["source_ids"] != 0).sum()), int((labels != 0).sum())
    return matmul_flops(model, vocabulary_size, source, target)


def keras_hub_model(config, vocabulary_size):
    """Return a compiled Transformer of keras-hub's layers, with the sizes of a configuration."""
    import keras
    import keras_hub

    sizes = config.model
    D = sizes.model_dim
    block = {
        "intermediate_dim": sizes.feed_forward_dim,
        "num_heads": sizes.attention.num_heads,
        "dropout": sizes.dropout,
        "normalize_first": sizes.normalization == "pre",
    }
    source_ids = keras.Input((None,), dtype="int32", name="source_ids")
    target_ids = keras.Input((None,), dtype="int32", name="target_ids")
    embedding = keras_hub.layers.ReversibleEmbedding(vocabulary_size, D, tie_weights=True)

    def embed(ids):
        x = keras.layers.Rescaling(D**0.5)(embedding(ids))
        x = keras.layers.Add()([x, keras_hub.layers.SinePositionEncoding()(x)])
        return keras.layers.Dropout(sizes.dropout)(x)

    encoded, decoded = embed(source_ids), embed(target_ids)
    mask = keras.ops.not_equal(source_ids, PAD)  # the sum with the positions has lost the embedding's mask
    for _ in range(sizes.encoder_layers):
        encoded = keras_hub.layers.TransformerEncoder(**block)(encoded, padding_mask=mask)
    for _ in range(sizes.decoder_layers):
        decoded = keras_hub.layers.TransformerDecoder(**block)(decoded, encoded, encoder_padding_mask=mask)
    logits = embedding(decoded, reverse=True)
    model = keras.Model({"source_ids": source_ids, "target_ids": target_ids}, logits)
    train = config.train
    optimizer = keras.optimizers.Adam(
        train.learning_rate, train.adam_beta_1, train.adam_beta_2, train.adam_epsilon, global_clipnorm=1.0
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(optimizer=optimizer, loss=loss, jit_compile=False)
    return model
