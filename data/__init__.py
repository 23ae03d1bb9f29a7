"""Parallel text on its way to the model: corpora, sub-words, encoded arrays, batch plans, batches.

Start at `corpus_encoding.py`, which goes from the name of a corpus or the user's files to encoded arrays, and at
`batches/pipeline.py` for the rest. Only `as_tf_dataset` needs TensorFlow.
"""
