"""The Transformer: from a `ModelConfig` to a Keras model.

In come a configuration and vocabulary sizes, out goes a `transformer.Transformer`, whose attention layers `placement`
chooses and `building` makes for a run; `losses` scores its outputs, `compilation` makes functions of its weights fast.
Start at `transformer.py`.
"""
