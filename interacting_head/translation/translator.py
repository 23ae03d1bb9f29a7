"""Translation of lines of text with a trained run, or an ensemble of several."""

import copy
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from data.text.profiles import RAW_TEXT
from data.text.subwords import BEGIN, END
from interacting_head.model.building import load_model
from interacting_head.model.compilation import compiles_shapes
from interacting_head.run_directory import RunDirectory
from interacting_head.search.beam_search import length_penalty
from interacting_head.search.options import SearchOptions
from interacting_head.search.scoring import Scorer
from interacting_head.search.state import IMPOSSIBLE, Limits
from interacting_head.search.transformer_search import TransformerSearch, as_array, length_limit
from interacting_head.translation.line_batches import aligned, padded, side_by_side, windows

WINDOW = 64  # batches sorted by length at a time: a stream of any length runs in constant memory
LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more memory
WIDE = 1024  # hypotheses of a batch at most, times their number a sentence: attention is of each to the places of all


class Translation(NamedTuple):
    """One hypothesis.

    `score` is its log-probability (natural logarithm) divided by the length penalty, `tokens` are its sub-words, and
    `token_scores` the log-probabilities of each of them and of the end symbol.
    """

    text: str
    score: float
    tokens: list
    token_scores: list


class Translator:
    """Translates lines with a model, or the mean probability of several, and its sub-words.

    Args:
        models: a `Transformer`, or a list of them with equal vocabularies.
        source_subwords, target_subwords: `data.Subwords`.
        source_form, target_form: `data.text.profiles.TextForm`: what is done to text before and after.
        options: `SearchOptions`.
        batch_size: sentences searched together at most.
        batch_tokens: the same in source tokens, padding included; it takes the place of `batch_size`.

    Example:
        >>> translator = Translator.from_run("runs/quickstart")
        >>> [best.text for best, *_ in translator.translate(["Der alte Mann liest ein Buch."])]
    """

    def __init__(
        self,
        models,
        source_subwords,
        target_subwords,
        source_form=RAW_TEXT,
        target_form=RAW_TEXT,
        *,
        options=None,
        batch_size=64,
        batch_tokens=None,
    ):
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.options = options or SearchOptions()
        self.batch_size, self.batch_tokens = batch_size, batch_tokens
        self._searches = {}
        self._scorer = None

    @classmethod
    def from_run(cls, paths, checkpoint=None, batch_size=None, batch_tokens=None, **search):
        """The translator of a run directory, or of several as an ensemble.

        Args:
            paths: the run directory, or a list of them.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, or else the newest.
            batch_size, batch_tokens: as of the constructor; default: the (first) run's batch size.
            **search: fields of `SearchOptions`; what is not given, or None, is the (first) run's.

        Raises:
            InputError: where there is no such run or checkpoint, it is damaged, or vocabularies or profiles differ.
        """
        paths = list(paths) if isinstance(paths, list | tuple) else [paths]
        runs = [RunDirectory.open(path) for path in paths]
        first, *others = runs
        decode = first.config.decode
        options = SearchOptions.of(decode, search)
        weights = [run.weights(checkpoint) for run in runs]
        subwords = first.subwords()
        digests = [part.digest for part in subwords]
        for run in others:
            if [part.digest for part in run.subwords()] != digests:
                raise InputError(
                    f"{run.path} has other sub-words than {first.path}; an ensemble needs runs on the same ones"
                )
            if run.config.data.profile != first.config.data.profile:
                raise InputError(f"{run.path} has another data.profile than {first.path}; an ensemble needs one")
        models = [load_model(run, subwords, path) for run, path in zip(runs, weights, strict=True)]
        size = decode.batch_size if batch_size is None else batch_size
        forms = first.text_forms()
        return cls(models, *subwords, *forms, options=options, batch_size=size, batch_tokens=batch_tokens)

    def translate(self, lines, window=None, prefixes=None, first_number=0):
        """Yields for each line, in order, its list of `Translation`s, best first.

        A line without sub-words (empty, or blanks only) gives one empty translation.

        Args:
            lines: any iterable of strings.
            window: so many lines are read, sorted by length and translated at a time.
            prefixes: for each line what its translation has to begin with; "" asks for nothing. It counts for the
                score. A prefix longer than the largest length is translated by itself.
            first_number: number of the first line, for drawing: where a text is given in parts.

        Raises:
            InputError: where there are fewer or more prefixes than lines.
        """
        self._refresh()
        pairs = ((line, "") for line in lines) if prefixes is None else aligned(lines, prefixes, "prefix")
        for number, chunk in windows(pairs, window or WINDOW * self._rows(1)):
            yield from self._translate_window(*zip(*chunk, strict=True), first_number + number, prefixes is not None)

    def score(self, sources, targets, window=None):
        """Yields for each pair of lines, in order, the target as a `Translation` with its scores.

        Args:
            sources, targets: iterables of strings.
            window: as of `translate`.

        Raises:
            InputError: where there are fewer or more targets than sources.
        """
        self._scorer = self._scorer or Scorer(self.models)
        for _, chunk in windows(aligned(sources, targets, "target"), window or WINDOW * self._rows(1)):
            yield from self._score_window(*zip(*chunk, strict=True))

    def tokenized(self, translation):
        """A `Translation` with tokens as its text: words where the profile has them, or else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=text)
        return translation._replace(text=" ".join(map(self.target_subwords.piece, translation.tokens)))

    def with_options(self, options):
        """A translator like this one, of the same models, with other `SearchOptions`."""
        other = copy.copy(self)
        other.options, other._searches = options, {}
        return other

    @property
    def compiled(self):
        """How many functions have been compiled."""
        functions = [function for search in self._searches.values() for function in search.compiled]
        return sum(function.count for function in functions)

    def _refresh(self):
        """Takes the models' present weights."""
        for search in self._searches.values():
            search.refresh()

    def _search(self, prefixed):
        if prefixed not in self._searches:
            self._searches[prefixed] = TransformerSearch(self.models, self.options, prefixed)
        return self._searches[prefixed]

    def _rows(self, width):
        """How many sentences of so many tokens are searched together."""
        rows = self.batch_size * LONG // max(width, LONG)
        if self.batch_tokens is not None:
            rows = self.batch_tokens // width
        return max(1, min(rows, WIDE // self.options.hypotheses))

    def _batches(self, lengths):
        """Yields `(indices, rows, width)` of batches of like lengths; lengths of 0 are left out."""
        order = sorted((i for i, length in enumerate(lengths) if length), key=lambda i: lengths[i], reverse=True)
        while order:
            width = lengths[order[0]]
            if compiles_shapes():
                width = 2 ** (width - 1).bit_length()
            rows = self._rows(width)
            batch, order = order[:rows], order[rows:]
            yield batch, rows if compiles_shapes() else len(batch), width

    def _translate_window(self, lines, prefixes, number, prefixed):
        sources = self.source_subwords.encode([self.source_form.forward(line) for line in lines])
        starts = self.target_subwords.encode([self.target_form.forward(prefix) for prefix in prefixes])
        results = [[Translation("", 0.0, [], [])] for _ in lines]

        search = self._search(prefixed)

        def found_in(batch, rows, width):
            limits, length = self._limits([(number + i, len(sources[i]), starts[i]) for i in batch], rows, prefixed)
            return batch, search(padded([[*sources[i], END] for i in batch], rows, width), limits, length)

        batches = self._batches([len(ids) + 1 if ids else 0 for ids in sources])
        for batch, found in side_by_side(found_in, batches):
            for i, *hypotheses in zip(batch, *found, strict=False):
                results[i] = self._translations(*hypotheses)
        return results

    def _limits(self, sentences, rows, prefixed):
        """`Limits` and largest length for the `(line number, source length, prefix)` of sentences; rows beyond them
        end at once."""
        options = self.options
        shortest = options.min_length or 0
        longest = [length_limit(length + 1) - 1 for _, length, _ in sentences]
        if options.max_length is not None:
            longest = [options.max_length] * len(sentences)
        longest = [max(limit, shortest, len(start)) for limit, (_, _, start) in zip(longest, sentences, strict=True)]
        max_lengths = np.ones(rows, "int32")
        max_lengths[: len(sentences)] = np.array(longest) + 1
        length = int(max_lengths.max())
        limits = Limits(max_lengths)
        if compiles_shapes():
            length = 2 ** (length - 1).bit_length()
        if options.min_length is not None:
            limits = limits._replace(min_lengths=np.minimum(max_lengths - 1, shortest).astype("int32"))
        if prefixed:
            starts = [start for _, _, start in sentences]
            width = length if compiles_shapes() else max(1, *map(len, starts))
            lengths = np.zeros(rows, "int32")
            lengths[: len(starts)] = list(map(len, starts))
            limits = limits._replace(prefixes=padded(starts, rows, width), prefix_lengths=lengths)
        if options.sampling:
            draws = np.zeros((rows, length, options.hypotheses), "float32")
            for row, limit, (number, *_) in zip(draws, max_lengths, sentences, strict=False):
                row[:limit] = np.random.default_rng((options.seed, number)).random(row[:limit].shape, "float32")
            limits = limits._replace(draws=draws)
        return limits, length

    def _translations(self, ids, scores, token_scores):
        """The n-best list of a sentence."""
        kept = []
        for row, score, log_p in zip(ids, scores.tolist(), token_scores, strict=True):
            if score > IMPOSSIBLE and len(kept) < self.options.n_best:
                end = int(np.argmax(row == END))
                kept.append((score, row[:end].tolist(), log_p[: end + 1].tolist()))
        kept = kept or [(IMPOSSIBLE, [], [IMPOSSIBLE])]  # a model whose probabilities are not numbers
        texts = map(self.target_form.backward, self.target_subwords.decode([tokens for _, tokens, _ in kept]))
        return [
            Translation(text, score, tokens, log_p) for text, (score, tokens, log_p) in zip(texts, kept, strict=True)
        ]

    def _score_window(self, sources, targets):
        source_ids = self.source_subwords.encode([self.source_form.forward(line) for line in sources])
        target_ids = self.target_subwords.encode([self.target_form.forward(line) for line in targets])
        results = [Translation(target, 0.0, [], []) for target in targets]
        # A line without sub-words is translated by an empty one and nothing else.
        lengths = [max(len(source), len(target)) + 1 if source else 0
                   for source, target in zip(source_ids, target_ids, strict=True)]  # fmt: skip
        for batch, rows, width in self._batches(lengths):
            labels = padded([[*target_ids[i], END] for i in batch], rows, width)
            shifted = np.concatenate([np.full((rows, 1), BEGIN, "int32"), labels[:, :-1]], axis=1)
            log_p, _ = self._scorer(padded([[*source_ids[i], END] for i in batch], rows, width), shifted, labels)
            for i, row in zip(batch, log_p, strict=False):
                tokens = target_ids[i]
                kept = row[: len(tokens) + 1].tolist()
                results[i] = Translation(targets[i], self.penalised(kept), tokens, kept)
        return results

    def penalised(self, token_scores):
        """The score of a hypothesis with these log-probabilities of its tokens, the end symbol's included."""
        options = self.options
        penalty = length_penalty(len(token_scores), options.length_penalty, options.length_penalty_type)
        return sum(token_scores) / float(as_array(penalty))
