"""Punctuation normalisation, tokenisation and detokenisation like the Moses scripts, by sacremoses with repairs.

Detokenisation follows detokenizer.perl, with rules for further cases. sacremoses' detokeniser leaves blanks around
slashes, dashes and foreign quotation marks, in times, names (O 'Malley) and amounts (C $5), puts blanks on the wrong
side of unpaired quotation marks, and drops Czech ones before numbers ("v roce2008"). On tokenised news in English,
German and Czech it restores less than 98 % of the lines, these rules more than 99 %.
"""

import html
import re
import unicodedata
from collections import Counter

from sacremoses import MosesPunctNormalizer, MosesTokenizer

from data.text.languages import base_language

# Combining marks without marks of symbols and variation selectors; zero-width non-joiner and joiner. Characters above
# U+FFFF in a pattern would halve the speed of tokenisation.
_OF_SYMBOLS = {*range(0x20D0, 0x2100), *range(0xFE00, 0xFE30)}
_MARKS = "\u200c\u200d" + "".join(
    chr(code) for code in range(0x10000) if code not in _OF_SYMBOLS and unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_HANGUL = "\uac00-\ud7a3"
_SIGNS_IN_WORDS = {"ca": "·", "fi": ":", "sv": ":"}
_ESCAPE = re.compile(r"&(#124|lt|gt|quot|apos|#91|#93|amp);")


class Moses:
    """Text of one language to tokens and back; languages without rules of their own use English abbreviations."""

    def __init__(self, language: str):
        self.language = language = base_language(language)
        # Compiled once: sacremoses looks up its patterns for every line, which takes a third of the time.
        rules = MosesPunctNormalizer(language).substitutions
        self._substitutions = [(re.compile(pattern).sub, replacement) for pattern, replacement in rules]
        self._tokenizer = _Tokenizer(language)

    def normalize(self, line: str) -> str:
        """Return a line in Unicode normal form C with the punctuation of normalize-punctuation.perl.

        Unlike in the script, the apostrophe ’ is kept in every word, not only between the letters a to z.
        """
        line = unicodedata.normalize("NFC", line)
        for substitute, replacement in self._substitutions:
            line = substitute(replacement, line)
        return line.strip()

    def tokenize(self, line: str) -> str:
        """Return the tokens of a normalised line, separated by blanks and escaped as by tokenizer.perl."""
        return self._tokenizer.tokenize(line, return_str=True).rstrip()

    def detokenize(self, line: str) -> str:
        """Return the text of tokens separated by blanks."""
        tokens = _ESCAPE.sub(lambda match: html.unescape(match[0]), line).split()
        return "".join(_Detokenizer(tokens, self.language).pieces())


class _Tokenizer(MosesTokenizer):
    """sacremoses' tokeniser with tokenizer.perl's rule for the last word, and sets instead of lists."""

    def __init__(self, language):
        super().__init__(language)
        # Letters, joiners and marks of scripts that sacremoses does not know are parts of words, and so are some signs.
        pattern, padded = self.PAD_NOT_ISALNUM
        sign = _SIGNS_IN_WORDS.get(language, "")
        separated = pattern.pattern.removesuffix(")").replace("[^", f"[^{_HANGUL}{_MARKS}{sign}", 1)
        if sign == ":":  # unless an ending follows, as in USA:n
            separated += f"|:(?![{self.IsLower}])"
        self.PAD_NOT_ISALNUM = re.compile(f"{separated})"), padded
        numeric = frozenset(self.NUMERIC_ONLY_PREFIXES)
        self._numeric, self._prefixes = numeric, frozenset(self.NONBREAKING_PREFIXES) - numeric

    def handles_nonbreaking_prefixes(self, text):
        """Split the full stop off words, except for abbreviations."""
        tokens = text.split()
        for i, token in enumerate(tokens):
            if len(token) < 2 or token[-1] != ".":
                continue
            prefix, following = token[:-1], tokens[i + 1 : i + 2]
            # The last word of a line is rarely an abbreviation.
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


_OPENING = re.compile(r"[(\[{¿¡#]+")
_CLOSING = re.compile(r"[,.?!:;\\%}\])…™®²³°।॥،؛؟۔។៕၊။]+")
_CURRENCY = re.compile(r"[$¢-¥₠-⃏]+")
_DOLLARS = re.compile(r"A|AU|C|CA|HK|NZ|R|S|US")  # C$ 5, of Canada
_UNSPACED = re.compile(r"[/@_\u00ad]")  # between two words
_CJK = re.compile(r"[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")  # without Hangul, which uses blanks
_INITIALS = re.compile(r"[A-Z]{1,2}")  # R&D, AT&T
_NUMBER = re.compile(r"\d")
_LETTER = r"[^\W\d_]"
_WORD_END, _WORD_START = re.compile(rf"{_LETTER}$"), re.compile(_LETTER)
# The parts of a word before or after an apostrophe, as in O'Neill, geht's, I'm.
_NAME_BEGINNING = re.compile(r"[DLO]|[dl]")
_CLITIC = re.compile(r"s|n|ne|nen|m|t|d|ll|re|ve")
# Apostrophes are letters of these languages.
_LETTER_APOSTROPHE = {"be", "uk"}
# In these, “ ends a quotation and „ begins it; in others “ begins it.
_LOW_QUOTES = re.compile("be|bg|cs|da|de|et|hr|is|lt|lv|mk|ro|ru|sk|sl|sq|sr|uk")
_DOUBLE, _SINGLE, _ANGLES = "„“”", "‚‘’", ("«»", "‹›")
_STRAIGHT = ('"', "'", "`")


class _Detokenizer:
    """The state of one line: open quotations, and whether the next token joins the previous one."""

    def __init__(self, tokens, language):
        self.tokens, self.language = tokens, language
        self.open = set()
        self.marks_left = Counter(token for token in tokens if token in _STRAIGHT)  # from the current token on
        self.closed_quote = False  # whether the token before ends a quotation

    def pieces(self):
        joins_next = True
        for i, token in enumerate(self.tokens):
            before = self.tokens[i - 1] if i else ""
            after = self.tokens[i + 1] if i + 1 < len(self.tokens) else ""
            joins, joins_following = self._joins(i, token, before, after)
            if not (joins or joins_next):
                yield " "
            yield token
            joins_next = joins_following

    def _joins(self, i, token, before, after):
        """Return whether a token joins the previous one, and whether the next joins it."""
        after_quote, self.closed_quote = self.closed_quote, False
        if token in _STRAIGHT or token in _DOUBLE + _SINGLE or token in "".join(_ANGLES):
            joins = self._quote(i, token, before, after)
            self.marks_left[token] -= 1
            self.closed_quote = joins == (True, False)
            return joins
        if _CURRENCY.fullmatch(token):
            return self._currency(before, after)
        if _OPENING.fullmatch(token):
            return False, True
        if token in ":–—" and _NUMBER.match(before[-1:]) and _NUMBER.match(after):  # 10:30, 1914–1918
            return True, True
        if _CLOSING.fullmatch(token):
            return not (self.language == "fr" and token in ("?", "!", ":", ";", "%")), False
        if _UNSPACED.fullmatch(token):
            return bool(before), True
        if token == "&" and _INITIALS.fullmatch(before) and _INITIALS.fullmatch(after):
            return True, True
        if self.language == "en" and token[0] == "'" and before:
            return True, False
        if self.language in ("fr", "it") and token[-1] == "'" and _WORD_START.match(after):
            return False, True
        if after_quote and token[0] == "-" and token[1:2].isalnum():  # "Baby"-Trend
            return True, False
        return bool(before and _CJK.match(token) and _CJK.match(before[-1])), False

    def _currency(self, before, after):
        if not (_NUMBER.match(after) or after[:1] == "." or _CURRENCY.match(after)):
            return False, False
        if _NUMBER.match(before[-1:]) and not _NUMBER.match(after):
            return False, False
        return bool(_DOLLARS.fullmatch(before)), True

    def _quote(self, i, token, before, after):
        """Return the result of `_joins` for a quotation mark or an apostrophe."""
        if token in "'’" and self._is_apostrophe(token, before, after):
            return True, True
        if token == "'" and _NUMBER.match(after) and self._is_unpaired(token):  # the '90s
            return False, True
        kind, opens = self._role(i, token, before, after)
        if opens is None:  # the Jones' house, often written with " after normalisation
            return True, False
        if opens:
            self.open.add(kind)
            return False, True
        self.open.discard(kind)
        return True, False

    def _role(self, i, token, before, after):
        """Return the kind of a quotation mark, and whether it begins a quotation; None for the end of a word."""
        if token in _DOUBLE + _SINGLE:
            kind = _DOUBLE if token in _DOUBLE else _SINGLE
            low, middle, _ = kind
            if token == middle:
                return kind, kind not in self.open and not _LOW_QUOTES.fullmatch(self.language)
            return kind, token == low
        for kind in _ANGLES:
            if token in kind:
                return kind, kind not in self.open  # »so« and «so»
        if token in self.open:
            return token, False
        if self.language == "en" and before.endswith("s") and self._is_possessive(i, token, after):
            return token, None
        if self._ends_word(token, before, after):
            return token, None
        if self._is_unpaired(token):
            is_last = not after or _CLOSING.fullmatch(after)
            return token, not (before and (is_last or self._ends_quotation(before, after)))
        return token, True

    def _is_possessive(self, i, token, after):
        """Return whether a mark after an s is a plural possessive: no other mark, or only such a one, follows."""
        if self._is_unpaired(token):
            return token == "'" or after[:1].islower()
        following = self.tokens.index(token, i + 1)
        previous, following = self.tokens[following - 1], "".join(self.tokens[following + 1 : following + 2])
        return token == "'" and previous.endswith("s") and bool(_WORD_START.match(following))

    def _ends_quotation(self, before, after):
        """Return whether an unpaired mark between these tokens ends a quotation from an earlier line."""
        return before[-1] in ".?!…" or (before == "," and not after[0].isupper())

    def _is_apostrophe(self, token, before, after):
        if not (_WORD_END.search(before) and _WORD_START.match(after)):
            return False
        if token == "’":
            return _SINGLE not in self.open
        if token in self.open or self.language in ("en", "fr", "it"):  # there the tokeniser keeps them
            return False
        if self._ends_word(token, before, after):
            return False
        if self.language in _LETTER_APOSTROPHE:
            return True
        joined = _NAME_BEGINNING.fullmatch(before) or _CLITIC.fullmatch(after)
        return bool(joined) or self._is_unpaired(token)

    def _ends_word(self, token, before, after):
        """Return whether an apostrophe outside English ends a word: un po' di tempo, Grass' Roman."""
        if not (_WORD_END.search(before) and self._is_unpaired(token)):
            return False
        is_genitive = self.language == "de" and before[-1] in "sxzß" and after[:1].isupper()
        return token == "'" and (is_genitive or self.language in ("fr", "it"))

    def _is_unpaired(self, token):
        """Return whether an odd number of marks of this form remains."""
        return self.marks_left[token] % 2 == 1
