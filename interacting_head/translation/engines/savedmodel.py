"""Translation by a SavedModel written by `export.savedmodel`, without the run directory."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf

from data.errors import InputError
from data.files import check_name, check_plain
from data.text.subwords import END
from interacting_head.config import DecodeConfig
from interacting_head.export import EXTRA, LONGEST, TEXT, optional_package, versions
from interacting_head.model.compilation import calls_at_a_time
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions
from interacting_head.translation.batches import padded
from interacting_head.translation.engines import check_capabilities
from interacting_head.translation.engines.engine import Engine, Sentence
from interacting_head.translation.engines.keras import hypotheses


class SavedModelEngine(Engine):
    """The search of a SavedModel, its signature `translate_ids`; `fixed` has its beam size and length penalty type."""

    name = "savedmodel"

    def __init__(self, signature: Callable, fixed: DecodeConfig):
        self._signature, self._fixed = signature, fixed
        self.calls_at_a_time = calls_at_a_time()

    @classmethod
    def open(cls, paths: list[str | Path], checkpoint: str | None = None) -> tuple["SavedModelEngine", RunDirectory]:
        check_capabilities(cls.name, {"ensemble"} if len(paths) > 1 else ())
        folder = _folder(paths[0])
        if checkpoint is not None:
            raise InputError(f"{paths[0]} is a SavedModel without checkpoints; leave out --checkpoint {checkpoint}")
        run = RunDirectory.open(folder / EXTRA / TEXT)
        return cls(_load(folder).signatures["translate_ids"], run.config.decode), run

    def check(self, options: SearchOptions) -> None:
        super().check(options)
        for name in ("beam_size", "length_penalty_type"):
            fixed, wanted = getattr(self._fixed, name), getattr(options, name)
            if wanted != fixed and wanted != "none":  # no penalty is α = 0
                raise InputError(
                    f"the SavedModel was exported with {name} {fixed}, which cannot be changed to {wanted}; export the "
                    "run again with the new value, or use --engine keras"
                )

    def search(self, sentences: list[Sentence], options: SearchOptions, rows: int, token_scores: bool = True) -> list:
        sources = [[*sentence.source, END] for sentence in sentences]
        # The export has lowered the run's own limit to this.
        limit = LONGEST if options.max_length == self._fixed.max_length else math.inf
        penalty = 0.0 if options.length_penalty_type == "none" else options.length_penalty
        try:
            found = self._signature(
                source_ids=tf.constant(padded(sources, len(sources), max(map(len, sources)))),
                length_penalty=tf.constant(penalty, tf.float32),
                min_length=tf.constant(options.min_length or 0),
                max_length=tf.constant(min(options.max_length or 0, limit)),
                n_best=tf.constant(options.n_best),
            )
        except tf.errors.InvalidArgumentError as error:
            stated = re.search(r"assertion failed: \[(.+?)\]", str(error))
            if not stated:
                raise
            raise InputError(f"--engine {self.name}: {stated[1]}") from error
        return hypotheses(*(np.asarray(found[name]) for name in ("ids", "scores", "token_scores")))

    def score(self, pairs: list[tuple], rows: int) -> list[list[float]]:
        check_capabilities(self.name, {"score"})


def _folder(path):
    """Return the folder of the SavedModel at a path: the path itself, or its last version."""
    path = Path(path)
    folder = path if (path / "saved_model.pb").is_file() else path / str(max(versions(path), default=0))
    if not (folder / "saved_model.pb").is_file():
        raise InputError(
            f"{path} is not a folder written by interacting-head export --format savedmodel (it has no "
            "saved_model.pb, nor a version with one); export a run directory first"
        )
    check_plain(folder)
    if not (folder / EXTRA / TEXT).is_dir():
        raise InputError(f"{folder} lacks its sub-words, {EXTRA}/{TEXT}; copy the whole folder again")
    return folder


def _load(folder):
    """Return the SavedModel in a folder; raise `InputError` if it is damaged, or needs tensorflow-text."""
    check_name(folder.absolute())
    if b"SentencepieceTokenizeOp" in (folder / "saved_model.pb").read_bytes():
        optional_package("tensorflow_text")  # its import registers the operations
    try:
        return tf.saved_model.load(str(folder))
    except (OSError, RuntimeError, ValueError, tf.errors.OpError) as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{folder} is damaged ({message}); export the run again") from error
