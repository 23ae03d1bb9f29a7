"""Made-up records of runs, in the form in which `scoring.record_of` and `score_run` give them."""

import numpy as np

from interacting_head import config as configuration
from interacting_head.metrics import METRICS, Options

SENTENCES = 30


def record(run, scores, seconds=60.0):
    """The record of a `Run` with these scores, `{test set: {metric: entry}}`."""
    log = [
        {
            "step": step,
            "validation_loss": 2.0 + 50 / step,
            "validation_smoothed_loss": 4.0 - step / 100 - run.seed / 10,
            "seconds": seconds,
        }
        for step in (100, 200)
    ]
    return {
        "run": run.name,
        "recipe": run.experiment.recipe,
        "config": configuration.to_dict(run.config),
        "steps": 200,
        "best_step": 100,
        "seconds": seconds,
        "tokens_per_second": 1000.0,
        "log": log,
        "processor": "a processor",
        "versions": {"keras": "3"},
        "scores": scores,
    }


def entry(score, metric="sacrebleu"):
    """A score with its signature."""
    return {"score": score, "signature": f"{metric}|version:made-up"}


def statistics(seed, share):
    """Statistics of BLEU of sentences of ten words; a share of them is right."""
    draw = np.random.default_rng(seed)
    lines = [" ".join("w" if draw.random() < share else "x" for _ in range(10)) for _ in range(SENTENCES)]
    return METRICS["sacrebleu"](Options()).statistics(lines, [["w " * 9 + "w"] * SENTENCES])
