"""Model cards, read by the library of the hub that they are for."""

import dataclasses
import json

import pytest
import yaml

from interacting_head.config import override
from interacting_head.export import FORMATS, convert
from interacting_head.export.model_card import LIBRARIES, model_card
from interacting_head.export.trained_model import TrainedModel
from interacting_head.runs.exports import ExportRecord
from interacting_head.runs.run_directory import RunDirectory
from tests import skip_reasons
from tests.interacting_head.export import exports

RECORD = ExportRecord("keras", "best", "0" * 64, "float32", "0.1")


@pytest.fixture(scope="module")
def trained(workplace):
    return TrainedModel.of(RunDirectory.open(workplace / "trained"))


def card_of(trained, record=RECORD, options=()):
    return model_card(trained, record, "Load it.", dict(options))


def front_matter(card):
    _, front, text = card.split("---\n", 2)
    return yaml.safe_load(front), text


def test_every_format_has_a_library():
    assert LIBRARIES.keys() == FORMATS.keys()


def test_the_hub_reads_the_card_of_an_export(workplace, tmp_path):
    hub = pytest.importorskip("huggingface_hub", reason=skip_reasons.TRANSFORMERS)
    folder = convert(workplace / "trained", "keras", tmp_path / "out")
    card = hub.ModelCard.load(folder / "README.md")
    metrics = json.loads((workplace / "trained" / "metrics.json").read_text())
    assert card.data.language == ["de", "en"]
    assert (card.data.library_name, card.data.pipeline_tag) == ("keras", "translation")
    assert card.data.tags == ["translation", "interacting_head"]
    assert card.data.license is None
    [result] = card.data.eval_results
    assert isinstance(result, hub.EvalResult)
    assert (result.task_type, result.metric_type, result.dataset_split) == ("translation", "sacrebleu", "dev")
    assert result.metric_value == round(metrics["best"]["bleu"], 2)
    again = hub.ModelCardData(**yaml.safe_load(card.data.to_yaml()))
    assert again.eval_results == card.data.eval_results


def test_a_card_of_no_run_holds_the_model_only(tmp_path):
    matter, text = front_matter(card_of(exports.trained(exports.subwords(tmp_path))))
    assert matter.keys() == {"library_name", "pipeline_tag", "tags"}
    assert "## Training" not in text
    assert "## Scores" not in text
    assert "Load it." in text
    assert "| sub-words | 280 (shared) |" in text


def test_scores_are_those_of_the_weights(workplace, trained):
    metrics = json.loads((workplace / "trained" / "metrics.json").read_text())
    log = [json.loads(line) for line in (workplace / "trained" / "log.jsonl").read_text().splitlines()]
    for name, scores in (("best", metrics["best"]), ("average", metrics["average"]), ("step-40", log[0])):
        matter, text = front_matter(card_of(dataclasses.replace(trained, checkpoint=name)))
        [[metric]] = [result["metrics"] for result in matter["model-index"][0]["results"]]
        assert metric["value"] == round(scores["bleu"], 2)
        assert f"| checkpoint | {name} |" in text


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"steps": 9}', '{"best": 3}', '{"steps": 500, "best": {"bleu": "x"}}']
)
def test_scores_that_are_not_recorded_are_left_out(workplace, trained, tmp_path, content):
    (tmp_path / "run").mkdir()
    for name in ("VERSION", "config.yaml", "text.json", "log.jsonl"):
        (tmp_path / "run" / name).write_bytes((workplace / "trained" / name).read_bytes())
    (tmp_path / "run" / "metrics.json").write_text(content)
    run = type(trained.run)(tmp_path / "run")
    matter, text = front_matter(card_of(dataclasses.replace(trained, run=run)))
    assert not {"metrics", "model-index"} & matter.keys()
    assert "## Scores" not in text


@pytest.mark.parametrize(
    ("corpus", "datasets"),
    [("multi30k", ["multi30k"]), ("multi30k*2+tatoeba_en-de", ["multi30k", "tatoeba_en-de"]), ("mine", None)],
)
def test_known_corpora_are_named_with_their_licences(trained, corpus, datasets):
    config = override(trained.config, [f"data.corpus={corpus}"])
    matter, text = front_matter(card_of(dataclasses.replace(trained, config=config)))
    assert matter.get("datasets") == datasets
    assert matter["model-index"][0]["results"][0]["dataset"] == {"name": corpus, "type": corpus, "split": "dev"}
    assert ("Elliott et al. 2016" in text) == (datasets is not None)
    assert text.count("| licence of ") == len(datasets or [])


@pytest.mark.parametrize(("code", "languages"), [("no", ["de", "no"]), ("Neu: x", ["de"])])
def test_languages_are_text_also_where_yaml_knows_the_word(trained, code, languages):
    config = override(trained.config, ["data.source_language=de"])
    config = dataclasses.replace(config, data=dataclasses.replace(config.data, target_language=code))
    matter, _ = front_matter(card_of(dataclasses.replace(trained, config=config)))
    assert matter["language"] == languages


def test_the_command_is_the_one_that_was_given(trained):
    record = dataclasses.replace(RECORD, format="savedmodel", checkpoint="average")
    text = card_of(trained, record, {"beam_size": 3, "ids_only": True})
    command = "interacting-head export -m trained --format savedmodel --checkpoint average --beam-size 3"
    assert f"```bash\n{command} --ids-only\n```" in text
    assert str(trained.run.path.parent) not in text
