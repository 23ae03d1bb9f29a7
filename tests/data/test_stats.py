import json
import struct

import numpy as np
import pytest

from data import head_counts, stats
from data.corpora.corpus import open_corpus
from data.corpus_encoding import TextSettings
from data.errors import InputError
from data.text.cleaning import CleaningRules
from tests import command_line


def test_mean_lengths_and_numbers_of_heads_equal_the_paper():
    """Table 1's total lengths and numbers of pairs give section 4.1's n̄ and Table 2's numbers of heads."""
    table = {
        "IWSLT16 DE-EN": (181_149, 3_766_897, 3_826_038, 20, 25),
        "WMT17 EN-DE": (5_852_457, 148_665_327, 149_176_205, 25, 20),
        "WMT17 EN-CS": (1_010_918, 27_825_644, 26_152_299, 26, 20),
    }
    for name, (pairs, source, target, n, most) in table.items():
        # Lengths with these sums: as equal as they can be.
        sides = [np.full(pairs, total // pairs) + (np.arange(pairs) < total % pairs) for total in (source, target)]
        assert head_counts.mean_length(*sides) == n, name
        assert head_counts.most_heads(512, *sides) == most, name
        assert head_counts.allowed_heads(512, most) == [2, 4, 8, 16], name


@pytest.mark.parametrize(
    ("model_dim", "lengths", "most"),
    [
        (512, ([8], [9]), 64),
        (192, ([10, 11], [12, 13]), 19),
        (64, ([40, 39, 41], [30, 30, 31]), 2),
        (64, ([100], [100]), 0),
    ],
)
def test_most_heads_divides_the_dimension_by_the_shorter_mean_length(model_dim, lengths, most):
    assert head_counts.most_heads(model_dim, *lengths) == head_counts.most_heads(model_dim, *lengths[::-1]) == most


@pytest.mark.parametrize(
    ("model_dim", "limit", "heads"),
    [
        (512, 64, [2, 4, 8, 16, 32, 64]),
        (512, 63, [2, 4, 8, 16, 32]),
        (192, 19, [2, 4, 8, 16]),
        (100, 10, [2, 4]),  # 8 does not divide 100
        (64, 2, [2]),
        (64, 1, []),
        (64, 0, []),
    ],
)
def test_heads_are_powers_of_two_that_divide_the_dimension(model_dim, limit, heads):
    assert head_counts.allowed_heads(model_dim, limit) == heads


def test_a_mean_below_one_is_an_error():
    for lengths in ([], [0, 1, 0]):
        with pytest.raises(InputError, match="give text with at least 1 token"):
            head_counts.mean_length(lengths, lengths)


def counted(corpora, name="mine", **options):
    settings = TextSettings("raw", vocabulary_size=400, **options)
    return stats.corpus_statistics(open_corpus(name, "de", "en", corpora), settings)


def test_lengths_count_the_words_and_sub_words_of_every_pair(corpora):
    statistics = counted(corpora)
    lines = list(statistics.corpus.split("train").pairs())
    assert statistics.pairs == {"train": 400, "dev": 30, "test": 20}
    for side in range(2):
        words = [len(pair[side].split()) for pair in lines]
        assert statistics.words[side].tolist() == words
        assert (statistics.tokens[side] >= statistics.words[side]).all()
    figures = statistics.as_dict(64)
    source, target = statistics.tokens
    assert figures["train_tokens"]["source"] == {
        "total": int(source.sum()),
        "mean": round(source.sum() / 400, 2),
        "shortest": min(source),
        "longest": max(source),
    }
    assert figures["mean_length"] == int((source.sum() + target.sum()) / 800)
    assert figures["most_heads"] == 64 // int(min(source.sum(), target.sum()) / 400)
    assert figures["vocabulary_size"] == {"source": 400, "target": 400}


def test_long_sentences_are_left_out_on_request_and_counted(corpora):
    statistics = counted(corpora, rules=CleaningRules(max_words=6))
    assert max(map(max, statistics.words)) == 6
    assert statistics.pairs["train"] + sum(statistics.dropped.values()) == 400
    assert statistics.pairs["dev"] == 30


def test_pairs_without_text_on_a_side_are_not_counted(corpora):
    path = corpora / "mine" / "train.de"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join("\n" if number % 4 == 0 else line for number, line in enumerate(lines)), encoding="utf-8")
    raw, cleaned = counted(corpora), counted(corpora, rules=CleaningRules(max_words=1000))
    assert raw.pairs["train"] == cleaned.pairs["train"] == 300
    assert raw.dropped == cleaned.dropped == {"empty": 100}
    assert [lengths.tolist() for lengths in raw.words] == [lengths.tolist() for lengths in cleaned.words]


def test_a_mix_is_counted_like_a_corpus(corpora):
    assert counted(corpora, "mine*2").pairs["train"] == 800


def test_a_corpus_without_training_text_is_an_error(corpora):
    for path in (corpora / "mine").glob("train.*"):
        path.unlink()
    with pytest.raises(InputError, match="has no split 'train'"):
        counted(corpora)


def test_the_words_of_the_paper_profile_are_the_tokens_of_moses(corpora):
    statistics = stats.corpus_statistics(
        open_corpus("mine", "de", "en", corpora), TextSettings("truecased", vocabulary_size=400)
    )
    words = [len(source.split()) + 1 for source, _ in statistics.corpus.split("train").pairs()]  # and the full stop
    assert statistics.words[0].tolist() == words


def run(folder, *arguments):
    languages = ["--source-language", "de", "--target-language", "en"]
    options = ["--profile", "raw", "--vocabulary-size", "400"]
    return command_line.run(folder, "data.stats", "mine", *languages, *options, *arguments)


def test_the_command_prints_a_table_or_json_and_draws_the_histogram(corpora, tmp_path):
    plot = tmp_path / "lengths.png"
    printed = run(tmp_path, "--corpora-dir", corpora, "--model-dim", "64", "--plot", plot, "--json")
    assert printed.code == 0, printed.errors
    figures = json.loads(printed.output)
    assert figures["pairs"] == {"train": 400, "dev": 30, "test": 20}
    header = plot.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert min(struct.unpack(">II", header[16:24])) > 500  # width and height
    table = run(tmp_path, "--corpora-dir", corpora, "--model-dim", "64").output
    assert f"n̄                          {figures['mean_length']}\n" in table
    assert f"h_max for 64               {figures['most_heads']}\n" in table
    assert "400 (shared)" in table


def test_a_read_only_folder_of_the_plot_is_refused_before_the_work(corpora, tmp_path, monkeypatch):
    words = ["mine", "--source-language", "de", "--target-language", "en", "--corpora-dir", str(corpora)]
    monkeypatch.setattr("sys.argv", ["stats", *words, "--plot", str(tmp_path / "lengths.png")])
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(stats, "corpus_statistics", lambda *_: pytest.fail("works first"))
    with pytest.raises(InputError, match=r"cannot write .*; name a writable folder"):
        stats.main()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model-dim", "0"], "--model-dim must be at least 1, got 0"),
        (["--plot", "lengths.jpg"], "name a file that ends in .png"),
        (["--corpora-dir", "/nowhere"], "the corpora folder /nowhere does not exist"),
        (["--plot", "folder.png"], "it is a folder; name a file"),
        (["--plot", "/nowhere/x.png"], "cannot write /nowhere/x.png"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(corpora, tmp_path, arguments, message):
    (tmp_path / "folder.png").mkdir()
    given = [] if "--corpora-dir" in arguments else ["--corpora-dir", corpora]
    command_line.assert_refused(run(tmp_path, *given, *arguments), message)
