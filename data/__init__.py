"""Parallel text on its way to the model: corpora, sub-words, encoded arrays, batch plans, batches.

Start at `corpus_encoding.py`, which goes from the name of a corpus or the user's files to encoded arrays, and at
`batches/pipeline.py` for the rest.

    corpus = data.open_corpus("quickstart", "de", "en")
    data.train_subwords((line for pair in corpus.split("train").pairs() for line in pair), 1000, "both.model")
    subwords = data.Subwords("both.model")
    pairs = data.encode_parallel(corpus.split("train"), subwords, subwords, max_length=100)
    for inputs, labels in data.TrainingBatches(pairs, batch_tokens=4096, seed=1, max_epochs=1):
        ...

Only `as_tf_dataset` needs TensorFlow. Names are imported on first use, so that commands start quickly.
"""

import importlib

_NAMES = {
    "batches.encoding": ("EncodedPairs", "EncodedSide", "encode_parallel", "load_encoded"),
    "batches.pipeline": ("TrainingBatches", "as_tf_dataset", "evaluation_batches"),
    "batches.plan": ("BatchPlan", "plan_batches"),
    "cache": ("cache_folder",),
    "corpora.corpus": ("Corpus", "open_corpus", "own_text"),
    "corpus_encoding": ("EncodedCorpus", "TextSettings", "encode_corpus"),
    "errors": ("InputError",),
    "text.cleaning": ("CleaningRules",),
    "text.parallel_text": ("ParallelText", "read_lines"),
    "text.profiled_text": ("ProfiledText", "apply_profile"),
    "text.profiles": ("TextForm",),
    "text.subwords": ("BEGIN", "END", "PAD", "UNKNOWN", "Subwords", "train_subwords"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module(f"data.{_HOME[name]}"), name)
    raise AttributeError(f"module 'data' has no attribute {name!r}")
