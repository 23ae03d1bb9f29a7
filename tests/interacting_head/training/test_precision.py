"""The resolution of `train.precision: auto`."""

import pytest

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import ExperimentConfig, override
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training import precision

AUTO = override(ExperimentConfig(), ["train.precision=auto"])


@pytest.mark.parametrize(("has_it", "expected"), [(True, "mixed_bfloat16"), (False, "float32")])
def test_a_new_run_takes_bfloat16_where_the_device_has_it(monkeypatch, has_it, expected):
    monkeypatch.setattr(precision, "multiplies_bfloat16", lambda: has_it)
    assert precision.resolved(AUTO).train.precision == expected


@pytest.mark.parametrize("begun_with", ["mixed_bfloat16", "float32"])
def test_a_run_continues_in_the_precision_it_was_begun_with(monkeypatch, tmp_path, begun_with):
    monkeypatch.setattr(precision, "multiplies_bfloat16", lambda: begun_with == "float32")
    run = RunDirectory(tmp_path / "run")
    run.create_or_check(override(AUTO, [f"train.precision={begun_with}"]))
    resolved = precision.resolved(AUTO, run)
    assert resolved.train.precision == begun_with
    assert not run.create_or_check(resolved)


def test_a_run_whose_precision_became_auto_is_refused(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.create_or_check(AUTO)
    with pytest.raises(InputError, match="has lost the run's train"):
        precision.resolved(AUTO, run)


def test_a_precision_that_is_not_auto_stays():
    config = override(AUTO, ["train.precision=mixed_float16"])
    assert precision.resolved(config) is config


def test_the_bfloat16_check_answers_on_every_machine():
    assert precision.multiplies_bfloat16() in (True, False)


@pytest.mark.parametrize(
    ("name", "assignments"),
    [("quickstart", ["train.seed=2", "data.seed=3"]), (None, ["train.seed=2", "data.seed=3", "quickstart"])],
)
def test_the_recipe_may_follow_the_values_of_set(name, assignments):
    config, run_name = recipes.resolve(name, assignments, {})
    assert (run_name, config.train.seed, config.data.seed) == ("quickstart", 2, 3)


def test_an_argument_of_set_without_an_equals_sign_is_an_error():
    with pytest.raises(InputError, match=r"--set takes KEY=VALUE, such as model.dropout=0.2, got 'quickstrat'"):
        recipes.resolve(None, ["train.seed=2", "quickstrat"], {})
