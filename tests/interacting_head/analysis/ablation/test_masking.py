"""The verb `masking`, and translations under masks."""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

from data.errors import InputError
from data.text.profiles import Preprocessor
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head, Source
from interacting_head.analysis.ablation.masking import MaskedTranslation, mark, masked_scores, row_of, source_masks
from interacting_head.metrics import evaluate
from interacting_head.translation.translator import Translator
from tests.command_line import assert_refused, run
from tests.interacting_head.export.exports import LINES, subwords, trained

COMMAND = "interacting_head.analyze"
SOURCES = [*LINES["source"], "", "die katze"]
REFERENCES = [*LINES["target"], "a dog", "the cat"]
SCORE = SimpleNamespace(score=1.0, p_value=0.5, signature="signature")


def stand_in(folder, **settings):
    """Stand-in for an `AnalysedRun` of a model with random weights, and a sample."""
    one = trained(subwords(folder), **settings)
    translator = Translator(one.model, *subwords(folder), batch_size=2)
    numbers = list(range(1, len(SOURCES) + 1))
    sample = SimpleNamespace(numbers=numbers, sources=SOURCES, references=REFERENCES, name="text")
    return SimpleNamespace(name="tiny", model=one.model, translator=translator, languages=("de", "en")), sample


@pytest.mark.slow
def test_translations_are_a_masked_model_s_and_batches_are_made_once(tmp_path, monkeypatch):
    run, sample = stand_in(tmp_path, scheme="multi_layer")
    model = GatedTransformer(run.model)
    masked = MaskedTranslation(run, model, sample)
    monkeypatch.setattr(run.translator.source_subwords, "encode", None)  # nothing is encoded again
    whole, without, again = (masked.lines(mask) for mask in ([], model.sources[::2], []))
    monkeypatch.undo()
    assert whole == again != without
    assert whole[SOURCES.index("")] == ""
    for number in (1, 2):
        run.model.get_layer(f"decoder_block_{number}").cross_attention.masked_sources = (1,)
    fresh = Translator(run.model, *subwords(tmp_path))
    assert without == [best.text for best, *_ in fresh.translate(SOURCES)]


def test_scores_equal_the_evaluation_of_the_translations(tmp_path):
    run, sample = stand_in(tmp_path, encoder_layers=1, decoder_layers=1)
    masks = [(Head("cross", 1, 1),), (Head("encoder", 1, 2), Head("cross", 1, 2))]
    model = GatedTransformer(run.model)
    masked = MaskedTranslation(run, model, sample, 1)
    scores = masked.compared(masks, "")
    for mask, score in zip([(), *masks], scores, strict=True):
        expected = evaluate(masked.lines(mask), REFERENCES, ["sacrebleu"])["sacrebleu"]
        assert score.score == pytest.approx(expected.score)
        assert score.signature.replace("|bs:1000|seed:12345", "") == expected.signature
    assert scores[0].p_value is None


def test_references_have_the_case_of_the_models_output(tmp_path, monkeypatch):
    run, sample = stand_in(tmp_path, encoder_layers=1, decoder_layers=1)
    lowercased = Preprocessor("lowercased", "en")
    monkeypatch.setattr(run.translator, "target_form", lowercased)
    sample.references = [line.title() for line in REFERENCES]
    assert MaskedTranslation(run, GatedTransformer(run.model), sample).references == REFERENCES


def test_several_sources_are_masked_by_default_or_else_all_heads(tmp_path, monkeypatch):
    monkeypatch.setattr(MaskedTranslation, "compared", lambda self, masks, description: [SCORE] * (len(masks) + 1))
    run, sample = stand_in(tmp_path, scheme="multi_layer")
    scores, signature = masked_scores(run, sample)
    both = [(Source(1, number), Source(2, number)) for number in (1, 2)]
    single = [(Source(layer, number),) for layer in (1, 2) for number in (1, 2)]
    assert (list(scores), signature) == ([None, *both, *single], "signature")
    rows = [row_of("tiny", mask, score, scores[None]) for mask, score in scores.items()]
    assert [row["layer"] for row in rows] == [None, "all", "all", 1, 1, 2, 2]
    assert [row["number"] for row in rows] == [None, 1, 2, 1, 2, 1, 2]
    assert source_masks([Source(1, 1), Source(1, 2)]) == [(Source(1, 1),), (Source(1, 2),)]  # one layer is all layers
    heads, _ = masked_scores(run, sample, ["cross:2"])
    assert list(heads) == [None, (Head("cross", 2, 1),), (Head("cross", 2, 2),)]
    run, sample = stand_in(tmp_path, encoder_layers=1, decoder_layers=1)
    assert [str(*mask) for mask in masked_scores(run, sample)[0] if mask] == [
        f"{site}:1:{number}" for site in ("encoder", "decoder", "cross") for number in (1, 2)
    ]


def test_references_are_needed(tmp_path):
    run, sample = stand_in(tmp_path)
    sample.references = None
    with pytest.raises(InputError, match="BLEU needs references, and text has none; give them with -r"):
        masked_scores(run, sample, [], 1)


def test_marks_of_significance_follow_the_paper():
    assert list(map(mark, (None, 0.5, 0.05, 0.049, 0.01, 0.009))) == ["", "", "", "†", "†", "‡"]


def test_the_command_masks_every_head_and_writes_table_and_figure(folder):
    arguments = ["-m", "run", "-i", "source.de", "-r", "target.en", "-o", "masked", "--beam-size", "1"]
    result = run(folder, COMMAND, "masking", *arguments)
    assert result.code == 0, result.errors
    assert {path.name for path in (folder / "masked").iterdir()} == {
        f"masking.{suffix}" for suffix in ("json", "csv", "png", "svg")
    }
    with open(folder / "masked" / "masking.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["masked"] for row in rows] == ["nothing", *["head"] * 6]
    found = json.loads((folder / "masked" / "masking.json").read_text(encoding="utf-8"))["rows"]
    assert np.allclose([row["BLEU"] - found[0]["BLEU"] for row in found[1:]], [row["difference"] for row in found[1:]])
    assert "‡ p < 0.01" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--heads", "cross:1:3"],
            "no head matches 'cross:1:3'; heads (SITE:LAYER:HEAD, from 1): encoder:1:1-2, decoder:1:1-2, cross:1:1-2",
        ),
        (["--beam-size", "0"], "--beam-size must be at least 1, got 0"),
        (["--beam-size", "101"], "--beam-size must be at most 100, got 101"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_code_2(folder, arguments, message):
    result = run(folder, COMMAND, "masking", "-m", "run", "-i", "source.de", "-r", "target.en", *arguments)
    assert_refused(result, message)
    assert not (folder / "run" / "analysis").exists()
