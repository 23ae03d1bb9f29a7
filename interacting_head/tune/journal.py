"""Optuna's journal of a search, in a folder that one process uses at a time."""

import os

from optuna.storages.journal import JournalFileBackend

from data.files import full_disk_named


class Journal(JournalFileBackend):
    """Optuna's journal, without what a process leaves that is killed as it writes: a lock, and a line cut off.

    Args:
        path: the file.
    """

    def __init__(self, path):
        for left in path.parent.glob(f"{path.name}.lock*"):
            left.unlink()
        if path.is_file():
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
        super().__init__(str(path))
        self.path = path

    def append_logs(self, logs):
        with full_disk_named(self.path):
            super().append_logs(logs)
