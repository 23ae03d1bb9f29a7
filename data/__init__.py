"""Parallel text on its way to the model: corpora, sub-words, encoded arrays, batch plans, batches.

Start at `corpus_encoding.py` (from a corpus or the user's files to encoded arrays), then `batches/pipeline.py`. Only
`as_tf_dataset` needs TensorFlow.
"""
