"""Tables and figures of the papers: the trainings behind each cell, the test sets, the metrics."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from interacting_head import recipes
from interacting_head.config import ExperimentConfig, differences, override
from interacting_head.config.values import entry_of
from interacting_head.recipes.registry import SMALL
from interacting_head.recipes.small import MULTI30K_DE_EN

BLEU_ONLY = ("sacrebleu", "bleu")
YISI1 = "yisi1"
"""A metric that needs vectors: it is computed where they are given."""
IN_BFLOAT16 = ("train.precision=mixed_bfloat16",)
"""A setting of all small tables of trained models, so that runs of unlike machines compare."""
ON_MULTI30K = (
    f"data.corpus={MULTI30K_DE_EN.corpus}",
    f"data.vocabulary_size={MULTI30K_DE_EN.vocabulary_size}",
    f"train.max_steps={MULTI30K_DE_EN.max_steps}",
    f"train.warmup_steps={MULTI30K_DE_EN.max_steps // 10}",
    f"train.validation_interval={MULTI30K_DE_EN.max_steps // 5}",
)
"""Settings of small tables whose recipes all have Multi30k in place of their corpora."""
Tests = Mapping[str, tuple[str, ...]]
"""Test set → splits of its corpus, joined."""
TEST: Tests = {"test": ("test",)}
FLICKR: Tests = {"test": ("test_2016_flickr",)}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A training that may be repeated with several seeds."""

    recipe: str
    settings: tuple[str, ...] = ()  # further ones, `KEY=VALUE`
    variant: str = ""  # part of the name of a run, for experiments with the same recipe

    def config(self, seed: int) -> ExperimentConfig:
        """Return the configuration with a seed for training, and for drawing pairs where the recipe draws some."""
        config = self._of_any_seed
        data = config.data if config.data.train_pairs is None else dataclasses.replace(config.data, seed=seed)
        return dataclasses.replace(config, data=data, train=dataclasses.replace(config.train, seed=seed))

    @functools.cached_property
    def _of_any_seed(self):
        return override(recipes.get(self.recipe), self.settings)

    @functools.cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of the configuration, whatever the seed."""
        # Only values that differ from the defaults, so that a new setting leaves the names of earlier runs as they are.
        changed = {key: value for key, (_, value) in differences(ExperimentConfig(), self.config(1)).items()}
        return hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:8]


class Run(NamedTuple):
    """A training with a seed, in a run directory of its name."""

    experiment: Experiment
    seed: int

    @property
    def name(self) -> str:
        """Name of the run directory and of its results, which ends with a digest of the configuration."""
        parts = self.experiment.recipe, self.experiment.variant, f"seed{self.seed}", self.experiment.digest
        return "-".join(filter(None, parts))

    @property
    def config(self) -> ExperimentConfig:
        return self.experiment.config(self.seed)

    @property
    def settings(self) -> list[str]:
        """The settings beyond the recipe's, as `train.py --set` takes them."""
        drawn = [f"data.seed={self.seed}"] * (self.config.data.train_pairs is not None)
        return [*self.experiment.settings, f"train.seed={self.seed}", *drawn]


class Cell(NamedTuple):
    """The place of an experiment in a table, and the numbers that the paper prints there."""

    row: str
    column: str
    experiment: Experiment  # the paper's; a small table takes its recipe's sibling
    printed: Mapping[tuple[str, str], float] = {}  # by test set and metric in the paper's words
    splits: Mapping[str, tuple[str, ...]] = {}  # where they differ from the table's


class Analysis(NamedTuple):
    """An analysis of the runs of a table; columns of its cells are places in a model, or experiments.

    Attributes:
        words: follow `analyze` on the command line, except runs, sentences and output.
        values: a function of the rows of a run, as `analyze` writes them, that returns `{metric: {column: number}}`;
            the column "" stands for all.
        figure: the file of `analyze`, without suffix, that is the figure of the table; the first that matches.
    """

    words: tuple[str, ...]
    values: Callable
    figure: str


@dataclasses.dataclass(frozen=True)
class Small:
    """A table on free corpora and a CPU, in place of the paper's."""

    tests: Tests
    settings: tuple[str, ...] = ()  # of all its experiments, beyond their recipes' `_small` siblings
    only: Callable = lambda cell: True  # false for cells that are left out
    cells: tuple[Cell, ...] | None = None  # replace the table's; their experiments name the paper's recipes
    claims: tuple | None = None  # replace the table's


@dataclasses.dataclass(frozen=True)
class Table:
    """A table or figure of a paper.

    Attributes:
        name: `PAPER/NUMBER`.
        title: what it compares, on which corpus.
        measure: kind of its cells, a key of `scored.MEASURES`.
        metrics: the metrics of `interacting_head.metrics` that are computed, or the analysis's measures.
        printed_metrics: `{metric in the paper's words: ours}`.
        on_a_cpu: whether a CPU is enough for the table itself.
        command: where no trainings are compared, the command that makes it, or why there is none.
        small_words: of a module's command line that makes the small one, where that is no comparison either; its option
            `--plot` says where to write a figure.
    """

    name: str
    title: str
    cells: tuple[Cell, ...] = ()
    measure: str = "scores"
    tests: Tests = dataclasses.field(default_factory=dict)
    metrics: tuple[str, ...] = BLEU_ONLY
    printed_metrics: Mapping[str, str] = dataclasses.field(default_factory=lambda: {"BLEU": "bleu"})
    small: Small | None = None
    on_a_cpu: bool = False
    claims: tuple = ()
    note: str = ""
    command: str = ""
    analysis: Analysis | None = None
    small_words: tuple[str, ...] = ()

    @property
    def has_small(self) -> bool:
        """True where the table, or one that stands for it, can be made on a CPU."""
        return self.on_a_cpu or self.small is not None or bool(self.small_words)

    def splits_of(self, cell: Cell) -> Tests:
        """Return the test sets of a cell."""
        return {test: cell.splits.get(test, splits) for test, splits in self.tests.items()}

    @property
    def words(self) -> dict[str, str]:
        """`{metric: the paper's word for it}`; the paper prints YiSi-1, with other vectors."""
        words = {ours: words for words, ours in self.printed_metrics.items()}
        return {**words, YISI1: words["yisi0"]} if "yisi0" in words else words

    def in_size(self, small: bool) -> Self:
        """Return this table, or the small one that stands for it: its cells then have the siblings' recipes."""
        if not small or self.small is None:
            return self
        settings = self.small.settings if self.measure == "epoch_seconds" else (*IN_BFLOAT16, *self.small.settings)
        cells = tuple(
            cell._replace(experiment=sibling(cell.experiment, settings), splits={})
            for cell in filter(self.small.only, self.cells if self.small.cells is None else self.small.cells)
        )
        claims = self.claims if self.small.claims is None else self.small.claims
        return dataclasses.replace(self, cells=cells, tests=self.small.tests, claims=claims)

    def with_settings(self, settings: Sequence[str]) -> Self:
        """Return this table with further settings of all its experiments, which come last."""
        if not settings:
            return self
        cells = tuple(cell._replace(experiment=_with_settings(cell.experiment, (), settings)) for cell in self.cells)
        return dataclasses.replace(self, cells=cells)

    def runs(self, seeds: int) -> list[Run]:
        """Return the runs of this table, seed by seed, each once."""
        if self.measure in ("epoch_seconds", "parameters"):
            return []
        runs = (Run(cell.experiment, seed) for seed in range(1, seeds + 1) for cell in self.cells)
        return list(dict.fromkeys(runs))


TABLES: dict[str, Table] = {}
"""Tables by name, in the order in which they are listed."""
DRAWING = "a drawing of the architecture"


def register(name: str, title: str, cells: Iterable[Cell] = (), **fields: object) -> None:
    """Add a `Table` with these fields to `TABLES`."""
    TABLES[name] = Table(name, title, tuple(cells), **fields)


def printed(number: float | None, metric: str = "BLEU", test: str = "test") -> dict[tuple[str, str], float]:
    """Return a paper's number as `Cell.printed`; nothing for None."""
    return {} if number is None else {(test, metric): number}


def named(name: str) -> Table:
    """Return the table of a name; raise `InputError` for an unknown one, with the nearest."""
    return entry_of(TABLES, name, "table", hint="--list shows the tables")


def sibling(experiment: Experiment, settings: Sequence[str]) -> Experiment:
    """Return the experiment with the recipe that stands for a paper's on a CPU, if there is one, and more settings."""
    name = experiment.recipe + SMALL
    found = _with_settings(experiment, settings, ())
    return dataclasses.replace(found, recipe=name) if name in recipes.RECIPES else found


def _with_settings(experiment, first, last):
    return dataclasses.replace(experiment, settings=(*first, *experiment.settings, *last))
