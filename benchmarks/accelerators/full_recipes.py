"""Compute memory and hours of the papers' full recipes on one GPU: `python benchmarks/accelerators/full_recipes.py`.

Nothing is measured. Hours are for all steps, even if `train.max_epochs` ends the training earlier, and count matrix
products (`model/flops.py`) at the share of the GPU's peak that `accelerator.py` measures, without validation and
reading text. Memory counts weights, gradients, Adam's moments and the activations of the largest batch.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.report import table
from interacting_head import recipes
from interacting_head.console import ArgumentParser, importing_keras, run
from interacting_head.model.flops import matmul_flops, memories_of

RECIPES = (
    "ih_iwslt16_de_en_multi_head_h8",
    "ih_iwslt16_de_en_interacting_head_h8",
    "ih_wmt17_en_de_multi_head_h8",
    "ih_wmt17_en_de_interacting_head_h8",
    "ih_wmt17_en_de_multi_head_h64",
    "ih_wmt17_en_cs_interacting_head_h8",
    "dhicm_wmt17_de_en_dhicm",
    "mhop_wmt17_de_en_layer_4",
    "mlmha_wmt14_en_de_b0",
    "mlmha_wmt14_en_de_m00_n6",
)
PEAK_TFLOPS = 312  # of an NVIDIA A100 in bfloat16, dense
STATE_BYTES = 4 * 4 + 2  # of a weight: itself, gradient and two moments in float32, and a copy in 16 bits
LOGITS_AT_A_TIME = 3 * 4 / 8  # bytes of a token and a word: logits, probabilities and a cast, of an eighth of the batch


def main():
    """Print the table."""
    parser = ArgumentParser(prog="full_recipes.py", description=__doc__)
    parser.add_argument("recipes", nargs="*", metavar="RECIPE", help="recipes; default: a few of each paper")
    peak_help = "peak TFLOP/s of the GPU; default: %(default)s"
    parser.add_argument("--tflops", type=float, default=PEAK_TFLOPS, metavar="N", help=peak_help)
    share_help = "share of the peak that training reaches; default: 0.3"
    parser.add_argument("--utilisation", type=float, default=0.3, metavar="SHARE", help=share_help)
    arguments = parser.parse_args()
    with importing_keras():
        import keras  # noqa: F401
    rate = arguments.tflops * 1e12 * arguments.utilisation
    rows = [{"recipe": name, **cost(recipes.get(name), rate)} for name in arguments.recipes or RECIPES]
    print(f"Computed for a GPU with {arguments.tflops:g} TFLOP/s at a utilisation of {arguments.utilisation:.0%}.\n")
    fields = list(rows[0])[1:]
    view = {"index": ["recipe"], "values": fields, "digits": dict.fromkeys(fields, 1)}
    print("\n".join(table([("", rows, view)])))


def cost(config, rate):
    """Return parameters, memory and hours of a configuration on a device with a given speed in FLOP/s."""
    from interacting_head.model.transformer import parameter_count

    size, shared = config.data.vocabulary_size, config.data.shared_vocabulary
    sizes = size if isinstance(size, tuple) else (size, size)
    train, parameters = config.train, parameter_count(config.model, *sizes, shared)
    tokens = train.batch_tokens  # of each side, were there no padding
    flops = matmul_flops(config.model, sizes[1], tokens, tokens) * train.gradient_accumulation_steps * train.max_steps
    state, batch = STATE_BYTES * parameters, activation_bytes(config, sizes[1])
    return {
        "parameters, millions": parameters / 1e6,
        "tokens a batch": tokens * train.gradient_accumulation_steps,
        "steps": train.max_steps,
        "state, GiB": state / 2**30,
        "batch, GiB": batch / 2**30,
        "memory, GiB": (state + batch) / 2**30,
        "hours": flops / rate / 3600,
    }


def activation_bytes(config, vocabulary_size, number_bytes=2):
    """Return the bytes of 16-bit activations that the gradient of one batch of the longest sentences needs.

    Attention keeps input, queries, keys, values, heads, output, sum and normalised sum, and for each head logits and
    weights before and after dropout; a further memory adds all but input, output and sums. A feed-forward network keeps
    its hidden layer before and after the activation, and three vectors of the model's size.
    """
    model, tokens = config.model, config.train.batch_tokens
    attention = 8 * model.model_dim + 3 * model.attention.num_heads * (config.data.max_length + 1)
    feed_forward = 2 * model.feed_forward_dim + 3 * model.model_dim
    further = (memories_of(model) - 1) * (attention - 4 * model.model_dim)
    decoder = 2 * attention + further + feed_forward
    numbers = model.encoder_layers * (attention + feed_forward) + model.decoder_layers * decoder
    return tokens * (number_bytes * numbers + LOGITS_AT_A_TIME * vocabulary_size)


if __name__ == "__main__":
    run(main)
