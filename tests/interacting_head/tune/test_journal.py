import errno
import os

import optuna
import pytest
from optuna.storages import JournalStorage

from interacting_head.tune.journal import Journal


def studies(path):
    storage = JournalStorage(Journal(path))
    return optuna.create_study(storage=storage, study_name="size", load_if_exists=True)


def test_a_lock_and_a_line_that_a_killed_process_left_hinder_no_further_search(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path.relative_to(tmp_path) / "journal.log"
    study = studies(path)
    study.add_trial(optuna.trial.create_trial(value=1.0))
    os.symlink(path, f"{path}.lock")
    with open(path, "a") as file:
        file.write('{"op_code":4,"worker')
    for count in (1, 2):
        study = studies(path)
        assert len(study.trials) == count
        study.add_trial(optuna.trial.create_trial(value=2.0))
    assert [trial.value for trial in studies(path).trials] == [1.0, 2.0, 2.0]
    assert [name for name in os.listdir() if name != "journal.log"] == []


def test_a_full_disk_names_the_journal(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*journal.log'"):
        studies(tmp_path / "journal.log")
