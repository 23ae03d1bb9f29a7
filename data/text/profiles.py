"""The profiles of text: as it is, or normalised and tokenised by the rules of Moses in one of three casings.

| profile | tokenised | casing | paper |
|---|---|---|---|
| `raw` | no | as it is | Ampomah et al. 2020 |
| `paper` | yes | truecased | Li & Luo 2022 |
| `lowercased` | yes | small letters | Iida et al. 2019, Goindani & Shrivastava 2021 on IWSLT14 |
| `tokenized` | yes | as it is | the same on other corpora |
"""

from dataclasses import dataclass
from functools import lru_cache

from data.errors import InputError
from data.text.truecasing import Truecaser, detruecase

DEFAULT_PROFILE = "raw"
DEFAULT_VOCABULARY_SIZE = 8000
DEFAULT_MAX_LENGTH = 100  # sub-words of a side


@dataclass(frozen=True)
class Profile:
    """A form of text; by default the text as it is.

    Args:
        is_tokenized: normalised and tokenised, tokens separated by blanks.
        is_truecased: truecased, for which the usual casing of words is learnt.
        is_lowercased: in small letters.
    """

    is_tokenized: bool = False
    is_truecased: bool = False
    is_lowercased: bool = False

    def before_truecasing(self, language: str, line: str) -> str:
        """A line of text in this form but for truecasing."""
        if self.is_tokenized:
            line = tokenize(language, line)
        return line.lower() if self.is_lowercased else line


PROFILES = {
    "raw": Profile(),
    "paper": Profile(is_tokenized=True, is_truecased=True),
    "lowercased": Profile(is_tokenized=True, is_lowercased=True),
    "tokenized": Profile(is_tokenized=True),
}


def profile_named(name: str) -> Profile:
    """The profile of a name in `PROFILES`; raises `InputError` for any other."""
    if name not in PROFILES:
        raise InputError(f"unknown profile {name!r}; it is one of {', '.join(PROFILES)}")
    return PROFILES[name]


class TextForm:
    """Text of one language in the form that sub-words are learnt on, and back to ordinary text.

    Args:
        profile: the name of one of `PROFILES`.
        language: code of the language, such as `de`.
        truecaser: that of the language, for a truecased profile.

    Raises:
        InputError: for an unknown profile.
    """

    def __init__(self, profile: str, language: str, truecaser: Truecaser | None = None):
        self._profile = profile_named(profile)
        self.profile, self.language, self.truecaser = profile, language, truecaser
        self.is_tokenized = self._profile.is_tokenized

    def forward(self, line: str) -> str:
        """A line of text as sub-words are learnt on it."""
        line = self._profile.before_truecasing(self.language, line)
        return self.truecaser.truecase(line) if self._profile.is_truecased else line

    def backward(self, line: str) -> str:
        """A line of a model's output as ordinary text; of a lower-cased one the capital letters are lost."""
        if self._profile.is_truecased:
            line = detruecase(line)
        return detokenize(self.language, line) if self.is_tokenized else line

    def expected(self, line: str) -> str:
        """A line of text as a perfect model's `backward` gives it: the line, in small letters if they all are."""
        return line.lower() if self._profile.is_lowercased else line


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
