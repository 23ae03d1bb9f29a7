"""Training speed of one model on TensorFlow and JAX in turns, and what JAX compiles in an epoch.

It needs the corpus Multi30k. Each backend has its own process, with the batches and settings of `train.py`: few batch
shapes with more padding for JAX; any shape, and two parts of each batch in parallel, for TensorFlow on a CPU. Tokens
are source and target tokens without padding.
"""

import itertools
import os
import tempfile
import time

import numpy as np

from benchmarks import results
from benchmarks.child_process import ChildProcess
from benchmarks.training_speed import WIDE, configuration, real_tokens

BACKENDS = "tensorflow", "jax"


def add_arguments(parser):
    parser.add_argument("--corpora-dir", metavar="DIR", help="folder of the corpus multi30k, as for train.py")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="turns of each backend; default: 4")
    parser.add_argument("--steps", type=int, default=15, metavar="N", help="steps in each turn; default: 15")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/backends.json")


def main(arguments):
    children, rows = {}, []
    try:
        for backend in BACKENDS:
            os.environ["KERAS_BACKEND"] = backend  # of the process that is started next
            children[backend] = ChildProcess(Trainings(arguments.corpora_dir))
        first = {backend: child("prepare", 0) for backend, child in children.items()}
        speeds = {backend: [] for backend in BACKENDS}
        for turn in range(arguments.rounds):
            for backend, child in children.items():
                speeds[backend].append(child("turn", arguments.steps))
                print(f"turn {turn + 1}, {backend}: {speeds[backend][-1]:,.0f} tokens/s", flush=True)
    finally:
        for child in children.values():
            child.__exit__()
    for backend in BACKENDS:
        ratios = np.divide(speeds[backend], speeds["tensorflow"])
        row = {"backend": backend, "tokens/s": round(float(np.median(speeds[backend])))}
        rows.append({**row, "over tensorflow": float(np.median(ratios)), **first[backend]})
    conditions = {
        "what": f"{WIDE}, float32; {arguments.rounds} turns of {arguments.steps} steps each, medians",
        "compilations": "of the training step in an epoch (TensorFlow: traces), from an empty cache",
        "first steps s": "JAX: one batch of each shape; TensorFlow: one, whose trace serves all; with compilation",
    }
    views = [{"caption": f"Training, {WIDE}, float32", "index": ["backend"], "values": list(rows[0])[1:]}]
    path = results.write("backends", "backends", rows, views, conditions, arguments.output, arguments.conditions)
    print(f"wrote {path}")


class Trainings:
    """The training of a measuring process, on the backend of its environment."""

    def __init__(self, corpora_dir):
        self.corpora_dir, self.model = corpora_dir, None

    def __call__(self, what, steps):
        return self._prepare() if what == "prepare" else self._turn(steps)

    def _prepare(self):
        """Take a step on a batch of each shape; return shapes, compilations and their seconds."""
        import jax
        import keras

        from interacting_head.model.building import build_model
        from interacting_head.model.compilation import share_cores_in_training
        from interacting_head.runs.run_directory import RunDirectory
        from interacting_head.training import run_text, setup

        jax.config.update("jax_enable_compilation_cache", False)
        share_cores_in_training()
        config = configuration(WIDE)
        with tempfile.TemporaryDirectory() as folder:
            corpus = run_text.open_text(config.data, self.corpora_dir)
            text = run_text.prepare_run_text(config.data, RunDirectory(folder), corpus)
            self.batches = setup.make_batches(config, text.pairs)
            model = build_model(config, *text.subwords)
        self.model = setup.make_training_model(model, config, config.train.max_steps)
        compiled = []
        jax.monitoring.register_event_duration_secs_listener(
            lambda event, seconds, fun_name="", **_: "backend_compile" in event and compiled.append((fun_name, seconds))
        )
        plan = self.batches.plan(0)
        shapes = np.unique(plan.shapes, axis=0)
        static = keras.backend.backend() == "jax"
        firsts = [int(np.flatnonzero((plan.shapes == shape).all(axis=1))[0]) for shape in shapes] if static else [0]
        started = time.perf_counter()
        for index in firsts:
            self._fit(self._batches(index, 1))
        taken = time.perf_counter() - started
        steps = [seconds for name, seconds in compiled if "train_step" in name]
        self.position = 0
        return {
            "shapes": len(shapes),
            "compilations": len(steps) if static else 1,
            "compile s": sum(steps) if static else None,
            "first steps s": taken,
            "padded / real tokens": plan.padded_ratio(),
        }

    def _turn(self, steps):
        """Return tokens per second, without padding, of the next steps."""
        batches = self._batches(self.position, steps)
        self.position += steps
        return sum(map(real_tokens, batches)) / self._fit(batches)

    def _batches(self, first, count):
        self.batches.start = first
        return list(itertools.islice(self.batches, count))

    def _fit(self, batches):
        import keras

        from data.batches.pipeline import as_tf_dataset
        from interacting_head.training.callbacks import UnhurriedCallbacks

        data = as_tf_dataset(batches) if keras.backend.backend() == "tensorflow" else (batch for batch in batches)
        callbacks = UnhurriedCallbacks([], self.model)
        started = time.perf_counter()
        self.model.fit(data, steps_per_epoch=len(batches), verbose=0, shuffle=False, callbacks=callbacks)
        return time.perf_counter() - started
