"""The profiles of text: as it is, or normalised and tokenised by the rules of Moses in one of three casings.

| profile | tokenised | casing | paper |
|---|---|---|---|
| `raw` | no | as it is | Ampomah et al. 2020 |
| `truecased` | yes | truecased | Li & Luo 2022 |
| `lowercased` | yes | small letters | Iida et al. 2019, Goindani & Shrivastava 2021 on IWSLT14 |
| `tokenized` | yes | as it is | the same on other corpora |
"""

from dataclasses import dataclass
from functools import cache

from data.errors import InputError
from data.text.truecasing import Truecaser, detruecase

DEFAULT_PROFILE = "raw"
DEFAULT_VOCABULARY_SIZE = 8000
DEFAULT_MAX_LENGTH = 100  # sub-words of a side


@dataclass(frozen=True)
class Profile:
    """A form of text; by default the text as it is."""

    is_tokenized: bool = False
    is_truecased: bool = False
    is_lowercased: bool = False

    def before_truecasing(self, language: str, line: str) -> str:
        """Return a line of text in this form, not yet truecased."""
        if self.is_tokenized:
            line = tokenize(language, line)
        return line.lower() if self.is_lowercased else line


PROFILES = {
    "raw": Profile(),
    "truecased": Profile(is_tokenized=True, is_truecased=True),
    "lowercased": Profile(is_tokenized=True, is_lowercased=True),
    "tokenized": Profile(is_tokenized=True),
}
FORMER_PROFILES = {"paper": "truecased"}
"""Names of earlier versions and their present names."""


def profile_named(name: str) -> Profile:
    """Return a profile of `PROFILES`; raise `InputError` for any other name."""
    if name in FORMER_PROFILES:
        raise InputError(f"the profile {name!r} is now called {FORMER_PROFILES[name]!r}")
    if name not in PROFILES:
        raise InputError(f"unknown profile {name!r}; it is one of {', '.join(PROFILES)}")
    return PROFILES[name]


class Preprocessor:
    """Text of one language to the form that sub-words are learnt on, and back to ordinary text.

    A truecased profile needs the `truecaser` of the language. Raises `InputError` for an unknown one.
    """

    def __init__(self, profile: str, language: str, truecaser: Truecaser | None = None):
        self._profile = profile_named(profile)
        self.profile, self.language, self.truecaser = profile, language, truecaser
        self.is_tokenized = self._profile.is_tokenized

    def preprocess(self, line: str) -> str:
        """Return a line of text as sub-words are learnt on it."""
        line = self._profile.before_truecasing(self.language, line)
        return self.truecaser.truecase(line) if self._profile.is_truecased else line

    def postprocess(self, line: str) -> str:
        """Return a line of a model's output as ordinary text; a lower-cased one stays without capital letters."""
        if self._profile.is_truecased:
            line = detruecase(line)
        return detokenize(self.language, line) if self.is_tokenized else line

    def expected(self, line: str) -> str:
        """Return a line of text as a perfect model's `postprocess` gives it: in small letters if the profile is."""
        return line.lower() if self._profile.is_lowercased else line


def tokenize(language: str, line: str) -> str:
    """Return a line normalised and tokenised by the rules of Moses, tokens separated by blanks."""
    moses = _moses(language)
    return moses.tokenize(moses.normalize(line))


def detokenize(language: str, line: str) -> str:
    """Return the text of a tokenised line."""
    return _moses(language).detokenize(line)


@cache
def _moses(language):
    from data.text.moses import Moses  # here, because the profile `raw` works without sacremoses

    return Moses(language)


RAW_TEXT = Preprocessor("raw", "")
