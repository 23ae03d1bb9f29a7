"""Trainings through train.py, killed and continued."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interacting_head import config as configuration
from interacting_head.runs.run_directory import RunDirectory
from tests import tiny_corpus
from tests.command_line import wait_until
from tests.interacting_head.runs.equality import assert_equal_runs
from tests.kills import logged

ROOT = Path(__file__).parents[3]
STEPS = 90


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    settings = [f"train.max_steps={STEPS}", "train.validation_interval=10", "train.log_interval=1"]
    settings += ["train.gradient_accumulation_steps=2", "train.ema_decay=0.9", "train.keep_best=1"]
    return tiny_corpus.configuration(tiny_corpus.write_corpus(tmp_path), *settings)


def start(config, run_dir):
    """Start train.py with a configuration."""
    path = Path(run_dir).with_suffix(".yaml")
    path.write_text(configuration.to_yaml(config), encoding="utf-8")
    command = [sys.executable, str(ROOT / "train.py"), str(path), "--run-dir", str(run_dir)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.slow
def test_a_run_killed_five_times_ends_like_one_that_was_not(config, tmp_path):
    draw = random.Random(1)
    run, whole = RunDirectory(tmp_path / "killed"), start(config, tmp_path / "whole")
    log, saved = run.path / "train.log", 0
    for _ in range(5):
        seen = logged(log, f" step {draw.randint(saved + 1, saved + 15)} of {STEPS}, ")
        process = start(config, run.path)
        wait_until(seen, process, seconds=300)
        time.sleep(draw.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not run.steps() or saved <= run.steps()[-1]  # how many steps it takes meanwhile is the machine's affair
        saved = run.steps()[-1] if run.steps() else 0
    seen = logged(log, f" step {saved + 1} of {STEPS}, ")
    process = start(config, run.path)
    wait_until(seen, process, seconds=300)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "; run the same command to resume" in output
    process = start(config, run.path)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "Traceback" not in output
    output, _ = whole.communicate()
    assert whole.returncode == 0, output
    assert_equal_runs(run, RunDirectory(tmp_path / "whole"))
    assert json.loads((run.path / "metrics.json").read_text())["steps"] == STEPS
