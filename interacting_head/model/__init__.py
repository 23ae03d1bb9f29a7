"""The Transformer: from a `ModelConfig` to a Keras model.

`placement` chooses its attention layers, `building` creates and loads it for a run, `losses` scores its outputs and
`compilation` compiles functions of its weights. Start at `transformer.py`.
"""
