"""Translation by CTranslate2, with a run directory or a folder written by `export.ctranslate2`.

A run directory is converted, unless it has an export of the same weights.
"""

import collections
import os
import tempfile
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.files import check_plain
from data.text.subwords import BEGIN, END, PAD, Subwords
from data.workers import available_cores
from interacting_head.console import importing_keras
from interacting_head.export import POSITIONS, TEXT, convert, optional_package
from interacting_head.runs.alignment_choice import ALIGNMENT, AlignmentChoice
from interacting_head.runs.exports import fitting_export
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines import check_capabilities, check_target_lengths
from interacting_head.translation.engines.engine import Engine, Hypothesis, Sentence

ctranslate2 = optional_package("ctranslate2")

MOST_CALLS = 4  # at a time

NO_PENALTY = 1e-9
"""The exponent of CTranslate2's length penalty n^α, small enough not to change scores. With 0 the search would end with
the likeliest hypothesis, which need not be the best under our penalties."""

PATIENCE = 2
"""CTranslate2 ends a sentence when `PATIENCE` × beam size hypotheses have ended; we rank all by our penalty. Its
default of 1 ends too early: the first to end may all be poor. Our own search has an exact bound."""


class CTranslate2Engine(Engine):
    """A `ctranslate2.Translator` of a folder that `export.ctranslate2.convert` has written, and its `Subwords`.

    `choice` is the attention that it returns, or None if it is not known, or not the model's.
    """

    name = "ctranslate2"

    def __init__(
        self,
        translator: "ctranslate2.Translator",
        source_subwords: Subwords,
        target_subwords: Subwords,
        choice: AlignmentChoice | None = None,
    ):
        self._translator, self._choice = translator, choice
        self.calls_at_a_time = self.calls_waiting = translator.num_translators
        self._source_pieces, self._target_pieces = source_subwords.pieces(), target_subwords.pieces()
        self._target_ids = {piece: i for i, piece in enumerate(self._target_pieces)}

    @classmethod
    def open(cls, paths: list[str | Path], checkpoint: str | None = None) -> tuple["CTranslate2Engine", RunDirectory]:
        check_capabilities(cls.name, {"ensemble"} if len(paths) > 1 else ())
        path = Path(paths[0])
        converted = (path / "model.bin").is_file()
        if not converted and not (path / "config.yaml").is_file():
            raise InputError(
                f"{path} is neither a run directory (it has no config.yaml) nor a folder written by "
                "interacting-head export --format ctranslate2 (it has no model.bin)"
            )
        check_plain(path)
        if converted and checkpoint is not None:
            raise InputError(f"{path} is a converted model without checkpoints; leave out --checkpoint {checkpoint}")
        run = RunDirectory.open(path / TEXT if converted else path)
        folder = path if converted else fitting_export(run, cls.name, checkpoint)
        translator, choice = _load(folder) if folder else _converted(run, checkpoint)
        return cls(translator, *run.subwords(), choice), run

    def search(self, sentences: list[Sentence], options: SearchOptions, rows: int, token_scores: bool = True) -> list:
        sources = [self._pieces(sentence.source) for sentence in sentences]
        candidates = self._candidates(sources, sentences, options)
        unscored = [(row, ids) for row, found in enumerate(candidates) for ids, total in found.items() if total is None]
        scored = self._token_scores([(sources[row], ids) for row, ids in unscored], rows)
        for (row, ids), scores in zip(unscored, scored, strict=True):
            candidates[row][ids] = sum(scores)
        longest = max(sentence.max_length for sentence in sentences)
        penalties = options.penalty(np.arange(1, longest + 1, dtype="float32")).tolist()
        ranked = [
            sorted(((total / penalties[len(ids)], ids) for ids, total in found.items()), reverse=True)
            for found in candidates
        ]
        best = [[Hypothesis(score, list(ids), None) for score, ids in found[: options.n_best]] for found in ranked]
        if not token_scores:
            return best
        scored = iter(
            self.score([(one.source, h.ids) for one, found in zip(sentences, best, strict=True) for h in found], rows)
        )
        return [[hypothesis._replace(token_scores=next(scored)) for hypothesis in found] for found in best]

    def score(self, pairs: list[tuple], rows: int) -> list[list[float]]:
        return self._token_scores([(self._pieces(source), target) for source, target in pairs], rows)

    def alignment_choice(self) -> AlignmentChoice:
        if self._choice is None:
            raise InputError(
                "this model gives no word alignments with --engine ctranslate2: it was converted by an earlier version "
                "(convert it again), or it mixes attention weights after the softmax; use --engine keras"
            )
        return self._choice

    def attention(self, pairs: list[tuple], rows: int) -> list[np.ndarray]:
        sources, targets = zip(*pairs, strict=True)
        results = self._translator.translate_batch(
            [self._pieces(source) for source in sources],
            [[self._target_pieces[i] for i in ids] for ids in targets],
            max_batch_size=rows,
            beam_size=1,
            max_input_length=0,
            max_decoding_length=max(
                map(len, targets)
            ),  # the prefix counts, so nothing else is produced for the longest
            return_attention=True,
        )
        # Weights on the end symbol of a source are left out.
        found = zip(results, targets, strict=True)
        return [np.pad(result.attention[0][: len(target)], ((0, 1), (0, 1))) for result, target in found]

    def check(self, options: SearchOptions) -> None:
        super().check(options)
        check_target_lengths({"min_length": options.min_length}, self.name)

    def _candidates(self, sources, sentences, options):
        """Return what CTranslate2 finds for each source, `{ids: log-probability}`, None if that is not exact."""
        prefixed = any(sentence.prefix for sentence in sentences)
        longest = max(sentence.max_length for sentence in sentences)
        patience = PATIENCE if options.beam_size > 1 else 1  # greedy search ends with its first hypothesis
        results = self._translator.translate_batch(
            sources,
            [[self._target_pieces[i] for i in sentence.prefix] for sentence in sentences] if prefixed else None,
            beam_size=options.beam_size,
            patience=patience,
            num_hypotheses=patience * options.beam_size,
            length_penalty=NO_PENALTY,
            max_input_length=0,
            max_decoding_length=min(max(longest - 1, 1), POSITIONS - 1),  # without the end symbol
            min_decoding_length=options.min_length or 0,
            no_repeat_ngram_size=options.no_repeat_ngram,
            return_scores=True,
            return_end_token=True,
        )
        # It does not count a prefix, and excludes forbidden tokens before the softmax.
        is_exact = not (prefixed or options.min_length or options.no_repeat_ngram)
        found, beyond = [{} for _ in sources], collections.defaultdict(list)
        for row, (result, sentence) in enumerate(zip(results, sentences, strict=True)):
            if sentence.max_length < longest and max(map(len, result.hypotheses)) > sentence.max_length:
                beyond[sentence.max_length].append(row)
                continue
            for pieces, total in zip(result.hypotheses, result.scores, strict=True):
                ids = tuple(self._target_ids[piece] for piece in pieces)
                is_complete = ids[-1] == END
                ids = ids[:-1] if is_complete else ids
                if PAD not in ids and BEGIN not in ids:
                    found[row].setdefault(ids, total if is_complete and is_exact else None)
        # A call has one limit, the longest. Sentences that went beyond their own are searched again, within it.
        for rows in beyond.values():
            again = self._candidates([sources[row] for row in rows], [sentences[row] for row in rows], options)
            for row, candidates in zip(rows, again, strict=True):
                found[row] = candidates
        return found

    def _token_scores(self, pairs, rows):
        """Return the log-probabilities of tokens and end symbol for pairs of source pieces and target ids."""
        if not pairs:
            return []
        sources, targets = zip(*pairs, strict=True)
        targets = [[self._target_pieces[i] for i in ids] for ids in targets]
        found = self._translator.score_batch(list(sources), targets, max_batch_size=rows, max_input_length=0)
        return [result.log_probs for result in found]

    def _pieces(self, source):
        if len(source) >= POSITIONS:
            raise InputError(
                f"a line has {len(source):,} sub-words, but a model for CTranslate2 takes at most {POSITIONS - 1:,}; "
                "split the line, or use --engine keras"
            )
        return [self._source_pieces[i] for i in source]


def _load(folder):
    """Return a `ctranslate2.Translator` with a core for each of its batches, or on a GPU; and its attention."""
    calls = 1 if ctranslate2.get_cuda_device_count() else min(available_cores(), MOST_CALLS)
    threads = {"inter_threads": calls, "intra_threads": available_cores() // calls}
    try:
        translator = ctranslate2.Translator(os.fsencode(folder), device="auto", **threads)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"{folder} is damaged ({str(error).splitlines()[0]}); convert the run again") from error
    text = RunDirectory(folder / TEXT)
    return translator, None if text.read_json(ALIGNMENT) is None else text.alignment_choice()


def _converted(run, checkpoint):
    with tempfile.TemporaryDirectory() as folder:
        with importing_keras():
            path = convert(run, "ctranslate2", Path(folder) / "model", checkpoint=checkpoint)
        return _load(path)
