"""From a corpus to ids: preprocessed text, sub-word models, encoded arrays.

Training and the verbs `prepare` and `stats` share `encode_corpus`, whose work is cached by content.
"""

import argparse
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from data.batches.encoding import EncodedPairs, encode_parallel
from data.command_line import renamed
from data.corpora.corpus import Corpus
from data.corpora.mixes import repeats_pairs
from data.errors import InputError
from data.text.cleaning import CleaningRules
from data.text.preprocessed_text import PreprocessedText, apply_profile
from data.text.profiles import (
    DEFAULT_MAX_LENGTH,
    DEFAULT_PROFILE,
    DEFAULT_VOCABULARY_SIZE,
    FORMER_PROFILES,
    PROFILES,
    profile_named,
)
from data.text.subwords import Subwords
from data.text.truecasing import Truecaser
from data.text.vocabularies import check_vocabulary_settings, learn_vocabularies


@dataclass(frozen=True)
class TextSettings:
    """The settings that determine the ids of a corpus; raises `InputError` for unknown or contradictory ones."""

    profile: str = DEFAULT_PROFILE
    rules: CleaningRules = field(default_factory=CleaningRules)
    vocabulary_size: int | tuple[int, int] = DEFAULT_VOCABULARY_SIZE
    shared_vocabulary: bool = True
    joint_merges: bool = False
    max_length: int = DEFAULT_MAX_LENGTH

    def __post_init__(self):
        profile_named(self.profile)
        check_vocabulary_settings(self.vocabulary_size, self.shared_vocabulary, self.joint_merges)


class EncodedCorpus(NamedTuple):
    """An encoded corpus in the cache: texts (`train` first) and ids by split, sub-word models (source, target).

    `vocabularies` are the files of `subwords`; `seconds` is the time of each stage, almost none if cached.
    """

    texts: dict[str, PreprocessedText]
    vocabularies: tuple[Path, Path]
    subwords: tuple[Subwords, Subwords]
    pairs: dict[str, EncodedPairs]
    seconds: dict[str, float]


def encode_corpus(
    corpus: Corpus,
    settings: TextSettings,
    *,
    splits: Collection[str] | None = None,
    encoded_splits: Collection[str] | None = None,
    truecasers: tuple[Truecaser, Truecaser] | None = None,
    vocabularies: tuple[Path, Path] | None = None,
) -> EncodedCorpus:
    """Encode a corpus; truecasing and sub-words are learnt on `train`, the only split that is cleaned.

    Args:
        splits: the splits to process in addition to `train`; default: all.
        encoded_splits: the processed splits to encode; default: all.
        truecasers, vocabularies: (source, target), instead of learning them on the training text.

    Raises `InputError` if there is no split `train` or the weights of a mix repeat pairs that the rules drop, and what
    the stages raise.
    """
    if settings.rules.drop_duplicates and repeats_pairs(corpus.name):
        raise InputError(
            f"{corpus.name} repeats training pairs that data.drop_duplicates (--drop-duplicates) drops again; "
            "remove the weights above 1, or keep duplicates"
        )
    languages = corpus.source_language, corpus.target_language
    text, rules = corpus.split("train"), settings.rules
    clock = [time.perf_counter()]
    # First without the given truecasers: the cache has this text, and learning on the same text gives the same ones.
    train = apply_profile(text, settings.profile, languages, rules=rules)
    if truecasers and any(x.digest != y.digest for x, y in zip(truecasers, train.truecasers, strict=True)):
        train = apply_profile(text, settings.profile, languages, rules=rules, truecasers=truecasers)
    texts = {"train": train}
    for split in corpus.splits if splits is None else splits:
        if split != "train":
            texts[split] = apply_profile(corpus.split(split), settings.profile, languages, truecasers=train.truecasers)
    clock.append(time.perf_counter())
    vocabularies = vocabularies or learn_vocabularies(
        train.text, settings.vocabulary_size, settings.shared_vocabulary, settings.joint_merges
    )
    subwords = tuple(map(Subwords, vocabularies))
    clock.append(time.perf_counter())
    pairs = {
        split: encode_parallel(texts[split].text, *subwords, settings.max_length)
        for split in (texts if encoded_splits is None else encoded_splits)
    }
    clock.append(time.perf_counter())
    seconds = {stage: clock[i + 1] - clock[i] for i, stage in enumerate(("text", "sub-words", "encoding"))}
    return EncodedCorpus(texts, vocabularies, subwords, pairs, seconds)


def add_corpus_arguments(parser: argparse.ArgumentParser, profile: str = DEFAULT_PROFILE) -> None:
    """Add the command-line options that name a corpus, its languages and `TextSettings`."""
    parser.add_argument("corpus", metavar="CORPUS[+CORPUS …]", help="a corpus, or several joined into one training set")
    parser.add_argument("--source-language", required=True, metavar="CODE", help="language code, such as de")
    parser.add_argument("--target-language", required=True, metavar="CODE", help="language code, such as en")
    parser.add_argument(
        "--profile",
        type=renamed(FORMER_PROFILES),
        choices=PROFILES,
        default=profile,
        help="text preprocessing before sub-words: raw changes nothing; the others normalise and tokenise, then "
        "truecase, lowercase, or keep the case (tokenized); default: %(default)s",
    )
    parser.add_argument(
        "--vocabulary-size",
        type=_sizes,
        default=TextSettings.vocabulary_size,
        metavar="N[,N]",
        help="sub-words; with separate vocabularies also two numbers, source and target; default: %(default)s",
    )
    shared = parser.add_mutually_exclusive_group()
    shared.add_argument("--shared-vocabulary", action="store_true", help="one vocabulary for both languages (default)")
    shared.add_argument("--separate-vocabularies", action="store_true", help="one vocabulary for each language")
    joint = "one vocabulary for each language, with merges learnt on both"
    shared.add_argument("--joint-merges", action="store_true", help=joint)
    words = "drop training pairs with more than N words on a side; default: no limit"
    parser.add_argument("--max-words", type=int, metavar="N", help=words)
    ratio = "drop training pairs with more than R times as many words on one side as on the other; default: no limit"
    parser.add_argument("--max-ratio", type=float, metavar="R", help=ratio)
    parser.add_argument("--drop-duplicates", action="store_true", help="drop repeated training pairs")
    corpora = "folder of corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora)


def text_settings(given: argparse.Namespace, max_length: int = DEFAULT_MAX_LENGTH) -> TextSettings:
    """Return the `TextSettings` of the options of `add_corpus_arguments`."""
    return TextSettings(
        given.profile,
        CleaningRules(given.max_words, given.max_ratio, given.drop_duplicates),
        given.vocabulary_size,
        not (given.separate_vocabularies or given.joint_merges),
        given.joint_merges,
        max_length,
    )


def _sizes(words):
    try:
        sizes = tuple(map(int, words.split(",")))
    except ValueError:
        sizes = ()
    if len(sizes) not in (1, 2) or min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, or two numbers such as 8000,6000, got {words}")
    return sizes if len(sizes) == 2 else sizes[0]
