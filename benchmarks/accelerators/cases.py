"""Cases of `accelerator.py`: what is measured, from the smallest to the largest, and how."""

import dataclasses
import itertools
import time

import numpy as np

from benchmarks.accelerators.device import memory_limit
from benchmarks.attention_speed import KERAS, LOOP, PAIRS, PAIRWISE_LOOP, layer_makers, tensorflow_gradients
from interacting_head.model.flops import matmul_flops

SCHEMES = "multi_head", "interacting_head"
MOST_HEADS_IN_A_LOOP = 8  # XLA compiles graphs of more pairs for minutes
MOST_DIM = 512  # of attention alone, and of the search


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Sizes of what is measured: `tokens` of each side a batch, `seconds` for each case once it is compiled."""

    dims: tuple = (256, 512, 1024)
    tokens: tuple = (4096, 16_384, 65_536)
    layers: int = 6
    vocabulary: int = 32_000
    length: int = 32
    heads: tuple = (2, 4, 8, 16, 32, 64)
    lengths: tuple = (25, 100, 512)
    attention_tokens: int = 16_384
    search_rows: tuple = (64, 256)
    matrix: int = 8192
    seconds: float = 2.0


SIZES = {
    "full": Sizes(),
    "small": Sizes((256, 512), (1024, 4096), 3, 8000, 32, (2, 8), (25, 100), 1600, (8, 32), 2048, 4.0),
    "tiny": Sizes((16,), (32,), 1, 50, 8, (2,), (5,), 10, (2,), 64, 0.0),
}


def training_cases(sizes, precisions, peaks):
    """Return cases, from the smallest to the largest of each precision, and functions that measure them."""
    for precision, D, tokens, scheme in itertools.product(precisions, sizes.dims, sizes.tokens, SCHEMES):
        case = {"scheme": scheme, "d": D, "precision": precision, "tokens": tokens}
        yield case, lambda case=case: [time_training(**case, sizes=sizes, peak=peaks[case["precision"]])]


def time_training(scheme, d, precision, tokens, sizes, peak):
    """Return the speed of the training step on batches of random ids."""
    import keras

    from interacting_head.training.setup import make_training_model

    keras.config.set_dtype_policy(precision)
    config, model = transformer(scheme, d, sizes)
    training_model = make_training_model(model, config, 1000)
    ids = random_ids(tokens // sizes.length, sizes)
    batch = {"source_ids": ids, "target_ids": ids}, ids
    first = fit(training_model, batch, 1)
    step = fit(training_model, batch, 2) / 2
    steps = int(np.clip(sizes.seconds / step, 1, 50))
    step = fit(training_model, batch, steps) / steps
    flops = matmul_flops(config.model, sizes.vocabulary, ids.size, ids.size)
    return {
        "tokens/s": round(2 * ids.size / step),
        "step ms": 1000 * step,
        "TFLOP/s": flops / step / 1e12,
        "of matmul peak": flops / step / peak,
        "first step s": first,
    }


def fit(training_model, batch, steps):
    """Return the seconds that `fit` takes for `steps` repetitions of a batch."""
    import keras

    from data.batches.pipeline import as_tf_dataset
    from interacting_head.training.callbacks import UnhurriedCallbacks

    batches = [batch] * steps
    data = as_tf_dataset(batches) if keras.backend.backend() == "tensorflow" else (one for one in batches)
    callbacks = UnhurriedCallbacks([], training_model)
    started = time.perf_counter()
    training_model.fit(data, steps_per_epoch=steps, verbose=0, shuffle=False, callbacks=callbacks)
    return time.perf_counter() - started


def attention_cases(sizes, precision):
    """Return cases of one length and number of heads, and functions that measure all layers of a case in turns."""
    for length, heads in itertools.product(sizes.lengths, sizes.heads):
        if heads <= attention_dim(sizes):
            case = {"T": length, "h": heads}
            yield case, lambda case=case: time_attention(case["T"], case["h"], precision, sizes)


def time_attention(length, heads, precision, sizes):
    """Return a row for each layer."""
    import keras

    keras.config.set_dtype_policy(precision)
    rows, D = max(1, sizes.attention_tokens // length), attention_dim(sizes)
    steps = {name: attention_step(make, heads, rows, length, D) for name, make in layer_makers().items()
             if fits(name, heads, rows, length)}  # fmt: skip
    first = {name: seconds_of(step) for name, step in steps.items()}
    seconds = {name: [] for name in steps}
    deadline = time.perf_counter() + sizes.seconds
    while not seconds[KERAS] or (time.perf_counter() < deadline and len(seconds[KERAS]) < 50):
        for name, step in steps.items():
            seconds[name].append(seconds_of(step))
    return [
        {
            "layer": name,
            "ms": 1000 * float(np.median(taken)),
            "ratio": float(np.median(np.divide(taken, seconds[KERAS]))),
            "first call s": first[name],
        }
        for name, taken in seconds.items()
    ]


def attention_step(make, heads, rows, length, D):
    """Return a function that computes a layer and all its gradients and waits for them."""
    import keras

    layer = make(heads, D // heads)
    x, cotangent = (
        keras.ops.convert_to_tensor(np.random.default_rng(seed).normal(size=(rows, length, D)), layer.compute_dtype)
        for seed in (1, 2)
    )
    layer.build(x.shape, x.shape)
    if keras.backend.backend() == "jax":
        import jax

        weights, others = ([weight.value for weight in group] for group in (layer.trainable_variables,
                                                                            layer.non_trainable_variables))  # fmt: skip

        def product(weights, x):
            return (layer.stateless_call(weights, others, x, x)[0] * cotangent).sum()

        gradients = jax.jit(jax.grad(product, argnums=(0, 1)))
        return lambda: jax.block_until_ready(gradients(weights, x))
    import tensorflow as tf

    gradients = tensorflow_gradients(layer, x, cotangent, jit_compile=bool(tf.config.list_physical_devices("GPU")))
    return lambda: gradients()[0].numpy()


def fits(name, heads, rows, length):
    """Return whether memory holds the logits of all pairs of heads with their gradients, and a loop can be compiled."""
    if name in (LOOP, PAIRWISE_LOOP):
        return heads <= MOST_HEADS_IN_A_LOOP
    return name != PAIRS or 3 * 4 * rows * (heads * length) ** 2 < memory_limit()


def search_cases(sizes, precision):
    """Return cases of one scheme and number of rows, and functions that measure them."""
    for scheme, rows in itertools.product(SCHEMES, sizes.search_rows):
        case = {"scheme": scheme, "rows": rows}
        yield case, lambda case=case: [time_search(case["scheme"], case["rows"], precision, sizes)]


def time_search(scheme, rows, precision, sizes):
    """Return the speed of a beam search whose translations are all of one length."""
    import keras

    from interacting_head.search.constraints import Limits
    from interacting_head.search.options import SearchOptions
    from interacting_head.search.transformer_search import TransformerSearch

    keras.config.set_dtype_policy(precision)
    _, model = transformer(scheme, attention_dim(sizes), sizes)
    search = TransformerSearch(model, SearchOptions(beam_size=4, min_length=sizes.length - 1))
    full = np.full(rows, sizes.length, "int32")
    limits = Limits(max_lengths=full, min_lengths=full - 1)
    ids = random_ids(rows, sizes)
    first = seconds_of(lambda: search(ids, limits))
    seconds = [seconds_of(lambda: search(ids, limits))]
    while sum(seconds) < sizes.seconds:
        seconds.append(seconds_of(lambda: search(ids, limits)))
    return {"sentences/s": rows / float(np.median(seconds)), "first call s": first}


def transformer(scheme, D, sizes):
    """Return a configuration and its `Transformer` with random weights."""
    from interacting_head.config import ExperimentConfig, override
    from interacting_head.model.transformer import Transformer

    values = {"attention.scheme": scheme, "attention.num_heads": max(1, D // 64), "model_dim": D,
              "feed_forward_dim": 4 * D, "encoder_layers": sizes.layers, "decoder_layers": sizes.layers}  # fmt: skip
    config = override(ExperimentConfig(), [f"model.{key}={value}" for key, value in values.items()])
    return config, Transformer(config.model, sizes.vocabulary, sizes.vocabulary)


def random_ids(rows, sizes):
    """Return ids `(rows, length)` without padding."""
    return np.random.default_rng(1).integers(4, sizes.vocabulary, (max(1, rows), sizes.length), "int32")


def attention_dim(sizes):
    """Return the model dimension of attention alone, and of the search."""
    return min(MOST_DIM, sizes.dims[-1])


def seconds_of(function):
    """Return the seconds that a function takes, including the wait for its results."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started
