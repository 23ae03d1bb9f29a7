"""The functions of a SavedModel: the search of `TransformerSearch` as one TensorFlow graph, on ids and on text.

Letters for shapes: `B` sentences, `n` translations of each, `S` source length, `L` target length.
"""

import dataclasses

import keras
import tensorflow as tf

from data.text.profiles import PROFILES
from data.text.subwords import END, PAD
from interacting_head.export import optional_package
from interacting_head.search.options import SearchOptions, length_limit
from interacting_head.search.state import Limits
from interacting_head.search.transformer_search import TransformerSearch

LONGEST = 4096
"""Sub-words of a source, and largest `max_length`: a request must not use up the RAM of a server."""


def signatures(module, trained, text):
    """`{name: tf.function}` of a `TrainedModel`.

    `translate_ids` has the search's parameters as inputs; so has `translate`, with `text`. They have the defaults of
    the run. `serving_default` is the latter, or else the former, and takes nothing else than sentences: clients that
    know no defaults have to give all inputs.

    Args:
        module: a `tf.Module`, to which all that the functions need is attached.
        trained: its `decode` says the beam size and the form of the length penalty, which are fixed.
        text: whether there are signatures for text, which need tensorflow-text.
    """
    decode = trained.config.decode
    module.weights = [weight.value for weight in trained.model.weights]
    search = SearchGraph(trained.model, decode.beam_size, decode.length_penalty_type)
    # Tensors, not numbers: then they are written into the signature.
    parameters = {
        "length_penalty": tf.constant(decode.length_penalty, tf.float32),
        "min_length": tf.constant(0),
        "max_length": tf.constant(min(decode.max_length or 0, LONGEST)),
        "n_best": tf.constant(1),
    }
    sentences = tf.TensorSpec((None, None), tf.int32, "source_ids")
    function = _with_parameters(search, sentences, parameters)
    found = {"translate_ids": function}
    if text:
        module.tokenizers = [_tokenizer(each) for each in (trained.source_subwords, trained.target_subwords)]
        sentences = tf.TensorSpec((None,), tf.string, "text")
        function = _with_parameters(TextSearch(function, *module.tokenizers), sentences, parameters)
        name = "translate_tokenized" if PROFILES[trained.config.data.profile].is_tokenized else "translate"
        found[name] = function

    def by_default(sentences):
        return function(sentences, *parameters.values())

    return {**found, "serving_default": tf.function(by_default, input_signature=[sentences], autograph=False)}


def _with_parameters(function, sentences, parameters):
    """A function of sentences and of the search's parameters, with defaults."""
    specifications = [tf.TensorSpec((), value.dtype, name) for name, value in parameters.items()]

    def translate(
        sentences,
        length_penalty=parameters["length_penalty"],
        min_length=parameters["min_length"],
        max_length=parameters["max_length"],
        n_best=parameters["n_best"],
    ):
        return function(sentences, length_penalty, min_length, max_length, n_best)

    return tf.function(translate, input_signature=[sentences, *specifications], autograph=False)


class SearchGraph:
    """Beam search as `TransformerSearch` does it, with all its steps in one graph.

    Args:
        model: a `Transformer`.
        beam_size, length_penalty_type: as of `SearchOptions`.

    Call arguments:
        source_ids: `(B, S)`, end symbols included, padded. A row of padding, or the end symbol, is an empty sentence.
        length_penalty, min_length, max_length, n_best: scalars, as of `SearchOptions`; `max_length` 0 is None.

    Returns:
        A dictionary: `ids (B, n, L)`, end symbols included, padded; `scores (B, n)`, of missing ones below
        `options.IMPOSSIBLE`; `token_scores (B, n, L)`. An empty sentence has an empty translation with score 0.
    """

    def __init__(self, model, beam_size, length_penalty_type):
        self.model, self.beam_size, self.length_penalty_type = model, beam_size, length_penalty_type

    def __call__(self, source_ids, length_penalty, min_length, max_length, n_best):
        checks = self._checks(source_ids, length_penalty, min_length, max_length, n_best)
        with tf.control_dependencies(checks):  # RAM is asked for after them
            return self._found(source_ids, length_penalty, min_length, max_length, n_best)

    def _found(self, source_ids, length_penalty, min_length, max_length, n_best):
        counts = tf.math.count_nonzero(source_ids != PAD, axis=1, dtype=tf.int32)
        is_empty = counts <= 1
        longest = tf.where(max_length > 0, max_length, length_limit(counts) - 1)
        max_lengths = tf.where(is_empty, 0, tf.maximum(longest, min_length)) + 1
        limits = Limits(max_lengths=max_lengths, min_lengths=tf.minimum(max_lengths - 1, min_length))
        options = _OpenOptions(
            beam_size=self.beam_size,
            length_penalty=length_penalty,
            length_penalty_type=self.length_penalty_type,
            n_best=n_best,
        )
        with keras.StatelessScope(collect_losses=False):
            search = TransformerSearch(self.model, options)
            length = tf.maximum(tf.reduce_max(max_lengths), 1)
            ids, scores, token_scores = search.search(search.prepare(), source_ids, limits, length)
        lengths = tf.math.count_nonzero(ids[:, :n_best] != PAD, axis=2, dtype=tf.int32)
        length = tf.maximum(tf.reduce_max(lengths), 1)  # also where there is no sentence at all
        is_known = is_empty[:, None] & (tf.range(self.beam_size) == 0)  # the empty translation of an empty sentence
        return {
            "ids": ids[:, :n_best, :length],
            "scores": tf.where(is_known, 0.0, scores)[:, :n_best],
            "token_scores": tf.where(is_empty[:, None, None], 0.0, token_scores)[:, :n_best, :length],
        }

    def _checks(self, source_ids, length_penalty, min_length, max_length, n_best):
        """Operations that fail as the graph is run, with a message for whoever has sent it."""
        real, place = source_ids != PAD, tf.range(tf.shape(source_ids)[1])
        counts = tf.math.count_nonzero(real, axis=1, keepdims=True, dtype=tf.int32)
        is_padded = tf.reduce_all(real == (place < counts))
        has_end = tf.reduce_all((place != counts - 1) | (source_ids == END))
        size = self.model.source_vocabulary_size
        conditions = (
            (
                tf.reduce_all((source_ids >= 0) & (source_ids < size)),
                f"source_ids must be from 0 to {size - 1}: the source vocabulary has {size} sub-words",
            ),
            (is_padded & has_end, f"each row of source_ids must end with {END}, and 0 may stand only after it"),
            (tf.shape(source_ids)[1] <= LONGEST, f"a sentence may have at most {LONGEST - 1} sub-words"),
            (
                (length_penalty >= 0) & tf.math.is_finite(length_penalty),
                "length_penalty must be a number of at least 0",
            ),
            ((n_best >= 1) & (n_best <= self.beam_size), f"n_best must be from 1 to {self.beam_size}, the beam size"),
            ((max_length >= 0) & (max_length <= LONGEST), f"max_length must be from 0 (default) to {LONGEST}"),
            (
                (min_length >= 0) & (min_length <= tf.where(max_length > 0, max_length, LONGEST)),
                f"min_length must be from 0 to max_length, or {LONGEST}",
            ),
        )
        return [tf.debugging.Assert(holds, [message]) for holds, message in conditions]


class TextSearch:
    """A `SearchGraph` on text.

    Args:
        search: a `SearchGraph`, or a function like one.
        source_tokenizer, target_tokenizer: of tensorflow-text.

    Call arguments:
        text: `(B,)`, in the form on which the sub-words were learnt.
        *parameters: as of `SearchGraph`.

    Returns:
        A dictionary: `translations (B, n)` and `scores (B, n)`.
    """

    def __init__(self, search, source_tokenizer, target_tokenizer):
        self.search, self.source_tokenizer, self.target_tokenizer = search, source_tokenizer, target_tokenizer

    def __call__(self, text, *parameters):
        ends = tf.fill((tf.size(text), 1), END)
        source_ids = tf.concat([self.source_tokenizer.tokenize(text), ends], axis=1).to_tensor(PAD)
        found = self.search(source_ids, *parameters)
        shape = tf.shape(found["ids"])
        ids = tf.reshape(tf.where(found["ids"] == END, PAD, found["ids"]), (shape[0] * shape[1], shape[2]))
        lengths = tf.math.count_nonzero(ids, axis=1)
        translations = self.target_tokenizer.detokenize(tf.RaggedTensor.from_tensor(ids, lengths=lengths))
        translations = tf.strings.regex_replace(translations, r"[\r\n]+", " ")  # as `Subwords.decode` does
        return {"translations": tf.reshape(translations, shape[:2]), "scores": found["scores"]}


@dataclasses.dataclass(frozen=True)
class _OpenOptions(SearchOptions):
    """`SearchOptions` of which some are tensors, so that the graph has to check them."""

    def __post_init__(self):
        pass


def _tokenizer(subwords):
    """The tokenizer of tensorflow-text with a `Subwords`' model."""
    text = optional_package("tensorflow_text")
    # Of tokenizers with one name, in this SavedModel or another of the process, TensorFlow uses the first for all.
    name = f"sentencepiece_{subwords.digest}"
    return text.SentencepieceTokenizer(subwords.path.read_bytes(), out_type=tf.int32, name=name)
