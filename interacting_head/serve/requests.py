"""JSON requests, validated before they reach a model; invalid ones raise `RequestError`."""

import dataclasses
import json
import re

from data.text.subwords import END
from interacting_head.config import SITES
from interacting_head.serve.limits import BEAM_SIZE, CHARACTERS, LINES, TOKENS


class RequestError(Exception):
    """A request that cannot be answered, with an HTTP status code and a one-line reason."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


@dataclasses.dataclass(frozen=True)
class TranslationRequest:
    """`{"text": …, "beam_size": …, "n_best": …}`; only `text` is required, and translated line by line."""

    text: str
    beam_size: int
    n_best: int = 1

    def __post_init__(self):
        _check_text("text", self.text)
        if len(self.lines) > LINES:
            raise RequestError(
                422, f"text may have at most {LINES} lines, got {len(self.lines)}; send several requests"
            )
        _check_whole("beam_size", self.beam_size, 1, BEAM_SIZE)
        _check_whole("n_best", self.n_best, 1, self.beam_size, " (the beam size)")

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without line breaks; a break at the end begins no further line."""
        *lines, last = re.split("\r\n|\r|\n", self.text)
        return [*lines, last] if last or not lines else lines


@dataclasses.dataclass(frozen=True)
class AttentionRequest:
    """`{"source": line, "token_ids": as from `/translate`, "site": …, "layer": …, "model": index in an ensemble}`."""

    source: str
    token_ids: list
    site: str
    layer: int
    model: int = 0

    def __post_init__(self):
        _check_text("source", self.source)
        if type(self.token_ids) is not list or not all(type(i) is int for i in self.token_ids):
            raise RequestError(422, "token_ids must be a list of whole numbers, as /translate returns it")
        if len(self.translation) >= TOKENS:
            raise RequestError(422, too_long("translation", len(self.translation) + 1))
        if self.site not in SITES:
            raise RequestError(422, f"site must be one of {', '.join(SITES)}")
        _check_whole("layer", self.layer, 1, None)
        _check_whole("model", self.model, 0, None)

    @property
    def translation(self) -> list[int]:
        """The ids without the end symbol, which may be left out."""
        return self.token_ids[:-1] if self.token_ids[-1:] == [END] else self.token_ids


def parse(form: type, body: bytes, **defaults: object) -> TranslationRequest | AttentionRequest:
    """Parse a JSON body as a `TranslationRequest` or `AttentionRequest`, with defaults for omitted keys.

    Raises `RequestError`: 400 if it is not JSON, 422 if it is not valid.
    """
    try:
        given = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RequestError(400, "the body must be JSON in UTF-8") from error
    names = [field.name for field in dataclasses.fields(form)]
    if not isinstance(given, dict):
        raise RequestError(422, f"the body must be an object with the keys {', '.join(names)}")
    for name in given:
        if name not in names:
            raise RequestError(422, f"unknown key {name[:40]!r}; known keys: {', '.join(names)}")
    given = {**defaults, **given}
    for field in dataclasses.fields(form):
        if field.name not in given and field.default is dataclasses.MISSING:
            raise RequestError(422, f"the key {field.name} is missing")
    return form(**given)


def too_long(what: str, tokens: int) -> str:
    """Return the message for a sentence that is too long to show its attention."""
    return f"attention is shown for up to {TOKENS} sub-words, but this {what} has {tokens}; shorten the sentence"


def _check_text(name, text):
    if type(text) is not str:
        raise RequestError(422, f"{name} must be a string")
    if len(text) > CHARACTERS:
        raise RequestError(422, f"{name} may have at most {CHARACTERS:,} characters, got {len(text):,}; shorten it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError(422, f"{name} is not valid Unicode: it contains half a surrogate pair") from error


def _check_whole(name, value, least, most, why=""):
    if type(value) is not int or value < least or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}{why}"
        raise RequestError(422, f"{name} must be a whole number of at least {least}{upper}")
