from collections import Counter

import pytest

from data.batches.encoding import encode_parallel
from data.batches.pipeline import TrainingBatches
from data.corpora.corpus import open_corpus
from data.corpora.mixes import Part, parse_mix, weighted_pairs
from data.corpus_encoding import TextSettings, encode_corpus
from data.errors import InputError
from data.text.parallel_text import ParallelText
from tests import skip_reasons
from tests.data.conftest import CORPORA, sentences


@pytest.fixture
def corpora(tmp_path):
    """Two corpora with training and development text, and one with test sets by year."""
    folder = tmp_path / "corpora"
    splits = {
        "big": {"train": 100, "dev": 10},
        "small": {"train": 20, "dev": 5, "test": 6},
        "news": {"n08": 7, "n09": 8, "n13": 9},
    }
    for corpus, sizes in splits.items():
        (folder / corpus).mkdir(parents=True)
        for split, size in sizes.items():
            for code in ("de", "en"):
                lines = "".join(f"{corpus} {split} {number} {code}\n" for number in range(size))
                (folder / corpus / f"{split}.{code}").write_text(lines)
    return folder


def mix(name, corpora, source="de", target="en"):
    return open_corpus(name, source, target, corpora)


def pairs(corpus, split="train"):
    return list(corpus.split(split).pairs())


def numbers(corpus, split="train"):
    """The number of pairs of each corpus and split."""
    return Counter(" ".join(source.split()[:2]) for source, _ in pairs(corpus, split))


def test_parts_have_a_corpus_splits_and_a_weight():
    assert parse_mix("a_en-de+b*2+c:x,y*0.5 + dev=c:z") == [
        Part("a_en-de", ("train",), 1.0, "train"),
        Part("b", ("train",), 2.0, "train"),
        Part("c", ("x", "y"), 0.5, "train"),
        Part("c", ("z",), 1.0, "dev"),
    ]
    assert parse_mix("a+dev=b")[1] == Part("b", ("dev",), 1.0, "dev")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a++b", "cannot parse ''; write NAME"),
        ("a+", "cannot parse ''"),
        ("a:b:c", "cannot parse 'a:b:c'"),
        ("a:", "cannot parse 'a:'"),
        ("a:b,", "'a:b,' has an empty split"),
        ("a*", r"the weight of 'a\*' must be a number above 0 and at most 1000"),
        ("a*0", "the weight"),
        ("a*-1", "the weight"),
        ("a*two", "the weight"),
        ("a*1e400", "the weight"),
        ("a*5000", "the weight"),
        ("dev=a", "names no training text"),
    ],
)
def test_a_wrong_mix_is_an_error_of_one_line(name, message):
    with pytest.raises(InputError, match=message) as caught:
        parse_mix(name)
    assert "\n" not in str(caught.value)


def test_training_texts_are_joined_in_order_and_stay_aligned(corpora):
    corpus = mix("big+small+news:n08,n09", corpora)
    assert corpus.name == "big+small+news:n08,n09"
    assert numbers(corpus) == {"big train": 100, "small train": 20, "news n08": 7, "news n09": 8}
    assert all(source.removesuffix("de") == target.removesuffix("en") for source, target in pairs(corpus))
    reverse = mix("big+small+news:n08,n09", corpora, "en", "de")
    assert pairs(reverse) == [(target, source) for source, target in pairs(corpus)]


def test_other_splits_come_from_the_first_corpus_and_are_never_trained_on(corpora):
    corpus = mix("big+small+news:n08", corpora)
    assert numbers(corpus, "dev") == {"big dev": 10}
    assert numbers(corpus, "test") == {"small test": 6}
    assert corpus.splits.keys() == {"train", "dev", "test", "n09", "n13"}
    assert numbers(mix("small+big", corpora), "dev") == {"small dev": 5}


def test_a_split_that_is_trained_on_under_another_name_is_left_out(corpora):
    for code in ("de", "en"):
        lines = {name: (corpora / "news" / f"{name}.{code}").read_text() for name in ("n08", "n13")}
        (corpora / "big" / f"dev.{code}").write_text(lines["n08"])
        (corpora / "news" / f"n08_n13.{code}").write_text("".join(lines.values()))
    (corpora / "news" / "n13.en").write_text("")  # an error only if it is used
    corpus = mix("big+small+news:n08", corpora)
    assert corpus.splits.keys() == {"train", "dev", "test", "n09", "n13"}
    assert numbers(corpus, "dev") == {"small dev": 5}


def test_development_text_can_be_chosen(corpora):
    corpus = mix("big+news:n08+dev=news:n13", corpora)
    assert numbers(corpus, "dev") == {"news n13": 9}
    assert numbers(corpus) == {"big train": 100, "news n08": 7}


def test_one_split_of_one_corpus_is_its_files_as_they_are(corpora):
    assert mix("news:n09", corpora).split("train").source == corpora / "news" / "n09.de"


def test_a_weight_repeats_pairs_and_a_share_draws_some(corpora):
    corpus = mix("big*0.25+small*2.5", corpora)
    assert numbers(corpus) == {"big train": 25, "small train": 50}
    counts = Counter(pairs(corpus))
    assert set(counts.values()) == {1, 2, 3}
    assert all(count == 1 for (source, _), count in counts.items() if source.startswith("big"))


def test_a_share_without_a_pair_is_an_error(corpora):
    with pytest.raises(InputError, match="the weights of a mix select no pair; raise them"):
        mix("small*0.001", corpora)


def test_a_share_is_random_and_always_the_same(corpora):
    text = open_corpus("big", "de", "en", corpora).split("train")
    first, again, other = (list(weighted_pairs(text, 0.3, seed)) for seed in (1, 1, 2))
    everything = list(text.pairs())
    assert len(first) == len(other) == 30
    assert first == again != other
    assert first not in (everything[:30], everything[-30:])
    assert first == sorted(first, key=everything.index)


def test_every_pair_is_equally_likely_in_a_share(tmp_path):
    for code in ("de", "en"):
        (tmp_path / f"x.{code}").write_text("".join(f"{number}\n" for number in range(10)))
    text = ParallelText(tmp_path / "x.de", tmp_path / "x.en")
    drawn = Counter(pair for seed in range(1000) for pair in weighted_pairs(text, 0.3, seed))
    assert sum(drawn.values()) == 3000
    assert all(230 < drawn[str(number), str(number)] < 370 for number in range(10))  # 300 ± 5 standard deviations


def test_a_mix_is_written_once_and_again_when_a_file_changes(corpora):
    first = mix("big+small", corpora).split("train").source
    assert mix("big+small", corpora).split("train").source == first
    assert mix("big+small*2", corpora).split("train").source != first
    path = corpora / "small" / "train.de"
    path.write_text(path.read_text().replace("small", "klein"))
    changed = mix("big+small", corpora)
    assert changed.split("train").source != first
    assert numbers(changed)["klein train"] == 20


def test_unequal_files_leave_no_mix_behind(corpora, cache):
    with open(corpora / "small" / "train.de", "a") as file:
        file.write("one more\n")
    with pytest.raises(InputError, match=r"train\.de has 21 lines but .*train\.en has 20"):
        mix("big+small", corpora)
    assert list((cache / "mixes").iterdir()) == []


def test_an_unknown_corpus_or_split_of_a_mix_is_named(corpora):
    with pytest.raises(InputError, match="unknown corpus 'smal'; did you mean small"):
        mix("big+smal", corpora)
    with pytest.raises(InputError, match=r"news \(de-en\) has no split 'n07'; it has n08, n09, n13"):
        mix("big+news:n07", corpora)
    with pytest.raises(InputError, match=r"news .* has no split 'train'"):
        mix("big+news", corpora)


def test_batches_of_a_mix_depend_on_the_seed_and_can_be_resumed(tmp_path, subwords):
    for corpus, count in (("one", 150), ("two", 60)):
        (tmp_path / corpus).mkdir()
        for seed, code in enumerate(("de", "en")):
            (tmp_path / corpus / f"train.{code}").write_text("\n".join(sentences(count, seed)), encoding="utf-8")

    def batches(seed, name="one+two*1.5", start=0):
        text = open_corpus(name, "de", "en", tmp_path).split("train")
        encoded = encode_parallel(text, subwords, subwords, max_length=100)
        plan = TrainingBatches(encoded, 500, seed=seed, max_epochs=2)
        plan.start = start
        return [inputs["source_ids"].tolist() for inputs, _ in plan]

    first = batches(seed=1)
    assert batches(seed=1) == first != batches(seed=2)
    assert batches(seed=1, name="two*1.5+one") != first
    for steps in (1, len(first) // 2 + 1):
        assert batches(seed=1, start=steps) == first[steps:]


def test_a_mix_is_prepared_like_a_corpus(tmp_path):
    for corpus in ("one", "two"):
        (tmp_path / corpus).mkdir()
        for seed, code in enumerate(("de", "en")):
            for split, count in (("train", 200), ("dev", 20)):
                text = "\n".join(sentences(count, seed=f"{corpus} {split} {seed}"))
                (tmp_path / corpus / f"{split}.{code}").write_text(text, encoding="utf-8")
    prepared = encode_corpus(open_corpus("one*2+two+dev=two", "de", "en", tmp_path), TextSettings(vocabulary_size=400))
    assert len(prepared.pairs["train"]) == 600
    assert len(prepared.pairs["dev"]) == 20


@pytest.mark.skipif(not (CORPORA / "newstest").is_dir(), reason=skip_reasons.CORPORA)
def test_the_english_german_mix_of_the_corpora_for_development_opens():
    years = ",".join(f"newstest{year}" for year in range(2008, 2013))
    corpus = mix(f"tatoeba_en-de+multi30k+libreoffice_help_en-de+newstest:{years}", CORPORA)
    assert corpus.split("train").check() == 177_930 + 29_000 + 27_386 + 13_071
    assert corpus.split("dev").check() == 2_000
    assert not {f"newstest{year}" for year in range(2008, 2013)} & corpus.splits.keys()
