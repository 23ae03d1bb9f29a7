"""Conversion to CTranslate2, for every scheme that is standard attention with other weights (`folding.py`)."""

from pathlib import Path

import numpy as np

from data.text.profiles import PROFILES
from data.text.subwords import BEGIN, END, SPECIAL_PIECES, UNKNOWN
from interacting_head.export import POSITIONS, TEXT, optional_package
from interacting_head.export.folding import StandardAttention, fold_transformer
from interacting_head.export.trained_model import TrainedModel
from interacting_head.runs.alignment_choice import ALIGNMENT, AlignmentChoice
from interacting_head.runs.run_directory import RunDirectory
from layers.layer_normalization import LAYER_NORM_EPSILON, LayerNormalization

ctranslate2 = optional_package("ctranslate2")
common_spec, transformer_spec = ctranslate2.specs.common_spec, ctranslate2.specs.transformer_spec

QUANTIZATIONS = ("float32", "float16", "int8", "int8_float32")

README = """\
A model for CTranslate2. Run this in the folder of this file, with the packages ctranslate2 and sentencepiece:

```python
import ctranslate2
import sentencepiece

source, target = (
    sentencepiece.SentencePieceProcessor(model_file=f"text/subwords/{{side}}.model") for side in ("source", "target")
)
translator = ctranslate2.Translator(".")
pieces = source.encode("…", out_type=str)
[result] = translator.translate_batch(
    [pieces], beam_size={beam_size}, patience=2, max_input_length=0, max_decoding_length={max_length}
)
print(target.decode(result.hypotheses[0]))
```

The project interacting_head translates with this folder too, and ranks translations by the length penalty of the
training: `interacting-head translate --engine ctranslate2 -m FOLDER`.
"""
TOKENIZED = """
The model was trained on text in the form of the profile `{profile}`, tokenised as in Moses. Input and output of
CTranslate2 are text in this form; `interacting-head translate` reads and writes ordinary text.
"""


def write(trained: TrainedModel, folder: Path, quantization: str | None) -> str:
    """Write a model for CTranslate2, and the files that translation of text needs; return how to use it."""
    choice = alignment_choice(trained)
    TransformerConverter(trained, choice).convert(str(folder), quantization=quantization, force=True)
    trained.write_text_files(folder / TEXT)
    if choice is not None:
        RunDirectory(folder / TEXT).write_json(ALIGNMENT, choice._asdict())
    profile, decode = trained.config.data.profile, trained.config.decode
    longest = "2 * len(pieces) + 11" if decode.max_length is None else decode.max_length
    return (
        README.format(beam_size=decode.beam_size, max_length=longest)
        + TOKENIZED.format(profile=profile) * PROFILES[profile].is_tokenized
    )


def alignment_choice(trained: TrainedModel) -> AlignmentChoice | None:
    """Return the layer and head of word alignments, or None if the converted layer has other attention weights."""
    layers = trained.model.config.decoder_layers
    choice = trained.run.alignment_choice() if trained.run else AlignmentChoice.default(layers)
    return None if trained.model.attention_layers["cross", choice.layer].mixes_weights else choice


class TransformerConverter(ctranslate2.converters.Converter):
    """CTranslate2's converter for a `TrainedModel`, with the attention that it returns for word alignments."""

    def __init__(self, trained: TrainedModel, choice: AlignmentChoice | None = None):
        self.trained, self.choice = trained, choice

    def _load(self):
        model = self.trained.model
        config, attention = model.config, fold_transformer(model)
        aligning = {}
        if self.choice is not None:  # CTranslate2 returns the mean of the first heads of one layer
            place = "cross", self.choice.layer
            heads = self.choice.heads(model.attention_layers[place].head_names)
            attention[place] = attention[place].with_heads_first(heads)
            aligning = {"alignment_layer": self.choice.layer - 1, "alignment_heads": len(heads)}

        def heads(*sites):
            """A stack has one number of heads; layers with fewer are padded."""
            return max(folded.num_heads for (site, _), folded in attention.items() if site in sites)

        options = {
            "pre_norm": config.normalization == "pre",
            "activation": common_spec.Activation.RELU,
            "head_dim": config.model_dim,  # so that each layer has one, set below
        }
        of_encoder, of_decoder = heads("encoder"), heads("decoder", "cross")
        encoder = transformer_spec.TransformerEncoderSpec(config.encoder_layers, of_encoder, **options)
        decoder = transformer_spec.TransformerDecoderSpec(config.decoder_layers, of_decoder, **options, **aligning)
        positions = model.get_layer("target_positions")(np.zeros((1, POSITIONS, config.model_dim), "float32"))
        for site, stack, num_heads in (("encoder", encoder, of_encoder), ("decoder", decoder, of_decoder)):
            for number, layer in enumerate(stack.layer, start=1):
                block = model.get_layer(f"{site}_block_{number}")
                set_attention(layer.self_attention, attention[site, number], num_heads, block.self_attention_norm)
                if site == "decoder":
                    folded = attention["cross", number]
                    set_attention(layer.attention, folded, num_heads, block.cross_attention_norm)
                network = block.feed_forward
                set_linear(layer.ffn.linear_0, network.hidden.kernel, network.hidden.bias)
                set_linear(layer.ffn.linear_1, network.output_dense.kernel, network.output_dense.bias)
                set_norm(layer.ffn.layer_norm, block.feed_forward_norm)
            if options["pre_norm"]:
                set_norm(stack.layer_norm, model.get_layer(f"{site}_norm"))
            stack.scale_embeddings = True
            stack.position_encodings.encodings = array(positions[0])

        source_embedding = "target_embedding" if model.shared_vocabulary else "source_embedding"
        encoder.embeddings[0].weight = array(model.get_layer(source_embedding).embeddings)
        decoder.embeddings.weight = array(model.target_embedding.embeddings)
        decoder.projection.weight = array(model.output_embedding.embeddings)

        spec = transformer_spec.TransformerSpec(encoder, decoder)
        spec.register_source_vocabulary(self.trained.source_subwords.pieces())
        spec.register_target_vocabulary(self.trained.target_subwords.pieces())
        spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
        spec.config.unk_token = SPECIAL_PIECES[UNKNOWN]
        spec.config.bos_token = spec.config.decoder_start_token = SPECIAL_PIECES[BEGIN]
        spec.config.eos_token = SPECIAL_PIECES[END]
        spec.config.add_source_eos = True
        return spec


def set_attention(spec: object, attention: StandardAttention, num_heads: int, norm: LayerNormalization) -> None:
    """Set a specification to attention and its normalisation, joining linear maps of the same input."""
    attention = attention.resized(num_heads, attention.head_dim)
    query, key, value = (one.reshape(len(one), -1) for one in (attention.query, attention.key, attention.value))
    *inputs, output = spec.linear
    groups = [[query, key, value]] if len(inputs) == 1 else [[query], [key, value]]
    for linear, group in zip(inputs, groups, strict=True):
        matrix = np.concatenate(group, axis=1)  # (D + 1, n·H·K)
        set_linear(linear, matrix[:-1], matrix[-1])
    kernel = attention.output_kernel
    set_linear(output, kernel.reshape(-1, kernel.shape[-1]), attention.output_bias)
    spec.head_dim = np.int32(attention.head_dim)
    set_norm(spec.layer_norm, norm)


def set_linear(spec: common_spec.LinearSpec, kernel: np.ndarray, bias: np.ndarray) -> None:
    """Set a specification to a kernel `(inputs, outputs)`, which CTranslate2 stores transposed, and a bias."""
    spec.weight = array(np.asarray(kernel).T)
    if np.any(bias):
        spec.bias = array(bias)


def set_norm(spec: common_spec.LayerNormSpec, norm: LayerNormalization) -> None:
    """Set a specification to a Keras layer normalisation."""
    spec.gamma, spec.beta = array(norm.gamma), array(norm.beta)


def array(weight: object) -> np.ndarray:
    """Return a copy in float32, because CTranslate2 quantises arrays in place."""
    return np.array(weight, dtype="float32", order="C")
