"""Tables and figures of the papers: the trainings behind each cell, the test sets, the metrics."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from interacting_head import recipes
from interacting_head.config import ExperimentConfig, differences, override
from interacting_head.config_values import entry_of
from interacting_head.recipes.registry import SMALL
from interacting_head.recipes.small import MULTI30K_DE_EN
from interacting_head.reproduction.statistics import sign_of

BLEU_ONLY = ("sacrebleu", "bleu")
YISI1 = "yisi1"
"""A metric that needs vectors: it is computed where they are given."""
METRICS_OF_LI_LUO = ("sacrebleu", "bleu", "wer", "wer_paper", "meteor", "rouge_l", "cider", "yisi0")
IN_BFLOAT16 = ("train.precision=mixed_bfloat16",)
"""A setting of all small tables, so that runs of unlike machines compare; many processors have no faster precision."""
ON_MULTI30K = tuple(
    f"{key}={value}"
    for key, value in {
        "data.corpus": MULTI30K_DE_EN.corpus,
        "data.vocabulary_size": MULTI30K_DE_EN.vocabulary_size,
        "train.max_steps": MULTI30K_DE_EN.max_steps,
        "train.warmup_steps": MULTI30K_DE_EN.max_steps // 10,
        "train.validation_interval": MULTI30K_DE_EN.max_steps // 5,
    }.items()
)
"""Settings of small tables of which all recipes have Multi30k in the place of their corpora."""


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A training that may be repeated with several seeds.

    Args:
        recipe: a recipe of a paper, or of this project.
        settings: further settings, `KEY=VALUE`.
        variant: what tells it apart from other experiments with the same recipe, for readers of names of runs.
    """

    recipe: str
    settings: tuple[str, ...] = ()
    variant: str = ""

    def config(self, seed):
        """Return the `ExperimentConfig` of a run.

        Args:
            seed: of the training, and of drawing pairs from a corpus where the recipe draws some.
        """
        config = self._of_any_seed
        data = config.data if config.data.train_pairs is None else dataclasses.replace(config.data, seed=seed)
        return dataclasses.replace(config, data=data, train=dataclasses.replace(config.train, seed=seed))

    @functools.cached_property
    def _of_any_seed(self):
        return override(recipes.get(self.recipe), self.settings)

    @functools.cached_property
    def digest(self):
        """Eight hexadecimal digits that tell the configuration apart from others, whatever the seed."""
        # Of what differs from the defaults, so that a new setting leaves the names of earlier runs as they are.
        changed = {key: value for key, (_, value) in differences(ExperimentConfig(), self.config(1)).items()}
        return hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:8]


class Run(NamedTuple):
    """A training with a seed, in a run directory of its name."""

    experiment: Experiment
    seed: int

    @property
    def name(self):
        """The name of the run directory and of its results, which ends with a digest of the configuration."""
        parts = self.experiment.recipe, self.experiment.variant, f"seed{self.seed}", self.experiment.digest
        return "-".join(filter(None, parts))

    @property
    def config(self):
        """The `ExperimentConfig`."""
        return self.experiment.config(self.seed)

    @property
    def settings(self):
        """The settings beyond the recipe's, as `train.py --set` takes them."""
        drawn = [f"data.seed={self.seed}"] * (self.config.data.train_pairs is not None)
        return [*self.experiment.settings, f"train.seed={self.seed}", *drawn]


class Cell(NamedTuple):
    """The place of an experiment in a table, and what the paper prints there.

    Attributes:
        row, column: their headings.
        experiment: the paper's; a small table takes its recipe's sibling.
        printed: `{(test set, metric in the paper's words): number}`.
        splits: `{test set: splits of its corpus, joined}` where they are not those of the table.
    """

    row: str
    column: str
    experiment: Experiment
    printed: Mapping = {}
    splits: Mapping = {}


class Analysis(NamedTuple):
    """An analysis of the runs of a table; columns of its cells are places in a model, or experiments.

    Attributes:
        words: what follows `analyze` on the command line, but for runs, sentences and output.
        values: a function of the rows of a run, as `analyze` writes them, that gives `{metric: {column: number}}`; the
            column "" stands for all.
        figure: the file of `analyze`, without suffix, that is the figure of the table; the first that matches.
    """

    words: tuple[str, ...]
    values: Callable
    figure: str


@dataclasses.dataclass(frozen=True)
class Small:
    """A table on free corpora and a CPU, in the place of the paper's.

    Args:
        tests: as of `Table`.
        settings: of all its experiments, beyond those of their recipes' `_small` siblings.
        only: a function of a `Cell` that is false for those left out.
        cells: replace the cells of the table, with fewer layers or pairs; their experiments name the paper's recipes.
        claims: replace the claims of the table, about fewer heads or layers.
    """

    tests: Mapping[str, tuple[str, ...]]
    settings: tuple[str, ...] = ()
    only: Callable = lambda cell: True
    cells: tuple[Cell, ...] | None = None
    claims: tuple | None = None


@dataclasses.dataclass(frozen=True)
class Table:
    """A table or figure of a paper.

    Args:
        name: `PAPER/NUMBER`.
        title: what it compares, on which corpus.
        cells: its `Cell`s.
        measure: what its cells show, a key of `report.MEASURES`.
        tests: `{name: splits of the corpus, joined}`.
        metrics: those of `interacting_head.metrics` that are computed.
        printed_metrics: `{metric in the paper's words: ours}`.
        small: the `Small` that stands for it.
        on_a_cpu: true where a CPU is enough for the table itself.
        claims: the paper's claims, see `claims`.
        note: what a reader must know of it.
        command: where no trainings are compared, the command that makes it, or why there is none.
        small_words: of a module's command line that makes the small one, where that is no comparison either; a figure
            is written where its option `--plot` says.
        analysis: the `Analysis` of its runs; its `metrics` are then what that measures.
    """

    name: str
    title: str
    cells: tuple[Cell, ...] = ()
    measure: str = "scores"
    tests: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
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
    def has_small(self):
        """True where the table, or one that stands for it, can be made on a CPU."""
        return self.on_a_cpu or self.small is not None or bool(self.small_words)

    def splits_of(self, cell):
        """Return `{test set: splits of the cell's corpus, joined}`."""
        return {test: cell.splits.get(test, splits) for test, splits in self.tests.items()}

    @property
    def words(self):
        """`{metric: the paper's word for it}`; the paper prints YiSi-1, with other vectors."""
        words = {ours: words for words, ours in self.printed_metrics.items()}
        return {**words, YISI1: words["yisi0"]} if "yisi0" in words else words

    def printed_score(self, cell, test, metric):
        """Return the number that the paper prints in a cell for one of our metrics, or None.

        It is negative for error rates, so that more is better. `sacrebleu` stands for the paper's BLEU, however that
        was computed.
        """
        name = self.words.get(metric) or (self.words.get("bleu") if metric == "sacrebleu" else None)
        number = cell.printed.get((test, name))
        if number is None:
            return None
        return sign_of(metric) * number

    def in_size(self, small):
        """Return this table, or the small one that stands for it: its cells then have the siblings' recipes."""
        if not small or self.small is None:
            return self
        cells = tuple(
            cell._replace(experiment=sibling(cell.experiment, (*IN_BFLOAT16, *self.small.settings)), splits={})
            for cell in filter(self.small.only, self.cells if self.small.cells is None else self.small.cells)
        )
        claims = self.claims if self.small.claims is None else self.small.claims
        return dataclasses.replace(self, cells=cells, tests=self.small.tests, claims=claims)

    def with_settings(self, settings):
        """Return this table with further settings of all its experiments, which come last."""
        if not settings:
            return self

        def changed(experiment):
            return dataclasses.replace(experiment, settings=(*experiment.settings, *settings))

        cells = tuple(cell._replace(experiment=changed(cell.experiment)) for cell in self.cells)
        return dataclasses.replace(self, cells=cells)

    def runs(self, seeds):
        """Return the `Run`s of this table, seed by seed, each once."""
        if self.measure in ("epoch_seconds", "parameters"):
            return []
        runs = (Run(cell.experiment, seed) for seed in range(1, seeds + 1) for cell in self.cells)
        return list(dict.fromkeys(runs))


TABLES = {}
"""Name → `Table`, in the order in which they are listed."""


DRAWING = "a drawing of the architecture"


def register(table):
    """Add a table to `TABLES`."""
    TABLES[table.name] = table


def named(name):
    """Return the table of a name; raise `InputError` for an unknown one, with the nearest."""
    return entry_of(TABLES, name, "table", hint="--list shows the tables")


def sibling(experiment, settings):
    """Return the experiment with the recipe that stands for a paper's on a CPU, if there is one, and more settings."""
    name = experiment.recipe + SMALL
    recipe = name if name in recipes.RECIPES else experiment.recipe
    return dataclasses.replace(experiment, recipe=recipe, settings=(*settings, *experiment.settings))
