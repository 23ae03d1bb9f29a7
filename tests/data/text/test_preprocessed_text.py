import gzip

import pytest

from data import workers
from data.errors import InputError
from data.text import preprocessed_text
from data.text.cleaning import CleaningRules
from data.text.parallel_text import ParallelText
from data.text.preprocessed_text import apply_profile
from data.text.truecasing import Truecaser

LANGUAGES = "de", "en"
SOURCES = ["Der Hund sieht's.", "Dann sieht der Mann Bonn (heute)!", "", "Bonn ist schön.", "Und der Hund auch."]
TARGETS = ["The dog sees it.", "Then the man sees Bonn (today)!", "x", "Bonn is nice.", "And the dog, too."]


@pytest.fixture
def text(tmp_path):
    return write(tmp_path, SOURCES, TARGETS)


def write(folder, sources, targets):
    for language, lines in (("de", sources), ("en", targets)):
        (folder / f"x.{language}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return ParallelText(folder / "x.de", folder / "x.en")


def entries(cache):
    return sorted((cache / "prepared").glob("*")) if (cache / "prepared").is_dir() else []


def count_calls(monkeypatch):
    """A list that grows by one with each text that is processed."""
    calls, original = [], preprocessed_text._build
    monkeypatch.setattr(preprocessed_text, "_build", lambda *arguments: (calls.append(1), original(*arguments)))
    return calls


def test_training_text_is_tokenised_cleaned_and_truecased(text):
    prepared = apply_profile(text, "truecased", LANGUAGES, rules=CleaningRules())
    assert list(prepared.text.pairs()) == [
        ("der Hund sieht &apos; s .", "the dog sees it ."),
        ("Dann sieht der Mann Bonn ( heute ) !", "Then the man sees Bonn ( today ) !"),
        ("Bonn ist schön .", "Bonn is nice ."),
        ("Und der Hund auch .", "And the dog , too ."),
    ]  # first words that were seen nowhere else stay
    assert prepared.dropped == {"empty": 1}


def test_other_text_keeps_all_its_lines_and_the_truecasers_given(text, tmp_path):
    train = apply_profile(text, "truecased", LANGUAGES, rules=CleaningRules())
    (tmp_path / "dev").mkdir()
    dev = write(tmp_path / "dev", ["", "DER Rabe"], ["The the the the", " "])
    prepared = apply_profile(dev, "truecased", LANGUAGES, truecasers=train.truecasers)
    assert list(prepared.text.pairs()) == [("", "the the the the"), ("der Rabe", "")]
    assert prepared.dropped == {}
    assert prepared.truecasers is train.truecasers


def test_raw_text_without_rules_is_used_as_it_is(text, cache):
    prepared = apply_profile(text, "raw", LANGUAGES, rules=CleaningRules())
    assert prepared == (text, None, {})
    assert apply_profile(text, "raw", LANGUAGES).text is text
    assert entries(cache) == []


def test_raw_text_is_cleaned_by_rules_and_not_changed(tmp_path):
    lines = ["a  b`", "c\u2028d", "e", "a  b`", "f g h", "i"]
    text = write(tmp_path, lines, ["1 2", "3", "4 5 6", "1 2", "7 8 9 10", ""])
    prepared = apply_profile(text, "raw", LANGUAGES, rules=CleaningRules(3, 2.5, True))
    assert list(prepared.text.pairs()) == [("a  b`", "1 2"), ("c\u2028d", "3")]
    assert prepared.dropped == {"duplicate": 1, "empty": 1, "long": 1, "ratio": 1}
    assert prepared.truecasers is None


def test_the_same_text_is_processed_once(text, cache, monkeypatch):
    calls = count_calls(monkeypatch)
    first, second = (apply_profile(text, "truecased", LANGUAGES, rules=CleaningRules()) for _ in range(2))
    assert len(calls) == len(entries(cache)) == 1
    assert first.text == second.text
    assert [x.digest for x in first.truecasers] == [x.digest for x in second.truecasers]
    for path in (text.source, text.target):  # the same lines in other files
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    packed = ParallelText(f"{text.source}.gz", f"{text.target}.gz")
    apply_profile(packed, "truecased", LANGUAGES, rules=CleaningRules())
    assert len(calls) == 1


def test_every_change_of_the_result_is_noticed(text, tmp_path, monkeypatch):
    calls = count_calls(monkeypatch)
    train = apply_profile(text, "truecased", LANGUAGES, rules=CleaningRules())
    apply_profile(text, "truecased", LANGUAGES, rules=CleaningRules(max_words=5))
    apply_profile(text, "truecased", LANGUAGES)
    apply_profile(text, "truecased", ("cs", "en"), rules=CleaningRules())
    apply_profile(text, "truecased", LANGUAGES, truecasers=train.truecasers)
    apply_profile(text, "truecased", LANGUAGES, truecasers=(Truecaser({"der": 1}), train.truecasers[1]))
    apply_profile(text, "raw", LANGUAGES, rules=CleaningRules(max_words=5))
    assert len(calls) == 7
    changed = apply_profile(write(tmp_path, [*SOURCES[:4], "Und der Fuchs."], TARGETS), "truecased", LANGUAGES)
    assert len(calls) == 8
    assert list(changed.text.pairs())[-1][0].endswith("Fuchs .")


@pytest.mark.parametrize("rules", [None, CleaningRules(max_words=6, drop_duplicates=True)])
def test_several_processes_give_what_one_gives(tmp_path, monkeypatch, rules):
    text = write(tmp_path, SOURCES * 40, [f"{line} {i % 50}" for i, line in enumerate(TARGETS * 40)])
    alone = apply_profile(text, "truecased", LANGUAGES, rules=rules)
    monkeypatch.setattr(workers, "CHUNK", 7)
    monkeypatch.setattr(workers, "available_cores", lambda: 2)
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "together"))
    together = apply_profile(text, "truecased", LANGUAGES, rules=rules)
    assert list(together.text.pairs()) == list(alone.text.pairs())
    assert together.dropped == alone.dropped
    assert [x.digest for x in together.truecasers] == [x.digest for x in alone.truecasers]


def test_bad_text_is_an_error_and_leaves_nothing(tmp_path, cache):
    for sources, message in ((SOURCES[:-1], "has 4 lines but"), ([""] * 5, r"all pairs .* were dropped \(5 empty\)")):
        with pytest.raises(InputError, match=message):
            apply_profile(write(tmp_path, sources, TARGETS), "truecased", LANGUAGES, rules=CleaningRules())
    (tmp_path / "x.de").write_bytes("schön\n".encode("latin-1") * 5)
    with pytest.raises(InputError, match=r"x\.de, line 1: not UTF-8"):
        apply_profile(ParallelText(tmp_path / "x.de", tmp_path / "x.en"), "truecased", LANGUAGES)
    with pytest.raises(InputError, match="unknown profile 'papers'"):
        apply_profile(ParallelText(tmp_path / "x.de", tmp_path / "x.en"), "papers", LANGUAGES)
    assert entries(cache) == []
    assert list((cache / "prepared").iterdir()) == []
