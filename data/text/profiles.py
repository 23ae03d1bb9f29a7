"""Text preprocessing profiles: raw text, or normalised and tokenised by the rules of Moses in one of three casings.

| profile | tokenised | casing | paper |
|---|---|---|---|
| `raw` | no | unchanged | Ampomah et al. 2020 |
| `truecased` | yes | truecased | Li & Luo 2022; Iida et al. 2019 (recipes `mhop_iwslt17_as_told_*`) |
| `lowercased` | yes | lowercased | Iida et al. 2019, Goindani & Shrivastava 2021 on IWSLT14 |
| `tokenized` | yes | unchanged | the same on other corpora |
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
    """The steps of a profile; by default none."""

    is_tokenized: bool = False
    is_truecased: bool = False
    is_lowercased: bool = False

    def before_truecasing(self, language: str, line: str) -> str:
        """Return a preprocessed line, not yet truecased."""
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
"""Names in earlier versions → current names."""


def profile_named(name: str) -> Profile:
    """Return an entry of `PROFILES`; raise `InputError` for any other name."""
    if name in FORMER_PROFILES:
        raise InputError(f"the profile {name!r} is now called {FORMER_PROFILES[name]!r}")
    if name not in PROFILES:
        raise InputError(f"unknown profile {name!r}; choose one of {', '.join(PROFILES)}")
    return PROFILES[name]


class Preprocessor:
    """Preprocessing of text in one language before sub-words, and back; a truecased profile needs a `truecaser`."""

    def __init__(self, profile: str, language: str, truecaser: Truecaser | None = None):
        self._profile = profile_named(profile)
        self.profile, self.language, self.truecaser = profile, language, truecaser
        self.is_tokenized = self._profile.is_tokenized

    def preprocess(self, line: str) -> str:
        """Return a line of text as sub-word models see it."""
        line = self._profile.before_truecasing(self.language, line)
        return self.truecaser.truecase(line) if self._profile.is_truecased else line

    def postprocess(self, line: str) -> str:
        """Return a line of model output as ordinary text; lowercased text stays lowercased."""
        if self._profile.is_truecased:
            line = detruecase(line)
        return detokenize(self.language, line) if self.is_tokenized else line

    def expected(self, line: str) -> str:
        """Return a reference line as a perfect model would produce it: lowercased if the profile is."""
        return line.lower() if self._profile.is_lowercased else line


def tokenize(language: str, line: str) -> str:
    """Return a line normalised and tokenised by Moses' rules, tokens separated by blanks."""
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
