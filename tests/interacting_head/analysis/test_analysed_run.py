import types

import numpy as np
import pytest

from data.errors import InputError
from data.text.subwords import END
from interacting_head.analysis.alignment import measured
from interacting_head.analysis.analysed_run import AnalysedRun, open_runs, reservoir_sample
from interacting_head.translation.inspection import Inspector
from interacting_head.translation.word_alignment import merged, words_of
from tests.interacting_head.analysis import untrained_runs
from tests.interacting_head.export import exports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    both = exports.subwords(folder)
    for name in ("one/run", "other/run"):
        (folder / name).parent.mkdir()
        untrained_runs.make(folder / name, both, scheme="dynamic_head_importance")
    untrained_runs.write_text(folder)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    return AnalysedRun(folder / "one" / "run")


def arguments(folder, references=True, **options):
    given = {"input": folder / "source.de", "reference": folder / "target.en" if references else None}
    return types.SimpleNamespace(
        **{**given, "sentences": 100, "seed": 1, "corpora_dir": None, "split": None, **options}
    )


def test_pairs_with_an_empty_side_are_left_out(folder, run):
    (folder / "gaps.en").write_text("the cat and the dog\n\nhouse and house\n\na house and a cat\n")
    sample = run.sample(arguments(folder, reference=folder / "gaps.en"))
    assert sample.numbers == [1, 3, 5]
    assert sample.notes == [f"{run.name}: skipped 2 empty sentences of {folder / 'source.de'}"]


def test_alignment_weights_heads_by_their_importance(folder, run):
    sample = run.sample(arguments(folder))
    rows, *_ = measured(run, sample, layer=2, show=0)
    assert [row["head"] for row in rows[-4:]] == ["head 2", "mean", "weighted", "mean"]
    largest = []
    for pair, seen in run.inspections(sample, attention=["cross"], head_importance=True):
        words = [words_of(pair.target_ids, run.subwords[1]), words_of(pair.source_ids, run.subwords[0])]
        attention, importance = seen.attention["cross", 2], seen.head_importance["cross", 2]
        weights = sum(importance[:, [head]] * attention[head] for head in range(2))
        largest += merged(weights, *words)[:-1, :-1].max(axis=-1).tolist()
    assert rows[-2]["largest"] == pytest.approx(np.mean(largest))
    assert rows[-2]["largest"] != rows[-3]["largest"]


@pytest.mark.slow
@pytest.mark.parametrize("references", [True, False])
def test_references_are_inspected_or_else_the_translations(folder, run, references):
    sample = run.sample(arguments(folder, references))
    assert sample.sources == [line for line in untrained_runs.SOURCES if line]
    assert (sample.numbers, sample.lines) == ([1, 2, 3, 5], 5)
    assert sample.notes == [f"{run.name}: skipped 1 empty sentence of {folder / 'source.de'}"]
    translations = [best.text for best, *_ in run.translator.translate(sample.sources)]
    expected = [line for line in untrained_runs.TARGETS if line] if references else translations
    inspector = Inspector(run.model, ["encoder", "cross"], head_importance=True)
    for text, (pair, inspection) in zip(
        expected, run.inspections(sample, attention=["encoder", "cross"], head_importance=True), strict=True
    ):
        assert pair.target == text
        [alone] = inspector.inspect([(pair.source_ids, pair.target_ids)])
        for place, weights in alone.attention.items():
            np.testing.assert_allclose(inspection.attention[place], weights, atol=1e-5)
        assert inspection.head_importance.keys() == alone.head_importance.keys()
        assert inspection.attention["cross", 1].shape[-2:] == (
            len(run.target_tokens(pair)),
            len(run.source_tokens(pair)),
        )


def test_the_encoder_alone_needs_no_translations(folder, run, monkeypatch):
    sample = run.sample(arguments(folder, references=False))
    monkeypatch.setattr(run.translator, "translate", None)
    assert [pair.target_ids for pair, _ in run.inspections(sample, attention=["encoder"])] == [[]] * 4


def test_sentences_too_long_for_the_training_are_left_out_and_counted(tmp_path, run):
    (tmp_path / "source.de").write_text("ein hund\n" + "hund " * 60 + "\n")
    sample = run.sample(arguments(tmp_path, references=False))
    assert sample.sources == ["ein hund"]
    assert "1 sentence of" in sample.notes[0]
    assert "with more than 40 sub-words" in sample.notes[0]


def test_a_text_of_long_sentences_only_is_refused(tmp_path, run):
    (tmp_path / "source.de").write_text("hund " * 60 + "\n")
    with pytest.raises(InputError, match=r"no sentence drawn from .* can be analysed: each is empty or has more than"):
        run.sample(arguments(tmp_path, references=False))


def test_a_run_without_its_text_asks_for_sentences(folder, run):
    with pytest.raises(InputError, match="or give sentences with -i"):
        run.sample(arguments(folder, input=None, reference=None))


def test_runs_are_named_by_the_shortest_ends_of_their_paths_that_differ(folder):
    assert [run.name for run in open_runs([folder / "one" / "run"])] == ["run"]
    assert [run.name for run in open_runs([folder / "one/run", folder / "other/run"])] == ["one/run", "other/run"]
    with pytest.raises(InputError, match="is named twice"):
        open_runs([folder / "one/run", folder / "one" / ".." / "one" / "run"])


def test_a_random_draw_depends_on_its_seed_and_keeps_the_order():
    items = list(range(1000))
    first, total = reservoir_sample(iter(items), 50, seed=1)
    assert total == 1000
    assert first == sorted(set(first)) == reservoir_sample(items, 50, seed=1)[0]
    assert len(first) == 50
    assert first != reservoir_sample(items, 50, seed=2)[0]
    assert reservoir_sample(items[:30], 50, seed=1) == (items[:30], 30)
    assert abs(np.mean([item for seed in range(40) for item in reservoir_sample(items, 50, seed)[0]]) - 499.5) < 25


def test_tokens_of_a_pair_label_rows_and_columns(folder, run):
    pair = next(run.pairs(run.sample(arguments(folder))))
    assert run.source_tokens(pair) == [run.subwords[0].piece(i) for i in [*pair.source_ids, END]]
    assert run.target_tokens(pair) == [run.subwords[1].piece(i) for i in [*pair.target_ids, END]]
