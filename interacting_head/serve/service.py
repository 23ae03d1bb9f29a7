"""Responses of a model to the page: translations, attention, and a description of the model."""

import dataclasses
import itertools

from data.text.subwords import BEGIN, END, PAD
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.serve.limits import BEAM_SIZE, SUBWORDS, TOKENS
from interacting_head.serve.requests import AttentionRequest, RequestError, TranslationRequest, too_long
from interacting_head.translation.engines import CAPABILITIES
from interacting_head.translation.output_formats import described, packed
from interacting_head.translation.pieces import encoded
from interacting_head.translation.translator import Translator

SUBWORDS_A_BYTE = 12  # at most: Unicode's normal form turns the 3 bytes of U+FDFA into 33
ADVICE = "lower --max-source-length, or decode.batch_size or decode.beam_size in the run's config.yaml"


class Service:
    """Answer requests, as lists and dictionaries for JSON, in one thread at a time.

    Example:
        >>> service = Service.from_run(["runs/quickstart"])
        >>> [[line]] = service.translate([TranslationRequest("Der alte Mann liest ein Buch.", beam_size=4)])
    """

    def __init__(self, translator: Translator, names: list[str]):
        self.translator, self.names = translator, names
        self.models = translator.engine.models
        self.beam_size = min(translator.options.beam_size, BEAM_SIZE)
        self._inspectors, self._places = [], []
        if self.models:  # other engines need no Keras
            from interacting_head.serve import attention

            self._inspectors = list(map(attention.inspector, self.models))
            self._places = list(map(attention.places, self.models))

    @classmethod
    def from_run(
        cls,
        paths: list,
        checkpoint: str | None = None,
        engine: str = "keras",
        max_source_length: int | None = None,
    ) -> "Service":
        """Return the service of a run directory, or of several as an ensemble, see `Translator.from_run`."""
        translator = Translator.from_run(
            paths, checkpoint, engine=engine, max_source_length=max_source_length, advice=ADVICE
        )
        return cls(translator, [RunDirectory(path).name for path in paths])

    def description(self) -> dict:
        """Describe the engine, its models and their attention layers, for `GET /model`."""
        source, target = self.translator.languages
        models = itertools.zip_longest(self.names, self._places, fillvalue=[])
        return {
            "engine": self.translator.engine.name,
            "source_language": source,
            "target_language": target,
            "beam_size": self.beam_size,
            "models": [{"name": name, "attention": places} for name, places in models],
        }

    def translate(self, requests: list[TranslationRequest]) -> list:
        """Return for each request its lines with their best translations, or a `RequestError` if it is too long.

        All have the same beam size; raises `InputError` if the engine does not support it.
        """
        beam_size = requests[0].beam_size
        options = dataclasses.replace(self.translator.options, beam_size=beam_size, n_best=beam_size)
        refused = {i: error for i, request in enumerate(requests) if (error := self._too_long(request))}
        lines = [line for i, request in enumerate(requests) if i not in refused for line in request.lines]
        found = self.translator.with_options(options).translate(lines)
        return [refused.get(i) or self._answer(request, found) for i, request in enumerate(requests)]

    def _answer(self, request, found):
        """Return the lines of a request with their best translations, taken from `found`."""
        subwords = self.translator.target_subwords
        return [
            {"source": line, "translations": [described(best, subwords) for best in next(found)[: request.n_best]]}
            for line in request.lines
        ]

    def attention(self, request: AttentionRequest) -> dict:
        """Return the weights of an attention layer for a given translation, or raise a `RequestError`."""
        translator = self.translator
        if not self.models:
            raise RequestError(422, f"the engine {translator.engine.name} {CAPABILITIES['details'].statement}")
        if request.model >= len(self.models):
            raise RequestError(422, f"model must be below {len(self.models)}, got {request.model}")
        place = request.site, request.layer
        if place not in self._inspectors[request.model].wanted["attention"]:
            raise RequestError(422, f"this model has no attention layer {request.layer} at the site {request.site}")
        [source] = encoded(translator.source_subwords, translator.source_form, [request.source])
        target = request.translation
        if not source:
            raise RequestError(422, "an empty line has no attention")
        if len(source) >= TOKENS:
            raise RequestError(422, too_long("line", len(source) + 1))
        if len(source) > translator.encoder.limit:
            raise RequestError(422, "attention is not available for lines translated in pieces; shorten the line")
        if not all(0 <= i < translator.target_subwords.vocabulary_size and i not in (PAD, BEGIN, END) for i in target):
            raise RequestError(422, "token_ids must be ids of sub-words, as /translate returns them")
        from interacting_head.serve.attention import measures  # imports Keras

        [inspection] = self._inspectors[request.model].inspect([(source, target)])
        weights, importance = inspection.attention[place], (inspection.head_importance or {}).get(place)
        sources = [translator.source_subwords.piece(i) for i in [*source, END]]
        produced = [translator.target_subwords.piece(i) for i in [*target, END]]
        before = [translator.target_subwords.piece(i) for i in [BEGIN, *target]]
        heads = weights.reshape(-1, *weights.shape[-2:])
        return {
            "rows": sources if request.site == "encoder" else produced,
            "columns": before if request.site == "decoder" else sources,
            "weights": packed(heads),
            **measures(heads),
            "head_importance": None if importance is None else packed(importance),
        }

    def _too_long(self, request):
        """Return the `RequestError` for a request with too many sub-words, or None."""
        translator = self.translator
        if sum(len(line.encode()) for line in request.lines) <= SUBWORDS // SUBWORDS_A_BYTE:
            return None
        count = sum(map(len, encoded(translator.source_subwords, translator.source_form, request.lines)))
        if count <= SUBWORDS:
            return None
        return RequestError(422, f"text may have at most {SUBWORDS:,} sub-words, got {count:,}; shorten it")
