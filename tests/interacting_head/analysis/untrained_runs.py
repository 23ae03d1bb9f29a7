"""Run directories of tiny models with random weights, for analyses of any scheme."""

import dataclasses
import shutil

from interacting_head.runs.run_directory import RunDirectory
from tests.interacting_head.export import exports

SOURCES = ["die katze und der hund", "ein hund", "haus und haus", "", "ein haus und eine katze"]
TARGETS = ["the cat and the dog", "a dog", "house and house", "", "a house and a cat"]


def make(path, both, **settings):
    """Make a run directory that can translate, and return its path; `both` holds the same `Subwords` twice."""
    trained = exports.trained(both, **settings)
    data = dataclasses.replace(trained.config.data, shared_vocabulary=True, max_length=40)
    run = RunDirectory(path)
    run.create_or_check(dataclasses.replace(trained.config, data=data))
    for place in run.subword_paths:
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(both[0].path, place)
    run.save_weights(trained.model, run.weights_path("best"))
    return path


def write_text(folder):
    """Write source.de and target.en, and return their paths."""
    paths = folder / "source.de", folder / "target.en"
    for path, lines in zip(paths, (SOURCES, TARGETS), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths
