"""A training that is killed twenty times, at every kind of moment."""

import random
from functools import partial

import pytest

from interacting_head.runs.run_directory import RunDirectory
from tests import tiny_corpus
from tests.command_line import TINY, run
from tests.interacting_head.runs.equality import assert_equal_runs
from tests.kills import appears, contents, kill, kill_at, left_behind, logged

STEPS = 240
SETTINGS = [
    *(f"train.max_steps={STEPS}", "train.validation_interval=6", "train.log_interval=1", "train.keep_best=1"),
    *("train.ema_decay=0.9", "train.gradient_accumulation_steps=2", "train.batch_tokens=128", "model.dropout=0.1"),
    *("model.model_dim=16", "model.feed_forward_dim=16"),
]
TRAIN = ["tiny.yaml", *TINY, *(word for setting in SETTINGS for word in ("--set", setting)), "--run-dir", "run"]

FIRST_SECONDS = [
    *("cache/*/.partial-*", "run/.partial-*", "run/config.yaml", "cache/subwords/*", "run/subwords/source.model"),
    *("cache/encoded/*", "run/train.log"),
]
MIDDLE = {
    "a step": lambda folder: logged(folder / "run" / "train.log", f" of {STEPS}, epoch"),
    "a validation": lambda folder: logged(folder / "run" / "train.log", "validation at step "),
    "its events": lambda folder: appears(folder, "run/tensorboard/*"),
    "the best weights": lambda folder: appears(folder, "run/.partial-*/best.weights.h5"),
    "the moving average": lambda folder: appears(folder, "run/.partial-*/ema.weights.h5"),
    "saving": lambda folder: appears(folder, "run/checkpoints/.partial-*"),
    "weights without a state": lambda folder: appears(folder, "run/checkpoints/step-*.weights.h5"),
    "a checkpoint": lambda folder: appears(folder, "run/checkpoints/step-*.state.npz"),
}
END = ["run/.partial-*/average.weights.h5", "run/.partial-*/average.weights.h5", "run/average.weights.h5"]


def any_of(*functions):
    return any(function() for function in functions)


def folder_with_text(path):
    path.mkdir()
    tiny_corpus.write_corpus(path)
    (path / "tiny.yaml").write_text("model: {attention: {num_heads: 2}}\n")
    return path


@pytest.mark.slow
def test_a_training_killed_twenty_times_ends_like_one_that_was_not(tmp_path):
    whole, killed = (folder_with_text(tmp_path / name) for name in ("whole", "killed"))
    result = run(whole, "train.py", *TRAIN)
    assert result.code == 0, result.errors

    draw = random.Random(1)
    middle = [*MIDDLE, *draw.choices(list(MIDDLE), k=20 - len(FIRST_SECONDS) - len(MIDDLE) - len(END))]
    draw.shuffle(middle)
    kills = 0
    moments = [(partial(appears, killed, pattern), 1, 0.02) for pattern in FIRST_SECONDS]
    moments += [(partial(MIDDLE[name], killed), 12, 0.1) for name in middle]
    for moment, steps, delay in moments:
        # A moment that does not come again, or is over too soon, is one within the next steps.
        seen, far = moment(), logged(killed / "run" / "train.log", f" of {STEPS}, epoch", times=steps)
        kills += kill(partial(any_of, seen, far), draw.uniform(0, delay), killed, "train.py", *TRAIN)
    for pattern in END:
        kills += kill_at(pattern, 0, killed, killed, "train.py", *TRAIN)
        (killed / "run" / "metrics.json").unlink(missing_ok=True)  # where the kill came a moment later than meant
    assert kills == 20
    kill(appears(killed, "run/metrics.json"), 0, killed, "train.py", *TRAIN)  # or it ends a moment before

    result = run(killed, "train.py", *TRAIN)
    assert result.code == 0, result.errors
    ours, expected = RunDirectory(killed / "run"), RunDirectory(whole / "run")
    assert_equal_runs(ours, expected)
    names = [{path.name for path in (folder.path / "checkpoints").iterdir()} for folder in (ours, expected)]
    assert names[0] == names[1]
    assert not left_behind(killed)


REPLACED = [
    *("run/.former-run-moving/*", "run/.former-run", "run/VERSION", "run/subwords/source.model", "run/train.log"),
    "run/.former-run-removed",
]


@pytest.mark.slow
def test_a_training_killed_while_replacing_a_run_leaves_one_of_both(tmp_path):
    folder = folder_with_text(tmp_path / "killed")
    result = run(folder, "train.py", *TRAIN)
    assert result.code == 0, result.errors
    before, kills = contents(folder / "run"), 0
    for pattern in REPLACED[:-1]:
        kills += kill_at(pattern, 0, folder, folder, "train.py", *TRAIN, "--no-resume")
        result = run(folder, "train.py", *TRAIN)
        assert result.code == 0, result.errors
        after = contents(folder / "run")
        changed = {name for name in before if after.get(name) != before[name]}
        assert after.keys() == before.keys()
        assert changed <= {"train.log", "metrics.json", "average.weights.h5"}  # written again, with the same numbers
        assert f"step {STEPS}" in (folder / "run" / "train.log").read_text()
    assert kills == len(REPLACED) - 1
    kill(appears(folder, REPLACED[-1]), 0, folder, "train.py", *TRAIN, "--no-resume")
    assert run(folder, "train.py", *TRAIN).code == 0
    assert not list(folder.rglob(".former-run*"))
