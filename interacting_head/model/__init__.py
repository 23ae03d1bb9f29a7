"""The Transformer: from a `ModelConfig` to a Keras model.

`placement` chooses its attention layers, `building` makes and loads it for a run, `losses` scores its outputs and
`compilation` makes functions of its weights fast. Start at `transformer.py`.
"""
