"""eval_metrics.py through the real command line."""

import gzip
import json
import os
import subprocess
import sys

import pytest

from tests.command_line import ROOT, run

SENTENCE = "the cat sat on the mat"


def eval_metrics(*arguments, stdin=b"", fresh=False):
    """Run the script and return exit code, standard output and standard error."""
    return run(ROOT, "eval_metrics.py", *arguments, stdin=stdin, fresh=fresh)


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file of the given name and returns its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write_file


def scores(output):
    return {name: result["score"] for name, result in json.loads(output).items()}


def test_the_table_shows_score_definition_and_signature(write):
    hypotheses = write("hyp.txt", f"{SENTENCE}\n")
    references = write("ref.txt", "the cat sat on a mat\n")
    code, output, errors = eval_metrics("-i", hypotheses, "-r", references, fresh=True)
    assert (code, errors) == (0, "")
    assert "bleu        53.73  BLEU-4 as multi-bleu.perl" in output
    assert "sacrebleu   53.73  BLEU-4 of sacrebleu: 13a" in output
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in output


@pytest.mark.parametrize("input_arguments", [[], ["-i", "-"]])
def test_hypotheses_come_from_standard_input_and_files_may_be_gzipped(write, input_arguments):
    reference = write("ref.gz", gzip.compress(f"{SENTENCE}\n".encode()))
    code, output, _ = eval_metrics(*input_arguments, "-r", reference, "--json", stdin=SENTENCE.encode())
    assert code == 0
    assert scores(output) == pytest.approx({"bleu": 100, "sacrebleu": 100})


def test_windows_line_ends_and_unicode_separators_keep_lines_aligned(write):
    # Two lines, not five
    hypotheses = write("hyp.txt", "a b c d\r\ne f\u2028g h\u0085i j\x0ck l\n")
    references = write("ref.txt", "a b c d\ne f\u2028g h\u0085i j\x0ck l\n")
    code, output, _ = eval_metrics("-i", hypotheses, "-r", references, "--json")
    assert code == 0
    assert scores(output) == pytest.approx({"bleu": 100, "sacrebleu": 100})


def test_several_references_metrics_and_options_are_taken(write):
    hypotheses = write("hyp.txt", "The cat sat, here\n")
    references = [write("ref1.txt", "a dog stood there now\n"), write("ref2.txt", "the cat sat, here\n")]
    arguments = ["-i", hypotheses, "-r", *references, "-m", "sacrebleu", "--json"]
    _, output, _ = eval_metrics(*arguments, "--lowercase", "--tokenized")
    result = json.loads(output)["sacrebleu"]
    assert set(result) == {"score", "definition", "signature"}
    assert result["score"] == pytest.approx(100)
    assert result["signature"].startswith("nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:")


def test_sentence_scores_are_printed_on_request(write):
    hypotheses, references = write("hyp.txt", f"{SENTENCE}\n\n"), write("ref.txt", f"{SENTENCE}\nwhat\n")
    _, output, _ = eval_metrics("-i", hypotheses, "-r", references, "--sentence-level")
    assert output.splitlines()[-3:] == ["sentence\tbleu\tsacrebleu", "1\t100.00\t100.00", "2\t0.00\t0.00"]
    _, output, _ = eval_metrics("-i", hypotheses, "-r", references, "--sentence-level", "--json")
    assert json.loads(output)["bleu"]["sentence_scores"] == pytest.approx([100, 0])


def test_empty_translations_score_zero(write):
    code, output, _ = eval_metrics("-i", write("hyp.txt", "\n\n"), "-r", write("ref.txt", "a\nb\n"), "--json")
    assert code == 0
    assert scores(output) == {"bleu": 0, "sacrebleu": 0}


def test_other_translations_are_compared_with_p_values_and_intervals(write):
    lines = [f"this is sentence {number} of a longer test set" for number in range(40)]
    reference = write("ref.txt", "\n".join(lines))
    worse = write("worse.txt", "\n".join(line.replace("a longer", "the") for line in lines))
    arguments = ["-i", reference, "-r", reference, "-m", "bleu", "--compare", worse, reference]
    code, output, _ = eval_metrics(*arguments, "--json")
    assert code == 0
    comparison = json.loads(output)["bleu"]["comparison"]
    assert [system["system"] for system in comparison] == [str(reference), str(worse), str(reference)]
    assert [system["p_value"] for system in comparison] == [None, pytest.approx(1 / 1001), 1]
    assert [system["wins"] for system in comparison] == [None, 0, 0]
    _, output, _ = eval_metrics(*arguments)
    assert "95 % confidence interval" in output
    assert "0.0010" in output


def test_resamples_can_follow_compare_mt(write):
    lines = [f"this is sentence {number} of a longer test set" for number in range(40)]
    reference = write("ref.txt", "\n".join(lines))
    other = write("other.txt", "\n".join(["", *lines[1:]]))
    arguments = ["-i", reference, "-r", reference, "-m", "wer", "--compare", other, "--json"]
    _, output, _ = eval_metrics(*arguments, "--resampling", "compare-mt", "--seed", "1234")
    system = json.loads(output)["wer"]["comparison"][1]
    assert "|bs:1000|seed:1234|size:0.5|" in system["signature"]
    # Twenty of 40 sentences are drawn: how often one of them is not.
    assert 1 - system["losses"] == pytest.approx((39 / 40) ** 20, abs=0.05)


def test_scores_by_source_length_are_printed_with_a_source(write):
    reference = write("ref.txt", "a b c d\ne f g h\n")
    hypotheses = write("hyp.txt", "a b c d\nw x y z\n")
    source = write("src.gz", gzip.compress(b"short\n" + b"w " * 50 + b"\n"))
    arguments = ["-i", hypotheses, "-r", reference, "--source", source, "-m", "ter"]
    _, output, _ = eval_metrics(*arguments, "--json")
    groups = json.loads(output)["ter"]["source_lengths"]
    assert [group["sentences"] for group in groups] == [1, 0, 0, 0, 1, 0]
    assert [group["scores"][0]["score"] for group in groups] == [0, None, None, None, 100, None]
    _, output, _ = eval_metrics(*arguments)
    last = output.splitlines()[-1].split()
    assert last == ["ter", str(hypotheses), "0.00", "–", "–", "–", "100.00", "–"]


def test_markdown_tables_have_the_same_number_of_cells_in_each_row(write):
    path = write("text.txt", "it rains | today\nthe sun shines today\n")
    arguments = ["-i", path, "-r", path, "-m", "bleu", "wer", "--compare", path, "--source", path]
    code, output, _ = eval_metrics(*arguments, "--markdown", "--sentence-level")
    assert code == 0
    tables = [part.splitlines() for part in output.split("\n\n") if part.startswith("|")]
    assert len(tables) == 4
    for table in tables:
        assert len({row.replace("\\|", "").count("|") for row in table}) == 1
    assert "| wer | 0.00 | as pyter" in output


def test_an_unavailable_metric_is_one_line_and_others_are_printed(write, tmp_path):
    path = write("text.txt", "it rains today and tomorrow\n")
    arguments = ["-i", path, "-r", path, "--embedder", write("no.vec", "no vectors\n")]
    code, output, errors = eval_metrics(*arguments, "-m", "bleu", "yisi1", "wer", "--json")
    assert code == 0
    assert errors.startswith("warning: yisi1 is unavailable: ")
    assert errors.count("\n") == 1
    assert scores(output) == {"bleu": pytest.approx(100), "wer": 0, "yisi1": None}
    _, output, _ = eval_metrics(*arguments, "-m", "bleu", "yisi1")
    assert "unavailable: " in output
    code, output, errors = eval_metrics(*arguments, "-m", "yisi1")
    assert (code, output) == (2, "")
    assert errors.startswith("error: yisi1 is unavailable: ")
    code, output, errors = eval_metrics(*arguments[:-1], tmp_path / "absent.vec", "-m", "bleu", "yisi1")
    assert (code, output) == (2, "")
    assert errors.startswith(f"error: the embedder {tmp_path / 'absent.vec'} does not exist; ")


@pytest.mark.parametrize("text", ["▁the ▁cat ▁sat", "the c@@ at sat", "the cat sa@@"])
def test_subword_pieces_give_a_warning_and_scores(write, text):
    hypotheses, references = write("hyp.txt", f"fine\n{text}\n"), write("ref.txt", "fine\nthe cat sat\n")
    code, output, errors = eval_metrics("-i", hypotheses, "-r", references)
    assert code == 0
    assert errors.startswith(f"warning: {hypotheses}: sub-word pieces in 1 of 2 lines, first in line 2")
    assert "sacrebleu" in output


def test_tokenised_text_is_warned_about_only_if_tokenised_again(write):
    path = write("text.txt", "it rains today .\n" * 100)
    assert "warning: " in eval_metrics("-i", path, "-r", path)[2]
    assert eval_metrics("-i", path, "-r", path, "--tokenized")[2] == ""
    assert eval_metrics("-i", path, "-r", path, "-m", "bleu")[2] == ""


@pytest.mark.parametrize(
    ("hypotheses", "reference", "message"),
    [
        (b"a\nb\nc\n", b"a\nb\n", "hyp.txt has 3 lines, but {folder}/ref.txt has 2 lines"),
        (b"", b"a\n", "hyp.txt is empty"),
        (b"a\nb\n", b"a\n \n", "ref.txt, line 2: empty reference"),
        (b"a\n", None, "cannot read {folder}/ref.txt: No such file"),
        (b"a\nb\xff\n", b"a\nb\n", "hyp.txt, line 2: not UTF-8 text"),
        (b"a\nb\n", b"a\n\0b\n", "ref.txt, line 2: NUL byte"),
        (gzip.compress(b"a\n" * 99, mtime=0)[:-9], b"a\n", "hyp.txt: the gzip file is truncated or damaged"),
    ],
)
def test_bad_input_is_one_line_on_standard_error(write, tmp_path, hypotheses, reference, message):
    if reference is not None:
        write("ref.txt", reference)
    code, output, errors = eval_metrics("-i", write("hyp.txt", hypotheses), "-r", tmp_path / "ref.txt")
    assert (code, output) == (2, "")
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert message.format(folder=tmp_path) in errors


def test_wrong_usage_is_one_line_on_standard_error(write, tmp_path):
    path = write("text.txt", "a\n")
    for arguments, message in [
        (["-i", path], "no reference given; name one or more reference files with -r"),
        (
            ["-i", path, "-r", path, "-m", "sacreblue"],
            "unknown metric 'sacreblue'; did you mean 'sacrebleu'?",
        ),
        (["-i", path, "-r", path, "--compare", tmp_path], f"cannot read {tmp_path}: Is a directory"),
        (["-i", path, "-r", path, "--compare", write("long.txt", "a\nb\n")], "long.txt has 2 lines"),
        (["-i", path, "-r", path, "--source", tmp_path / "long.txt"], "long.txt has 2 lines, but"),
        (["-r", "-"], "standard input is used more than once"),
        (["-i", path, "-r", path, "--seed", "-1"], "--seed must be a whole number"),
        (["-i", path, "-r", path, "--seed", "1"], "--seed is for comparisons; give --compare too"),
        (["-i", path, "-r", path, "--resampling", "compare-mt"], "--resampling is for comparisons; give --compare too"),
        (["-i", path, "-r", path, "--embedder", path], "--embedder is for yisi1; add it to -m"),
        (["-i", path, "-r", path, "--json", "--markdown"], "not allowed with argument --json"),
    ]:
        code, output, errors = eval_metrics(*arguments)
        assert (code, output) == (2, "")
        assert errors.startswith("error: ")
        assert message in errors
        assert errors.count("\n") == 1


def test_json_is_utf_8_whatever_the_encoding_of_the_output(write):
    hypotheses = write("hyp.txt", f"{SENTENCE}\n")
    command = [sys.executable, "eval_metrics.py", "-i", hypotheses, "-r", hypotheses, "-m", "ter", "--json"]
    variables = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=True)
    assert "·" in json.loads(done.stdout.decode("utf-8"))["ter"]["definition"]
