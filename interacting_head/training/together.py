"""Several trainings that differ only in seeds and learning rates, as one program on JAX.

A small model leaves most of a GPU idle, and XLA compiles it for minutes. `jax.vmap` adds an axis for the runs to all
arrays of the training step, the validation and the search. Each run has its own weights, dropout, rates and batches:
the batches that TensorFlow would train it on, padded to a few shapes. Only the order of their lengths is common.

Shapes: `R` runs, `B` sentences, `S` source and `T` target length, `C` parts of a text with `B` sentences each.
"""

import contextlib
import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import keras
import numpy as np

from data.batches.pipeline import Batch, TrainingBatches
from data.errors import InputError
from data.files import make_folder, sole_use
from data.text.subwords import END, PAD
from interacting_head.config import ExperimentConfig
from interacting_head.console.machine import processor, versions
from interacting_head.model.building import build_model
from interacting_head.model.compilation import stateless
from interacting_head.model.placement import same_experiment
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import TransformerSearch
from interacting_head.training import precision
from interacting_head.training.checkpoints import score_of
from interacting_head.training.run_text import open_text, prepare_run_text
from interacting_head.training.setup import (
    check,
    make_batches,
    make_schedule,
    make_training_model,
    number_of_steps,
    steps_between_validations,
)
from interacting_head.training.trainer import set_seed
from interacting_head.training.training_model import TrainingModel
from interacting_head.training.validation import Validation
from interacting_head.translation.batches import padded, width
from interacting_head.translation.engines.engine import Sentence
from interacting_head.translation.engines.keras import hypotheses
from interacting_head.translation.files import open_whole

SHAPES = 3  # of training batches: each costs a compilation, and fewer cost more padding
STEP = 4  # lengths of padded batches are multiples of this
HYPOTHESES = 512  # of each run that are searched at a time
SCORED = 64  # sentences of each run that are scored at a time


class Together:
    """A program that trains a number of runs of one group (see `reproduction.groups`) on one device.

    It is built and compiled when it is created. Nothing is saved before the end: a stopped training starts again.

    Args:
        runs: `{path of the run directory: its configuration}`, all of one group, with equal numbers of steps.
        splits: splits of the corpus that the best weights of each run translate at the end.

    Raises `InputError` for text that cannot be used.
    """

    def __init__(
        self, runs: dict[Path, ExperimentConfig], corpora_dir: str | Path | None = None, splits: Sequence[str] = ()
    ):
        first = next(iter(runs.values()))
        check(first)
        keras.config.disable_flash_attention()  # for long sequences; its kernels need not have a `vmap`
        self.corpus = open_text(first.data, corpora_dir)
        self._locks, self._subwords = contextlib.ExitStack(), None
        self._begin(runs)
        first = self.configs[0]
        # Test sets are translated in single precision, as by `translate`.
        keras.config.set_dtype_policy("float32")
        self._translating_model = build_model(first, *self.text.subwords)
        keras.config.set_dtype_policy(first.train.precision)
        # The structure of all models; their weights are in the state.
        self.training_model = self._model(first)
        self.model = self.training_model.transformer
        self.validation = Validation(first, self.model, self.text)
        self._shapes = batch_shapes(self.batches[0].plan(0).shapes)
        dev = self.validation.sources if self.validation.has_bleu else []
        self._dev = self._text(dev, self.validation.translator.options)
        sources = {name: [source for source, _ in self.corpus.split(name).pairs()] for name in splits}
        self._lines = {name: len(lines) for name, lines in sources.items()}
        self._test = self._text(list(itertools.chain(*sources.values())), SearchOptions.of(first.decode, {}))
        self._compile()

    def _begin(self, runs):
        """Open the run directories, and plan batches and learning rates."""
        self.configs, self.runs = [], list(map(RunDirectory, runs))
        for run, config in zip(self.runs, runs.values(), strict=True):
            self._locks.enter_context(sole_use(run.path))
            self.configs.append(precision.resolved(config, run))
            run.create_or_check(self.configs[-1], same_experiment)
            self.text = prepare_run_text(config.data, run, self.corpus)
            self._subwords = self._subwords or run.subword_digests
            if run.subword_digests != self._subwords:
                raise InputError(f"{run.path} has other sub-words than the runs it would train with; remove it")
        self.batches = [make_batches(config, self.text.pairs, static_shapes=False) for config in self.configs]
        train, plan = self.configs[0].train, self.batches[0].plan(0)
        self.total_steps = number_of_steps(train, len(plan))
        self.interval = steps_between_validations(train, len(plan))
        self._tokens_per_epoch, self._tokens_per_step = plan.tokens, plan.tokens / len(plan)
        self.rates = np.stack([rates(config, self.total_steps) for config in self.configs], axis=1)

    def _model(self, config):
        """Return a new model with the optimizer that trains it, whose rate is set before each step."""
        set_seed(config.train.seed)
        model = make_training_model(build_model(config, *self.text.subwords), config, None)
        model.optimizer.build(model.trainable_variables)
        return model

    def _initial_state(self):
        """Return the state of all runs: stacked trainable and other weights, optimizer's variables and metrics."""
        import jax.numpy as jnp

        of_seed = {}
        for config in self.configs:
            if config.train.seed not in of_seed:
                of_seed[config.train.seed] = [[v.value for v in group] for group in variables(self._model(config))]
        states = zip(*(of_seed[config.train.seed] for config in self.configs), strict=True)
        return [[jnp.stack(arrays) for arrays in zip(*group, strict=True)] for group in states]

    def _text(self, lines, options):
        """Return the `SearchedText` of lines."""
        sentences = self.validation.translator.encoder.sentences(lines, None, 0, options)
        if any(one.pieces > 1 for one in sentences):
            raise InputError("runs cannot train together if lines of a text are translated in pieces")
        return SearchedText.of(sentences, options, len(lines))

    def _compile(self):
        import jax

        R = len(self.runs)

        def array(*shape, dtype="int32"):
            return jax.ShapeDtypeStruct((R, *shape), dtype)

        groups = variables(self.training_model)
        state = [[array(*v.shape, dtype=v.dtype) for v in group] for group in groups]
        stepping = jax.jit(jax.vmap(self._step), donate_argnums=0)
        self._steps = {}
        for B, S, T in self._shapes:
            batch = {"source_ids": array(B, S), "target_ids": array(B, T)}, array(B, T)
            self._steps[B, S, T] = stepping.lower(state, batch, array(dtype="float32")).compile()
        weights = state[0]
        self._references = scored_rows(self.validation.batches)
        self._scoring = jax.jit(self._scores).lower(weights, self._references).compile()
        self._search_of = {}
        for model, text in ((self.model, self._dev), (self._translating_model, self._test)):
            if text.count:
                searched = jax.jit(functools.partial(self._searched, model, text))
                self._search_of[text] = searched.lower(weights, text.source_ids, text.max_lengths).compile()

    # Functions of arrays.

    def _step(self, state, batch, rate):
        """Return the state of a run after a step, and the mean loss since its metrics were 0."""
        trainable, others, optimizer, metrics = state
        is_rate = [v is self.training_model.optimizer.learning_rate for v in self.training_model.optimizer.variables]
        optimizer = [rate if found else value for found, value in zip(is_rate, optimizer, strict=True)]
        logs, state = self.training_model.train_step((trainable, others, optimizer, metrics), batch)
        return list(state), logs["loss"]

    def _with_weights(self, model, weights):
        return stateless(list(zip(model.trainable_variables, weights, strict=True)))

    def _scores(self, weights, parts):
        """Return the sums over a text of the scorer's three results, `(R, 3)`."""
        import jax
        import jax.numpy as jnp

        def of_run(weights, rows):
            with self._with_weights(self.model, weights):
                return jnp.stack([values.sum() for values in self.validation.scorer.score(**rows)])

        return jax.lax.map(lambda rows: jax.vmap(of_run, (0, None))(weights, rows), parts).sum(axis=0)

    def _searched(self, model, text, weights, source_ids, max_lengths):
        """Return ids `(C, R, B, N, L)`, scores and token scores of a `SearchedText`."""
        import jax

        search = TransformerSearch(model, dataclasses.replace(text.options, max_length=None))

        def kernels_of(weights):
            with self._with_weights(model, weights):
                return search.decoding_kernels.prepare()

        def of_run(weights, kernels, source_ids, max_lengths):
            with self._with_weights(model, weights):
                return search.search(kernels, source_ids, Limits(max_lengths=max_lengths), text.length)

        kernels = jax.vmap(kernels_of)(weights)
        of_runs = jax.vmap(of_run, (0, 0, None, None))
        return jax.lax.map(lambda part: of_runs(weights, kernels, *part), (source_ids, max_lengths))

    # Computing.

    def train(self, runs: dict[Path, ExperimentConfig] | None = None) -> list[Path]:
        """Train the runs, or as many others of their group, and write their run directories.

        Returns the directories of runs that have diverged, which stay without results.
        """
        with self._locks:  # of the first runs since they began
            if runs is not None:
                self._begin(runs)
            return self._write(*self._trained())

    def _trained(self):
        """Return the logs of all runs, their best weights, and the translations with these."""
        import jax.numpy as jnp

        logs = [[] for _ in self.runs]
        state = self._initial_state()
        best, best_scores = None, np.full(len(self.runs), -np.inf)
        log_interval = self.configs[0].train.log_interval
        begun = former = time.perf_counter()
        measured = 0
        for step, batches in enumerate(itertools.islice(batches_in_step(self.batches), self.total_steps), start=1):
            if 0 in ((step - 1) % log_interval, (step - 1) % self.interval):
                state[3] = list(map(jnp.zeros_like, state[3]))
            shape, batch = joined(batches, self._shapes)
            state, loss = self._steps[shape](state, batch, self.rates[step - 1])
            if step % self.interval == 0 or step == self.total_steps:
                losses = np.asarray(loss)  # waits for the device
                seconds = (time.perf_counter() - former) / (step - measured)
                records = self._validate(step, state[0], losses, seconds)
                share = round((time.perf_counter() - begun) / len(self.runs), 1)
                for log, record in zip(logs, records, strict=True):
                    log.append({**record, "seconds": share})
                former, measured = time.perf_counter(), step
                scores = np.array([score_of(log[-1], self.configs[0].train.best_metric) for log in logs])
                best = chosen(scores > best_scores, state[0], best or state[0])
                best_scores = np.maximum(scores, best_scores)
        return logs, best, self._translations(self._test, best, str)  # as `translate --keep-tokenized` writes them

    def _validate(self, step, weights, losses, seconds_per_step):
        """Return a record of each run: its scores on the development text, and its share of the common speed."""
        sums = np.asarray(self._scoring(weights, self._references), "float64")
        translations = self._translations(self._dev, weights, self.validation.translator.target_form.postprocess)
        records = []
        for index, batches in enumerate(self.batches):
            self.validation.hypotheses = translations[index]
            records.append(
                {
                    "step": step,
                    "epoch": batches.position(step - 1)[0] + 1,
                    "loss": float(losses[index]),
                    **self.validation.scores(sums[index]),
                    "learning_rate": float(self.rates[step, index]),
                    "tokens_per_second": round(self._tokens_per_step / seconds_per_step * len(self.runs)),
                }
            )
        return records

    def _translations(self, text, weights, finish):
        """Return each run's translations of a `SearchedText`, each by the function `finish`.

        Lines without sub-words give "".
        """
        if not text.count:
            return [[] for _ in self.runs]
        found = [np.asarray(array) for array in self._search_of[text](weights, text.source_ids, text.max_lengths)]
        subwords = self.validation.translator.target_subwords
        texts = []
        for run in range(len(self.runs)):
            rows = [array[:, run].reshape(-1, *array.shape[3:]) for array in found]
            n_best = hypotheses(*rows, 1)[: len(text.numbers)]
            best = [one[0].ids if one else [] for one in n_best]  # none, if probabilities are NaN
            lines = [""] * text.count
            for number, line in zip(text.numbers, subwords.decode(best), strict=True):
                lines[number] = finish(line)
            texts.append(lines)
        return texts

    def _write(self, logs, best, translations):
        """Write the results of all runs, and return the directories of the ones that have diverged."""
        import jax

        device = jax.devices()[0]
        diverged, weights = [], [np.asarray(array) for array in best]
        for index, (run, log, config) in enumerate(zip(self.runs, logs, self.configs, strict=True)):
            if not all(math.isfinite(record["validation_loss"]) for record in log):
                diverged.append(run.path)
                continue
            for variable, array in zip(self.training_model.trainable_variables, weights, strict=True):
                variable.assign(array[index])
            run.save_weights(self.model, run.weights_path("best"))
            lines = iter(translations[index])
            for split, count in self._lines.items():
                path = run.translation_path(split)
                make_folder(path.parent)
                with open_whole(path) as file:
                    file.writelines(line + "\n" for line in itertools.islice(lines, count))
            run.truncate_log(0)
            for record in log:
                run.append_log(record)
            of_best = max(log, key=lambda record: score_of(record, config.train.best_metric))
            metrics = {
                "steps": self.total_steps,
                "best_step": of_best["step"],
                "parameters": self.model.count_params(),
                "tokens_per_epoch": self._tokens_per_epoch,
                "best": of_best,
                "trained_together": len(self.runs),
                "processor": processor() if device.platform == "cpu" else device.device_kind,
                "versions": versions(),
            }
            run.write_json("metrics.json", metrics)
        return diverged


@dataclasses.dataclass(frozen=True, eq=False)
class SearchedText:
    """Sentences in parts for a compiled search: `source_ids (C, B, S)`, `max_lengths (C, B)`, and their maximum.

    `numbers` are the line numbers of the sentences, row by row; `count` is the number of lines.
    """

    options: SearchOptions
    numbers: list[int]
    count: int
    source_ids: np.ndarray
    max_lengths: np.ndarray
    length: int

    @classmethod
    def of(cls, sentences: list[Sentence], options: SearchOptions, count: int) -> "SearchedText":
        """Return the text of sentences, the shortest first."""
        sentences = sorted(sentences, key=width)
        B = max(1, min(HYPOTHESES // options.hypotheses, len(sentences)))
        rows = -(-len(sentences) // B) * B
        longest_source = max(map(width, sentences), default=1)
        source_ids = padded([[*one.source, END] for one in sentences], rows, longest_source)
        max_lengths = padded([[one.max_length] for one in sentences], rows, 1)
        max_lengths = np.maximum(max_lengths, 1)  # rows of padding end at once
        return cls(
            options,
            [one.number for one in sentences],
            count,
            source_ids.reshape(-1, B, longest_source),
            max_lengths.reshape(-1, B),
            int(max_lengths.max(initial=1)),
        )


def variables(model: TrainingModel) -> list[list]:
    """Return the variables of a compiled model in the groups of JAX's training step."""
    groups = model.trainable_variables, model.non_trainable_variables, model.optimizer.variables
    return [*map(list, groups), list(model.metrics_variables)]


def chosen(better: np.ndarray, new: list, old: list) -> list:
    """Return arrays `(R, …)` of the runs in `new` where `better (R,)`, else in `old`."""
    import jax.numpy as jnp

    return [
        jnp.where(better.reshape(-1, *[1] * (one.ndim - 1)), one, other) for one, other in zip(new, old, strict=True)
    ]


def joined(batches: Sequence[Batch], shapes: Iterable[tuple]) -> tuple[tuple[int, int, int], Batch]:
    """Return the smallest shape that holds a batch of each run, and the batches in it, `(R, B, …)`."""
    sizes = np.max([(*inputs["source_ids"].shape, labels.shape[1]) for inputs, labels in batches], axis=0)
    B, S, T = min((shape for shape in shapes if (np.array(shape) >= sizes).all()), key=math.prod)

    def stacked(arrays, length):
        whole = np.full((len(arrays), B, length), PAD, "int32")
        for part, array in zip(whole, arrays, strict=True):
            part[: array.shape[0], : array.shape[1]] = array
        return whole

    inputs = {
        name: stacked([inputs[name] for inputs, _ in batches], length)
        for name, length in (("source_ids", S), ("target_ids", T))
    }
    return (B, S, T), (inputs, stacked([labels for _, labels in batches], T))


def rates(config: ExperimentConfig, total_steps: int) -> np.ndarray:
    """Return the learning rate of each step, and of the one after the last, `(total_steps + 1,)` in float32."""
    schedule = make_schedule(config, total_steps)
    return np.asarray(keras.ops.convert_to_numpy(schedule(np.arange(total_steps + 1))), "float32")


def batches_in_step(batches: Sequence[TrainingBatches]) -> Iterator[list]:
    """Yield the batches of all runs, step by step, batches of equal lengths together.

    Sorted by length, the epochs of all runs that train on the same pairs have the same shapes. The first run's order
    of lengths counts for all.
    """
    for epoch in itertools.count():
        by_length = [np.argsort(longest(one.plan(epoch).shapes), kind="stable") for one in batches]
        ranks = np.argsort(by_length[0])
        for rank in ranks:
            yield [one.batch(epoch, int(order[rank])) for one, order in zip(batches, by_length, strict=True)]


def longest(shapes: np.ndarray) -> np.ndarray:
    """Return the longer side of shapes `(N, 3)`, `(N,)`."""
    return shapes[:, 1:].max(axis=1)


def batch_shapes(shapes: np.ndarray) -> list[tuple[int, int, int]]:
    """Return at most `SHAPES` shapes `(B, S, T)`, in ascending length, with the least padding for `shapes (N, 3)`."""
    lengths = longest(shapes)
    bounds = np.unique(-(-lengths // STEP) * STEP).tolist()

    @functools.cache
    def padded_shape(below, bound):
        here = shapes[(lengths > below) & (lengths <= bound)]
        B, S, T = here.max(axis=0).tolist()
        return (B, S, T), len(here) * B * (S + T)

    def intervals(chosen):
        return [padded_shape(*pair) for pair in itertools.pairwise((0, *chosen, bounds[-1]))]

    choices = itertools.chain.from_iterable(
        itertools.combinations(bounds[:-1], count) for count in range(min(SHAPES, len(bounds)))
    )
    best = min(choices, key=lambda chosen: sum(cost for _, cost in intervals(chosen)))
    return [shape for shape, _ in intervals(best)]


def scored_rows(batches: Iterable) -> dict[str, np.ndarray]:
    """Return the sentences of batches as the arguments of a `Scorer`, `(C, SCORED, length)` each."""
    rows = {"source_ids": [], "target_ids": [], "labels": []}
    for inputs, labels in batches:
        for name, array in {**inputs, "labels": labels}.items():
            rows[name] += list(array)
    found = {}
    for name, of_name in rows.items():
        length = max(map(len, of_name))
        count = -(-len(of_name) // SCORED) * SCORED
        found[name] = padded(of_name, count, length).reshape(-1, SCORED, length)
    return found
