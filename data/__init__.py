"""Parallel text on its way to the model: corpora, sub-words, encoded arrays, batch plans, batches.

    corpus = data.open_corpus("quickstart", "de", "en")
    data.train_subwords((line for pair in corpus.split("train").pairs() for line in pair), 1000, "both.model")
    subwords = data.Subwords("both.model")
    pairs = data.encode_parallel(corpus.split("train"), subwords, subwords, max_length=100)
    for inputs, labels in data.TrainingBatches(pairs, batch_tokens=4096, seed=1, max_epochs=1):
        ...

Only `as_tf_dataset` needs TensorFlow.
"""

from data.batching import BatchPlan, plan_batches
from data.cache import cache_folder
from data.corpora import Corpus, open_corpus, own_text
from data.encoding import EncodedPairs, EncodedSide, encode_parallel, load_encoded
from data.errors import InputError
from data.parallel_text import ParallelText, read_lines
from data.pipeline import TrainingBatches, as_tf_dataset, evaluation_batches
from data.prepared_text import PreparedText, prepare_text
from data.profiles import TextForm, cleaning_rules
from data.subwords import BEGIN, END, PAD, UNKNOWN, Subwords, train_subwords

__all__ = [
    "BEGIN",
    "END",
    "PAD",
    "UNKNOWN",
    "BatchPlan",
    "Corpus",
    "EncodedPairs",
    "EncodedSide",
    "InputError",
    "ParallelText",
    "PreparedText",
    "Subwords",
    "TextForm",
    "TrainingBatches",
    "as_tf_dataset",
    "cache_folder",
    "cleaning_rules",
    "encode_parallel",
    "evaluation_batches",
    "load_encoded",
    "open_corpus",
    "own_text",
    "plan_batches",
    "prepare_text",
    "read_lines",
    "train_subwords",
]
