"""Translation by a SavedModel that `savedmodel.convert` has written, with nothing else of the run."""

import re
from pathlib import Path

import numpy as np
import tensorflow as tf

from data.errors import InputError
from interacting_head.export import optional_package
from interacting_head.export.savedmodel import EXTRA, versions
from interacting_head.export.trained_model import TEXT
from interacting_head.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import Found
from interacting_head.translation.translator import Translator

ENGINE = "--engine savedmodel"


class SavedModelTranslator(Translator):
    """A `Translator` whose search is that of a SavedModel.

    Args:
        search: the signature `translate_ids` of a SavedModel.
        fixed: the `DecodeConfig` of the SavedModel, whose beam size and form of the length penalty are a part of it.
        source_subwords, target_subwords, source_form, target_form, options, batch_size, batch_tokens: as of
            `Translator`.

    Raises:
        InputError: for what the SavedModel's search does not do.
    """

    def __init__(self, search, fixed, source_subwords, target_subwords, *forms, options, **batches):
        super().__init__([], source_subwords, target_subwords, *forms, options=options, **batches)
        self._signature, self._fixed = search, fixed
        self._check(options)

    @classmethod
    def from_run(cls, paths, checkpoint=None, batch_size=None, batch_tokens=None, **search):
        """As `Translator.from_run`, of one folder of versions, of which the last is taken, or of one version.

        Raises:
            InputError: for several paths, for a folder that is neither, for a checkpoint, and for what the
                SavedModel's search does not do.
        """
        [path, *others] = list(paths) if isinstance(paths, list | tuple) else [paths]
        if others:
            raise InputError(f"{ENGINE} takes one model, got {1 + len(others)}; name one")
        folder = _folder(path)
        if checkpoint:
            raise InputError(f"{path} is a SavedModel and has no checkpoints; leave --checkpoint {checkpoint} out")
        run = RunDirectory.open(folder / EXTRA / TEXT)
        decode = run.config.decode
        return cls(
            _load(folder).signatures["translate_ids"],
            decode,
            *run.subwords(),
            *run.text_forms(),
            options=SearchOptions.of(decode, search),
            batch_size=decode.batch_size if batch_size is None else batch_size,
            batch_tokens=batch_tokens,
        )

    def with_options(self, options):
        self._check(options)
        return super().with_options(options)

    def score(self, sources, targets, window=None):
        raise InputError(f"{ENGINE} scores no given translations; --score needs --engine tensorflow")

    def _check(self, options):
        if options.sampling:
            raise InputError(f"{ENGINE} searches and does not draw; --sample needs --engine tensorflow")
        if options.no_repeat_ngram:
            raise InputError(f"{ENGINE} does not look at n-grams; --no-repeat-ngram needs --engine tensorflow")
        for name in ("beam_size", "length_penalty_type"):
            fixed, wanted = getattr(self._fixed, name), getattr(options, name)
            if wanted != fixed and wanted != "none":  # no penalty is α = 0
                raise InputError(
                    f"the SavedModel was exported with {name} {fixed}, and {wanted} is asked for; export the run with "
                    "the other, or use --engine tensorflow"
                )

    def _refresh(self):
        pass  # a SavedModel does not change

    def _search(self, prefixed):
        if prefixed:
            raise InputError(f"{ENGINE} takes no beginnings of translations; --prefix needs --engine tensorflow")
        return self._search_batch

    def _search_batch(self, source_ids, limits, length):
        """`Found`; the limits of each sentence follow from the options."""
        options = self.options
        penalty = 0.0 if options.length_penalty_type == "none" else options.length_penalty
        try:
            found = self._signature(
                source_ids=tf.constant(source_ids),
                length_penalty=tf.constant(penalty, tf.float32),
                min_length=tf.constant(options.min_length or 0),
                max_length=tf.constant(options.max_length or 0),
                n_best=tf.constant(options.n_best),
            )
        except tf.errors.InvalidArgumentError as error:
            stated = re.search(r"assertion failed: \[(.+?)\]", str(error))
            if not stated:
                raise
            raise InputError(f"{ENGINE}: {stated[1]}") from error
        return Found(*(np.asarray(found[name]) for name in ("ids", "scores", "token_scores")))


def _folder(path):
    """The folder of the SavedModel that a path stands for: itself, or the last version in it.

    Raises:
        InputError: where there is none.
    """
    path = Path(path)
    folder = path if (path / "saved_model.pb").is_file() else path / str(max(versions(path), default=0))
    if not (folder / "saved_model.pb").is_file():
        raise InputError(
            f"{path} is not a folder written by python -m interacting_head.export --format savedmodel (it has no "
            "saved_model.pb, nor a version with one); a run directory has to be exported first"
        )
    if not (folder / EXTRA / TEXT).is_dir():
        raise InputError(f"{folder} lacks {EXTRA}/{TEXT}, its sub-words; copy it again, with all that is in it")
    return folder


def _load(folder):
    """The SavedModel in a folder.

    Raises:
        InputError: where it is damaged, or needs tensorflow-text.
    """
    if b"SentencepieceTokenizeOp" in (folder / "saved_model.pb").read_bytes():
        optional_package("tensorflow_text")  # its import makes the operations known
    try:
        return tf.saved_model.load(str(folder))
    except (OSError, RuntimeError, ValueError, tf.errors.OpError) as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{folder} is damaged ({message}); export the run again") from error
