"""From a corpus to ids: text in the form of a profile, sub-word models, encoded arrays.

Training, `python -m data.prepare` and `python -m data.stats` share `encode_corpus`. All work is cached by content, so
each finds what another has done.
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
    """The settings that the ids of a corpus depend on; see `apply_profile`, `learn_vocabularies`, `encode_parallel`.

    Raises `InputError` for an unknown profile or contradictory settings of the vocabularies.
    """

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
    """An encoded corpus, whose files lie in the cache: texts (`train` first) and ids by split, sub-word models by side.

    `vocabularies` are the files of `subwords`; `seconds` is the time that each stage took, almost none if cached.
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
        truecasers, vocabularies: of source and target, instead of learning them on the training text.

    Raises `InputError` if there is no split `train`, and what the stages raise.
    """
    languages = corpus.source_language, corpus.target_language
    text, rules = corpus.split("train"), settings.rules
    clock = [time.perf_counter()]
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
    parser.add_argument("corpus", metavar="CORPUS[+CORPUS …]", help="a corpus, or several as one training set")
    parser.add_argument("--source-language", required=True, metavar="CODE", help="such as de")
    parser.add_argument("--target-language", required=True, metavar="CODE", help="such as en")
    parser.add_argument(
        "--profile",
        type=renamed(FORMER_PROFILES),
        choices=PROFILES,
        default=profile,
        help="form of the text before sub-words: raw as it is; the others normalised and tokenised, and truecased, "
        "lowercased, or (tokenized) in its own case; default: %(default)s",
    )
    parser.add_argument(
        "--vocabulary-size",
        type=_sizes,
        default=TextSettings.vocabulary_size,
        metavar="N[,N]",
        help="default: %(default)s; of source and target, where they are separate",
    )
    shared = parser.add_mutually_exclusive_group()
    shared.add_argument("--shared-vocabulary", action="store_true", help="one for both languages (default)")
    shared.add_argument("--separate-vocabularies", action="store_true", help="one for each language")
    shared.add_argument("--joint-merges", action="store_true", help="one for each language, of common merges")
    parser.add_argument("--max-words", type=int, metavar="N", help="words of a side; default: any")
    parser.add_argument(
        "--max-ratio", type=float, metavar="R", help="words of one side for one of the other; default: any"
    )
    parser.add_argument("--drop-duplicates", action="store_true", help="keep one of equal training pairs")
    parser.add_argument("--corpora-dir", metavar="DIR", help="default: $CORPORA_DIR, then the cache folder")


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
        raise argparse.ArgumentTypeError(f"must be at least 1, or two such numbers as 8000,6000, got {words}")
    return sizes if len(sizes) == 2 else sizes[0]
