"""The Moses scripts' punctuation normalisation, tokenisation and detokenisation, by sacremoses with repairs."""

import re
import unicodedata

from sacremoses import MosesPunctNormalizer, MosesTokenizer

from data.text.detokenization import detokenize

_ESCAPES = {
    "&#124;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",
}
_ESCAPE = re.compile("|".join(_ESCAPES))


class Moses:
    """Text of one language to tokens and back; a language without rules of its own uses the English abbreviations."""

    def __init__(self, language: str):
        self.language = language
        # sacremoses looks its patterns up anew for every line: a third of the time.
        rules = MosesPunctNormalizer(language).substitutions
        self._substitutions = [(re.compile(pattern).sub, replacement) for pattern, replacement in rules]
        self._tokenizer = _Tokenizer(language)

    def normalize(self, line: str) -> str:
        """Return a line in Unicode's normal form C with the punctuation of normalize-punctuation.perl.

        Unlike in the script, the apostrophe ’ stays one in every word, not only between the letters a to z.
        """
        line = unicodedata.normalize("NFC", line)
        for substitute, replacement in self._substitutions:
            line = substitute(replacement, line)
        return line.strip()

    def tokenize(self, line: str) -> str:
        """Return the tokens of a normalised line, separated by blanks and escaped as tokenizer.perl does it."""
        return self._tokenizer.tokenize(line, return_str=True).rstrip()

    def detokenize(self, line: str) -> str:
        """Return the text of tokens separated by blanks."""
        tokens = _ESCAPE.sub(lambda match: _ESCAPES[match[0]], line).split()
        return detokenize(tokens, self.language)


class _Tokenizer(MosesTokenizer):
    """sacremoses' tokeniser with tokenizer.perl's rule for the last word, and sets instead of lists."""

    def __init__(self, language):
        super().__init__(language)
        numeric = frozenset(self.NUMERIC_ONLY_PREFIXES)
        self._numeric, self._prefixes = numeric, frozenset(self.NONBREAKING_PREFIXES) - numeric

    def handles_nonbreaking_prefixes(self, text):
        """Split the full stop off words, except for abbreviations."""
        tokens = text.split()
        for i, token in enumerate(tokens):
            if len(token) < 2 or token[-1] != ".":
                continue
            prefix, following = token[:-1], tokens[i + 1 : i + 2]
            # The last word of a line is hardly an abbreviation.
            if not following or not self._is_abbreviation(prefix, following[0]):
                tokens[i] = f"{prefix} ."
        return " ".join(tokens)

    def _is_abbreviation(self, word, following):
        return (
            ("." in word and any(map(str.isalpha, word)))
            or word in self._prefixes
            or following[0].islower()
            or (word in self._numeric and "0" <= following[0] <= "9")
        )
