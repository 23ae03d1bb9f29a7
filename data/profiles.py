"""The two profiles of text: `raw`, as it is, and `paper`, normalised, tokenised and truecased by the rules of Moses."""

from functools import lru_cache

from data.cleaning import CleaningRules
from data.errors import InputError
from data.truecasing import Truecaser, detruecase

PROFILES = ("raw", "paper")
# What training pairs are left out by default. The paper's limit is that of Li & Luo 2022 for IWSLT16 DE-EN and WMT17
# EN-CS (for WMT17 EN-DE 100); the ratio is the default of Moses' clean-corpus-n.perl.
_RULES = {"raw": CleaningRules(), "paper": CleaningRules(max_words=80, max_ratio=9.0)}

DEFAULT_VOCABULARY_SIZE = 8000
DEFAULT_MAX_LENGTH = 100  # sub-words of a side


def check_profile(profile: str) -> None:
    """Raises `InputError` for a profile that does not exist."""
    if profile not in PROFILES:
        raise InputError(f"unknown profile {profile!r}; it is one of {', '.join(PROFILES)}")


class TextForm:
    """Text of one language in the form that sub-words are learnt on, and back to ordinary text.

    Args:
        profile: one of `PROFILES`.
        language: code of the language, such as `de`.
        truecaser: that of the language; None with the profile `raw`.

    Raises:
        InputError: for an unknown profile.
    """

    def __init__(self, profile: str, language: str, truecaser: Truecaser | None = None):
        check_profile(profile)
        self.profile, self.language, self.truecaser = profile, language, truecaser
        self.is_tokenized = profile == "paper"

    def forward(self, line: str) -> str:
        """A line of text as sub-words are learnt on it."""
        return self.truecaser.truecase(tokenize(self.language, line)) if self.is_tokenized else line

    def recase(self, line: str) -> str:
        """A line of a model's output with capital letters where sentences begin, still tokenised."""
        return detruecase(line) if self.is_tokenized else line

    def backward(self, line: str) -> str:
        """A line of a model's output as ordinary text."""
        return detokenize(self.language, self.recase(line)) if self.is_tokenized else line


RAW_TEXT = TextForm("raw", "")


def cleaning_rules(
    profile: str, max_words: int | None = None, max_ratio: float | None = None, drop_duplicates: bool = False
) -> CleaningRules:
    """The rules by which training pairs are left out; what is None is as usual with the profile."""
    check_profile(profile)
    usual = _RULES[profile]
    return CleaningRules(
        usual.max_words if max_words is None else max_words,
        usual.max_ratio if max_ratio is None else max_ratio,
        drop_duplicates,
    )


def tokenize(language: str, line: str) -> str:
    """A line normalised and tokenised by the rules of Moses, tokens separated by blanks."""
    moses = _moses(language)
    return moses.tokenize(moses.normalize(line))


def detokenize(language: str, line: str) -> str:
    """The text of a tokenised line."""
    return _moses(language).detokenize(line)


@lru_cache
def _moses(language):
    from data.moses import Moses  # here, for the profile `raw` does without sacremoses

    return Moses(language)
