"""A trained run under analysis, and the sentences it is analysed on."""

import functools
import heapq
import itertools
import random
from argparse import Namespace
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from data.errors import InputError, counted
from data.text.parallel_text import SIDES, ParallelText, read_lines
from data.text.subwords import END
from interacting_head.model.compilation import calls_at_a_time
from interacting_head.model.transformer import Transformer
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.run_text import corpus_of
from interacting_head.translation.inspection import Inspection, Inspector, weighs_heads
from interacting_head.translation.pieces import encoded
from interacting_head.translation.translator import Translator

WINDOW = 64  # pairs whose attention is held at a time
SEARCH_ADVICE = "lower decode.batch_size, decode.beam_size or decode.max_length in the run's config.yaml"


class Pair(NamedTuple):
    """A sentence with the number of its line, from 1, and its reference or the run's own translation.

    The ids hold no special symbols.
    """

    number: int
    source: str
    target: str
    source_ids: list[int]
    target_ids: list[int]


@dataclass(frozen=True)
class Sample:
    """Sentences drawn from a text, in its order."""

    numbers: list[int]  # line numbers, from 1
    sources: list[str]
    references: list[str] | None
    lines: int  # number of lines of the whole text
    name: str  # of the text, for messages and tables
    notes: list[str]  # on skipped sentences

    def __len__(self):
        return len(self.sources)


class AnalysedRun:
    """A run directory with its model, and its name in tables and figures.

    Raises `InputError` if `path` is not a run directory or lacks the checkpoint. Damage is only noticed on first use.

    Example:
        >>> run = AnalysedRun("runs/quickstart")
        >>> for pair, inspection in run.inspections(sample, attention=["encoder"]):
        ...     inspection.attention["encoder", 1]
    """

    def __init__(self, path: Path | str, name: str | None = None, checkpoint: str | None = None):
        directory = RunDirectory.open(path)
        directory.find_weights(checkpoint)
        self.path = Path(path)
        self.name = name or self.path.resolve().name
        self.checkpoint = checkpoint
        self.config = directory.config

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """The codes of source and target language; None where they are not known."""
        return RunDirectory(self.path).languages(self.config.data)

    @functools.cached_property
    def translator(self) -> Translator:
        """The translator, loaded on first use."""
        return Translator.from_run(self.path, self.checkpoint, advice=SEARCH_ADVICE)

    @property
    def model(self) -> Transformer:
        """The trained model."""
        return self.translator.engine.models[0]

    @property
    def weighs_heads(self) -> bool:
        """True if a layer of the model computes head importance."""
        return weighs_heads(self.model)

    @property
    def subwords(self) -> tuple:
        """Source and target `Subwords`."""
        return self.translator.source_subwords, self.translator.target_subwords

    def encode(self, side: str, lines: list[str]) -> list[list[int]]:
        """Return the ids of each line of raw text of one of `SIDES`, after the run's preprocessing."""
        form = {"source": self.translator.source_form, "target": self.translator.target_form}[side]
        return encoded(self.subwords[SIDES.index(side)], form, lines)

    def source_tokens(self, pair: Pair) -> list[str]:
        """Return the source sub-words and `</s>` as text: columns of `cross`, both axes of `encoder`."""
        return [self.subwords[0].piece(i) for i in [*pair.source_ids, END]]

    def target_tokens(self, pair: Pair) -> list[str]:
        """Return the target sub-words and `</s>` as text, as they are produced: rows of `cross`, `decoder`."""
        return [self.subwords[1].piece(i) for i in [*pair.target_ids, END]]

    def sample(self, arguments: Namespace) -> Sample:
        """Return the sentences that the command line asks for, without pairs that have an empty or overlong side.

        Raises `InputError` if a text cannot be read, source and reference differ in length, or no sentence is left.
        """
        source, target, name = self._text(arguments)
        texts = ParallelText(source, target).pairs() if target else ((line,) for line in read_lines(source))
        chosen, lines = reservoir_sample(enumerate(texts, start=1), arguments.sentences, arguments.seed)
        longest = self.config.data.max_length
        texts = zip(*(texts for _, texts in chosen), strict=True)
        sides = [self.encode(*one) for one in zip(SIDES, texts, strict=False)]  # without references, one side
        lengths = [list(map(len, one)) for one in zip(*sides, strict=True)]
        kept = [one for one, sizes in zip(chosen, lengths, strict=True) if min(sizes) > 0 and max(sizes) <= longest]
        notes = []
        if empty := sum(min(sizes) == 0 for sizes in lengths):
            notes.append(f"{self.name}: skipped {counted(empty, 'empty sentence')} of {name}")
        if long := len(chosen) - len(kept) - empty:
            notes.append(
                f"{self.name}: skipped {counted(long, 'sentence')} of {name} with more than {longest} sub-words, the "
                "longest that the run was trained on (data.max_length)"
            )
        if not kept:
            raise InputError(
                f"no sentence drawn from {name} can be analysed: each is empty or has more "
                f"than {longest} sub-words, the longest that {self.name} was trained on (data.max_length); choose "
                "another text"
            )
        numbers, texts = zip(*kept, strict=True)
        sources, *references = map(list, zip(*texts, strict=True))
        return Sample(list(numbers), sources, references[0] if references else None, lines, name, notes)

    def _text(self, arguments):
        """Return the source file, the target file or None, and the name of the text."""
        if arguments.input is not None:
            return arguments.input, arguments.reference, str(arguments.input)
        try:
            corpus = corpus_of(self.config.data, arguments.corpora_dir)
        except InputError as error:
            raise InputError(f"{error}; or give sentences with -i") from error
        tests = sorted((one for one in corpus.splits if "test" in one), key=lambda one: (one != "test", one))
        split = arguments.split or [*tests, "dev"][0]
        text = corpus.split(split)
        return text.source, text.target, f"{corpus.name} {split}"

    def pairs(self, sample: Sample, targets: bool = True) -> Iterator[Pair]:
        """Yield the sentences with their references, or with the run's own translations if `targets`."""
        for rows in in_windows(range(len(sample))):
            sources = [sample.sources[row] for row in rows]
            if sample.references is not None:
                texts = [sample.references[row] for row in rows]
                target_ids = self.encode("target", texts)
            elif targets:
                best = [found for found, *_ in self.translator.translate(sources)]
                texts, target_ids = [one.text for one in best], [one.tokens for one in best]
            else:
                texts, target_ids = [""] * len(rows), [[]] * len(rows)
            ids = self.encode("source", sources), target_ids
            for row, *pair in zip(rows, sources, texts, *ids, strict=True):
                yield Pair(sample.numbers[row], *pair)

    def inspector(self, **parts: object) -> Inspector:
        """Return the `Inspector` of the model; raise `InputError` if it has no head importance to inspect."""
        try:
            return Inspector(self.model, **parts)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def inspections(self, sample: Sample, **parts: object) -> Iterator[tuple[Pair, Inspection]]:
        """Yield the inspection of each sentence, in order, a window at a time; `parts` go to the `Inspector`."""
        inspector = self.inspector(**parts)
        sites = {site for name in ("attention", "logits", "heads") for site in parts.get(name, ())}
        targets = parts.get("head_importance") or not sites <= {"encoder"}
        with tqdm(desc=self.name, total=len(sample), unit=" sentences", disable=None, leave=False) as bar:
            for window in in_windows(self.pairs(sample, targets)):
                yield from zip(window, _inspected(inspector, window), strict=True)
                bar.update(len(window))


def open_runs(paths: list, checkpoint: str | None = None) -> list[AnalysedRun]:
    """Return the runs, each named by the shortest end of its path that tells the runs apart."""
    resolved = [Path(path).resolve() for path in paths]
    for path, place in zip(paths, resolved, strict=True):
        if resolved.count(place) > 1:
            raise InputError(f"{path} is named twice; name each run directory once")
    parts = 1
    while len({place.parts[-parts:] for place in resolved}) < len(resolved):
        parts += 1
    names = ["/".join(place.parts[-parts:]) for place in resolved]
    return [AnalysedRun(path, name, checkpoint) for path, name in zip(paths, names, strict=True)]


def reservoir_sample(items: Iterable, count: int, seed: int) -> tuple[list, int]:
    """Return up to `count` items drawn at random, in their order, and the number of all items.

    Items are read once, and only `count` of them are held: each gets a random number, and the smallest are kept.
    """
    draw, places = random.Random(seed), itertools.count()
    kept = heapq.nsmallest(count, ((draw.random(), next(places), item) for item in items))
    return [item for _, _, item in sorted(kept, key=lambda one: one[1])], next(places)


def in_windows(items: Iterable) -> Iterator[list]:
    """Yield the items as lists of `WINDOW` items."""
    items = iter(items)
    while window := list(itertools.islice(items, WINDOW)):
        yield window


def _inspected(inspector, pairs):
    """Return the `Inspection` of each pair; the shorter and the longer half are computed in parallel."""
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].source_ids) + len(pairs[row].target_ids))
    halves = [half for half in (order[: len(order) // 2], order[len(order) // 2 :]) if half]

    def inspect(rows):
        return inspector.inspect([(pairs[row].source_ids, pairs[row].target_ids) for row in rows])

    with ThreadPoolExecutor(calls_at_a_time()) as threads:
        seen = [one for half in threads.map(inspect, halves) for one in half]
    placed = dict(zip(order, seen, strict=True))
    return [placed[row] for row in range(len(pairs))]
