"""Stands for `interacting-head train` and `translate` in tests of scheduling: copies a run that was made in earnest.

`$REPLAYED` is its run directory. In the working folder, each command adds a line to `commands.jsonl`, and the file
`busy-DEVICE` stands from the beginning of a training to the end of its translation: a command that finds its device in
use by another run fails. With `$MEET`, runs share devices, and trainings end once that many have begun. With
`$ENDLESS`, they do not end.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path

FINISHED = Path(os.environ.get("REPLAYED", ""))
PATIENCE = 120  # seconds to wait for another training, which fails a test


def train(recipe, run_dir_option, run_dir, set_option, *settings):
    """Copy the run with another seed."""
    busy = occupied(Path(run_dir).name)
    while "ENDLESS" in os.environ:
        time.sleep(1)
    if "MEET" in os.environ:
        meet(int(os.environ["MEET"]))
    try:
        shutil.copytree(FINISHED, run_dir, ignore=shutil.ignore_patterns("translations"))
    except OSError as error:
        busy.unlink(missing_ok=True)
        sys.exit(f"error: {error}")
    [seed] = [word for word in settings if word.startswith("train.seed=")]
    config = Path(run_dir, "config.yaml")
    before, of_training = config.read_text().split("\ntrain:\n")
    of_training = of_training.replace("\n  seed: 1\n", f"\n  seed: {seed.split('=')[1]}\n")
    config.write_text(f"{before}\ntrain:\n{of_training}")


def translate(*options):
    """Copy the translation."""
    run_dir, output, summary = (Path(options[options.index(option) + 1]) for option in ("-m", "-o", "--summary"))
    for path in (output, summary):
        shutil.copy(FINISHED / "translations" / path.name, path)
    if "MEET" not in os.environ:
        busy = busy_file()
        assert busy.read_text() == run_dir.name
        busy.unlink()


def busy_file():
    return Path(f"busy-{os.environ['CUDA_VISIBLE_DEVICES']}")


def occupied(name):
    """Mark the device as used by a run; fail if it is in use."""
    if "MEET" not in os.environ:
        with open(busy_file(), "x") as file:
            file.write(name)
    return busy_file()


def meet(number):
    """Wait until a number of trainings have begun."""
    Path(f"here-{os.getpid()}").touch()
    deadline = time.monotonic() + PATIENCE
    while len(list(Path().glob("here-*"))) < number:
        if time.monotonic() > deadline:
            sys.exit("error: the other trainings have not begun")
        time.sleep(0.01)


def record(words):
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    line = {"words": words, "device": os.environ["CUDA_VISIBLE_DEVICES"], "cores": cores}
    with open("commands.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:])
    {"train": train, "translate": translate}[sys.argv[1]](*sys.argv[2:])
