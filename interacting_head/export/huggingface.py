"""Conversion to models of Hugging Face's transformers: folders for `from_pretrained`.

Marian models are post-norm Transformers; Pegasus models are pre-norm and have one vocabulary. Both take Marian's
tokeniser, and in both heads × head size equals the model size. Their position encodings are halves [sine | cosine];
ours alternate sine and cosine, so the model dimension is permuted.
"""

from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import copy_file, write_json
from data.text.profiles import PROFILES
from data.text.subwords import BEGIN, END, PAD, SPECIAL_PIECES, UNKNOWN
from interacting_head.config import DecodeConfig
from interacting_head.export import optional_package
from interacting_head.export.folding import fold_transformer
from interacting_head.export.trained_model import TrainedModel
from interacting_head.model.transformer import Transformer
from layers.embedding import sinusoids

safetensors = optional_package("safetensors.numpy")

QUANTIZATIONS = ()

MAX_LENGTH = 1024  # sub-words, of source and of target
SPECIAL_IDS = {
    "pad_token_id": PAD,
    "bos_token_id": BEGIN,
    "eos_token_id": END,
    "forced_eos_token_id": END,
    "decoder_start_token_id": BEGIN,
}

POST_NORM, PRE_NORM = "MarianMTModel", "PegasusForConditionalGeneration"
CLASSES = {"post": POST_NORM, "pre": PRE_NORM}
"""`model.normalization` → class of transformers."""

README = """\
A translation model for Hugging Face's transformers, with torch, sentencepiece and sacremoses:

```python
from transformers import {model_class}, MarianTokenizer

tokenizer, model = MarianTokenizer.from_pretrained("."), {model_class}.from_pretrained(".")
batch = tokenizer(["…"], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch{limit}), skip_special_tokens=True))
```
"""
LIMIT = ', max_new_tokens=2 * batch["input_ids"].shape[1] + 10'
"""An argument that ends translations where `length_limit` ends them; no configuration file can say this."""
TOKENIZED = """
The model was trained on text in the form of the profile `{profile}`, normalised and tokenised as in Moses; truecasers
are in truecasing/, if the profile has them. Input and output are text in this form.
"""


def write_marian(trained: TrainedModel, folder: Path, quantization: None) -> str:
    """Write a post-norm model for `MarianMTModel`; raise `InputError` for a pre-norm one."""
    check_normalization(trained.model, "post", "marian")
    return write(trained, folder, quantization)


def write_pegasus(trained: TrainedModel, folder: Path, quantization: None) -> str:
    """Write a pre-norm model for `PegasusForConditionalGeneration`; raise `InputError` for a post-norm one."""
    check_normalization(trained.model, "pre", "pegasus")
    return write(trained, folder, quantization)


def check_normalization(model: Transformer, wanted: str, file_format: str) -> None:
    """Raise `InputError` if a model does not have the normalization of a format."""
    if model.config.normalization != wanted:
        raise InputError(
            f"the format {file_format} is for {wanted}-norm models, but this model has model.normalization="
            f"{model.config.normalization}; --format huggingface supports both"
        )


def write(trained: TrainedModel, folder: Path, quantization: None) -> str:
    """Write configuration, weights and tokeniser for the class that the normalization needs; return how to load it.

    Raises `InputError` if attention cannot be folded or does not fit, and for a pre-norm model with two vocabularies.
    """
    model = trained.model
    attention = fold_transformer(model)
    if model.config.normalization == "pre" and not model.shared_vocabulary:
        raise InputError(
            "Pegasus, the pre-norm model of transformers, has one vocabulary, but this model has two; train with "
            "data.shared_vocabulary=true, or use --format ctranslate2"
        )
    stacks = ("encoder",), ("decoder", "cross")
    heads = {sites[0]: common_heads(attention, sites, model.config.model_dim) for sites in stacks}
    # transformers asks for the metadata.
    safetensors.save_file(tensors(model, attention, heads), folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", model_configuration(model, heads))
    write_json(folder / "generation_config.json", generation_configuration(trained.config.decode))
    write_tokenizer(folder, trained)
    profile = trained.config.data.profile
    note = TOKENIZED.format(profile=profile) * PROFILES[profile].is_tokenized
    limit = LIMIT if trained.config.decode.max_length is None else ""
    return README.format(model_class=CLASSES[model.config.normalization], limit=limit) + note


def common_heads(attention: dict, sites: tuple[str, ...], model_dim: int) -> int:
    """Return n such that all attention of a stack fits into n heads of size `model_dim` / n, or raise `InputError`."""
    of_stack = {place: folded for place, folded in attention.items() if place[0] in sites}
    most, largest = (max(getattr(folded, size) for folded in of_stack.values()) for size in ("num_heads", "head_dim"))
    for number in range(most, model_dim // largest + 1):
        if model_dim % number == 0:
            return number
    raise InputError(
        f"the {sites[0]}'s attention has {most} heads of size {largest}, but in models of transformers "
        f"heads × size must equal the model size, {model_dim}; --format ctranslate2 has no such limit"
    )


def tensors(model: Transformer, attention: dict, heads: dict[str, int]) -> dict[str, np.ndarray]:
    """Return the weights, `{name: array}`; linear maps are `(outputs, inputs)`."""
    D = model.config.model_dim
    halves = np.concatenate([np.arange(0, D, 2), np.arange(1, D, 2)])  # all sines, then all cosines

    found = {}

    def add(prefix, **parts):
        found.update({f"{prefix}.{name}": np.array(part, "float32", order="C") for name, part in parts.items()})

    def add_norm(prefix, layer):
        add(prefix, weight=np.asarray(layer.gamma)[halves], bias=np.asarray(layer.beta)[halves])

    def add_attention(prefix, folded, num_heads, norm):
        folded = folded.resized(num_heads, D // num_heads)
        for name, projection in (("q", folded.query), ("k", folded.key), ("v", folded.value)):
            add(f"{prefix}.{name}_proj", weight=projection[halves].reshape(D, -1).T, bias=projection[D].reshape(-1))
        kernel = folded.output_kernel.reshape(-1, D)
        add(f"{prefix}.out_proj", weight=kernel[:, halves].T, bias=folded.output_bias[halves])
        add_norm(f"{prefix}_layer_norm", norm)

    layers = {"encoder": model.config.encoder_layers, "decoder": model.config.decoder_layers}
    for stack, number in ((stack, number) for stack, count in layers.items() for number in range(1, count + 1)):
        block, prefix = model.get_layer(f"{stack}_block_{number}"), f"model.{stack}.layers.{number - 1}"
        add_attention(f"{prefix}.self_attn", attention[stack, number], heads[stack], block.self_attention_norm)
        if stack == "decoder":
            folded = attention["cross", number]
            add_attention(f"{prefix}.encoder_attn", folded, heads[stack], block.cross_attention_norm)
        hidden, output = block.feed_forward.hidden, block.feed_forward.output_dense
        add(f"{prefix}.fc1", weight=np.asarray(hidden.kernel)[halves].T, bias=hidden.bias)
        add(f"{prefix}.fc2", weight=np.asarray(output.kernel)[:, halves].T, bias=np.asarray(output.bias)[halves])
        add_norm(f"{prefix}.final_layer_norm", block.feed_forward_norm)
    if model.config.normalization == "pre":
        positions = np.asarray(sinusoids(np.arange(MAX_LENGTH), D))[:, halves]
        for stack in layers:
            add_norm(f"model.{stack}.layer_norm", model.get_layer(f"{stack}_norm"))
            add(f"model.{stack}.embed_positions", weight=positions)
    embeddings = np.asarray(model.target_embedding.embeddings)[:, halves]
    if model.shared_vocabulary:
        add("model.shared", weight=embeddings)
    if not (model.shared_vocabulary and model.config.tied_output):  # transformers ties all three or none
        source = model.get_layer("target_embedding" if model.shared_vocabulary else "source_embedding")
        add("model.encoder.embed_tokens", weight=np.asarray(source.embeddings)[:, halves])
        add("model.decoder.embed_tokens", weight=embeddings)
    if not model.config.tied_output:
        add("lm_head", weight=np.asarray(model.output_embedding.embeddings)[:, halves])
    found["final_logits_bias"] = np.zeros((1, model.target_vocabulary_size), "float32")
    return found


def model_configuration(model: Transformer, heads: dict[str, int]) -> dict:
    """Return the contents of config.json, for `MarianConfig` or `PegasusConfig`."""
    config = model.config
    model_class = CLASSES[config.normalization]
    return {
        "architectures": [model_class],
        "model_type": {POST_NORM: "marian", PRE_NORM: "pegasus"}[model_class],
        "dtype": "float32",
        "is_encoder_decoder": True,
        "vocab_size": model.source_vocabulary_size,
        "decoder_vocab_size": model.target_vocabulary_size,
        "share_encoder_decoder_embeddings": model.shared_vocabulary,
        "tie_word_embeddings": config.tied_output,
        "scale_embedding": True,
        "max_position_embeddings": MAX_LENGTH,
        "d_model": config.model_dim,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": heads["encoder"],
        "decoder_attention_heads": heads["decoder"],
        "encoder_ffn_dim": config.feed_forward_dim,
        "decoder_ffn_dim": config.feed_forward_dim,
        "activation_function": "relu",
        "dropout": config.dropout,
        "attention_dropout": config.attention.dropout,
        "activation_dropout": config.activation_dropout,
        **SPECIAL_IDS,
    }


def generation_configuration(decode: DecodeConfig) -> dict:
    """Return the contents of generation_config.json: the search of `DecodeConfig`, as far as transformers supports it.

    Its length penalty divides by n^α, as `average` does; `gnmt` is not supported. Its lengths count the symbols at the
    beginning and the end.
    """
    return {
        **SPECIAL_IDS,
        "bad_words_ids": [[PAD], [BEGIN]],  # our search never outputs them either
        "num_beams": decode.beam_size,
        "early_stopping": "never",  # until no unfinished hypothesis can enter the n best, as our search does
        "length_penalty": decode.length_penalty if decode.length_penalty_type != "none" else 0.0,
        "max_length": MAX_LENGTH if decode.max_length is None else min(MAX_LENGTH, decode.max_length + 2),
    }


def write_tokenizer(folder: Path, trained: TrainedModel) -> None:
    """Write the files of `MarianTokenizer`, with the ids of the sub-word models."""
    shared = trained.model.shared_vocabulary
    copy_file(trained.source_subwords.path, folder / "source.spm")
    copy_file(trained.target_subwords.path, folder / "target.spm")
    both = trained.source_subwords, trained.target_subwords
    source, target = ({piece: number for number, piece in enumerate(subwords.pieces())} for subwords in both)
    write_json(folder / "vocab.json", source)
    if not shared:
        write_json(folder / "target_vocab.json", target)
    write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "MarianTokenizer",
            "source_lang": trained.languages[0],
            "target_lang": trained.languages[1],
            "separate_vocabs": not shared,
            "model_max_length": MAX_LENGTH,
            "pad_token": SPECIAL_PIECES[PAD],
            "unk_token": SPECIAL_PIECES[UNKNOWN],
            "eos_token": SPECIAL_PIECES[END],
        },
    )
    if trained.run and trained.run.truecasers():
        for path in trained.run.truecasing_paths:
            copy_file(path, folder / "truecasing" / path.name)
