"""Claims of the papers, computed from the numbers that they print."""

import functools

from interacting_head.reproduction.claims import AsFast, Comparison, Equivalent, SameSize, Slower
from interacting_head.reproduction.statistics import sign_of


@functools.singledispatch
def printed_gains(claim, table):
    """Return the values that a claim says are positive, from the paper's numbers in a table in full size."""
    raise TypeError(type(claim))


@printed_gains.register
def _(claim: Comparison, table):
    printed = {(cell.row, cell.column): score(table, cell, claim.test, claim.metric) for cell in table.cells}
    cells = [cell for cell, number in printed.items() if number is not None]
    return [
        sum(weight * printed[cell] for weight, cell in contrast.terms) - contrast.bound
        for contrast in claim.contrasts(cells, printed.get)
        if {cell for _, cell in contrast.terms} <= set(cells)
    ]


def score(table, cell, test, metric):
    """The number in a cell for one of our metrics, negative for error rates; `sacrebleu` stands for any BLEU."""
    name = table.paper_names.get(metric) or (table.paper_names.get("bleu") if metric == "sacrebleu" else None)
    number = cell.printed.get((test, name))
    return None if number is None else sign_of(metric) * number


@printed_gains.register
def _(claim: Equivalent, table):
    low, high = claim.bounds
    return [min(gain - low, high - gain) for gain in printed_gains.dispatch(Comparison)(claim, table)]


@printed_gains.register
def _(claim: Slower, table):
    return [ratio - 1 for ratio in ratios(claim, table)]


@printed_gains.register
def _(claim: AsFast, table):
    return [1 + claim.margin - ratio for ratio in ratios(claim, table)]


def ratios(claim, table):
    """The ratios of the times that the paper prints."""
    seconds = {(cell.row, cell.column): cell.printed.get(("", "seconds")) for cell in table.cells}
    pairs = [(seconds[claim.row, column], seconds[claim.baseline, column]) for column in claim.columns]
    return [ours / theirs for ours, theirs in pairs if ours is not None and theirs is not None]


@printed_gains.register
def _(claim: SameSize, table):
    printed = {(cell.row, cell.column): cell.printed.get(("", "parameters")) for cell in table.cells}
    counts = [tuple(printed[cell] for cell in both) for both in claim.pairs]
    # One half of the last digit, in which the papers give them.
    return [claim.more * theirs + 1000 - abs(ours - theirs) for ours, theirs in counts if None not in (ours, theirs)]
