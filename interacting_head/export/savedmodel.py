"""Conversion to a TensorFlow SavedModel, for every scheme: text or ids in, translations out, the search inside."""

import contextlib
import dataclasses
from pathlib import Path

import keras
import tensorflow as tf

from data.errors import InputError
from data.files import new_folder
from interacting_head.export import optional_package
from interacting_head.export.layout import EXTRA, versions
from interacting_head.export.savedmodel_signatures import LONGEST, signatures
from interacting_head.export.trained_model import TrainedModel
from interacting_head.search.options import SearchOptions

QUANTIZATIONS = ()
OPTIONS = ("beam_size", "ids_only")

README = f"""\
A SavedModel of a translation model, with the search inside:

```python
import tensorflow as tf
import tensorflow_text  # where there are signatures for text

model = tf.saved_model.load("…")
model.signatures["translate_ids"](
    source_ids=tf.constant([[…, 3]]), length_penalty=tf.constant(0.6), min_length=tf.constant(0),
    max_length=tf.constant(0), n_best=tf.constant(1)
)
```

| signature | inputs | outputs |
|---|---|---|
| `translate` | `text (B,)`, search | `translations (B, n)`, `scores (B, n)` |
| `translate_ids` | `source_ids (B, S)`, search | `ids (B, n, L)`, `scores (B, n)`, `token_scores (B, n, L)` |
| `serving_default` | `text`, or else `source_ids`, and nothing else | the same |

Search: numbers `length_penalty`, `min_length`, `max_length` (sub-words; 0: twice the source's and ten more; at most
{LONGEST:,}) and `n_best` (at most the beam size). Without them (`serving_default`) the model's own settings hold.

Ids are those of the sub-word models in text/subwords. Each source ends with 3 (`</s>`), and so do translations; 0 is
padding. A score is the log-probability divided by the length penalty; -2e9 where fewer than n translations were found.
"""
TOKENIZED = """
The model was trained on text normalised, tokenised and truecased by the rules of Moses (models in text/truecasing),
which TensorFlow cannot do. `translate_tokenized`, in the place of `translate`, takes and gives such text.
"""


def convert(source, output_dir, quantization=None, checkpoint=None, beam_size=None, ids_only=False):
    """Writes a version of a model for TensorFlow, TensorFlow Serving among others.

    Args:
        source: a run directory, or a `TrainedModel`.
        output_dir: a folder of versions 1, 2, …, made where it does not exist. A further one is added to it.
        quantization: None.
        checkpoint: of the run directory, see `RunDirectory.weights`.
        beam_size: hypotheses side by side, which cannot be changed afterwards; default: the run's.
        ids_only: leaves out the signatures for text, which need tensorflow-text wherever the model is loaded.

    Returns:
        The path of the version.

    Raises:
        InputError: for a folder that holds other things than versions, and where tensorflow-text is missing.
    """
    if keras.backend.backend() != "tensorflow":
        raise InputError(f"a SavedModel needs the backend tensorflow, and KERAS_BACKEND is {keras.backend.backend()}")
    path = next_version(output_dir)
    if not ids_only:
        try:
            optional_package("tensorflow_text")
        except InputError as error:
            raise InputError(f"{error}; or leave out the signatures for text: --ids-only") from error
    trained = TrainedModel.of(source, checkpoint)
    if beam_size is not None:
        decode = dataclasses.replace(trained.config.decode, beam_size=beam_size)
        trained = dataclasses.replace(trained, config=dataclasses.replace(trained.config, decode=decode))
    SearchOptions.of(trained.config.decode, {})  # raises where there is no such search
    with _removed_on_failure(path.parent), new_folder(path) as folder:
        trained.check_room(folder)
        module = tf.Module()
        functions = signatures(module, trained, text=not ids_only)
        with _without_notices():
            # The gradients are not needed, and those written by hand cannot be saved.
            options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
            tf.saved_model.save(module, str(folder), signatures=functions, options=options)
        (folder / EXTRA).mkdir()
        trained.write_text_files(folder / EXTRA)
        tokenized = TOKENIZED if "translate_tokenized" in functions else ""
        (folder / EXTRA / "README.md").write_text(README + tokenized, encoding="utf-8")
    return path


def next_version(folder):
    """The path of the version that follows those in a folder.

    Raises:
        InputError: where it holds something else.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the versions of the model")
    others = [path.name for path in folder.glob("*") if not path.name.isdecimal() and path.name[0] != "."]
    if others:
        raise InputError(f"{folder} holds {min(others)}, which is not a version of a model; name another folder")
    return folder / str(max(versions(folder), default=0) + 1)


@contextlib.contextmanager
def _removed_on_failure(folder):
    """Removes a folder and those around it if the block fails, as far as they are new and empty."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for each in new:
                each.rmdir()
        raise


@contextlib.contextmanager
def _without_notices():
    """Without TensorFlow's notice of the folder, which is not the final one."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)
