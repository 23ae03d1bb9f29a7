"""Training speed of our model and of a keras-hub Transformer of the same sizes, in turn in one process.

Needs the packages of requirements-benchmarks.txt, and Multi30k as `train.py multi30k_de_en` does. Tokens are source and
target tokens without padding. FLOPs are those of the matrix products, forward and backward.
"""

import itertools
import tempfile
import time

import numpy as np

from benchmarks import results
from benchmarks.schemes_training import settings
from interacting_head.command_line import RunError, without_import_noise

KERAS_HUB = "keras-hub"
PRECISIONS = ("float32", "mixed_bfloat16")


def add_arguments(parser):
    parser.add_argument("--corpora-dir", metavar="DIR", help="where multi30k lies, as for train.py")
    names = list(settings())
    parser.add_argument("--schemes", nargs="+", choices=names, default=names, metavar="NAME", help="default: all")
    parser.add_argument("--rounds", type=int, default=6, metavar="N", help="turns of each model")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="steps of a turn")
    parser.add_argument("--output", metavar="FILE", help="default: benchmarks/results/training.json")


def main(arguments):
    with without_import_noise():
        import keras

        from interacting_head import preparation, recipes
        from interacting_head.config import override
        from interacting_head.models import build_model
        from interacting_head.run_directory import RunDirectory

        try:
            import keras_hub  # noqa: F401
        except ImportError as error:
            raise RunError(f"{error}: install requirements-benchmarks.txt") from error

    config = recipes.get("multi30k_de_en")
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(folder)
        corpus = preparation.open_text(config.data, arguments.corpora_dir)
        text = preparation.prepare_run_text(config.data, run, corpus)
        subwords = preparation.prepare_subwords(config.data, run, text.train)
        batches = preparation.make_batches(config, text.train, *subwords)
    count = arguments.rounds * arguments.steps
    batches = list(itertools.islice(batches, count))
    models = {}
    for precision in PRECISIONS:
        keras.config.set_dtype_policy(precision)
        models[KERAS_HUB, precision] = keras_hub_model(config, subwords[0].vocabulary_size)
        for scheme in arguments.schemes:
            scheme_config = override(config, [f"{key}={value}" for key, value in settings()[scheme].items()])
            model = build_model(scheme_config, *subwords)
            models[scheme, precision] = preparation.make_training_model(model, scheme_config, count + 5)
    seconds = {name: [] for name in models}
    for model in models.values():
        fit(model, batches[: arguments.steps])  # traces and warms up
    for turn in range(arguments.rounds):
        part = batches[turn * arguments.steps : (turn + 1) * arguments.steps]
        for name, model in models.items():
            seconds[name].append(fit(model, part))
    turns = [batches[turn * arguments.steps : (turn + 1) * arguments.steps] for turn in range(arguments.rounds)]
    tokens = np.array([sum(map(real_tokens, turn)) for turn in turns])
    flops = np.array([sum(matmul_flops(config.model, subwords[1].vocabulary_size, b) for b in turn) for turn in turns])
    peaks = {precision: matmul_peak(precision) for precision in PRECISIONS}
    rows = []
    for (name, precision), timed in seconds.items():
        rate = float(np.median(flops / timed))
        rows.append(
            {
                "model": name,
                "precision": precision,
                "tokens/s": round(float(np.median(tokens / timed))),
                "over keras-hub": float(np.median(np.divide(seconds[KERAS_HUB, precision], timed))),
                "over keras-hub float32": float(np.median(np.divide(seconds[KERAS_HUB, "float32"], timed))),
                "GFLOP/s": rate / 1e9,
                "of matmul peak": rate / peaks[precision],
            }
        )
        print(rows[-1], flush=True)
    conditions = {
        "what": "multi30k_de_en (d 256, 3 + 3 layers, FFN 1024, 8 heads, 8k BPE, 4,096-token batches, pre-norm, "
        f"dropout 0.1, Adam, clipping); {arguments.rounds} turns of {arguments.steps} steps each, medians",
        "GFLOP/s": "of the matrix products that every scheme has in common, attention weights left out",
        "keras-hub": "TransformerEncoder, TransformerDecoder, tied ReversibleEmbedding, sine positions, `fit` with "
        "sparse cross-entropy without label smoothing",
        "matmul peak": ", ".join(f"{precision} {peak / 1e9:,.0f} GFLOP/s" for precision, peak in peaks.items()),
    }
    views = [{"caption": "Training", "fields": list(rows[0])}]
    results.write("training", "Training speed", rows, views, conditions, arguments.output)


def fit(model, batches):
    """Seconds that `fit` takes for batches."""
    from data.pipeline import as_tf_dataset

    started = time.perf_counter()
    model.fit(as_tf_dataset(batches), steps_per_epoch=len(batches), verbose=0, shuffle=False)
    return time.perf_counter() - started


def real_tokens(batch):
    """Source and target tokens of a batch without padding."""
    inputs, labels = batch
    return int((inputs["source_ids"] != 0).sum() + (labels != 0).sum())


def matmul_flops(model, vocabulary_size, batch):
    """FLOPs of the matrix products of a training step, without padding; those of attention weights left out."""
    inputs, labels = batch
    source, target = int((inputs["source_ids"] != 0).sum()), int((labels != 0).sum())
    D, F = model.model_dim, model.feed_forward_dim
    encoder = model.encoder_layers * (4 * D * D + 2 * D * F)
    decoder = model.decoder_layers * (6 * D * D + 2 * D * F) + D * vocabulary_size
    memory = model.decoder_layers * 2 * D * D
    return 3 * 2 * (source * (encoder + memory) + target * decoder)


def matmul_peak(precision, size=2048, seconds=2.0):
    """FLOP/s of a square matrix product."""
    import tensorflow as tf

    dtype = "float32" if precision == "float32" else "bfloat16"
    left = tf.cast(tf.random.normal((size, size)), dtype)
    product = tf.function(lambda x: tf.matmul(x, left))
    product(left)  # traces
    best, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        product(left).numpy()
        best = max(best, 2 * size**3 / (time.perf_counter() - started))
    return best


def keras_hub_model(config, vocabulary_size):
    """The same Transformer of keras-hub's layers, compiled."""
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
    embedding = keras_hub.layers.ReversibleEmbedding(vocabulary_size, D, tie_weights=True, mask_zero=True)

    def embed(ids):
        x = embedding(ids)
        x = keras.layers.Add()([x, keras_hub.layers.SinePositionEncoding()(x)])
        return keras.layers.Dropout(sizes.dropout)(x)

    encoded, decoded = embed(source_ids), embed(target_ids)
    for _ in range(sizes.encoder_layers):
        encoded = keras_hub.layers.TransformerEncoder(**block)(encoded)
    for _ in range(sizes.decoder_layers):
        decoded = keras_hub.layers.TransformerDecoder(**block)(decoded, encoded)
    logits = embedding(decoded, reverse=True)
    model = keras.Model({"source_ids": source_ids, "target_ids": target_ids}, logits)
    train = config.train
    optimizer = keras.optimizers.Adam(
        train.learning_rate, train.adam_beta_1, train.adam_beta_2, train.adam_epsilon, global_clipnorm=1.0
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(optimizer=optimizer, loss=loss, jit_compile=False)
    return model
