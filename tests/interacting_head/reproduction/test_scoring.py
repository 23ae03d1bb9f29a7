"""Scores of translations, against `interacting_head.metrics.evaluate`; translations and scores that are kept."""

import gzip
import json
import subprocess
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import pytest

from data.text.parallel_text import ParallelText
from data.text.profiles import RAW_TEXT, Preprocessor, detokenize, tokenize
from interacting_head.config import ExperimentConfig
from interacting_head.console import RunError
from interacting_head.metrics import METRICS, MetricUnavailable, evaluate
from interacting_head.reproduction import scoring
from interacting_head.reproduction.scoring import SOURCE_LENGTH, missing_of, record_of, score_run, scores_of

HYPOTHESES = ["He isn't here, is he?", "The dog's house costs 1.50 €.", 'A "small" Dog sees it!', "", "No (really)."]
REFERENCES = ["He is not here, is he?", "The dog's house costs 2.50 €.", "A small dog sees it.", "Yes!", "No (really)."]
OF_TEXT, OF_TOKENS = ("sacrebleu", "chrf", "ter"), ("bleu", "wer", "wer_paper", "rouge_l", "cider", "yisi0")


def stand_in(form=RAW_TEXT, path=None, language="en"):
    """Stand-in for a `RunDirectory`."""
    data = types.SimpleNamespace(profile=form.profile, corpus="tiny", source_language="de", target_language=language)
    config = types.SimpleNamespace(data=data)
    forms, metrics = (form, form), {"steps": 60}
    subwords = types.SimpleNamespace(encode=lambda lines: [list(line) for line in lines])  # of single characters
    return types.SimpleNamespace(
        text_forms=lambda: forms,
        config=config,
        path=path,
        translation_path=lambda split: path / "translations" / f"{split}.{language}.gz",
        read_json=lambda name: metrics,
        subwords=lambda: (subwords, subwords),
    )


def assert_scores(found, hypotheses, references, metrics, language="en"):
    for name, result in evaluate(hypotheses, references, metrics, language=language).items():
        assert found[name] == {"score": pytest.approx(result.score), "signature": result.signature}, name


@pytest.mark.parametrize("language", ["en", "de"])
def test_raw_text_is_scored_raw_by_sacrebleu_and_tokenised_by_others(language):
    found, statistics = scores_of(stand_in(language=language), HYPOTHESES, REFERENCES, (*OF_TEXT, *OF_TOKENS))
    assert_scores(found, HYPOTHESES, REFERENCES, OF_TEXT, language)
    tokens = [[tokenize(language, line) for line in lines] for lines in (HYPOTHESES, REFERENCES)]
    assert_scores(found, *tokens, OF_TOKENS, language)
    assert set(statistics) == {*OF_TEXT, *OF_TOKENS}
    assert all(len(rows) == len(HYPOTHESES) for rows in statistics.values())


def test_tokens_are_scored_as_they_are_and_by_sacrebleu_as_text():
    hypotheses = [tokenize("en", line) for line in HYPOTHESES]
    found, _ = scores_of(stand_in(Preprocessor("tokenized", "en")), hypotheses, REFERENCES, (*OF_TEXT, *OF_TOKENS))
    assert_scores(found, [detokenize("en", line) for line in hypotheses], REFERENCES, OF_TEXT)
    assert_scores(found, hypotheses, [tokenize("en", line) for line in REFERENCES], OF_TOKENS)


def test_small_letters_are_compared_with_references_in_small_letters():
    hypotheses = [tokenize("en", line).lower() for line in HYPOTHESES]
    found, _ = scores_of(stand_in(Preprocessor("lowercased", "en")), hypotheses, REFERENCES, (*OF_TEXT, *OF_TOKENS))
    text = [detokenize("en", line) for line in hypotheses]
    assert_scores(found, text, [line.lower() for line in REFERENCES], OF_TEXT)
    assert_scores(found, hypotheses, [tokenize("en", line).lower() for line in REFERENCES], OF_TOKENS)


def test_yisi_1_is_computed_with_the_vectors_that_are_given(tmp_path):
    words = sorted({word for line in (*HYPOTHESES, *REFERENCES) for word in tokenize("en", line).split()})
    vectors = [f"{word} {' '.join(str(int(other == word)) for other in words)}" for word in words]
    (tmp_path / "vectors").write_text("\n".join([f"{len(words)} {len(words)}", *vectors, ""]), encoding="utf-8")
    path = str(tmp_path / "vectors")
    found, statistics = scores_of(stand_in(), HYPOTHESES, REFERENCES, ("yisi1",), path)
    tokens = [[tokenize("en", line) for line in lines] for lines in (HYPOTHESES, REFERENCES)]
    assert found["yisi1"]["score"] == evaluate(*tokens, ["yisi1"], language="en", embedder=path)["yisi1"].score > 0
    assert set(statistics) == {"yisi1"}


def test_a_perfect_translation_in_any_form_has_100_per_cent():
    for form in (Preprocessor("tokenized", "en"), Preprocessor("lowercased", "en")):
        perfect = [form.preprocess(line) for line in REFERENCES]
        found, _ = scores_of(stand_in(form), perfect, REFERENCES, ("sacrebleu", "bleu", "wer"))
        assert [found[name]["score"] for name in found] == pytest.approx([100, 100, 0])


class Missing:
    """A metric whose program is not installed, or breaks."""

    def __init__(self, options):
        if not self.is_installed:
            raise MetricUnavailable("no program; install it")

    def statistics(self, hypotheses, references):
        raise MetricUnavailable("the program ended")

    is_installed = False


@pytest.fixture
def metrics(monkeypatch):
    """Two metrics that are unavailable: from the start, or with the first line."""
    broken = type("Broken", (Missing,), {"is_installed": True})
    for name, metric in (("not_there", Missing), ("broken", broken)):
        monkeypatch.setitem(METRICS, name, metric)
    scoring.is_available.cache_clear()
    yield
    scoring.is_available.cache_clear()


def test_unavailable_metrics_are_recorded_and_the_others_computed(metrics):
    found, statistics = scores_of(stand_in(), HYPOTHESES, REFERENCES, ("not_there", "broken", "sacrebleu"))
    assert found["not_there"] == {"unavailable": "no program; install it"}
    assert found["broken"] == {"unavailable": "the program ended"}
    assert_scores(found, HYPOTHESES, REFERENCES, ("sacrebleu",))
    assert set(statistics) == {"sacrebleu"}


def test_a_metric_with_a_score_or_an_unavailable_one_is_not_missing(metrics):
    unavailable = {"unavailable": "no program; install it"}
    assert missing_of({}, ("sacrebleu", "not_there")) == ["sacrebleu", "not_there"]
    assert missing_of({"sacrebleu": {"score": 1.0}, "not_there": unavailable}, ("sacrebleu", "not_there")) == []
    assert missing_of({"bleu": unavailable}, ("bleu",)) == ["bleu"]  # which has become available


def test_yisi_1_is_missing_once_its_vectors_are_there(tmp_path):
    unavailable, path = {"yisi1": {"unavailable": "no vectors"}}, tmp_path / "vectors.txt"
    path.write_text("1 2\na 1.0 0.5\n")
    assert missing_of(unavailable, ("yisi1",)) == []
    assert missing_of(unavailable, ("yisi1",), str(tmp_path / "typo")) == []
    assert missing_of(unavailable, ("yisi1",), str(path)) == ["yisi1"]


class Engine:
    """Stand-in for `translate.py`: each translation is its source in capital letters."""

    def __init__(self):
        self.calls = []

    def __call__(self, arguments, log, environment=None):
        self.calls.append((arguments, environment))
        source, output, summary = (arguments[arguments.index(option) + 1] for option in ("-i", "-o", "--summary"))
        text = source.read_text(encoding="utf-8").upper()
        output.write_bytes(gzip.compress(text.encode(), mtime=0))
        summary.write_text(json.dumps({"sentences": text.count("\n"), "tokens": 9, "seconds": 0.5}))


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """A run, its corpus of two splits, and a function that scores it with an `Engine`."""
    run, engine = stand_in(path=tmp_path / "run"), Engine()
    run.path.mkdir()
    texts = {}
    for split in ("one", "two"):
        paths = [tmp_path / f"{split}.{language}" for language in ("de", "en")]
        paths[0].write_text(f"ein hund von {split}\nnoch ein hund\n", encoding="utf-8")
        paths[1].write_text(f"EIN HUND VON {split}\nNOCH EIN HUND\n", encoding="utf-8")
        texts[split] = ParallelText(*paths)
    corpus = types.SimpleNamespace(split=texts.__getitem__)
    monkeypatch.setattr(scoring, "call", engine)
    monkeypatch.setattr(scoring, "open_corpus", lambda *arguments: corpus)
    monkeypatch.setattr(scoring.RunDirectory, "open", lambda path: run)
    monkeypatch.setattr(scoring, "record_of", lambda run: {"steps": 3})
    return types.SimpleNamespace(run=run, engine=engine)


def test_splits_of_a_test_set_are_scored_as_one(scored):
    record, statistics = score_run("run", {"test": ("one", "two")}, ("sacrebleu", "bleu"))
    assert record["steps"] == 3
    hypotheses = ["EIN HUND VON ONE", "NOCH EIN HUND", "EIN HUND VON TWO", "NOCH EIN HUND"]
    references = ["EIN HUND VON one", "NOCH EIN HUND", "EIN HUND VON two", "NOCH EIN HUND"]
    assert_scores(record["scores"]["test"], hypotheses, references, ("sacrebleu", "bleu"))
    assert statistics["test", SOURCE_LENGTH].tolist() == [[16], [13], [16], [13]]
    rows = {key: len(rows) for key, rows in statistics.items()}
    assert rows == {("test", name): 4 for name in ("sacrebleu", "bleu", SOURCE_LENGTH)}


def test_translations_are_stored_compressed_and_made_once(scored):
    for _ in range(2):
        score_run("run", {"test": ("one",)}, ("sacrebleu",), environment={"CUDA_VISIBLE_DEVICES": "3"})
    [(arguments, environment)] = scored.engine.calls
    assert arguments[0] == "translate"
    assert "--keep-tokenized" not in arguments
    assert environment == {"CUDA_VISIBLE_DEVICES": "3"}
    stored = scored.run.path / "translations" / "one.en.gz"
    assert gzip.decompress(stored.read_bytes()) == b"EIN HUND VON ONE\nNOCH EIN HUND\n"


def test_a_record_says_what_a_run_costs(scored):
    for splits in (("one",), ("one", "two")):
        score_run("run", {"+".join(splits): splits}, ("sacrebleu",))
    log = [{"seconds": 9.0, "tokens_per_second": speed} for speed in (50, 100, 400)]
    metrics = {"steps": 60, "best_step": 60, "parameters": 7, "tokens_per_epoch": 2000, "peak_memory": 5}
    run = scored.run
    run.config, run.read_json, run.read_log = ExperimentConfig(), lambda name: metrics, lambda: log
    record = record_of(run)
    costs = {key: record[key] for key in ("parameters", "epoch_seconds", "sentences_per_second", "peak_memory")}
    assert costs == {"parameters": 7, "epoch_seconds": 20.0, "sentences_per_second": 4.0, "peak_memory": 5}


def test_translations_in_tokens_are_stored_as_such(scored):
    form = Preprocessor("tokenized", "en")
    scored.run.text_forms = lambda: (form, form)
    scored.run.config.data.profile = "tokenized"
    score_run("run", {"test": ("one",)}, ("sacrebleu",))
    [(arguments, _)] = scored.engine.calls
    assert "--keep-tokenized" in arguments


def test_a_further_metric_or_test_set_keeps_the_former_scores(scored):
    former, statistics = score_run("run", {"a": ("one",)}, ("sacrebleu",))
    former["scores"]["a"]["sacrebleu"]["score"] = 12.5  # recognisable
    record, more = score_run("run", {"a": ("one",), "b": ("two",)}, ("sacrebleu", "bleu"), None, former, statistics)
    assert list(record["scores"]) == ["a", "b"]
    assert all(set(scores) == {"sacrebleu", "bleu"} for scores in record["scores"].values())
    assert record["scores"]["a"]["sacrebleu"]["score"] == 12.5
    assert set(more) == {(test, name) for test in "ab" for name in ("sacrebleu", "bleu", SOURCE_LENGTH)}
    assert more["a", "sacrebleu"] is statistics["a", "sacrebleu"]
    assert set(former["scores"]["a"]) == {"sacrebleu"}
    assert len(scored.engine.calls) == 2  # a split each


def test_a_record_names_the_processor_that_translated(scored, monkeypatch):
    former, statistics = score_run("run", {"a": ("one",)}, ("sacrebleu",))
    former["processor"] = "a former one"  # and an earlier search, since it says nothing of it
    monkeypatch.setattr(scoring, "record_of", lambda run: {"steps": 3, "processor": "this", "search_ends": "late"})
    record, _ = score_run("run", {"a": ("one",)}, ("sacrebleu", "bleu"), None, former, statistics)
    assert {**record, "scores": None} == {"steps": 3, "processor": "a former one", "scores": None}
    record, _ = score_run("run", {"a": ("one",), "b": ("two",)}, ("sacrebleu",), None, former, statistics)
    assert (record["processor"], record["search_ends"]) == ("this", "late")


def test_a_script_that_fails_is_an_error_with_its_last_line(tmp_path):
    (tmp_path / "log").write_text("of before\n")
    with pytest.raises(scoring.RunError, match=r"translate ended with code 2: error: .*none") as error:
        scoring.call(["translate", "-m", tmp_path / "none"], tmp_path / "log")
    assert str(error.value).endswith(f"(see {tmp_path / 'log'})")
    assert (tmp_path / "log").read_text(encoding="utf-8").startswith("of before\n")


ENDLESS = "import time; print('at work', flush=True); time.sleep(600)"


def test_a_signal_ends_the_script_that_is_waited_for(tmp_path, monkeypatch):
    waited, wait = [], subprocess.Popen.wait

    def interrupted(process):
        waited.append(process)
        raise SystemExit(143)

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(SystemExit):
        scoring.call(["serve", "--help"], tmp_path / "log")
    assert wait(waited[0]) == -15
    assert not scoring.RUNNING


def test_scripts_that_are_running_can_be_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scoring, "STOPPED", threading.Event())
    (tmp_path / "interacting_head").mkdir()
    (tmp_path / "interacting_head" / "__init__.py").touch()
    (tmp_path / "interacting_head" / "__main__.py").write_text(ENDLESS)
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(scoring.call, ["train"], tmp_path / "log")
        while not (tmp_path / "log").is_file() or "at work" not in (tmp_path / "log").read_text():
            assert not ending.done()
            time.sleep(0.01)
        scoring.stop_running()
        with pytest.raises(RunError, match=r"train ended with code -15: at work \(see"):
            ending.result()
    assert not scoring.RUNNING
    with pytest.raises(RunError, match="was not started, because all runs were stopped"):
        scoring.call(["train"], tmp_path / "log")


def test_a_training_that_was_stopped_is_neither_translated_nor_scored(scored):
    scored.run.read_json = lambda name: None
    with pytest.raises(RunError, match="the training in run was stopped before it finished"):
        score_run("run", {"test": ("one",)}, ("sacrebleu",))
    assert not scored.engine.calls
