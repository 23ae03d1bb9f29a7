import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

from data.batches.encoding import EncodedPairs, EncodedSide
from data.batches.pipeline import TrainingBatches, as_tf_dataset, evaluation_batches
from data.text.subwords import BEGIN, END, PAD
from tests import skip_reasons
from tests.data.conftest import python_steps, sentences

BUDGET = 300


def encoded_side(sentences):
    lengths = np.array([len(ids) for ids in sentences], np.int32)
    return EncodedSide(np.concatenate(sentences).astype(np.uint16), np.cumsum(lengths) - lengths, lengths)


def encoded_pairs(count, longest=25, seed=0):
    """Random ids above the special ones; the first id of either side is 1000 + the number of the pair."""
    draw = np.random.default_rng(seed)

    def side():
        return [np.append(1000 + i, draw.integers(4, 900, draw.integers(0, longest))) for i in range(count)]

    return EncodedPairs(encoded_side(side()), encoded_side(side()))


@pytest.fixture(scope="module")
def pairs():
    return encoded_pairs(200)


@pytest.fixture(params=[(False, 1), (False, 4), (True, 1), (True, 4)], ids=str)
def options(request):
    static_shapes, multiple = request.param
    return {"batch_tokens": BUDGET, "seed": 3, "static_shapes": static_shapes, "multiple": multiple}


def same(a, b):
    return all(
        np.array_equal(x[0]["source_ids"], y[0]["source_ids"])
        and np.array_equal(x[0]["target_ids"], y[0]["target_ids"])
        and np.array_equal(x[1], y[1])
        for x, y in zip(a, b, strict=True)
    )


def started(step, *arguments, **options):
    batches = TrainingBatches(*arguments, **options)
    batches.start = step
    return batches


def without_padding(row):
    return [i for i in row.tolist() if i != PAD]


def test_rows_are_the_ids_with_begin_and_end(pairs, options):
    """Each row is built again in plain Python from the ids of the pair that it begins with."""
    seen = []
    for inputs, labels in TrainingBatches(pairs, max_epochs=1, **options):
        for source, target, label in zip(inputs["source_ids"], inputs["target_ids"], labels, strict=True):
            if not source.any():
                assert not target.any()
                assert not label.any()
                continue
            index = int(source[0]) - 1000
            seen.append(index)
            source_ids, target_ids = pairs.source[index].tolist(), pairs.target[index].tolist()
            for row, expected in (
                (source, [*source_ids, END]),
                (target, [BEGIN, *target_ids]),
                (label, [*target_ids, END]),
            ):
                assert row.tolist() == expected + [PAD] * (len(row) - len(expected))
    assert sorted(seen) == list(range(200))


def test_batches_are_int32_of_shapes_that_fit_and_within_the_budget(pairs, options):
    for inputs, labels in TrainingBatches(pairs, max_epochs=1, **options):
        source_ids, target_ids = inputs["source_ids"], inputs["target_ids"]
        assert source_ids.dtype == target_ids.dtype == labels.dtype == np.int32
        assert target_ids.shape == labels.shape
        assert source_ids.shape[0] == target_ids.shape[0]
        assert source_ids.shape[0] * max(source_ids.shape[1], labels.shape[1]) <= BUDGET
        assert source_ids.shape[0] % options["multiple"] == 0


def test_every_epoch_has_every_pair_in_another_order(pairs, options):
    batches = TrainingBatches(pairs, max_epochs=3, **options)
    firsts = [inputs["source_ids"][:, 0] for inputs, _ in batches]
    count = batches.batches_in_epoch
    assert len(firsts) == 3 * count
    epochs = [np.concatenate(firsts[i * count : (i + 1) * count]) for i in range(3)]
    epochs = [epoch[epoch != PAD].tolist() for epoch in epochs]
    assert all(sorted(epoch) == [1000 + i for i in range(200)] for epoch in epochs)
    assert len({str(epoch) for epoch in epochs}) == 3


def test_resuming_at_any_batch_continues_exactly(pairs, options):
    whole = list(TrainingBatches(pairs, max_epochs=2, **options))
    for step in range(len(whole)):
        assert same(started(step, pairs, max_epochs=2, **options), whole[step:])


def test_the_same_seed_gives_the_same_batches_and_another_seed_others(pairs, options):
    first, again = (list(TrainingBatches(pairs, max_epochs=2, **options)) for _ in range(2))
    assert same(first, again)
    others = list(TrainingBatches(pairs, max_epochs=2, **{**options, "seed": 4}))
    assert not same(first, others)
    assert sorted(labels.shape for _, labels in first) == sorted(labels.shape for _, labels in others)


def test_two_processes_with_one_seed_train_on_the_same_batches_of_a_text(tmp_path, subwords):
    """From text to batches, with caches of their own and other hashes of strings."""
    for seed, code in enumerate(("de", "en")):
        (tmp_path / f"train.{code}").write_text("\n".join(sentences(300, seed)), encoding="utf-8")
    code = f"""
import hashlib
from data.batches.encoding import encode_parallel
from data.batches.pipeline import TrainingBatches
from data.text.parallel_text import ParallelText
from data.text.subwords import Subwords
subwords = Subwords({str(subwords.path)!r})
text = ParallelText({str(tmp_path / "train.de")!r}, {str(tmp_path / "train.en")!r})
pairs = encode_parallel(text, subwords, subwords, max_length=100).sample(200, seed=5)
digest = hashlib.sha256()
for inputs, labels in TrainingBatches(pairs, 400, seed=7, max_epochs=2):
    for ids in (inputs["source_ids"], inputs["target_ids"], labels):
        digest.update(str(ids.shape).encode() + ids.tobytes())
print(digest.hexdigest())
"""
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "INTERACTING_HEAD_CACHE": str(tmp_path / seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_position_is_an_epoch_and_the_number_of_a_batch_in_it(pairs, options):
    batches = TrainingBatches(pairs, **options)
    position = (0, 0)
    for step in range(40):
        assert batches.position(step) == position
        epoch, batch = position
        position = (epoch, batch + 1) if batch + 1 < batches.batches_in_epoch else (epoch + 1, 0)


def test_each_iterator_begins_at_the_start(pairs, options):
    batches = started(9, pairs, **options)
    assert same(islice(batches, 5), list(islice(batches, 5)))


def test_a_dataset_restarts_where_its_batches_start(pairs, options):
    pytest.importorskip("tensorflow", reason=skip_reasons.TENSORFLOW)
    batches = TrainingBatches(pairs, **options)
    dataset = as_tf_dataset(batches)
    for start in (0, 2 * batches.batches_in_epoch + 1, 3):
        batches.start = start
        expected = started(start, pairs, **options)
        assert same(islice(dataset.as_numpy_iterator(), 9), list(islice(expected, 9)))


def test_a_start_at_the_end_of_an_epoch_is_the_next_epoch(pairs, options):
    whole = list(TrainingBatches(pairs, max_epochs=2, **options))
    batches = started(len(whole) // 2, pairs, max_epochs=2, **options)
    assert same(batches, whole[len(whole) // 2 :])


def test_training_batches_never_end(pairs, options):
    count = TrainingBatches(pairs, **options).batches_in_epoch
    assert sum(1 for _ in islice(TrainingBatches(pairs, **options), 5 * count)) == 5 * count


def test_a_selection_of_pairs_gives_batches_of_it_alone(pairs):
    chosen = pairs.select(np.array([7, 3, 150]))
    (((inputs, _)),) = TrainingBatches(chosen, BUDGET, seed=1, max_epochs=1)
    assert sorted(inputs["source_ids"][:, 0].tolist()) == [1003, 1007, 1150]


@pytest.mark.parametrize("static_shapes", [False, True])
def test_evaluation_has_every_pair_once_by_length(pairs, static_shapes):
    seen, longest = [], []
    for inputs, labels in evaluation_batches(pairs, BUDGET, static_shapes=static_shapes):
        firsts = inputs["source_ids"][:, 0]
        indices = firsts[firsts != PAD] - 1000
        assert not inputs["source_ids"][len(indices) :].any()
        assert [without_padding(row)[:-1] for row in labels[: len(indices)]] == [
            pairs.target[i].tolist() for i in indices
        ]
        seen += indices.tolist()
        longest.append(max(inputs["source_ids"].shape[1], labels.shape[1]))
    assert sorted(seen) == list(range(200))
    assert longest == sorted(longest)


def test_tf_dataset_gives_the_same_batches(pairs, options):
    pytest.importorskip("tensorflow", reason=skip_reasons.TENSORFLOW)
    batches = TrainingBatches(pairs, max_epochs=2, **options)
    dataset = as_tf_dataset(batches)
    inputs_spec, labels_spec = dataset.element_spec
    assert all(
        spec.shape.as_list() == [None, None] and spec.dtype.name == "int32"
        for spec in (inputs_spec["source_ids"], inputs_spec["target_ids"], labels_spec)
    )
    assert same(dataset.as_numpy_iterator(), list(batches))


def test_a_prefetching_dataset_resumes_exactly_after_used_steps(pairs, options):
    pytest.importorskip("tensorflow", reason=skip_reasons.TENSORFLOW)
    whole = list(TrainingBatches(pairs, max_epochs=2, **options))
    interrupted = TrainingBatches(pairs, max_epochs=2, **options)
    steps = interrupted.batches_in_epoch + 2
    used = list(islice(as_tf_dataset(interrupted).as_numpy_iterator(), steps))
    resumed = started(len(used), pairs, max_epochs=2, **options)
    assert same([*used, *as_tf_dataset(resumed).as_numpy_iterator()], whole)


def test_keras_takes_the_generator(pairs):
    adapters = pytest.importorskip("keras.src.trainers.data_adapters", reason=skip_reasons.TENSORFLOW)
    adapter = adapters.get_data_adapter(iter(TrainingBatches(pairs, BUDGET, seed=1)))
    first = next(iter(adapter.get_numpy_iterator()))
    assert same([first], islice(TrainingBatches(pairs, BUDGET, seed=1), 1))


def test_importing_data_does_not_import_tensorflow():
    code = "import sys, data, data.batches.pipeline; sys.exit('tensorflow' in sys.modules or 'keras' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_large_batch_takes_no_more_work_in_python_than_a_small_one():
    # Tokens a second are measured by benchmarks/pipeline_speed.py.
    def steps(count):
        batches = iter(TrainingBatches(encoded_pairs(count), batch_tokens=30 * count, seed=1, max_epochs=1))
        return python_steps(lambda: next(batches))

    assert steps(2000) == steps(20)
