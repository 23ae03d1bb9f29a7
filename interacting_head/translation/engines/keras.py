"""Translation by the project's own search, with `Transformer`s on any Keras backend."""

import dataclasses
import functools
import importlib.util
import threading
from pathlib import Path

import numpy as np
from keras import ops

from data.errors import InputError
from data.text.subwords import BEGIN, END
from interacting_head.model.building import load_model
from interacting_head.model.compilation import calls_at_a_time, compiles_shapes, size_compiled_for
from interacting_head.model.placement import resolved
from interacting_head.model.transformer import Transformer
from interacting_head.runs.alignment_choice import AlignmentChoice
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.constraints import Limits
from interacting_head.search.options import IMPOSSIBLE, SearchOptions, length_limit
from interacting_head.search.transformer_search import DecodingKernels, Scorer, TransformerSearch
from interacting_head.translation.batches import padded
from interacting_head.translation.engines import FASTER_ENGINE, check_source_length, check_target_lengths, why_not_alike
from interacting_head.translation.engines.engine import Engine, Hypothesis, Sentence
from interacting_head.translation.inspection import Inspector
from interacting_head.translation.word_alignment import distributions

MOST_SEARCHES = 16  # compiled searches kept, each for its own options


class TransformerEngine(Engine):
    """A `Transformer`, or a list of several with equal vocabularies, whose probabilities are averaged."""

    name = "keras"

    def __init__(self, models: Transformer | list[Transformer], run: RunDirectory | None = None):
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        self._run = run
        self.calls_at_a_time = calls_at_a_time()
        self._searches, self._lock = {}, threading.Lock()
        self._kernels, self._scorer = DecodingKernels(self.models), Scorer(self.models)

    @classmethod
    def open(cls, paths: list[str | Path], checkpoint: str | None = None) -> tuple["TransformerEngine", RunDirectory]:
        runs = [RunDirectory.open(path) for path in paths]
        for run in runs:
            run.find_weights(checkpoint)  # raises where one has none
        first, *others = runs
        subwords = first.subwords()
        digests = [part.digest for part in subwords]
        for run in others:
            if [part.digest for part in run.subwords()] != digests:
                raise InputError(
                    f"{run.path} and {first.path} have different sub-words; the runs of an ensemble must share them"
                )
            if run.config.data.profile != first.config.data.profile:
                raise InputError(
                    f"{first.path} has data.profile={first.config.data.profile}, {run.path} has "
                    f"{run.config.data.profile}; the runs of an ensemble must have the same one"
                )
        return cls([load_model(run, subwords, checkpoint) for run in runs], first), first

    def search(self, sentences: list[Sentence], options: SearchOptions, rows: int, token_scores: bool = True) -> list:
        prefixed = sentences[0].prefix is not None
        sources = [[*sentence.source, END] for sentence in sentences]
        limits, length = self._limits(sentences, options, rows, prefixed)
        search = self._search(options, prefixed)
        source_ids = self._padded(sources, rows)
        kernels = self._kernels.value
        # Not search(…): one more frame.
        found = search.compiled_search(kernels=kernels, source_ids=source_ids, limits=limits, length=length)
        return hypotheses(*map(ops.convert_to_numpy, found), options.n_best)[: len(sentences)]

    def score(self, pairs: list[tuple], rows: int) -> list[list[float]]:
        width = max(max(map(len, pair)) for pair in pairs) + 1
        source_ids = self._padded([[*source, END] for source, _ in pairs], rows, width)
        labels = self._padded([[*target, END] for _, target in pairs], rows, width)
        shifted = np.concatenate([np.full((len(labels), 1), BEGIN, "int32"), labels[:, :-1]], axis=1)
        log_p, _ = self._scorer(source_ids, shifted, labels)
        return [row[: len(target) + 1].tolist() for row, (_, target) in zip(log_p, pairs, strict=False)]

    def alignment_choice(self) -> AlignmentChoice:
        choice, *_ = self._aligning
        return choice

    def attention(self, pairs: list[tuple], rows: int) -> list[np.ndarray]:
        _, place, heads, inspector = self._aligning
        [model] = self.models
        seen = [one.attention[place] for one in inspector.inspect(pairs)]
        if model.attention_layers[place].mixes_weights:
            seen = map(distributions, seen)
        return [weights.reshape(-1, *weights.shape[-2:])[heads].mean(0) for weights in seen]

    @functools.cached_property
    def _aligning(self):
        """The `AlignmentChoice`, the place of its layer, the indices of its heads, and an `Inspector` of the layer."""
        [model] = self.models
        default = AlignmentChoice.default(model.config.decoder_layers)
        choice = default if self._run is None else self._run.alignment_choice()
        place = "cross", choice.layer
        heads = choice.heads(model.attention_layers[place].head_names)
        return choice, place, heads, Inspector(model, attention=[place])

    def faster_engine(self, options: SearchOptions, max_source_length: int | None = None) -> str | None:
        if importlib.util.find_spec(FASTER_ENGINE) is None or len(self.models) > 1:
            return None
        if options.sampling or why_not_alike(options):
            return None
        try:
            check_target_lengths({"max_length": options.max_length, "min_length": options.min_length}, FASTER_ENGINE)
            if max_source_length is not None:
                check_source_length("", max_source_length, FASTER_ENGINE)
        except InputError:
            return None
        [model] = self.models
        is_standard = not any(layer.why_not_standard for layer in model.attention_layers.values())
        return FASTER_ENGINE if is_standard and resolved(model.config).memory in ("top", "all") else None

    def refresh(self) -> None:
        self._kernels.refresh()

    @property
    def compiled(self) -> int:
        """The number of functions that have been compiled."""
        return self._kernels.compiled.count + sum(one.compiled_search.count for one in self._searches.values())

    def _search(self, options, prefixed):
        # The rest depends on sentences: `_limits`, `_length`.
        shortest = None if options.min_length is None else 0
        options = dataclasses.replace(options, seed=SearchOptions.seed, max_length=None, min_length=shortest)
        with self._lock:  # several threads ask
            if (options, prefixed) not in self._searches:
                if len(self._searches) == MOST_SEARCHES:
                    del self._searches[next(iter(self._searches))]
                self._searches[options, prefixed] = TransformerSearch(self.models, options, prefixed, self._kernels)
            return self._searches[options, prefixed]

    def _limits(self, sentences, options, rows, prefixed):
        """Return the `Limits` and the largest length of a batch; padding rows end at once."""
        rows = self._rows(len(sentences), rows)
        max_lengths = np.ones(rows, "int32")
        max_lengths[: len(sentences)] = [sentence.max_length for sentence in sentences]
        length = self._length(sentences, int(max_lengths.max()), options)
        limits = Limits(max_lengths=max_lengths)
        if options.min_length is not None:
            limits["min_lengths"] = np.minimum(max_lengths - 1, options.min_length).astype("int32")
        if prefixed:
            prefixes = [sentence.prefix for sentence in sentences]
            width = length if compiles_shapes() else max(1, *map(len, prefixes))
            limits["prefixes"] = padded(prefixes, rows, width)
            limits["prefix_lengths"] = np.zeros(rows, "int32")
            limits["prefix_lengths"][: len(prefixes)] = list(map(len, prefixes))
        if options.sampling:
            limits["draws"] = np.zeros((rows, length, options.hypotheses), "float32")
            for row, sentence in zip(limits["draws"], sentences, strict=False):
                places = row[: sentence.max_length]
                generator = np.random.default_rng((options.seed, sentence.number, sentence.piece))
                places[:] = generator.random(places.shape, "float32")
        return limits, length

    def _padded(self, sentences, rows, width=None):
        width = self.padded_width(width or max(map(len, sentences)))
        return padded(sentences, self._rows(len(sentences), rows), width)

    @staticmethod
    def _rows(count, most):
        """Return the rows of a batch of `count` sentences: always `most` if each shape is compiled."""
        return most if compiles_shapes() else count

    def padded_width(self, width: int) -> int:
        return size_compiled_for(width)

    def _length(self, sentences, longest, options):
        """Return the largest length of a batch; if each shape is compiled, usually one for each width."""
        if not compiles_shapes():
            return longest
        width = self.padded_width(max(len(sentence.source) for sentence in sentences) + 1)
        usual = length_limit(width) if options.max_length is None else options.max_length + 1
        return usual if longest <= usual else size_compiled_for(longest)


def hypotheses(ids: np.ndarray, scores: np.ndarray, token_scores: np.ndarray, most: int | None = None) -> list[list]:
    """Return at most `most` `Hypothesis`es for each sentence of a `SearchResult`."""
    n_best = []
    for sentence in zip(ids[:, :most], scores[:, :most].tolist(), token_scores[:, :most], strict=True):
        n_best.append([])
        for row, score, log_p in zip(*sentence, strict=True):
            if score > IMPOSSIBLE:
                end = int(np.argmax(row == END))
                n_best[-1].append(Hypothesis(score, row[:end].tolist(), log_p[: end + 1].tolist()))
    return n_best
