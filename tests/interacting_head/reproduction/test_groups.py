"""Groups of runs that one program can train at a time."""

import os

from interacting_head.config import ExperimentConfig, override
from interacting_head.reproduction import groups
from interacting_head.reproduction.groups import group_of, programs

TOGETHER = ("train.average_last=0", "train.patience=null")
"""Settings of runs that can train together, where they are not the defaults."""


def test_a_group_has_common_settings_but_for_seed_and_rate():
    def group(*settings):
        return group_of(override(ExperimentConfig(), [*TOGETHER, *settings]))

    assert group("train.seed=1") == group("train.seed=2", "train.learning_rate=0.1", "train.schedule=cosine")
    assert group() != group("train.max_steps=7")
    assert group() != group("model.model_dim=32")
    for alone in ("train.patience=3", "train.average_last=2", "train.ema_decay=0.9", "train.precision=mixed_float16"):
        assert group(alone) is None


def test_a_program_trains_its_runs_in_lists(tmp_path):
    configs = [override(ExperimentConfig(), [*TOGETHER, f"train.seed={seed}"]) for seed in range(5)]
    other = override(ExperimentConfig(), [*TOGETHER, "model.model_dim=32"])
    runs = {tmp_path / str(seed): config for seed, config in enumerate(configs)} | {tmp_path / "other": other}
    [(parts, splits)] = programs(runs, dict.fromkeys(runs, ("dev",)), most=2)
    assert [[path.name for path in part] for part in parts] == [["0", "1"], ["2", "3"], ["4"]]
    [(parts, _)] = programs(runs, dict.fromkeys(runs, ("dev",)), most=4)
    assert [len(part) for part in parts] == [3, 2]
    assert splits == ("dev",)


def ended(*work):
    os._exit(1)


def test_a_program_whose_process_ends_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(groups, "train_program", ended)
    paths = [tmp_path / name for name in "ab"]
    found = list(groups.train_programs([([{path: None}], ("dev",)) for path in paths], None, jobs=2))
    assert sorted(found) == [([path], "failed: its process was ended, perhaps for lack of memory") for path in paths]
