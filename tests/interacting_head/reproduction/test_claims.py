"""Verdicts of each kind of claim."""

import itertools
import types

import pytest

from interacting_head.reproduction import claims
from interacting_head.reproduction.claims import (
    FAILS,
    HOLDS,
    INCONCLUSIVE,
    NO_DIFFERENCE,
    NOT_RUN,
    UNDECIDED,
    AsFast,
    BestBetter,
    Better,
    CellBetter,
    Equivalent,
    GainGrows,
    NonInferior,
    SameSize,
    Slower,
)
from interacting_head.reproduction.statistics import Estimate
from tests.interacting_head.reproduction.stand_ins import StandIn, noisy

SHARES = {"good": 0.1, "fair": 0.13, "bad": 0.4}
LINES = {
    f"{name}-{seed}": noisy(share, seed + 10 * row)
    for row, (name, share) in enumerate(SHARES.items())
    for seed in (1, 2, 3)
}
ROWS = {
    Better: lambda claim: Better("x", "§ 1", row="good row", baseline="bad row", **claim),
    CellBetter: lambda claim: CellBetter("x", "§ 1", pairs=((("good row", "c"), ("bad row", "c")),), **claim),
    BestBetter: lambda claim: BestBetter("x", "§ 1", row="good row", baselines=("bad row",), **claim),
}


def table(better, other, seeds=3, **learning):
    """A table with two cells: runs of these qualities, a number of each; None: not run."""
    cells = {
        (row, "c"): [f"{name}-{seed + 1}" for seed in range(seeds)] if name else []
        for row, name in (("good row", better), ("bad row", other))
    }
    return StandIn(LINES, cells, **learning)


CASES = {
    "better": ("good", "bad", HOLDS),
    "worse": ("bad", "good", FAILS),
    "alike": ("good", "fair", INCONCLUSIVE),
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
@pytest.mark.parametrize("seeds", [1, 2])
def test_fewer_than_three_seeds_never_decide(kind, sides, seeds):
    verdict = ROWS[kind]({}).decide(table(*sides, seeds=seeds))
    assert verdict.word == UNDECIDED
    assert "p sentences 0.00" in verdict.reason
    assert ("p seeds" in verdict.reason) == (seeds > 1)
    assert "fewer than 3 seeds: " in verdict.reason


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("sides", [("good", "bad"), ("bad", "good")])
def test_a_side_that_might_catch_up_leaves_a_claim_undecided(kind, sides):
    claim, decided = ROWS[kind]({}), ROWS[kind]({}).decide(table(*sides)).word
    verdict = claim.decide(table(*sides, learning=["bad-3"]))
    assert verdict.word == UNDECIDED
    assert "; still learning: " in verdict.reason
    assert claim.decide(table(*sides, learning=["bad-3"], left_behind=["bad-3"])).word == decided
    assert claim.decide(table(*sides, learning=["good-2"])).word == decided  # it is ahead already
    assert ROWS[kind]({"needs_convergence": False}).decide(table(*sides, learning=["bad-3"])).word == decided


@pytest.mark.parametrize("kind", ROWS)
def test_an_insignificant_difference_is_undecided_while_a_side_learns(kind):
    for run in ("good-1", "fair-1"):
        assert ROWS[kind]({}).decide(table("good", "fair", learning=[run], left_behind=[run])).word == UNDECIDED


def test_runs_that_learn_are_not_yet_equivalent():
    claim = Equivalent("x", "§ 1", pairs=((("good row", "c"), ("bad row", "c")),))
    assert claim.decide(table("good", "good")).word == HOLDS
    assert claim.decide(table("good", "good", learning=["good-1"], left_behind=["good-1"])).word == UNDECIDED
    assert claim.decide(table("good", "bad", learning=["bad-1"], left_behind=["bad-1"])).word == FAILS
    assert claim.decide(table("good", "bad", learning=["bad-1"])).word == UNDECIDED


def test_equal_runs_have_no_difference():
    verdict = ROWS[CellBetter]({}).decide(table("good", "good"))
    assert verdict.word == NO_DIFFERENCE == "no difference larger than 0.5"
    assert ROWS[CellBetter]({"metric": "wer"}).decide(table("good", "good")).word == INCONCLUSIVE  # has no such bound


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
    assert decide(["good-3", "good-2"], ["bad-3", "bad-2"]) == common
    if kind is not BestBetter:  # it takes the best cell by all of its seeds
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


def test_a_row_is_better_if_it_is_better_in_every_shared_column():
    claim = Better("x", "§ 1", row="good row", baseline="bad row")
    assert claim.decide(columns(a=("good", "bad"), b=("fair", "bad"))).word == HOLDS
    assert claim.decide(columns(a=("good", "bad"), b=("good", "good"))).word == INCONCLUSIVE
    assert claim.decide(columns(a=("good", "bad"), b=("bad", "good"))).word == FAILS
    verdict = claim.decide(columns(a=("good", "bad"), b=("fair", "bad")))
    assert [part.split(":")[0] for part in verdict.reason.split("; ")] == ["a", "b"]


def test_columns_that_a_claim_leaves_out_do_not_count():
    claim = Better("x", "§ 1", row="good row", baseline="bad row", columns=lambda column: column != "b")
    assert claim.decide(columns(a=("good", "bad"), b=("bad", "good"))).word == HOLDS
    assert claim.decide(columns(b=("good", "bad"))).word == NOT_RUN


def test_columns_that_lack_one_of_the_rows_do_not_count():
    cells = {("good row", "a"): runs("good"), ("bad row", "a"): runs("bad"), ("good row", "b"): runs("good")}
    assert ROWS[Better]({}).decide(StandIn(LINES, cells)).word == HOLDS


def test_a_claim_with_a_missing_part_counts_as_not_run():
    claim = Better("x", "§ 1", row="good row", baseline="bad row")
    verdict = claim.decide(columns(a=("good", "bad"), b=("good", None)))
    assert verdict.word == NOT_RUN
    assert verdict.reason.startswith("so far a: +")
    assert claim.decide(columns(a=("good", "fair"), b=(None, None))).word == NOT_RUN


def test_a_difference_that_refutes_a_claim_decides_it_whatever_is_missing():
    claim = Better("x", "§ 1", row="good row", baseline="bad row")
    assert claim.decide(columns(a=("bad", "good"), b=("good", None))).word == FAILS


def made_up(monkeypatch, *estimates):
    """The claim of one pair for each of these estimates, `(gain, interval, p)`."""
    found = iter([Estimate("x", gain, interval, 3, 0.001, p) for gain, interval, p in estimates])
    monkeypatch.setattr(claims, "estimate", lambda *_: next(found))
    return ((("r", "a"), ("r", "b")),) * len(estimates), StandIn({}, {("r", "a"): [], ("r", "b"): []})


@pytest.mark.parametrize(
    ("p", "words"), [(0.009, [FAILS] * 3), (0.02, [FAILS, FAILS, INCONCLUSIVE]), (0.06, [INCONCLUSIVE] * 3)]
)
def test_each_of_many_differences_needs_a_smaller_p_to_refute(monkeypatch, p, words):
    for number, word in zip((1, 2, 5), words, strict=True):
        estimates = [(-1.0, (-2, 0), p), *[(0.1, (-1, 1), 0.4)] * 4][:number]
        pairs, table = made_up(monkeypatch, *estimates)
        assert CellBetter("x", "", pairs=pairs).decide(table).word == word


def test_each_of_many_differences_needs_the_same_p_to_hold(monkeypatch):
    pairs, table = made_up(monkeypatch, *[(1.0, (0.2, 1.8), 0.04)] * 5)
    assert CellBetter("x", "", pairs=pairs).decide(table).word == HOLDS


ESTIMATES = {
    "equal": ((0.1, (-0.2, 0.4), 0.4), [NO_DIFFERENCE, HOLDS, HOLDS]),
    "wide": ((0.1, (-0.8, 1.0), 0.8), [INCONCLUSIVE, INCONCLUSIVE, INCONCLUSIVE]),
    "worse": ((-1.0, (-1.4, -0.6), 0.01), [FAILS, FAILS, FAILS]),
    "better": ((1.0, (0.6, 1.4), 0.01), [HOLDS, FAILS, HOLDS]),
    "a little worse": ((-0.3, (-0.4, -0.2), 0.01), [FAILS, HOLDS, HOLDS]),
    "worse, but how far is not known": ((-1.0, (-1.6, -0.4), 0.01), [FAILS, INCONCLUSIVE, INCONCLUSIVE]),
    "better by far, but inconclusive": ((2.0, (-0.1, 4.1), 0.06), [INCONCLUSIVE, INCONCLUSIVE, HOLDS]),
}


@pytest.mark.parametrize("case", ESTIMATES)
def test_better_alike_and_not_worse_are_decided_by_the_interval(monkeypatch, case):
    one, words = ESTIMATES[case]
    for kind, word in zip((CellBetter, Equivalent, NonInferior), words, strict=True):
        pairs, table = made_up(monkeypatch, one)
        assert kind("x", "", pairs=pairs).decide(table).word == word


def test_a_claim_may_name_its_margin(monkeypatch):
    for kind, (margin, word) in itertools.product((Equivalent, NonInferior), {None: FAILS, 1.0: HOLDS}.items()):
        pairs, table = made_up(monkeypatch, (-0.8, (-0.9, -0.7), 0.001))
        assert kind("x", "", pairs=pairs, margin=margin).decide(table).word == word


@pytest.mark.parametrize(
    ("gain", "interval", "of_sentences"), [(0.1, (-0.2, 0.4), (-0.6, 0.8)), (-1.0, (-1.4, -0.6), (-1.6, -0.4))]
)
def test_scores_are_alike_or_not_if_both_intervals_say_so(monkeypatch, gain, interval, of_sentences):
    table = made_up(monkeypatch)[1]
    one = Estimate("x", gain, interval, 3, 0.01, 0.01, of_sentences=of_sentences)
    monkeypatch.setattr(claims, "estimate", lambda *_: one)
    for kind in (Equivalent, NonInferior):
        assert kind("x", "", pairs=((("r", "a"), ("r", "b")),)).decide(table).word == INCONCLUSIVE


LEARNING = {
    "better for good": ((1.0, (0.6, 1.4), 0.01, False), [FAILS, HOLDS]),
    "better for now": ((1.0, (0.6, 1.4), 0.01, True), [UNDECIDED, UNDECIDED]),
    "perhaps better": ((1.0, (-0.2, 2.2), 0.06, False), [UNDECIDED, UNDECIDED]),
    "a little worse for good": ((-0.3, (-0.4, -0.2), 0.01, False), [UNDECIDED, UNDECIDED]),
    "worse for good": ((-1.0, (-1.4, -0.6), 0.01, False), [FAILS, FAILS]),
}


@pytest.mark.parametrize("case", LEARNING)
def test_differences_of_models_that_learn_count_if_they_last(monkeypatch, case):
    (gain, interval, p, reversible), words = LEARNING[case]
    for kind, word in zip((Equivalent, NonInferior), words, strict=True):
        table = made_up(monkeypatch)[1]
        one = Estimate("x", gain, interval, 3, 0.001, p, converged=False, reversible=reversible)
        monkeypatch.setattr(claims, "estimate", lambda *_, one=one: one)
        assert kind("x", "", pairs=((("r", "a"), ("r", "b")),)).decide(table).word == word


def test_the_gain_of_one_row_grows_from_column_to_column():
    claim = GainGrows("x", "", row="good row", baseline="bad row", column="a", than=("b",))
    assert claim.decide(columns(a=("good", "bad"), b=("good", "good"))).word == HOLDS
    assert claim.decide(columns(a=("good", "good"), b=("good", "bad"))).word == FAILS
    assert claim.decide(columns(a=("good", "bad"), c=("good", "good"))).word == NOT_RUN


def test_the_best_cells_of_rows_are_compared():
    claim = BestBetter("x", "", row="good row", baselines=("bad row",))
    verdict = claim.decide(columns(a=("bad", "fair"), b=("good", "bad")))
    assert verdict.reason.startswith("good row, b over bad row, a: +")
    assert claim.decide(columns(a=("bad", "good"), b=("fair", "bad"))).reason.startswith(
        "good row, b over bad row, a: -"
    )


def test_a_cell_must_be_better_than_each_compared_cell():
    there = {("r", "a"): runs("good"), ("r", "b"): runs("bad"), ("r", "c"): runs("good")}

    def verdict(cell, *others):
        pairs = tuple((("r", cell), ("r", other)) for other in others)
        return CellBetter("x", "", pairs=pairs).decide(StandIn(LINES, there))

    assert verdict("a", "b").word == HOLDS
    assert verdict("a", "b", "c").word == INCONCLUSIVE
    assert verdict("a", "b", "not in the table").word == NOT_RUN
    assert verdict("a", "not in the table").word == NOT_RUN
    assert verdict("b", "a", "c").word == FAILS
    assert verdict("b", "a").reason.startswith("r, b over a: -")


TIMES = {2.0: HOLDS, 0.5: FAILS, 1.0: INCONCLUSIVE, None: NOT_RUN}


@pytest.mark.parametrize("ratio", TIMES)
def test_a_row_takes_longer_if_the_interval_lies_above_one(ratio):
    base = [1.0, 1.1, 0.9, 1.0]
    times, turns = {("multi_head", "h = 16"): 10.0}, {("multi_head", "h = 16"): base}
    if ratio:
        times["loop", "h = 16"] = 10.0 * ratio
        turns["loop", "h = 16"] = [ratio * time for time in (1.0, 1.0, 1.0, 1.05)]
    claim = Slower("x", "", row="loop", baseline="multi_head", columns=("h = 16",))
    verdict = claim.decide(StandIn({}, times=times, turns=turns))
    assert verdict.word == TIMES[ratio]
    assert verdict.reason.startswith(f"h = 16: {ratio:.2f} [" if ratio else "")
    assert verdict.reason.endswith("] times" if ratio else "")
    assert claim.decide(StandIn({}, times=times)).word == (
        INCONCLUSIVE if ratio else NOT_RUN
    )  # single turns are not kept


@pytest.mark.parametrize(("ratio", "word"), {2.0: FAILS, 0.5: HOLDS, 1.02: INCONCLUSIVE, None: NOT_RUN}.items())
def test_a_row_is_as_fast_if_the_interval_lies_below_the_margin(ratio, word):
    base = [1.0, 1.1, 0.9, 1.0]
    times, turns = {("multi_head", "h = 16"): 10.0}, {("multi_head", "h = 16"): base}
    if ratio:
        times["other", "h = 16"] = 10.0 * ratio
        turns["other", "h = 16"] = [ratio * time for time in (1.0, 1.0, 1.0, 1.05)]
    claim = AsFast("x", "", row="other", baseline="multi_head", columns=("h = 16",))
    verdict = claim.decide(StandIn({}, times=times, turns=turns))
    assert verdict.word == word
    assert bool(verdict.reason) == (ratio is not None)


def test_cells_have_the_same_size_up_to_a_share_of_further_parameters():
    counts = {("r", "a"): 1000, ("r", "b"): 1010, ("r", "c"): 990, ("r", "d"): None}
    table = types.SimpleNamespace(number=lambda *cell: counts[cell])

    def word(cell, more):
        return SameSize("x", "", pairs=((("r", cell), ("r", "a")),), more=more).decide(table).word

    assert [word("a", 0), word("b", 0.02), word("b", 0), word("c", 0.02), word("d", 0)] == [
        *(HOLDS, HOLDS, FAILS, FAILS, NOT_RUN)
    ]
