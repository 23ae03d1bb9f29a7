"""The verb `pruning`."""

import json

import pytest

from interacting_head.analysis.ablation.pruning import steps
from tests.command_line import assert_refused, run

COMMAND = "interacting_head.analyze"
TEXT = ["-m", "run", "-i", "source.de", "-r", "target.en", "--beam-size", "1"]
TRAINED = ["-m", "trained", "-i", "dev.de", "-r", "dev.en", "--beam-size", "1"]
WRONG = {
    "no importance": (["--order", "importance"], "run: this model has no head importance"),
    "an unknown head": (["--order", "random", "--heads", "cross:2"], "no head matches 'cross:2'; heads "),
    "no steps": (["--steps", "0"], "--steps must be at least 1, got 0"),
    "no head to remove": (["--remove", "0", "--order", "random"], "--remove must be at least 1, got 0"),
    "too many to remove": (["--remove", "7", "--order", "random"], "--remove 7: the order random has only 6 heads"),
    "two orders": (
        ["--remove", "1", "--order", "random", "gradient"],
        "--remove needs exactly one run (-m) and one --order",
    ),
    "no order": (["--remove", "1"], "--remove needs exactly one run (-m) and one --order"),
    "a place without a run": (["--output-run", "x"], "--output-run is the folder that --remove N writes; give both"),
    "a place that is taken": (
        ["--remove", "1", "--order", "random", "--output-run", "run"],
        "run exists and is not an empty folder; choose another folder, or remove this one first",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_one_line_and_exit_code_2(folder, name):
    arguments, message = WRONG[name]
    before = set(folder.rglob("*"))
    assert_refused(run(folder, COMMAND, "pruning", *TEXT, *arguments), message)
    assert {path for path in folder.rglob("*") if "cache" not in path.parts} <= before


def test_a_scheme_that_cannot_be_pruned_is_refused_at_once(folder):
    arguments = ["-m", "talking", "-i", "source.de", "-r", "target.en", "--order", "importance", "--remove", "1"]
    reason = "heads of talking_heads cannot be removed: each mixes the logits and weights of all others"
    assert_refused(run(folder, COMMAND, "pruning", *arguments), reason)
    assert not (folder / "talking-without-1-heads").exists()


def test_bleu_needs_references(folder):
    result = run(folder, COMMAND, "pruning", "-m", "run", "-i", "source.de")
    assert_refused(result, "BLEU needs references, and source.de has none; give them with -r")


def test_steps_are_evenly_spread_up_to_all_heads():
    assert steps(72, 4) == [18, 36, 54, 72]
    assert steps(3, 8) == [1, 2, 3]
    assert steps(5, 1) == [5]


@pytest.mark.slow
def test_heads_go_by_gradient_and_a_pruned_run_translates_as_a_masked_one(workplace):
    result = run(workplace, COMMAND, "pruning", *TRAINED, "--steps", "3", "-o", "curves")
    assert result.code == 0, result.errors
    found = json.loads((workplace / "curves" / "pruning.json").read_text(encoding="utf-8"))
    assert [(row["order"], row["gone"], row["left"]) for row in found["rows"]] == [
        (order, gone, 6 - gone) for order in ("gradient", "random") for gone in (0, 2, 4, 6)
    ]
    order = found["orders"]["trained"]["gradient"]
    assert list(order.values()) == sorted(order.values())
    assert (workplace / "curves" / "pruning.svg").is_file()

    removal = ["--order", "gradient", "--remove", "3", "--output-run", "pruned"]
    result = run(workplace, COMMAND, "pruning", *TRAINED, *removal, "-o", "removed")
    assert result.code == 0, result.errors
    rows = json.loads((workplace / "removed" / "pruning.json").read_text(encoding="utf-8"))["rows"]
    record = json.loads((workplace / "pruned" / "pruning.json").read_text(encoding="utf-8"))
    assert record == {"run": "trained", "removed": sorted(list(order)[:3])}

    translate = ["-m", "pruned", "-i", "dev.de", "--beam-size", "1"]
    translated = run(workplace, "translate.py", *translate, "-o", "pruned.en")
    assert translated.code == 0, translated.errors
    scored = run(workplace, "eval_metrics.py", "-i", "pruned.en", "-r", "dev.en", "-m", "sacrebleu", "--json")
    assert json.loads(scored.output)["sacrebleu"]["score"] == pytest.approx(rows[1]["BLEU"])

    exported = run(workplace, "interacting_head.export", "-m", "pruned", "--format", "keras", "-o", "exported")
    assert exported.code == 0, exported.errors
    pruned, trained = ((workplace / name / "best.weights.h5").stat().st_size for name in ("pruned", "trained"))
    assert pruned < trained
    again = run(workplace, COMMAND, "pruning", *TRAINED, *removal)
    assert_refused(again, "pruned exists and is not an empty folder; choose another folder, or remove this one first")
