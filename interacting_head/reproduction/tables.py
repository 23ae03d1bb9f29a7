"""Tables and figures of the papers: the training runs behind each cell, the test sets, the metrics."""

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
"""A metric that is computed only if vectors are given."""
IN_BFLOAT16 = ("train.precision=mixed_bfloat16",)
"""Setting of all small tables of trained models, so that runs on different machines are comparable."""
ON_MULTI30K = (
    f"data.corpus={MULTI30K_DE_EN.corpus}",
    f"data.vocabulary_size={MULTI30K_DE_EN.vocabulary_size}",
    f"train.max_steps={MULTI30K_DE_EN.max_steps}",
    f"train.warmup_steps={MULTI30K_DE_EN.max_steps // 10}",
    f"train.validation_interval={MULTI30K_DE_EN.max_steps // 5}",
)
"""Settings of small tables that replace all corpora by Multi30k."""
Tests = Mapping[str, tuple[str, ...]]
"""Test set → splits of its corpus, joined."""
TEST: Tests = {"test": ("test",)}
FLICKR: Tests = {"test": ("test_2016_flickr",)}


WHOLE_TEST_SET = ("--sentences", "1000000")
"""Arguments of `analyze`: more sentences than any test set has."""


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A training that may be repeated with several seeds."""

    recipe: str
    settings: tuple[str, ...] = ()  # additional settings, `KEY=VALUE`
    variant: str = ""  # part of the run's name that tells experiments with the same recipe apart

    def config(self, seed: int) -> ExperimentConfig:
        """Return the configuration with a seed for training, and for drawing pairs if the recipe draws some."""
        config = self._of_any_seed
        data = config.data if config.data.train_pairs is None else dataclasses.replace(config.data, seed=seed)
        return dataclasses.replace(config, data=data, train=dataclasses.replace(config.train, seed=seed))

    @functools.cached_property
    def _of_any_seed(self):
        return override(recipes.get(self.recipe), self.settings)

    @functools.cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of the configuration, independent of the seed."""
        # Only values that differ from the defaults, so that new settings do not change the names of earlier runs.
        changed = {key: value for key, (_, value) in differences(ExperimentConfig(), self.config(1)).items()}
        return digest_of(changed)


def digest_of(value: object) -> str:
    """Return eight hexadecimal digits that stand for a value of JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


class Run(NamedTuple):
    """A training with a seed, in a run directory with its name."""

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
        """The settings beyond the recipe's, as `interacting-head train --set` takes them."""
        drawn = [f"data.seed={self.seed}"] if self.config.data.train_pairs is not None else []
        return [*self.experiment.settings, f"train.seed={self.seed}", *drawn]


class Cell(NamedTuple):
    """An experiment in a row and column of a table, with the numbers that the paper prints there."""

    row: str
    column: str
    experiment: Experiment  # the paper's; a small table uses the small version of its recipe
    printed: Mapping[tuple[str, str], float] = {}  # by test set and metric, as the paper calls it
    splits: Mapping[str, tuple[str, ...]] = {}  # if they differ from the table's


class Analysis(NamedTuple):
    """An analysis of the runs of a table.

    Attributes:
        arguments: of `analyze`, without runs, sentences and output.
        values: function of the rows that `analyze` writes for a run; it returns `{metric: {column: number}}`, where the
            column "" stands for all.
        figure: pattern of the output file, without suffix, that becomes the figure of the table.
        sentence: source and translation that the figure shows, if it shows one sentence.
    """

    arguments: tuple[str, ...]
    values: Callable
    figure: str
    sentence: tuple[str, str] | None = None


@dataclasses.dataclass(frozen=True)
class Small:
    """A table on free corpora and a CPU, in place of the paper's."""

    tests: Tests
    settings: tuple[str, ...] = ()  # of all experiments, in addition to their `_small` recipes
    only: Callable = lambda cell: True  # false for cells that the small table lacks
    cells: tuple[Cell, ...] | None = None  # replace the table's; their experiments name the paper's recipes
    claims: tuple | None = None  # replace the table's


@dataclasses.dataclass(frozen=True)
class Table:
    """A table or figure of a paper.

    Attributes:
        name: `PAPER/NUMBER`.
        measure: kind of its cells, a key of `scored.MEASURES`.
        metrics: names in `interacting_head.metrics`, or measures of the analysis.
        printed_metrics: `{metric, as the paper calls it: our name}`.
        on_a_cpu: whether a CPU is enough for the full table.
        command: for a table without runs, the command that makes it, or why there is none.
        small_command: module and arguments that make the small version of a table without runs; `--plot FILE` is added.
        settings: added to all experiments by `with_settings`.
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
    small_command: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def has_small(self) -> bool:
        """True if the table or its small version can be made on a CPU."""
        return self.on_a_cpu or self.small is not None or bool(self.small_command)

    def splits_of(self, cell: Cell) -> Tests:
        """Return the test sets of a cell."""
        return {test: cell.splits.get(test, splits) for test, splits in self.tests.items()}

    @property
    def paper_names(self) -> dict[str, str]:
        """`{metric: its name in the paper}`; the paper prints YiSi-1, with other vectors."""
        names = {ours: name for name, ours in self.printed_metrics.items()}
        return {**names, YISI1: names["yisi0"]} if "yisi0" in names else names

    def in_size(self, small: bool) -> Self:
        """Return this table, or its small version if `small`."""
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
        """Return this table with settings appended to those that each experiment has."""
        if not settings:
            return self
        cells = tuple(cell._replace(experiment=_with_settings(cell.experiment, (), settings)) for cell in self.cells)
        return dataclasses.replace(self, cells=cells, settings=(*self.settings, *settings))

    def runs(self, seeds: int) -> list[Run]:
        """Return the distinct runs of this table, seed by seed."""
        if self.measure in ("epoch_seconds", "parameters"):
            return []
        runs = (Run(cell.experiment, seed) for seed in range(1, seeds + 1) for cell in self.cells)
        return list(dict.fromkeys(runs))


TABLES: dict[str, Table] = {}
"""Tables by name, in the order of the list."""
DRAWING = "a drawing of the architecture"


def register(name: str, title: str, cells: Iterable[Cell] = (), **fields: object) -> None:
    """Add a `Table` with these fields to `TABLES`."""
    TABLES[name] = Table(name, title, tuple(cells), **fields)


def printed(number: float | None, metric: str = "BLEU", test: str = "test") -> dict[tuple[str, str], float]:
    """Return a paper's number as `Cell.printed`, empty for None."""
    return {} if number is None else {(test, metric): number}


def named(name: str) -> Table:
    """Return the table of a name; raise `InputError` with the most similar name if it is unknown."""
    return entry_of(TABLES, name, "table", hint="--list shows the tables")


def sibling(experiment: Experiment, settings: Sequence[str]) -> Experiment:
    """Return the experiment with more settings, and with the small version of its recipe if there is one."""
    name = experiment.recipe + SMALL
    found = _with_settings(experiment, settings, ())
    return dataclasses.replace(found, recipe=name) if name in recipes.RECIPES else found


def _with_settings(experiment, first, last):
    return dataclasses.replace(experiment, settings=(*first, *experiment.settings, *last))
