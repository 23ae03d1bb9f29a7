"""Search for translations with one `Transformer` or an ensemble of several.

Letters for shapes: `B` sentences, `N` hypotheses of each, `S` source length, `L` largest target length, `P` places of a
cache, `V` vocabulary.
"""

import math
from typing import NamedTuple

import keras
import numpy as np
from keras import KerasTensor, ops

from data.text.subwords import PAD
from interacting_head.model.compilation import Compiled, compiles_shapes
from interacting_head.search.beam_search import advance, collect, start
from interacting_head.search.state import Limits, pick

CAPACITY = 16  # target positions for which the caches have places at first; doubled when they are used up


class SearchResult(NamedTuple):
    """Hypotheses, best first: ids `(B, N, L)`, padded; scores `(B, N)`; log-probabilities of tokens `(B, N, L)`."""

    ids: np.ndarray
    scores: np.ndarray
    token_scores: np.ndarray


class TransformerSearch:
    """Search for translations of batches of ids.

    The encoder runs once for a batch. Sentences that are done leave the batch when half of it is done. The functions
    that a search is made of are compiled once each. With JAX the search is one function, and compiled once for each
    shape: give it few of them.

    Args:
        models: a `Transformer`, or a list of them with equal vocabularies, whose probabilities are averaged.
        options: `SearchOptions`.
        prefixes: true if the limits have prefixes.

    Call arguments:
        source_ids: `(B, S)`, end symbols included, padded.
        limits: `Limits` of arrays.
        length: L, at least the largest of `limits.max_lengths`; default: that.

    Returns:
        `SearchResult`.
    """

    def __init__(self, models, options, prefixes=False):
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        self.options = options
        self._kernels = None
        matrix, vector, scalar = (KerasTensor((None,) * rank, "int32") for rank in (2, 1, 0))
        limits = Limits(max_lengths=vector)
        if options.min_length is not None:
            limits |= Limits(min_lengths=vector)
        if prefixes:
            limits |= Limits(prefixes=matrix, prefix_lengths=vector)
        if options.sampling:
            limits |= Limits(draws=KerasTensor((None, None, options.hypotheses), "float32"))
        self._prepare = prepare = Compiled(self.prepare, self.models, arguments=lambda: [])
        self._start = start = Compiled(
            self.start, self.models, arguments=lambda: [matrix, limits, scalar, scalar], static=(2, 3)
        )
        self._advance = Compiled(
            self.advance,
            self.models,
            arguments=lambda: [prepare.outputs, limits, *start.outputs, scalar, scalar],
        )
        self._keep = Compiled(keep_rows, arguments=lambda: [limits, *start.outputs, vector, scalar], static=(4,))
        self._finish = Compiled(
            lambda links, totals: collect(links, totals, options),
            arguments=lambda: [start.outputs[1].links, start.outputs[1].totals],
        )
        self._whole = Compiled(
            self.whole,
            self.models,
            arguments=lambda: [prepare.outputs, matrix, limits, scalar],
            static=(3,),
            rows=(1, 2),
        )
        in_steps = (self._start, self._advance, self._keep, self._finish)
        self.compiled = (self._prepare, *((self._whole,) if compiles_shapes() else in_steps))

    def refresh(self):
        """Take the models' present weights; to be called where they have changed."""
        self._kernels = self._prepare()

    def __call__(self, source_ids, limits, length=None):
        if self._kernels is None:
            self.refresh()
        length = length or int(limits["max_lengths"].max())
        if compiles_shapes():
            return SearchResult(*map(as_array, self._whole(self._kernels, source_ids, limits, length)))
        capacity = min(CAPACITY, length)
        rows, histories = np.arange(len(source_ids)), []
        memories, search = self._start(source_ids, limits, capacity, length)
        while True:
            most_unfinished = len(rows) // 2
            search = self._advance(self._kernels, limits, memories, search, capacity, most_unfinished)
            done = as_array(search.done)
            leaving = done | (not (~done).any())
            links, totals = as_array(search.links), as_array(search.totals)
            histories.append((rows[leaving], links[leaving], totals[leaving]))
            rows = rows[~leaving]
            if not rows.size:
                break
            if int(search.position) == capacity:
                capacity = min(2 * capacity, length)
            staying = np.flatnonzero(~leaving).astype("int32")
            limits, memories, search = self._keep(limits, memories, search, staying, capacity)
        rows, links, totals = map(np.concatenate, zip(*histories, strict=True))
        order = np.argsort(rows)
        return SearchResult(*map(as_array, self._finish(links[order], totals[order])))

    # Functions of tensors.

    def prepare(self):
        """Return what each model computes of its weights before the first step."""
        return [model.decoding_kernels() for model in self.models]

    def start(self, source_ids, limits, capacity, length):
        """Return the memories of all models, and the search before the first step."""
        N, padding_mask = self.options.hypotheses, ops.not_equal(source_ids, PAD)
        blocks, caches = zip(
            *(model.start_decoding(model.encode(source_ids)[0], N, capacity) for model in self.models), strict=True
        )
        mask = ops.zeros((ops.shape(source_ids)[0], N, capacity * N), dtype="bool")
        state = {"caches": list(caches), "mask": mask}
        return {"blocks": list(blocks), "padding_mask": padding_mask}, start(state, limits, self.options, length)

    def advance(self, kernels, limits, memories, search, until, most_unfinished):
        """Continue a search as `beam_search.advance` does."""
        step = self.step_function(kernels, memories)
        return advance(step, search, limits, self.options, until, most_unfinished)

    def whole(self, kernels, source_ids, limits, length):
        """Return the results of a search, from the encoder to `collect`."""
        memories, search = self.start(source_ids, limits, length, length)
        search = self.advance(kernels, limits, memories, search, length, 0)
        return collect(search.links, search.totals, self.options)

    def step_function(self, kernels, memories):
        """Return the step function of `beam_search`."""
        N, models = self.options.hypotheses, self.models

        def step(tokens, parents, position, state):
            # The places of a hypothesis are those of its parent, and the one that it writes now.
            mask = pick(state["mask"], parents)  # (B, N, P)
            own = ops.arange(ops.shape(mask)[2]) == ops.expand_dims(position * N + ops.arange(N), 1)
            mask = ops.logical_or(mask, own)
            logits, caches = zip(
                *(
                    model.decode_step(tokens, position, cache, mask, blocks, memories["padding_mask"], own_kernels)
                    for model, cache, blocks, own_kernels in zip(
                        models, state["caches"], memories["blocks"], kernels, strict=True
                    )
                ),
                strict=True,
            )
            return mean_probability(logits), {"caches": list(caches), "mask": mask}

        return step


def mean_probability(logits):
    """Return the logits themselves of one model; of several the logarithm of the mean of their probabilities."""
    if len(logits) == 1:
        return logits[0]
    log_p = ops.stack([ops.log_softmax(part, axis=-1) for part in logits])
    return ops.logsumexp(log_p, axis=0) - math.log(len(logits))


def keep_rows(limits, memories, search, rows, capacity):
    """Return the parts of a search that belong to some of its sentences, with places for `capacity` positions."""

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


def as_array(tensor):
    """Return a tensor as a NumPy array."""
    return np.asarray(ops.convert_to_numpy(tensor))
