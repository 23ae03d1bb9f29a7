"""The BLEU that the papers print: three commands, and multi-bleu's arithmetic by hand."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from data import prepare
from data.text.profiles import PROFILES
from tests import skip_reasons, tiny_corpus
from tests.command_line import run

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"


def multi_bleu(hypotheses, references):
    """multi-bleu.perl's score: clipped n-grams of all lines, n up to 4, and the brevity penalty."""
    correct, total, lengths = Counter(), Counter(), Counter()
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        hypothesis, reference = hypothesis.split(), reference.split()
        lengths.update(hypotheses=len(hypothesis), references=len(reference))
        for n in range(1, 5):
            found, allowed = (Counter(zip(*(x[i:] for i in range(n)), strict=False)) for x in (hypothesis, reference))
            total[n] += sum(found.values())
            correct[n] += sum((found & allowed).values())
    precision = math.exp(sum(math.log(correct[n] / total[n]) for n in range(1, 5)) / 4)
    return 100 * min(1, math.exp(1 - lengths["references"] / lengths["hypotheses"])) * precision


def bleu(folder, hypotheses, references):
    """The score that the third command prints."""
    evaluated = run(folder, "eval_metrics.py", "-i", hypotheses, "-r", references, "-m", "bleu", "--json")
    assert evaluated.code == 0, evaluated.errors
    return json.loads(evaluated.output)["bleu"]["score"]


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("profile", PROFILES)
def test_references_score_100_against_themselves_in_every_form(tmp_path, monkeypatch, profile):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "corpora" / "tiny"
    folder.mkdir(parents=True)
    tiny_corpus.write_corpus(folder, words=(5, 9))
    arguments = ["--profile", profile, "--vocabulary-size", "300", "--output-dir", str(tmp_path / "prepared")]
    languages = ["--source-language", "de", "--target-language", "en"]
    prepare.main(["tiny", *languages, *arguments, "--corpora-dir", str(folder.parent)])
    reference = tmp_path / "prepared" / "dev.en"
    assert f"{bleu(tmp_path, reference, reference):.2f}" == "100.00"
    is_tokenized = lines(reference)[0].endswith(" .")
    assert is_tokenized == (profile != "raw")


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason=skip_reasons.CORPORA)
def test_a_tokenised_run_of_multi30k_scores_what_multi_bleu_would(tmp_path, monkeypatch):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    languages = ["data.corpus=multi30k", "data.source_language=de", "data.target_language=en"]
    settings = [*tiny_corpus.SETTINGS, *languages, "data.profile=truecased", "data.max_words=80", "data.max_ratio=9"]
    larger = ["data.vocabulary_size=4000", "train.batch_tokens=2048", "train.max_steps=150", "model.model_dim=128"]
    rest = [
        "train.validation_interval=150",
        "train.learning_rate=0.003",
        "train.warmup_steps=30",
        "train.validation_bleu=false",
    ]
    run_dir, corpora = tmp_path / "run", ["--corpora-dir", CORPORA]
    assignments = [*settings, *larger, *rest, "train.best_metric=loss"]
    (tmp_path / "empty.yaml").write_text("{}\n")
    trained = run(tmp_path, "train.py", tmp_path / "empty.yaml", *corpora, "--run-dir", run_dir, "--set", *assignments)
    assert trained.code == 0, trained.errors
    prepared = ["multi30k", "--source-language", "de", "--target-language", "en", "--profile", "truecased"]
    prepared += ["--max-words", "80", "--max-ratio", "9", "--output-dir", str(tmp_path / "prepared")]
    prepare.main([*prepared, "--corpora-dir", str(CORPORA)])
    source = CORPORA / "multi30k" / "test_2016_flickr.de.gz"
    translated = run(
        tmp_path, "translate.py", "-m", run_dir, "-i", source, "-o", tmp_path / "hypotheses", "--keep-tokenized"
    )
    assert translated.code == 0, translated.errors
    reference = tmp_path / "prepared" / "test_2016_flickr.en"
    expected = multi_bleu(lines(tmp_path / "hypotheses"), lines(reference))
    assert expected > 1
    assert bleu(tmp_path, tmp_path / "hypotheses", reference) == pytest.approx(expected, abs=1e-9)
