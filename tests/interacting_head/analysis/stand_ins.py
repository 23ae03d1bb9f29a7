"""Runs without a run directory, for verbs that ask for a model and its inspections."""

from types import SimpleNamespace

from interacting_head.analysis.analysed_run import Pair
from interacting_head.config import ExperimentConfig
from interacting_head.translation.inspection import Inspector
from tests.interacting_head import tiny

IDS = [([5, 6, 7], [8, 9, 10]), ([10, 11, 12, 13], [4, 5, 6, 7])]


class Sample(list):
    """Pairs with what verbs ask of a `Sample`."""

    name, notes = "made up", ()


def run_of(scheme, name="run", num_heads=2, **settings):
    """A stand-in for an `AnalysedRun`: a tiny model of random weights, and two pairs of ids."""
    config = tiny.config(scheme, num_heads, **settings)
    model = tiny.transformer(scheme=scheme, num_heads=num_heads, **settings)
    sample = Sample(Pair(number, "", "", *ids) for number, ids in enumerate(IDS, start=1))

    def inspections(sample, **parts):
        ids = [(pair.source_ids, pair.target_ids) for pair in sample]
        return zip(sample, Inspector(model, **parts).inspect(ids), strict=True)

    return SimpleNamespace(
        name=name,
        path=name,
        config=ExperimentConfig(model=config),
        model=model,
        sample=lambda arguments: sample,
        inspections=inspections,
    )
