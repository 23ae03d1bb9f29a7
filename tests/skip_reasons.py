"""Reasons why tests are skipped: what is missing on a machine, and how to get it."""

CORPORA = (
    "the folder shared/corpora next to the repository, with Multi30k and other corpora, is missing: docs/corpora.md "
    "says how to get them"
)
ORACLE = (
    "the folder shared/oracle next to the repository, with the output of the original tools, is missing; it is not "
    "published, and other tests cover the same code"
)
JAX = "JAX is not installed: pip install -r requirements-test.txt"
TENSORFLOW = "TensorFlow or Keras is not installed: pip install -r requirements.txt"
EXPORT = "a package for exports is not installed: pip install -r requirements-export.txt"
TRANSFORMERS = "PyTorch or Transformers is not installed: pip install -r requirements-transformers.txt"
BERTVIZ = "BertViz is not installed: pip install bertviz"
DOCS = "a package for the site is not installed: pip install -r requirements-docs.txt"
METEOR = "Java or METEOR is not installed: install Java 17, and pip install -r requirements-metrics.txt"
FULL_DEVICE = "this system has no device /dev/full, which Linux has; run the test on Linux"
COMPILED_SHAPES = "JAX compiles a function for each shape; run the test with KERAS_BACKEND=tensorflow"
