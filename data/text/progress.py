"""Progress bars of work on a parallel text."""

import sys

from tqdm import tqdm

from data.text.parallel_text import ParallelText, count_lines


def text_bar(text: ParallelText, task: str, progress: bool = True, items=None, unit: str = "pairs", sides: int = 1):
    """Return a progress bar of work on a parallel text, visible only on a terminal.

    It counts `items` as they are iterated over, `sides` for each pair; without them call its `update`.
    """
    shown = progress and sys.stderr is not None and sys.stderr.isatty()
    total = sides * count_lines(text.source, sys.maxsize) if shown else None
    return tqdm(items, task, total, unit=f" {unit}", disable=not shown)
