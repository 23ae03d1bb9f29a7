from itertools import combinations

import numpy as np
import pytest

from data.batches.encoding import encode_parallel
from data.batches.plan import STATIC_SHAPES, plan_batches
from data.errors import InputError
from data.text.parallel_text import ParallelText, read_lines
from data.text.subwords import Subwords, train_subwords
from tests.data.conftest import python_steps

BUDGET = 600


def lengths(count=2000, longest=60, seed=0):
    """Source and target lengths as of text: skewed, and alike on both sides."""
    draw = np.random.default_rng(seed)
    source = np.clip(2 + draw.gamma(3, 4, count), 2, longest).astype(np.int32)
    return source, np.clip(source + draw.normal(0, 3, count), 2, longest).astype(np.int32)


def batches(plan):
    return [plan[i].tolist() for i in range(len(plan))]


def sorted_pairs(plan):
    return sorted(index for batch in batches(plan) for index in batch)


@pytest.fixture(params=[(False, 1), (False, 4), (True, 1), (True, 4)], ids=str)
def options(request):
    """Both kinds of plan, for one replica and for four."""
    static_shapes, multiple = request.param
    return {"static_shapes": static_shapes, "multiple": multiple}


@pytest.mark.parametrize("count", [1, 2, 3, 17, 500, 2000])
def test_every_pair_is_in_exactly_one_batch(options, count):
    for epoch in range(3):
        plan = plan_batches(*lengths(count), BUDGET, seed=1, epoch=epoch, **options)
        assert sorted_pairs(plan) == list(range(count))


def test_no_batch_is_over_the_budget_and_every_pair_fits_its_batch(options):
    source, target = lengths()
    plan = plan_batches(source, target, BUDGET, seed=1, epoch=0, **options)
    for i in range(len(plan)):
        B, S, T = plan.shape(i)
        assert B * max(S, T) <= BUDGET
        assert 1 <= len(plan[i]) <= B
        assert source[plan[i]].max() <= S
        assert target[plan[i]].max() <= T


def test_small_corpora_of_any_size_stay_within_the_budget(options):
    for count in range(1, 40):
        plan = plan_batches(*lengths(count, longest=10, seed=count), 50, seed=1, epoch=0, **options)
        assert sorted_pairs(plan) == list(range(count))
        assert all(B * max(S, T) <= 50 for B, S, T in map(plan.shape, range(len(plan))))


def test_rows_are_a_multiple_of_the_replicas(options):
    plan = plan_batches(*lengths(), BUDGET, seed=1, epoch=0, **options)
    missing = [plan.shape(i)[0] - len(plan[i]) for i in range(len(plan))]
    assert all(plan.shape(i)[0] % options["multiple"] == 0 for i in range(len(plan)))
    assert sum(count > 0 for count in missing) <= 1


def test_the_plan_depends_on_seed_and_epoch_alone(options):
    def plan(seed, epoch):
        return batches(plan_batches(*lengths(), BUDGET, seed=seed, epoch=epoch, **options))

    assert plan(1, 0) == plan(1, 0)
    assert len({str(plan(seed, epoch)) for seed in (1, 2) for epoch in (0, 1, 2)}) == 6


def test_each_epoch_mixes_the_pairs_and_keeps_the_shapes(options):
    first, second = (plan_batches(*lengths(), BUDGET, seed=1, epoch=epoch, **options) for epoch in (0, 1))
    together = {frozenset(batch) for batch in batches(first)}
    assert sum(frozenset(batch) in together for batch in batches(second)) < len(first) / 4
    shapes = [sorted(plan.shape(i) for i in range(len(plan))) for plan in (first, second)]
    assert shapes[0] == shapes[1]


def test_batches_of_all_lengths_are_spread_over_the_epoch(options):
    plan = plan_batches(*lengths(20_000), BUDGET, seed=1, epoch=0, **options)
    longest = np.array([max(plan.shape(i)[1:]) for i in range(len(plan))])
    assert abs(np.corrcoef(np.arange(len(plan)), longest)[0, 1]) < 0.1


def test_batches_without_a_seed_are_ordered_by_length(options):
    plan = plan_batches(*lengths(), BUDGET, seed=None, epoch=0, **options)
    longest = [max(plan.shape(i)[1:]) for i in range(len(plan))]
    assert longest == sorted(longest)
    assert batches(plan) == batches(plan_batches(*lengths(), BUDGET, seed=None, epoch=5, **options))


def padded_ratio_of_a_plain_sort(source, target, budget):
    """Sorted by target and source length and cut one pair at a time."""
    padded, batch = 0, []
    for pair in [*sorted(zip(target.tolist(), source.tolist(), strict=True)), (10**9, 10**9)]:
        if max(max(sides) for sides in [*batch, pair]) * (len(batch) + 1) > budget:
            padded += len(batch) * (max(t for t, _ in batch) + max(s for _, s in batch))
            batch = []
        batch.append(pair)
    return padded / (source.sum() + target.sum())


def test_padding_is_less_than_with_a_plain_sort():
    for seed in range(3):
        sides = lengths(5000, seed=seed)
        plan = plan_batches(*sides, 2048, seed=1, epoch=0)
        assert 1 < plan.padded_ratio() < padded_ratio_of_a_plain_sort(*sides, 2048)


def test_padded_ratio_is_tokens_with_padding_over_tokens_without(options):
    source, target = lengths()
    plan = plan_batches(source, target, BUDGET, seed=1, epoch=0, **options)
    padded = sum(B * (S + T) for B, S, T in map(plan.shape, range(len(plan))))
    assert plan.padded_ratio() == pytest.approx(padded / (source.sum() + target.sum()))


@pytest.mark.parametrize("multiple", [1, 8])
@pytest.mark.parametrize("longest", [5, 60, 250])
def test_static_shapes_are_few_and_the_same_for_each_length(longest, multiple):
    budget = 4096
    plan = plan_batches(*lengths(20_000, longest), budget, seed=1, epoch=0, static_shapes=True, multiple=multiple)
    shapes = {plan.shape(i) for i in range(len(plan))}
    assert len(shapes) <= STATIC_SHAPES
    assert len({max(S, T) for _, S, T in shapes}) == len(shapes)
    assert all(budget // max(S, T) // multiple * multiple == B for B, S, T in shapes)


def test_static_boundaries_have_the_least_padding():
    """Against every choice of boundaries, by brute force, for lengths with few candidates."""
    source, _ = lengths(3000, longest=40)
    candidates = range(4, 44, 4)

    def cost(boundaries):
        return np.array(boundaries)[np.searchsorted(boundaries, source)].sum()

    best = min(cost([*chosen, 40]) for chosen in combinations(candidates[:-1], STATIC_SHAPES - 1))
    # Batches of a few rows, so that hardly a pair is moved on to a longer shape.
    plan = plan_batches(source, source, 80, seed=1, epoch=0, static_shapes=True)
    padded = sum(B * S for B, S, _ in map(plan.shape, range(len(plan))))
    assert best <= padded <= 1.01 * best


def test_rounding_up_to_static_lengths_never_exceeds_the_budget():
    lengths_of_one_side = np.array([5, 7, 99])
    plan = plan_batches(lengths_of_one_side, lengths_of_one_side, 99, seed=1, epoch=0, static_shapes=True)
    assert all(B * max(S, T) <= 99 for B, S, T in map(plan.shape, range(len(plan))))
    assert sorted_pairs(plan) == [0, 1, 2]


@pytest.mark.parametrize(("multiple", "needed"), [(1, 60), (4, 240)])
@pytest.mark.parametrize("static_shapes", [False, True])
def test_a_budget_below_the_longest_pair_is_an_error_that_names_the_least(static_shapes, multiple, needed):
    sides = np.array([3, 60]), np.array([4, 5])
    options = {"seed": 1, "epoch": 0, "static_shapes": static_shapes, "multiple": multiple}
    assert sorted_pairs(plan_batches(*sides, needed, **options)) == [0, 1]
    with pytest.raises(InputError, match=f"train.batch_tokens to at least {needed}"):
        plan_batches(*sides, needed - 1, **options)


@pytest.mark.parametrize("static_shapes", [False, True])
def test_a_budget_may_be_larger_than_the_lengths_type_holds(static_shapes):
    plan = plan_batches(*lengths(100), 2**31, seed=1, epoch=0, static_shapes=static_shapes)
    assert [len(batch) for batch in batches(plan)] == [100]


def test_the_budget_of_a_batch_in_parts_is_the_budget_of_a_part():
    source, target = lengths(2000)
    options = {"seed": 1, "epoch": 0}
    in_parts = plan_batches(source, target, BUDGET, parts=2, multiple=3, **options)
    whole = plan_batches(source, target, 2 * BUDGET, multiple=6, **options)
    assert batches(in_parts) == batches(whole)
    with pytest.raises(InputError, match=r"train.batch_tokens is 99, .* to at least 100 or"):
        plan_batches(np.array([100]), np.array([4]), 99, parts=4, **options)


def test_a_text_without_pairs_is_an_error(options):
    with pytest.raises(InputError, match="no sentence pairs"):
        plan_batches(np.array([], int), np.array([], int), BUDGET, seed=1, epoch=0, **options)


def test_planning_costs_grow_with_batches_and_not_with_pairs(options):
    # Half a million pairs are measured by benchmarks/pipeline_speed.py.
    def steps(count, tokens):
        return python_steps(lambda: plan_batches(*lengths(count), tokens, seed=1, epoch=0, **options))

    assert steps(100_000, tokens=600_000) < 1.2 * steps(1_000, tokens=6_000)  # as many batches
    more = steps(100_000, tokens=60_000) - steps(100_000, tokens=600_000)  # about 40 batches more
    assert more < 40 * 20


def test_padding_on_multi30k_is_below_a_tenth(multi30k, tmp_path):
    text = ParallelText(multi30k / "train.de.gz", multi30k / "train.en.gz")
    lines = (line for path in (text.source, text.target) for line in read_lines(path))
    train_subwords(lines, 8000, tmp_path / "both.model")
    subwords = Subwords(tmp_path / "both.model")
    pairs = encode_parallel(text, subwords, subwords, max_length=256)
    sides = pairs.source.lengths + 1, pairs.target.lengths + 1
    assert plan_batches(*sides, 4096, seed=1, epoch=0).padded_ratio() < 1.05
    assert plan_batches(*sides, 4096, seed=1, epoch=0, static_shapes=True).padded_ratio() < 1.20
