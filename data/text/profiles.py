"""The profiles of text: as it is, or normalised and tokenised by the rules of Moses in one of three casings.

| profile | tokenised | casing | paper |
|---|---|---|---|
| `raw` | no | as it is | Ampomah et al. 2020 |
| `paper` | yes | truecased | Li & Luo 2022 |
| `lowercased` | yes | small letters | Iida et al. 2019, Goindani & Shrivastava 2021 on IWSLT14 |
| `tokenized` | yes | as it is | the same on other corpora |
"""

from functools import lru_cache

from data.errors import InputError
from data.text.truecasing import Truecaser, detruecase

PROFILES = ("raw", "paper", "lowercased", "tokenized")

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
        truecaser: that of the language, with the profile `paper` only.

    Raises:
        InputError: for an unknown profile.
    """

    def __init__(self, profile: str, language: str, truecaser: Truecaser | None = None):
        check_profile(profile)
        self.profile, self.language, self.truecaser = profile, language, truecaser
        self.is_tokenized = is_tokenized(profile)

    def forward(self, line: str) -> str:
        """A line of text as sub-words are learnt on it."""
        line = before_truecasing(self.profile, self.language, line)
        return self.truecaser.truecase(line) if learns_truecasing(self.profile) else line

    def backward(self, line: str) -> str:
        """A line of a model's output as ordinary text; of a lower-cased one the capital letters are lost."""
        if learns_truecasing(self.profile):
            line = detruecase(line)
        return detokenize(self.language, line) if self.is_tokenized else line

    def expected(self, line: str) -> str:
        """A line of text as a perfect model's `backward` gives it: the line, in small letters if they all are."""
        return line.lower() if self.profile == "lowercased" else line


def is_tokenized(profile: str) -> bool:
    """Whether text of the profile is tokenised."""
    return profile != "raw"


def learns_truecasing(profile: str) -> bool:
    """Whether text of the profile is truecased, for which the usual casing of words is learnt."""
    return profile == "paper"


def before_truecasing(profile: str, language: str, line: str) -> str:
    """A line of text in the form of the profile but for truecasing."""
    if is_tokenized(profile):
        line = tokenize(language, line)
    return line.lower() if profile == "lowercased" else line


def tokenize(language: str, line: str) -> str:
    """A line normalised and tokenised by the rules of Moses, tokens separated by blanks."""
    moses = _moses(language)
    return moses.tokenize(moses.normalize(line))


def detokenize(language: str, line: str) -> str:
    """The text of a tokenised line."""
    return _moses(language).detokenize(line)


@lru_cache
def _moses(language):
    from data.text.moses import Moses  # here, for the profile `raw` does without sacremoses

    return Moses(language)


RAW_TEXT = TextForm("raw", "")
