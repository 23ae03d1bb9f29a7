"""The verbs `train`, `translate` and `evaluate`, each from its command line to its result."""
