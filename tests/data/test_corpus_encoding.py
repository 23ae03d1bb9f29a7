import dataclasses

import pytest

from data.corpora.corpus import open_corpus
from data.corpus_encoding import TextSettings, encode_corpus
from data.errors import InputError
from data.text.cleaning import CleaningRules
from data.text.truecasing import Truecaser

SETTINGS = TextSettings("truecased", vocabulary_size=400)


@pytest.fixture
def corpus(corpora):
    return open_corpus("mine", "de", "en", corpora)


def test_all_splits_are_encoded_unless_some_are_named(corpus):
    everything = encode_corpus(corpus, SETTINGS)
    assert {split: len(pairs) for split, pairs in everything.pairs.items()} == {"train": 400, "dev": 30, "test": 20}
    part = encode_corpus(corpus, SETTINGS, splits=["dev"], encoded_splits=["train"])
    assert list(part.texts) == ["train", "dev"]
    assert list(part.pairs) == ["train"]
    assert part.vocabularies == everything.vocabularies
    assert part.pairs["train"].folder == everything.pairs["train"].folder  # found in the cache
    assert encode_corpus(corpus, SETTINGS, splits=(), encoded_splits=()).pairs == {}


def test_truecasers_and_vocabularies_that_are_given_are_used(corpus):
    learnt = encode_corpus(corpus, SETTINGS)
    truecasers = (Truecaser({"HAUS": 1}), learnt.texts["train"].truecasers[1])
    other = encode_corpus(corpus, SETTINGS, truecasers=truecasers, vocabularies=learnt.vocabularies)
    assert other.texts["train"].truecasers is truecasers
    assert other.texts["dev"].text != learnt.texts["dev"].text
    assert other.vocabularies is learnt.vocabularies
    again = encode_corpus(corpus, SETTINGS, truecasers=learnt.texts["train"].truecasers)
    assert again.texts["train"].text == learnt.texts["train"].text  # equal ones make no work


def test_a_file_of_the_cache_with_a_flipped_bit_is_made_again(corpora, cache, capsys):
    def encode():
        mix = open_corpus("mine+mine:dev", "de", "en", corpora)
        return encode_corpus(mix, SETTINGS).pairs["train"]

    def contents():
        return {path: path.read_bytes() for path in sorted(cache.rglob("*")) if path.is_file()}

    tokens = [side.tokens.tolist() for side in (encode().source, encode().target)]
    whole = contents()
    assert {path.parts[-3] for path in whole} == {"mixes", "prepared", "subwords", "encoded"}
    assert capsys.readouterr().err == ""
    for path, content in whole.items():
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    pairs = encode()
    assert [side.tokens.tolist() for side in (pairs.source, pairs.target)] == tokens
    assert contents() == whole
    folders = {path.parent for path in whole}
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == len(folders)
    assert all(any(line.startswith(f"warning: {folder}: ") for line in warnings) for folder in folders)


def test_weights_that_repeat_pairs_and_dropped_duplicates_are_an_error(corpora):
    settings = dataclasses.replace(SETTINGS, rules=CleaningRules(drop_duplicates=True))
    with pytest.raises(InputError, match=r"mine\*2 repeats training pairs .* remove the weights above 1"):
        encode_corpus(open_corpus("mine*2", "de", "en", corpora), settings)
    # The test set of this corpus is the beginning of its training text.
    for name, pairs in (("mine*0.5", 200), ("mine+mine:test", 400), ("mine+dev=mine:test*2", 400)):
        assert len(encode_corpus(open_corpus(name, "de", "en", corpora), settings).pairs["train"]) == pairs


def test_settings_that_contradict_each_other_are_errors():
    with pytest.raises(InputError, match="unknown profile 'papers'"):
        TextSettings("papers")
    with pytest.raises(InputError, match=r"set data\.shared_vocabulary=false"):
        TextSettings(joint_merges=True)
