"""Search and scores of translations with one `Transformer` or an ensemble of several.

Shapes: `B` sentences, `N` hypotheses of each, `S` source length, `L` largest target length, `P` cache slots,
`V` vocabulary.
"""

import functools
import math
from typing import NamedTuple

import keras
import numpy as np
from keras import KerasTensor, ops

from data.text.subwords import PAD
from interacting_head.model.compilation import Compiled, compiles_shapes
from interacting_head.model.losses import token_cross_entropy
from interacting_head.model.transformer import Transformer
from interacting_head.search.beam_search import Search, collect, extended, pick, start, unfinished
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions

CAPACITY = 16  # initial target positions of the caches; doubled when they are full


class SearchResult(NamedTuple):
    """Hypotheses, best first: ids `(B, N, L)`, padded; scores `(B, N)`; log-probabilities of tokens `(B, N, L)`."""

    ids: np.ndarray
    scores: np.ndarray
    token_scores: np.ndarray


class DecodingKernels:
    """The decoding kernels of models, computed once for all searches with the same weights."""

    def __init__(self, models: list[Transformer]):
        self.models = models
        self.compiled = Compiled(self.prepare, models, arguments=dict)

    def prepare(self) -> list[dict]:
        """Return the decoding kernels of each model."""
        return [model.decoding_kernels() for model in self.models]

    def refresh(self) -> None:
        """Compute the kernels again; call it after the models' weights have changed."""
        self.value = self.compiled()

    @functools.cached_property
    def value(self) -> list[dict]:
        """The result of `prepare` with the weights at the last `refresh`, or at first use."""
        return self.compiled()


class TransformerSearch:
    """Search for translations of batches of ids.

    The encoder runs once for a batch. Finished sentences leave the batch when a quarter of it is done; the caches grow
    with the hypotheses. The search of a batch is one call of a compiled function. JAX compiles it for each shape and
    keeps shapes constant: give it few of them.

    `models` is a `Transformer`, or a list of them with equal vocabularies, whose probabilities are averaged; `prefixes`
    says whether the limits have prefixes; `kernels` are the models', shared with other searches.

    Call it with padded source ids `(B, S)` with end symbols; `Limits` of arrays; and a length L, by default
    max(`max_lengths`).
    """

    def __init__(
        self,
        models: Transformer | list[Transformer],
        options: SearchOptions,
        prefixes: bool = False,
        kernels: DecodingKernels | None = None,
    ):
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        self.options = options
        self.decoding_kernels = kernels or DecodingKernels(self.models)
        matrix, vector, scalar = (KerasTensor((None,) * rank, "int32") for rank in (2, 1, 0))
        limits = Limits(max_lengths=vector)
        if options.min_length is not None:
            limits |= Limits(min_lengths=vector)
        if prefixes:
            limits |= Limits(prefixes=matrix, prefix_lengths=vector)
        if options.sampling:
            limits |= Limits(draws=KerasTensor((None, None, options.hypotheses), "float32"))
        prepared = self.decoding_kernels.compiled
        self.compiled_search = Compiled(
            self.search,
            self.models,
            arguments=lambda: {"kernels": prepared.outputs, "source_ids": matrix, "limits": limits, "length": scalar},
            static=("length",),
            rows=("source_ids", "limits"),
        )

    def __call__(self, source_ids: np.ndarray, limits: Limits, length: int | None = None) -> SearchResult:
        length = length or int(limits["max_lengths"].max())
        kernels = self.decoding_kernels.value
        found = self.compiled_search(kernels=kernels, source_ids=source_ids, limits=limits, length=length)
        return SearchResult(*map(ops.convert_to_numpy, found))

    # Functions of tensors.

    def search(self, kernels: list, source_ids: KerasTensor, limits: Limits, length: int | KerasTensor) -> tuple:
        """Return ids, scores and token scores as in `SearchResult`; arguments as in a call."""
        options, N = self.options, self.options.hypotheses
        capacity = length if compiles_shapes() else ops.minimum(CAPACITY, length)
        memories = {"blocks": [], "padding_mask": ops.not_equal(source_ids, PAD)}
        state = {"caches": [], "mask": ops.zeros((ops.shape(source_ids)[0], N, capacity * N), dtype="bool")}
        for model in self.models:
            blocks, caches = model.start_decoding(model.encode(source_ids)[0], N, capacity)
            memories["blocks"].append(blocks)
            state["caches"].append(caches)

        def round_of_steps(rows, capacity, links, totals, limits, memories, search):
            """Search until the caches are full or a quarter of the sentences is done, and drop those."""

            def step(*search):
                search, logits, caches = Search(*search), [], []
                # The cache slots of a hypothesis are its parent's, and the one that it writes now.
                mask = pick(search.state["mask"], search.parents)  # (B, N, P)
                own = ops.arange(ops.shape(mask)[2]) == ops.expand_dims(search.position * N + ops.arange(N), 1)
                mask = ops.logical_or(mask, own)
                caches_before, blocks = search.state["caches"], memories["blocks"]
                for model, cache, memory, kernel in zip(self.models, caches_before, blocks, kernels, strict=True):
                    of_model, cache = model.decode_step(
                        search.tokens, search.position, cache, mask, memory, memories["padding_mask"], kernel
                    )
                    logits.append(of_model)
                    caches.append(cache)
                state = {"caches": caches, "mask": mask}
                return extended(search, ensemble_logits(logits), state, limits, options)

            # Dropping finished sentences costs a copy, keeping them costs useless steps.
            most_unfinished = 0 if compiles_shapes() else ops.shape(rows)[0] * 3 // 4
            search = Search(
                *ops.while_loop(lambda *search: unfinished(Search(*search), capacity, most_unfinished), step, search)
            )
            if compiles_shapes():
                return search.links, search.totals
            links = ops.scatter_update(links, ops.expand_dims(rows, 1), search.links)
            totals = ops.scatter_update(totals, ops.expand_dims(rows, 1), search.totals)
            capacity = ops.where(ops.equal(search.position, capacity), ops.minimum(2 * capacity, length), capacity)
            (staying,) = ops.nonzero(ops.logical_not(search.done))
            kept = keep_rows(limits, memories, search, staying, capacity)
            return ops.take(rows, staying), capacity, links, totals, *kept

        rows = ops.arange(ops.shape(source_ids)[0], dtype="int32")
        search = start(state, limits, options, length)
        variables = (rows, capacity, search.links, search.totals, limits, memories, search)
        if compiles_shapes():
            links, totals = round_of_steps(*variables)
        else:
            _, _, links, totals, *_ = ops.while_loop(lambda rows, *_: ops.shape(rows)[0] > 0, round_of_steps, variables)
        return collect(links, totals, options)


class Scorer:
    """Score given translations by forced decoding; `models` as in `TransformerSearch`.

    Call it with source ids `(B, S)`, target ids `(B, T)`, shifted right, and labels `(B, T)`. It returns, `(B, T)` each
    and 0 at padding: log-probabilities of the labels; 1 for labels that are the likeliest token, else 0; and with
    `label_smoothing` the smoothed cross-entropies.
    """

    def __init__(self, models: Transformer | list[Transformer], label_smoothing: float | None = None):
        self.label_smoothing = label_smoothing
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        names = ("source_ids", "target_ids", "labels")
        ids = dict.fromkeys(names, KerasTensor((None, None), "int32"))
        self._score = Compiled(self.score, self.models, arguments=lambda: ids, rows=names)

    def __call__(self, source_ids: np.ndarray, target_ids: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(
            map(ops.convert_to_numpy, self._score(source_ids=source_ids, target_ids=target_ids, labels=labels))
        )

    def score(self, source_ids: KerasTensor, target_ids: KerasTensor, labels: KerasTensor) -> list[KerasTensor]:
        """Return the scores as tensors."""
        inputs = {"source_ids": source_ids, "target_ids": target_ids}
        logits = ensemble_logits([model(inputs, training=False) for model in self.models])
        real = ops.cast(ops.not_equal(labels, PAD), "float32")
        correct = ops.cast(ops.argmax(logits, axis=-1) == ops.cast(labels, "int32"), "float32")
        found = [-token_cross_entropy(labels, logits), correct]
        if self.label_smoothing is not None:
            found.append(token_cross_entropy(labels, logits, self.label_smoothing))
        return [values * real for values in found]


def ensemble_logits(logits: list[KerasTensor]) -> KerasTensor:
    """Return the logits of one model, or the logarithm of the mean probability of several, which serves as logits."""
    if len(logits) == 1:
        return logits[0]
    log_p = ops.stack([ops.log_softmax(part, axis=-1) for part in logits])
    return ops.logsumexp(log_p, axis=0) - math.log(len(logits))


def keep_rows(limits: Limits, memories: dict, search: Search, rows: KerasTensor, capacity: int | KerasTensor) -> tuple:
    """Return a search restricted to some of its sentences, with cache slots for `capacity` positions."""

    def kept(structure):
        return keras.tree.map_structure(lambda tensor: ops.take(tensor, rows, axis=0), structure)

    def enlarged(tensor, axis):
        shape = list(ops.shape(tensor))
        shape[axis] = capacity * N - shape[axis]
        return ops.concatenate([tensor, ops.zeros(shape, dtype=tensor.dtype)], axis=axis)

    N = search.tokens.shape[1]
    of_sentences = kept({name: value for name, value in search._asdict().items() if name != "position"})
    state = of_sentences["state"]
    of_sentences["state"] = {
        "caches": keras.tree.map_structure(lambda cache: enlarged(cache, -2), state["caches"]),
        "mask": enlarged(state["mask"], -1),
    }
    return kept(limits), kept(memories), search._replace(**of_sentences)
