"""Output formats of `interacting-head translate`: text, Moses' n-best list, or a JSON object for each line."""

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from data.text.profiles import Preprocessor
from data.text.subwords import END, Subwords
from interacting_head.translation.pieces import encoded
from interacting_head.translation.translator import Translation

if TYPE_CHECKING:  # it imports Keras
    from interacting_head.translation.inspection import Inspector


def text_line(number: int, translations: list, details: list | None) -> str:
    """Return the best translation."""
    return f"{translations[0].text}\n"


def score_line(number: int, translations: list, details: list | None) -> str:
    """Return the score of the best translation."""
    return f"{translations[0].score:.6f}\n"


def moses_lines(number: int, translations: list, details: list | None) -> str:
    """Return `NUMBER ||| TRANSLATION ||| score=SCORE ||| SCORE` for each translation, lines numbered from 0.

    `|||` in a translation is escaped as Moses does.
    """
    pairs = [(t.text.replace("|||", 3 * "&#124;"), f"{t.score:.6f}") for t in translations]
    return "".join(f"{number} ||| {text} ||| score={score} ||| {score}\n" for text, score in pairs)


def json_line(number: int, translations: list, details: list | None, subwords: Subwords, in_lists: bool) -> str:
    """Return a JSON object of the best translation; `in_lists`: with all of them as `n_best`.

    `details` are further keys of each; `subwords` are the target's.
    """
    objects = [
        {**described(translation, subwords), **more}
        for translation, more in zip(translations, details or [{}] * len(translations), strict=True)
    ]
    record = {**objects[0], "n_best": objects} if in_lists else objects[0]
    return json.dumps(record, ensure_ascii=False) + "\n"


def described(translation: Translation, subwords: Subwords) -> dict:
    """Return a `Translation` as a JSON object; `subwords` are the target's."""
    scores = translation.token_scores
    ids = [*translation.tokens, END][: len(scores)]  # the end symbol has a score too
    in_pieces = {"pieces": translation.pieces} if translation.pieces > 1 else {}
    return {
        "translation": translation.text,
        "score": round(translation.score, 6),
        "tokens": [subwords.piece(i) for i in ids],
        "token_ids": ids,
        "token_scores": [round(score, 6) for score in scores],
        **in_pieces,
    }


def detailed(
    lines: list[str], found: list[list], inspector: "Inspector", subwords: Subwords, form: Preprocessor
) -> Iterator[list[dict]]:
    """Yield for each line what `interacting-head translate --with …` adds to each of its translations in `found`.

    Sub-words and form are the source's. Values are None for lines translated in pieces, which the model never saw as a
    whole.
    """
    names = [name for name in ("attention", "head_importance") if inspector.wanted[name]]
    nothing = dict.fromkeys(["source_tokens", *names])
    whole = ["" if best.pieces > 1 else line for line, (best, *_) in zip(lines, found, strict=True)]
    sources = encoded(subwords, form, whole)
    pairs = [(source, one.tokens) for source, line in zip(sources, found, strict=True) for one in line]
    inspections = iter(inspector.inspect(pairs))
    for source, line in zip(sources, found, strict=True):
        tokens = [subwords.piece(i) for i in [*source, END]] if source else []
        yield [
            nothing if one.pieces > 1 else {"source_tokens": tokens, **_inspected(inspection)}
            for one, inspection in zip(line, inspections, strict=False)
        ]


def _inspected(inspection):
    record = {}
    if inspection.attention is not None:
        record["attention"] = [
            {"layer": number, **packed(array)} for (_, number), array in inspection.attention.items()
        ]
    if inspection.head_importance is not None:
        record["head_importance"] = [
            {"site": site, "layer": number, "mean": [round(x, 6) for x in array.mean(axis=0).tolist()], **packed(array)}
            for (site, number), array in inspection.head_importance.items()
        ]
    return record


def packed(array: np.ndarray) -> dict:
    """Return an array for JSON: its shape, and its values as little-endian float16 in base 64.

    To decode: `np.frombuffer(base64.b64decode(record["float16"]), "<f2").reshape(record["shape"])`.
    """
    return {
        "shape": list(array.shape),
        "float16": base64.b64encode(np.ascontiguousarray(array, dtype="<f2")).decode("ascii"),
    }
