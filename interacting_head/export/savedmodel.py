"""Conversion to a TensorFlow SavedModel, for every scheme: text or ids in, translations out, with beam search inside.

Letters for shapes: `B` sentences, `n` translations of each, `S` source length, `L` target length.
"""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import keras
import tensorflow as tf

from data.errors import InputError
from data.files import check_name
from data.text.profiles import PROFILES
from data.text.subwords import END, PAD
from interacting_head.config import DecodeConfig
from interacting_head.config.values import MOST_PENALTY
from interacting_head.export import EXTRA, LONGEST, TEXT, optional_package, versions
from interacting_head.export.trained_model import TrainedModel
from interacting_head.model.compilation import stateless
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions, length_limit
from interacting_head.search.transformer_search import TransformerSearch

QUANTIZATIONS = ()
OPTIONS = ("beam_size", "ids_only")

README = f"""\
A translation model as a TensorFlow SavedModel, with beam search inside:

```python
import tensorflow as tf
import tensorflow_text  # only for the signatures that take text

model = tf.saved_model.load("…")
model.signatures["translate_ids"](
    source_ids=tf.constant([[…, 3]]), length_penalty=tf.constant(0.6), min_length=tf.constant(0),
    max_length=tf.constant(0), n_best=tf.constant(1)
)
```

| signature | inputs | outputs |
|---|---|---|
| `translate` | `text (B,)`, search | `translations (B, n)`, `scores (B, n)` |
| `translate_ids` | `source_ids (B, S)`, search | `ids (B, n, L)`, `scores (B, n)`, `token_scores (B, n, L)` |
| `serving_default` | only `text`, or `source_ids` in a model without text signatures | the same |

"Search" stands for the scalars `length_penalty`, `min_length`, `max_length` (in sub-words, at most {LONGEST:,}; 0 means
twice the source length plus 11) and `n_best` (at most the beam size). `serving_default` uses the settings of the
model.

Ids belong to the sub-word models in {EXTRA}/text/subwords. Sources must end with 3 (`</s>`), and translations do; 0 is
padding. A score is the log-probability divided by the length penalty, or about -2e9 if fewer than n translations were
found.
"""
TOKENIZED = """
The model was trained on text in the form of the profile `{profile}`, normalised and tokenised as in Moses; truecasers
are in assets.extra/text/truecasing, if the profile has them. TensorFlow cannot make this form: `translate_tokenized`
replaces `translate`, and its input and output are text in this form.
"""


@contextlib.contextmanager
def place(folder: Path, beam_size: int | None = None, ids_only: bool = False) -> Iterator[Path]:
    """Yield the path of the next version in a folder of versions 1, 2, …, as TensorFlow Serving expects.

    If the block fails, new folders are removed again if they are empty. Raises `InputError` if the folder holds
    anything but versions, or tensorflow-text is missing.
    """
    if keras.backend.backend() != "tensorflow":
        raise InputError(f"a SavedModel needs the backend tensorflow, but KERAS_BACKEND is {keras.backend.backend()}")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the versions of the model")
    others = [path.name for path in folder.glob("*") if not path.name.isdecimal() and path.name[0] != "."]
    if others:
        raise InputError(f"{folder} holds {min(others)}, which is not a version of a model; name another folder")
    if not ids_only:
        try:
            optional_package("tensorflow_text")
        except InputError as error:
            raise InputError(f"{error}, or export for ids only: --ids-only") from error
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield folder / str(max(versions(folder), default=0) + 1)
    except BaseException:
        with contextlib.suppress(OSError):
            for each in new:
                each.rmdir()
        raise


def write(
    trained: TrainedModel, folder: Path, quantization: None, beam_size: int | None = None, ids_only: bool = False
) -> str:
    """Write a version of a model for TensorFlow; return how to use it.

    Args:
        beam_size: fixed in the exported model; default: the run's.
        ids_only: omit the signatures for text, which need tensorflow-text wherever the model is loaded.
    """
    if beam_size is not None:
        decode = dataclasses.replace(trained.config.decode, beam_size=beam_size)
        trained = dataclasses.replace(trained, config=dataclasses.replace(trained.config, decode=decode))
    SearchOptions.of(trained.config.decode, {})  # raises for invalid options
    check_name(folder.absolute())
    module = tf.Module()
    functions = signatures(module, trained, text=not ids_only)
    with contextlib.ExitStack() as stack:
        stack.callback(tf.get_logger().setLevel, tf.get_logger().level)
        tf.get_logger().setLevel("ERROR")  # its notice would name the temporary folder
        # The gradients are not needed, and handwritten ones cannot be saved.
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
        tf.saved_model.save(module, str(folder), signatures=functions, options=options)
    (folder / EXTRA).mkdir()
    trained.write_text_files(folder / EXTRA / TEXT)
    note = TOKENIZED.format(profile=trained.config.data.profile)
    return README + note * ("translate_tokenized" in functions)


def signatures(module: tf.Module, trained: TrainedModel, text: bool) -> dict:
    """Return `{name: tf.function}` of a model, and attach what the functions need to `module`.

    `translate_ids` and, if `text`, `translate` take the parameters of the search, with the run's as defaults.
    `serving_default` takes only sentences, for clients that do not support defaults.
    """
    decode = trained.config.decode
    module.weights = [weight.value for weight in trained.model.weights]
    # Tensors, not numbers: then they are written into the signature.
    defaults = {
        "length_penalty": tf.constant(decode.length_penalty, tf.float32),
        "min_length": tf.constant(0),
        "max_length": tf.constant(min(decode.max_length or 0, LONGEST)),
        "n_best": tf.constant(1),
    }
    sentences = tf.TensorSpec((None, None), tf.int32, "source_ids")
    function = _with_defaults(functools.partial(search_ids, trained.model, decode), sentences, defaults)
    found = {"translate_ids": function}
    if text:
        module.tokenizers = [_tokenizer(each) for each in (trained.source_subwords, trained.target_subwords)]
        sentences = tf.TensorSpec((None,), tf.string, "text")
        function = _with_defaults(functools.partial(search_text, function, *module.tokenizers), sentences, defaults)
        name = "translate_tokenized" if PROFILES[trained.config.data.profile].is_tokenized else "translate"
        found[name] = function

    def by_default(sentences):
        return function(sentences, *defaults.values())

    return {**found, "serving_default": tf.function(by_default, input_signature=[sentences], autograph=False)}


def _with_defaults(function, sentences, defaults):
    def translate(sentences, length_penalty, min_length, max_length, n_best):
        return function(sentences, length_penalty, min_length, max_length, n_best)

    translate.__defaults__ = tuple(defaults.values())  # written into the signature
    specifications = [tf.TensorSpec((), value.dtype, name) for name, value in defaults.items()]
    return tf.function(translate, input_signature=[sentences, *specifications], autograph=False)


def search_ids(
    model: keras.Model,
    decode: DecodeConfig,
    source_ids: tf.Tensor,
    length_penalty: tf.Tensor,
    min_length: tf.Tensor,
    max_length: tf.Tensor,
    n_best: tf.Tensor,
) -> dict[str, tf.Tensor]:
    """Search like `TransformerSearch`, with all steps in one graph.

    Args:
        decode: `DecodeConfig` with the fixed beam size and type of length penalty.
        source_ids: `(B, S)`, end symbols included, padded. A row with only padding or the end symbol is empty.
        length_penalty, min_length, max_length, n_best: scalars as in `SearchOptions`; `max_length` 0 means None.

    Returns:
        `ids (B, n, L)`, end symbols included, padded; `scores (B, n)`, below `options.IMPOSSIBLE` for missing
        translations; `token_scores (B, n, L)`. An empty sentence has an empty translation with score 0.
    """
    counts = tf.math.count_nonzero(source_ids != PAD, axis=1, dtype=tf.int32)
    place, last = tf.range(tf.shape(source_ids)[1]), counts[:, None] - 1
    is_padded = tf.reduce_all((source_ids != PAD) == (place <= last))
    has_end = tf.reduce_all((place != last) | (source_ids == END))
    size, upper = model.source_vocabulary_size, tf.where(max_length > 0, max_length, LONGEST)
    is_penalty = (length_penalty >= 0) & (length_penalty <= MOST_PENALTY)
    is_known = tf.reduce_all((source_ids >= 0) & (source_ids < size))
    conditions = {
        f"source_ids must be from 0 to {size - 1}: the source vocabulary has {size} sub-words": is_known,
        f"each row of source_ids must end with {END}, followed only by padding (0)": is_padded & has_end,
        f"a sentence may have at most {LONGEST - 1} sub-words": tf.shape(source_ids)[1] <= LONGEST,
        f"length_penalty must be a number from 0 to {MOST_PENALTY}": is_penalty,
        f"n_best must be from 1 to {decode.beam_size}, the beam size": (n_best >= 1) & (n_best <= decode.beam_size),
        f"max_length must be from 0 (default) to {LONGEST}": (max_length >= 0) & (max_length <= LONGEST),
        f"min_length must be from 0 to max_length, or {LONGEST}": (min_length >= 0) & (min_length <= upper),
    }
    checks = [tf.debugging.Assert(holds, [message]) for message, holds in conditions.items()]
    with tf.control_dependencies(checks):  # before RAM is allocated
        is_empty = counts <= 1
        longest = tf.where(max_length > 0, max_length, length_limit(counts) - 1)
        max_lengths = tf.where(is_empty, 0, tf.maximum(longest, min_length)) + 1
        limits = Limits(max_lengths=max_lengths, min_lengths=tf.minimum(max_lengths - 1, min_length))
        options = _OpenOptions(decode.beam_size, length_penalty, decode.length_penalty_type, n_best=n_best)
        with stateless():
            search = TransformerSearch(model, options)
            length = tf.maximum(tf.reduce_max(max_lengths), 1)
            ids, scores, token_scores = search.search(search.decoding_kernels.prepare(), source_ids, limits, length)
        lengths = tf.math.count_nonzero(ids[:, :n_best] != PAD, axis=2, dtype=tf.int32)
        length = tf.maximum(tf.reduce_max(lengths), 1)  # 1 also for a batch without sentences
        is_given = is_empty[:, None] & (tf.range(decode.beam_size) == 0)  # the empty translation of an empty sentence
        return {
            "ids": ids[:, :n_best, :length],
            "scores": tf.where(is_given, 0.0, scores)[:, :n_best],
            "token_scores": tf.where(is_empty[:, None, None], 0.0, token_scores)[:, :n_best, :length],
        }


@dataclasses.dataclass(frozen=True)
class _OpenOptions(SearchOptions):
    """`SearchOptions` with tensors, which the graph checks."""

    def __post_init__(self):
        pass


def search_text(
    search: Callable, source_tokenizer: object, target_tokenizer: object, text: tf.Tensor, *parameters: tf.Tensor
) -> dict[str, tf.Tensor]:
    """Return `translations (B, n)` and `scores (B, n)` of preprocessed text `(B,)`.

    `search` is `search_ids` of a model; the tokenizers are from tensorflow-text.
    """
    ends = tf.fill((tf.size(text), 1), END)
    source_ids = tf.concat([source_tokenizer.tokenize(text), ends], axis=1).to_tensor(PAD)
    found = search(source_ids, *parameters)
    shape = tf.shape(found["ids"])
    ids = tf.reshape(tf.where(found["ids"] == END, PAD, found["ids"]), (shape[0] * shape[1], shape[2]))
    lengths = tf.math.count_nonzero(ids, axis=1)
    translations = target_tokenizer.detokenize(tf.RaggedTensor.from_tensor(ids, lengths=lengths))
    translations = tf.strings.regex_replace(translations, r"[\r\n]+", " ")  # as `Subwords.decode` does
    return {"translations": tf.reshape(translations, shape[:2]), "scores": found["scores"]}


def _tokenizer(subwords):
    """Return the tokenizer of tensorflow-text with a `Subwords`' model."""
    text = optional_package("tensorflow_text")
    # If tokenizers in a process share a name, even across SavedModels, TensorFlow uses the first for all of them.
    name = f"sentencepiece_{subwords.digest}"
    return text.SentencepieceTokenizer(subwords.path.read_bytes(), out_type=tf.int32, name=name)
