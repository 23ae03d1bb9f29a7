"""Progress bars of work on a parallel text."""

import sys

from tqdm import tqdm

from data.text.parallel_text import ParallelText, count_lines


def text_bar(text: ParallelText, task: str, progress: bool = True, items=None, unit: str = "pairs", sides: int = 1):
    """Return a bar on a terminal, and nothing visible elsewhere, with the length of a text as its total.

    Args:
        text: its lines are counted where the bar is shown.
        task: what is done.
        progress: whether to show it at all.
        items: what the bar counts as it is iterated over; without them its `update` is called.
        unit: of the items.
        sides: items of each pair.
    """
    shown = progress and sys.stderr is not None and sys.stderr.isatty()
    total = sides * count_lines(text.source, sys.maxsize) if shown else None
    return tqdm(items, task, total, unit=f" {unit}", disable=not shown)
