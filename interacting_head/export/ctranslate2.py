"""Conversion to CTranslate2, for every scheme that is standard attention with other weights (`folding.py`)."""

import numpy as np

from data.files import new_folder
from data.text.subwords import BEGIN, END, SPECIAL_PIECES, UNKNOWN
from interacting_head.export import optional_package
from interacting_head.export.folding import fold_transformer
from interacting_head.export.layout import POSITIONS
from interacting_head.export.trained_model import TrainedModel
from layers.transformer_block import LAYER_NORM_EPSILON

ctranslate2 = optional_package("ctranslate2")
common_spec, transformer_spec = ctranslate2.specs.common_spec, ctranslate2.specs.transformer_spec

QUANTIZATIONS = ("float32", "float16", "int8", "int8_float32")


def convert(source, output_dir, quantization=None, checkpoint=None):
    """Writes a model for CTranslate2, and beside it the sub-words and what else translation of text needs.

    Args:
        source: a run directory, or a `TrainedModel`.
        output_dir: a new or empty folder.
        quantization: one of `QUANTIZATIONS`; default float32.
        checkpoint: of the run directory, see `RunDirectory.weights`.

    Raises:
        InputError: for a model that is not a standard Transformer with other weights, see `folding.fold_transformer`.
    """
    with new_folder(output_dir) as folder:
        trained = TrainedModel.of(source, checkpoint)
        trained.check_room(folder)
        TransformerConverter(trained).convert(str(folder), quantization=quantization, force=True)
        trained.write_text_files(folder)


class TransformerConverter(ctranslate2.converters.Converter):
    """CTranslate2's converter for a `TrainedModel`."""

    def __init__(self, trained):
        self.trained = trained

    def _load(self):
        model = self.trained.model
        config, attention = model.config, fold_transformer(model)

        def heads(*sites):
            """A stack has one number of heads; layers with fewer are filled up."""
            return max(folded.num_heads for (site, _), folded in attention.items() if site in sites)

        options = {
            "pre_norm": config.normalization == "pre",
            "activation": common_spec.Activation.RELU,
            "head_dim": config.model_dim,  # so that each layer has one, set below
        }
        encoder = transformer_spec.TransformerEncoderSpec(config.encoder_layers, heads("encoder"), **options)
        decoder = transformer_spec.TransformerDecoderSpec(config.decoder_layers, heads("decoder", "cross"), **options)
        for number, layer in enumerate(encoder.layer, start=1):
            block = model.get_layer(f"encoder_block_{number}")
            folded = attention["encoder", number]
            set_self_attention(layer.self_attention, folded, heads("encoder"), block.self_attention_norm)
            set_feed_forward(layer.ffn, block)
        for number, layer in enumerate(decoder.layer, start=1):
            block = model.get_layer(f"decoder_block_{number}")
            of_target, of_source = attention["decoder", number], attention["cross", number]
            set_self_attention(layer.self_attention, of_target, heads("decoder", "cross"), block.self_attention_norm)
            set_cross_attention(layer.attention, of_source, heads("decoder", "cross"), block.cross_attention_norm)
            set_feed_forward(layer.ffn, block)
        if options["pre_norm"]:
            set_norm(encoder.layer_norm, model.get_layer("encoder_norm"))
            set_norm(decoder.layer_norm, model.get_layer("decoder_norm"))

        source_embedding = "target_embedding" if model.shared_vocabulary else "source_embedding"
        encoder.embeddings[0].weight = array(model.get_layer(source_embedding).embeddings)
        decoder.embeddings.weight = array(model.target_embedding.embeddings)
        decoder.projection.weight = array(model.output_embedding.embeddings)
        positions = model.get_layer("target_positions")(np.zeros((1, POSITIONS, config.model_dim), "float32"))
        for stack in (encoder, decoder):
            stack.scale_embeddings = True
            stack.position_encodings.encodings = array(positions[0])

        spec = transformer_spec.TransformerSpec(encoder, decoder)
        source_pieces, target_pieces = self.trained.pieces()
        spec.register_source_vocabulary(source_pieces)
        spec.register_target_vocabulary(target_pieces)
        spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
        spec.config.unk_token = SPECIAL_PIECES[UNKNOWN]
        spec.config.bos_token = spec.config.decoder_start_token = SPECIAL_PIECES[BEGIN]
        spec.config.eos_token = SPECIAL_PIECES[END]
        spec.config.add_source_eos = True
        return spec


def set_self_attention(spec, attention, num_heads, norm):
    """Sets a specification to a `StandardAttention` in which query, key and value have the same source."""
    attention = attention.resized(num_heads, attention.head_dim)
    set_linear(spec.linear[0], *joined(attention.query, attention.key, attention.value))
    set_output(spec, attention, norm)


def set_cross_attention(spec, attention, num_heads, norm):
    """Sets a specification to a `StandardAttention` in which key and value have another source."""
    attention = attention.resized(num_heads, attention.head_dim)
    set_linear(spec.linear[0], *joined(attention.query))
    set_linear(spec.linear[1], *joined(attention.key, attention.value))
    set_output(spec, attention, norm)


def set_output(spec, attention, norm):
    """Sets what both kinds of attention share."""
    spec.head_dim = np.int32(attention.head_dim)
    kernel = attention.output_kernel
    set_linear(spec.linear[-1], kernel.reshape(-1, kernel.shape[-1]), attention.output_bias)
    set_norm(spec.layer_norm, norm)


def joined(*projections):
    """Projections `(D + 1, H, K)` side by side: a kernel `(D, n·H·K)`, and the bias `(n·H·K,)`."""
    matrix = np.concatenate([projection.reshape(projection.shape[0], -1) for projection in projections], axis=1)
    return matrix[:-1], matrix[-1]


def set_feed_forward(spec, block):
    """Sets a specification to the feed-forward network of a block and its normalisation."""
    network = block.feed_forward
    set_linear(spec.linear_0, network.hidden.kernel, network.hidden.bias)
    set_linear(spec.linear_1, network.output_dense.kernel, network.output_dense.bias)
    set_norm(spec.layer_norm, block.feed_forward_norm)


def set_linear(spec, kernel, bias):
    """Sets a specification to a kernel `(inputs, outputs)`, which CTranslate2 has the other way round, and a bias."""
    spec.weight = array(np.asarray(kernel).T)
    if np.any(bias):
        spec.bias = array(bias)


def set_norm(spec, norm):
    """Sets a specification to a Keras layer normalisation."""
    spec.gamma, spec.beta = array(norm.gamma), array(norm.beta)


def array(weight):
    """A copy in float32: to quantise weights, CTranslate2 changes the arrays that it was given."""
    return np.array(weight, dtype="float32", order="C")
