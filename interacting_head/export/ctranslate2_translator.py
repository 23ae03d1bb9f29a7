"""Translation by CTranslate2: of a run directory, or of a folder that `ctranslate2.convert` has written."""

import tempfile
from pathlib import Path

import numpy as np

from data.errors import InputError
from data.text.subwords import BEGIN, END, PAD
from data.workers import available_cores
from interacting_head.export import optional_package
from interacting_head.export.ctranslate2 import POSITIONS, convert
from interacting_head.export.trained_model import TEXT
from interacting_head.model.compilation import calls_at_a_time
from interacting_head.run_directory import RunDirectory
from interacting_head.search.beam_search import length_penalty
from interacting_head.search.options import SearchOptions
from interacting_head.search.state import IMPOSSIBLE
from interacting_head.search.transformer_search import as_array
from interacting_head.translation.translator import Translation, Translator

ctranslate2 = optional_package("ctranslate2")

NO_PENALTY = 1e-9
"""The exponent of CTranslate2's length penalty n^α, which leaves each score as it is. With 0 its search would end with
the likeliest hypothesis; with another number it goes on until as many have ended as the beam is wide, as ours does."""


class CTranslate2Translator(Translator):
    """A `Translator` whose search and scores are CTranslate2's.

    Args:
        engine: a `ctranslate2.Translator` of a folder that `ctranslate2.convert` has written.
        source_subwords, target_subwords, source_form, target_form, options, batch_size, batch_tokens: as of
            `Translator`.

    Raises:
        InputError: for drawing at random, which is another one in CTranslate2.
    """

    def __init__(self, engine, source_subwords, target_subwords, *forms, options, **batches):
        _check(options)
        super().__init__([], source_subwords, target_subwords, *forms, options=options, **batches)
        self._engine = engine
        self._scorer = self._score_ids
        self._source_pieces, self._target_pieces = (
            [subwords.piece(i) for i in range(subwords.vocabulary_size)]
            for subwords in (source_subwords, target_subwords)
        )
        self._target_ids = {piece: i for i, piece in enumerate(self._target_pieces)}

    @classmethod
    def from_run(cls, paths, checkpoint=None, batch_size=None, batch_tokens=None, **search):
        """As `Translator.from_run`, of one run directory or of one converted folder.

        Raises:
            InputError: also for several paths, for a folder that is neither, for a checkpoint of a converted folder,
                and for a run that cannot be converted.
        """
        [path, *others] = list(paths) if isinstance(paths, list | tuple) else [paths]
        if others:
            raise InputError(f"--engine ctranslate2 takes one model, got {1 + len(others)}; name one")
        path = Path(path)
        converted = (path / "model.bin").is_file()
        if not converted and not (path / "config.yaml").is_file():
            raise InputError(
                f"{path} is neither a run directory of train.py (it has no config.yaml) nor a folder converted by "
                "python -m interacting_head.export --format ctranslate2 (it has no model.bin)"
            )
        if converted and checkpoint:
            raise InputError(f"{path} is a converted model and has no checkpoints; leave --checkpoint {checkpoint} out")
        run = RunDirectory.open(path / TEXT if converted else path)
        decode = run.config.decode
        return cls(
            _engine_of(path) if converted else _engine_of_run(run, checkpoint),
            *run.subwords(),
            *run.text_forms(),
            options=SearchOptions.of(decode, search),
            batch_size=decode.batch_size if batch_size is None else batch_size,
            batch_tokens=batch_tokens,
        )

    def with_options(self, options):
        _check(options)
        return super().with_options(options)

    def _refresh(self):
        pass  # a converted model does not change

    def _search(self, prefixed):
        return self._search_batch

    def _search_batch(self, source_ids, limits, length):
        """The n-best list `[(score, ids, token scores), …]` of each source; see `Translator` for the arguments."""
        sources, prefixes = self._pieces(source_ids, self._source_pieces), None
        if limits.prefixes is not None:
            starts = zip(limits.prefixes, limits.prefix_lengths, sources, strict=False)
            prefixes = [[self._target_pieces[i] for i in ids[:count]] for ids, count, _ in starts]
        candidates = self._candidates(sources, prefixes, limits.max_lengths.tolist(), length)
        unscored = [(row, ids) for row, found in enumerate(candidates) for ids, total in found.items() if total is None]
        token_scores = self._token_scores([(sources[row], ids) for row, ids in unscored])
        for (row, ids), scores in zip(unscored, token_scores, strict=True):
            candidates[row][ids] = sum(scores)
        options, lengths = self.options, np.arange(1, length + 1)  # with the end symbol
        penalties = as_array(length_penalty(lengths, options.length_penalty, options.length_penalty_type)).tolist()
        ranked = [
            sorted(((total / penalties[len(ids)], ids) for ids, total in found.items()), reverse=True)
            for found in candidates
        ]
        best = [found[: options.n_best] for found in ranked]
        pairs = [(source, ids) for source, found in zip(sources, best, strict=True) for _, ids in found]
        token_scores = iter(self._token_scores(pairs))
        return ([[(score, list(ids), next(token_scores)) for score, ids in found] for found in best],)

    def _candidates(self, sources, prefixes, max_lengths, length):
        """What CTranslate2 finds for each source, `{ids: log-probability}`, None where that is not the model's."""
        options = self.options
        results = self._engine.translate_batch(
            sources,
            prefixes,
            beam_size=options.beam_size,
            num_hypotheses=options.beam_size,
            length_penalty=NO_PENALTY,
            max_input_length=0,
            max_decoding_length=min(max(length - 1, 1), POSITIONS),  # without the end symbol
            min_decoding_length=options.min_length or 0,
            no_repeat_ngram_size=options.no_repeat_ngram,
            return_scores=True,
            return_end_token=True,
        )
        # It does not count a prefix, and takes what is excluded out before the softmax.
        is_exact = prefixes is None and not options.min_length and not options.no_repeat_ngram
        found = [{} for _ in sources]
        for row, (result, longest) in enumerate(zip(results, max_lengths, strict=False)):
            for pieces, total in zip(result.hypotheses, result.scores, strict=True):
                ids = [self._target_ids[piece] for piece in pieces]
                is_complete = ids[-1] == END and len(ids) <= longest
                ids = tuple(ids[:-1] if ids[-1] == END else ids)[: longest - 1]
                if PAD not in ids and BEGIN not in ids:
                    found[row].setdefault(ids, total if is_complete and is_exact else None)
        return found

    def _translations(self, kept):
        """The n-best list of a sentence."""
        kept = kept or [(IMPOSSIBLE, [], [IMPOSSIBLE])]  # a model whose probabilities are not numbers
        texts = map(self.target_form.backward, self.target_subwords.decode([ids for _, ids, _ in kept]))
        return [Translation(text, score, ids, log_p) for text, (score, ids, log_p) in zip(texts, kept, strict=True)]

    def _score_ids(self, source_ids, shifted, labels):
        """What `scoring.Scorer` returns, of labels as they are: `(B, T)` log-probabilities, 0 at padding, and None."""
        sources = self._pieces(source_ids, self._source_pieces)
        targets = [[i for i in row.tolist() if i not in (PAD, END)] for row in labels[: len(sources)]]
        log_p = np.zeros(labels.shape, "float32")
        for row, scores in zip(log_p, self._token_scores(list(zip(sources, targets, strict=True))), strict=False):
            row[: len(scores)] = scores
        return log_p, None

    def _token_scores(self, pairs):
        """The log-probabilities of each token and of the end symbol, for pairs of source pieces and target ids."""
        if not pairs:
            return []
        sources, targets = zip(*pairs, strict=True)
        targets = [[self._target_pieces[i] for i in ids] for ids in targets]
        found = self._engine.score_batch(list(sources), targets, max_batch_size=self.batch_size, max_input_length=0)
        return [result.log_probs for result in found]

    def _pieces(self, source_ids, pieces):
        """The sub-words of each source, without the end symbol; rows of padding only are left out."""
        found = [[pieces[i] for i in row if i not in (PAD, END)] for row in source_ids.tolist() if row[0] != PAD]
        longest = max(map(len, found)) + 1
        if longest > POSITIONS:
            raise InputError(
                f"a line has {longest - 1:,} sub-words, and a model for CTranslate2 takes {POSITIONS - 1:,}; divide "
                "the line, or use --engine tensorflow"
            )
        return found


def _check(options):
    if options.sampling:
        raise InputError("--engine ctranslate2 searches and does not draw; --sample needs --engine tensorflow")


def _engine_of(folder):
    """A `ctranslate2.Translator` on all cores, as many batches at a time as a `Translator` gives, or on a GPU.

    Raises:
        InputError: where a file of the folder is damaged or missing.
    """
    calls = calls_at_a_time()
    threads = {"inter_threads": calls, "intra_threads": available_cores() // calls}
    try:
        return ctranslate2.Translator(str(folder), device="auto", **threads)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"{folder} is damaged ({str(error).splitlines()[0]}); convert the run again") from error


def _engine_of_run(run, checkpoint):
    with tempfile.TemporaryDirectory() as folder:
        convert(run, Path(folder) / "model", checkpoint=checkpoint)
        return _engine_of(Path(folder) / "model")
