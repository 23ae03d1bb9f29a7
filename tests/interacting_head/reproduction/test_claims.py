"""Verdicts of each kind of claim."""

import pytest

from interacting_head.reproduction import claims
from interacting_head.reproduction.claims import (
    FAILS,
    HOLDS,
    NOT_RUN,
    UNDECIDED,
    Better,
    CellBetter,
    TimesAsLong,
)
from interacting_head.reproduction.statistics import Difference
from tests.interacting_head.reproduction.stand_ins import StandIn, noisy

SHARES = {"good": 0.1, "fair": 0.13, "bad": 0.4}
LINES = {
    f"{name}-{seed}": noisy(share, seed + 10 * row)
    for row, (name, share) in enumerate(SHARES.items())
    for seed in (1, 2, 3)
}
ROWS = {
    Better: lambda claim: Better("x", "good row", "bad row", **claim),
    CellBetter: lambda claim: CellBetter("x", ((("good row", "c"), ("bad row", "c")),), **claim),
}


def table(better, other, seeds=3):
    """A table with two cells: runs of these qualities, so many of each; None: not run."""
    cells = {
        (row, "c"): [f"{name}-{seed + 1}" for seed in range(seeds)] if name else []
        for row, name in (("good row", better), ("bad row", other))
    }
    return StandIn(LINES, cells)


CASES = {
    "better": ("good", "bad", HOLDS),
    "worse": ("bad", "good", FAILS),
    "alike": ("good", "fair", UNDECIDED),
    "the same": ("good", "good", UNDECIDED),
    "one side is missing": ("good", None, NOT_RUN),
    "both are missing": (None, None, NOT_RUN),
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["sacrebleu", "wer"])
def test_a_claim_has_the_verdict_that_the_runs_give(kind, case, metric):
    better, other, word = CASES[case]
    verdict = ROWS[kind]({"metric": metric}).decide(table(better, other))
    assert verdict.word == word
    assert bool(verdict.reason) == (word != NOT_RUN)


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("sides", [("good", "bad"), ("bad", "good")])
def test_a_single_seed_never_decides(kind, sides):
    verdict = ROWS[kind]({}).decide(table(*sides, seeds=1))
    assert verdict.word == UNDECIDED
    assert "p sentences 0.00" in verdict.reason
    assert "p seeds" not in verdict.reason


@pytest.mark.parametrize("kind", ROWS)
def test_runs_without_the_score_of_a_claim_count_as_not_run(kind):
    assert ROWS[kind]({"test": "newstest2014"}).decide(table("good", "bad")).word == NOT_RUN
    assert ROWS[kind]({"metric": "chrf"}).decide(table("good", "bad")).word == NOT_RUN


@pytest.mark.parametrize("kind", ROWS)
def test_only_runs_with_the_same_seeds_are_compared(kind):
    def decide(better, other):
        cells = {("good row", "c"): better, ("bad row", "c"): other}
        return ROWS[kind]({}).decide(StandIn(LINES, cells))

    common = decide(["good-2", "good-3"], ["bad-2", "bad-3"])
    assert decide(["good-3", "good-2", "good-1"], ["bad-2", "bad-3"]) == common
    assert decide(["good-1"], ["bad-2", "bad-3"]).word == NOT_RUN


def runs(name):
    return [f"{name}-{seed}" for seed in (1, 2, 3)]


def columns(**qualities):
    """A table whose columns have runs of two qualities each, `column=(better row's, other row's)`."""
    cells = {}
    for column, pair in qualities.items():
        for row, name in zip(("good row", "bad row"), pair, strict=True):
            cells[row, column] = runs(name) if name else []
    return StandIn(LINES, cells)


def test_one_row_is_better_if_it_is_in_every_column_that_both_have():
    claim = Better("x", "good row", "bad row")
    assert claim.decide(columns(a=("good", "bad"), b=("fair", "bad"))).word == HOLDS
    assert claim.decide(columns(a=("good", "bad"), b=("good", "good"))).word == UNDECIDED
    assert claim.decide(columns(a=("good", "bad"), b=("bad", "good"))).word == FAILS
    verdict = claim.decide(columns(a=("good", "bad"), b=("fair", "bad")))
    assert [part.split(":")[0] for part in verdict.reason.split("; ")] == ["a", "b"]


def test_columns_that_a_claim_leaves_out_do_not_count():
    claim = Better("x", "good row", "bad row", columns=lambda column: column != "b")
    assert claim.decide(columns(a=("good", "bad"), b=("bad", "good"))).word == HOLDS
    assert claim.decide(columns(b=("good", "bad"))).word == NOT_RUN


def test_columns_that_lack_one_of_the_rows_do_not_count():
    cells = {("good row", "a"): runs("good"), ("bad row", "a"): runs("bad"), ("good row", "b"): runs("good")}
    assert Better("x", "good row", "bad row").decide(StandIn(LINES, cells)).word == HOLDS


def test_a_claim_of_which_a_part_is_missing_may_fail_but_not_hold():
    claim = Better("x", "good row", "bad row")
    verdict = claim.decide(columns(a=("good", "bad"), b=("good", None)))
    assert verdict.word == NOT_RUN
    assert verdict.reason.startswith("so far a: +")
    assert claim.decide(columns(a=("good", "fair"), b=(None, None))).word == NOT_RUN
    assert claim.decide(columns(a=("bad", "good"), b=("good", None))).word == FAILS


@pytest.mark.parametrize(
    ("p", "words"), [(0.009, [FAILS] * 3), (0.02, [FAILS, FAILS, UNDECIDED]), (0.06, [UNDECIDED] * 3)]
)
def test_of_many_differences_each_needs_a_smaller_p_value_to_decide_against(monkeypatch, p, words):
    found = [Difference("worse", -1.0, 0.001, p), *(Difference("alike", 0.1, 0.4, 0.4) for _ in range(4))]
    for number, word in zip((1, 2, 5), words, strict=True):
        monkeypatch.setattr(claims, "differences", lambda *_, number=number: found[:number])
        assert CellBetter("x", ((("r", "a"), ("r", "b")),) * number).decide(StandIn({})).word == word


def test_of_many_differences_each_needs_the_same_p_value_to_hold(monkeypatch):
    monkeypatch.setattr(claims, "differences", lambda *_: [Difference("better", 1.0, 0.001, 0.04)] * 5)
    assert CellBetter("x", ((("r", "a"), ("r", "b")),) * 5).decide(StandIn({})).word == HOLDS


def test_a_cell_is_better_than_each_of_those_it_is_compared_with():
    there = {("r", "a"): runs("good"), ("r", "b"): runs("bad"), ("r", "c"): runs("good")}

    def verdict(cell, *others):
        return CellBetter("x", tuple((("r", cell), ("r", other)) for other in others)).decide(StandIn(LINES, there))

    assert verdict("a", "b").word == HOLDS
    assert verdict("a", "b", "c").word == UNDECIDED
    assert verdict("a", "b", "not in the table").word == NOT_RUN
    assert verdict("b", "a", "c").word == FAILS
    assert verdict("b", "a").reason.startswith("r, b over r, a: -")


TIMES = {2.13: HOLDS, 2.45: HOLDS, 1.8: HOLDS, 2.6: FAILS, 1.7: FAILS, None: NOT_RUN}


@pytest.mark.parametrize("ratio", TIMES)
def test_a_row_takes_so_many_times_as_long_within_a_sixth(ratio):
    times = {("multi_head", "h = 16"): 10.0}
    if ratio:
        times["loop", "h = 16"] = 10.0 * ratio
    verdict = TimesAsLong("x", "loop", column="h = 16", ratio=2.13).decide(StandIn({}, times=times))
    assert verdict.word == TIMES[ratio]
    assert verdict.reason == (f"{ratio:.2f} times as long, 2.13 in the paper" if ratio else "")
