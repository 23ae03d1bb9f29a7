"""Reasons why tests are skipped: what is missing on a machine, and how to get it."""

CORPORA = (
    "corpora of the developers are missing: Multi30k and others, in the folder shared/corpora next to the repository"
)
ORACLE = (
    "outputs of other programs to compare with are missing: the developers keep them in the folder shared/oracle next "
    "to the repository, and it is not published"
)
ONLY_TENSORFLOW = "tests a feature of the TensorFlow backend only; run it with KERAS_BACKEND=tensorflow"
EXPORT = "a package for exports is missing: pip install -r requirements-export.txt"
TRANSFORMERS = "PyTorch or Transformers is missing: pip install -r requirements-transformers.txt"
