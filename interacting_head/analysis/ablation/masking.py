"""BLEU without single heads, or without sources of encoder-decoder attention (Ampomah et al. 2020, Table 7)."""

import dataclasses

import numpy as np
from tqdm import tqdm

from data.errors import InputError
from interacting_head.analysis.heat_maps import CELL, draw_heat_map, grid, titled
from interacting_head.analysis.verb import Findings, Verb
from interacting_head.config_values import MOST_HYPOTHESES

METRIC = "sacrebleu"
SIGNIFICANCE = {0.01: "‡", 0.05: "†"}
"""p-value → mark of differences below it, as in Table 7."""


class MaskedTranslation:
    """Translations of the same sentences by one model under any number of masks, and their statistics of BLEU.

    Sub-words and batches are made once, and functions compiled once.

    Args:
        run: an `AnalysedRun`.
        gated: the `head_gates.GatedTransformer` of its model.
        sample: the `Sample`.
        beam_size: default: the run's.

    Raises:
        InputError: where the sample has no references, or an empty one.
    """

    def __init__(self, run, gated, sample, beam_size=None):
        from interacting_head.metrics import METRICS  # takes a while
        from interacting_head.metrics.lines import check_lines
        from interacting_head.metrics.metric import Options
        from interacting_head.translation.engines.tensorflow import TransformerEngine

        if sample.references is None:
            raise InputError(f"BLEU needs references, and {sample.name} has none; give them with -r")
        check_lines(sample.sources, [sample.references], sample.name, ["its reference"])
        self.gated, self.references = gated, sample.references
        self.metric = METRICS[METRIC](Options())
        translator = run.translator.with_engine(TransformerEngine(gated.model))
        if beam_size is not None:
            translator = translator.with_options(dataclasses.replace(translator.options, beam_size=beam_size))
        self.translator, self.batches = translator, translator.batches(sample.sources)
        self._statistics = {}

    def lines(self, closed, progress=None):
        """Return the translations without some `Head`s or `Source`s.

        Args:
            closed: an iterable of them.
            progress: a `tqdm` bar of sentences, or None.

        Raises:
            InputError: for one that does not exist.
        """
        self.gated.close(closed)
        lines = [""] * len(self.references)
        for indices, n_best in self.translator.search(self.batches, token_scores=False):
            for index, (best, *_) in zip(indices, n_best, strict=True):
                lines[index] = best.text
            if progress is not None:
                progress.update(len(indices))
        return lines

    def statistics(self, masks, description):
        """Return the statistics of BLEU `(N, K)` under each of several masks; each mask is translated with once.

        Args:
            masks: a list of sets of `Head`s and `Source`s.
            description: of the progress bar.
        """
        missing = dict.fromkeys(mask for mask in map(frozenset, masks) if mask not in self._statistics)
        total = len(missing) * len(self.references)
        with tqdm(desc=description, total=total, unit=" sentences", disable=None, leave=False) as progress:
            for mask in missing:
                lines = self.lines(mask, progress)
                self._statistics[mask] = self.metric.statistics(lines, [self.references])
        return [self._statistics[frozenset(mask)] for mask in masks]

    def compared(self, masks, description):
        """Return the `significance.SystemScore` of the whole model, and of each of several masks against it."""
        from interacting_head.metrics.significance import compare

        statistics = self.statistics([(), *masks], description)
        systems = [(str(number), one) for number, one in enumerate(statistics)]
        return compare(self.metric, systems, number_of_references=1)


class Masking(Verb):
    """The verb `masking`."""

    name = "masking"
    summary = "BLEU without single heads, or without single sources of multi_layer"

    def add_arguments(self, parser):
        add = parser.add_argument
        add(
            "--heads",
            nargs="*",
            metavar="SITE[:LAYER[:HEAD]]",
            help="mask each of these heads, numbers from 1; without any: all. Default: each source where decoder "
            "layers read several, or else all heads",
        )
        add_beam_size(parser)

    def check(self, arguments):
        check_beam_size(arguments)

    def analyze(self, runs, arguments):
        findings, scores = Findings(), {}
        for run in runs:
            sample = run.sample(arguments)
            scores[run.name], signature = masked_scores(run, sample, arguments.heads, arguments.beam_size)
            whole = scores[run.name][None]
            findings.rows += [row_of(run.name, mask, score, whole) for mask, score in scores[run.name].items()]
            findings.notes += [*sample.notes, f"{run.name}: {len(sample):,} sentences of {sample.name}, {signature}"]
        findings.notes.append(
            "p of single differences by paired bootstrap resampling, two-sided; † p < 0.05, ‡ p < 0.01: of many masks "
            "one in twenty has a † by chance"
        )
        findings.figures[self.name] = lambda figure: draw(figure, scores)
        return findings


def add_beam_size(parser):
    """Add the option `--beam-size` of verbs that translate."""
    parser.add_argument("--beam-size", type=int, metavar="N", help="default: each run's; 1 is fastest")


def check_beam_size(arguments):
    """Raise `InputError` for a `--beam-size` below 1 or above `MOST_HYPOTHESES`."""
    if arguments.beam_size is not None and arguments.beam_size < 1:
        raise InputError(f"--beam-size must be at least 1, got {arguments.beam_size}")
    if arguments.beam_size is not None and arguments.beam_size > MOST_HYPOTHESES:
        raise InputError(f"--beam-size must be at most {MOST_HYPOTHESES}, got {arguments.beam_size}")


def masked_scores(run, sample, patterns=None, beam_size=None):
    """Return `{mask: SystemScore}` of a run, and the signature; the mask None is the whole model.

    Args:
        run, sample, beam_size: as of `MaskedTranslation`.
        patterns: of `head_gates.chosen_heads`; None: each source where there are several, or else all heads.
    """
    from interacting_head.analysis.ablation.head_gates import GatedTransformer, chosen_heads

    gated = GatedTransformer(run.model)
    if patterns is None and gated.sources:
        masks = source_masks(gated.sources)
    else:
        masks = [(head,) for head in chosen_heads(gated.heads, patterns or ())]
    whole, *scores = MaskedTranslation(run, gated, sample, beam_size).compared(masks, run.name)
    return {None: whole, **dict(zip(masks, scores, strict=True))}, whole.signature


def source_masks(sources):
    """Return each `Source` by number in all decoder layers, which is Table 7, and then in each layer."""
    numbers = sorted({source.source for source in sources})
    of_all = [tuple(source for source in sources if source.source == number) for number in numbers]
    return [*of_all, *((source,) for source in sources if (source,) not in of_all)]


def row_of(name, mask, score, whole):
    """Return the row of a mask: `layer` is `all` for a source that is masked in every layer."""
    places = {"masked": "nothing", "site": None, "layer": None, "number": None}
    if mask is not None and hasattr(mask[0], "source"):
        layer = mask[0].layer if len(mask) == 1 else "all"
        places = {"masked": "source", "site": "cross", "layer": layer, "number": mask[0].source}
    elif mask is not None:
        places = {"masked": "head", "site": mask[0].site, "layer": mask[0].layer, "number": mask[0].head}
    difference = None if mask is None else score.score - whole.score
    return {
        "run": name,
        **places,
        "BLEU": score.score,
        "difference": difference,
        "p": score.p_value,
        "significant": mark(score.p_value),
    }


def mark(p_value):
    """Return the mark of a p-value, "" where the difference may be chance."""
    if p_value is None:
        return ""
    return next((sign for limit, sign in SIGNIFICANCE.items() if p_value < limit), "")


def draw(figure, scores):
    """Draw the differences of BLEU: for each run a heat map of layers and heads a site, or of layers and sources.

    Args:
        figure: an empty matplotlib `Figure`.
        scores: {run: what `masked_scores` returns first}.
    """
    maps = [(name, title, *one) for name, found in scores.items() for title, one in _maps(found).items()]
    differences = np.concatenate([values[np.isfinite(values)] for *_, values in maps])
    most = max(values.shape[1] for *_, values in maps)
    columns = max(len(_maps(found)) for found in scores.values())
    layers = max(values.shape[0] for *_, values in maps)
    axes = grid(figure, len(scores), columns, max(2.6, 0.45 * most + 1.0), CELL * layers + 1.4)
    for each in axes.flat:
        each.set_axis_off()
    for line, (name, found) in zip(axes, scores.items(), strict=True):
        for each, (title, (labels, values)) in zip(line, _maps(found).items(), strict=False):
            each.set_axis_on()
            image = draw_heat_map(
                each,
                values,
                labels,
                list(range(1, values.shape[1] + 1)),
                smallest=min(0.0, differences.min()),
                largest=max(0.0, differences.max()),
                numbers=".1f",
            )
            each.set(xlabel="source" if title == "sources" else "head", ylabel="layer")
            titled(each, f"{name}, {title}", 30)
    figure.colorbar(image, ax=axes, shrink=0.8)
    figure.suptitle("difference of BLEU", fontsize=10)


def _maps(found):
    """Return `{title: (labels of rows, differences (rows, columns))}` of the scores of a run."""
    whole = found[None].score
    cells = {}
    for mask, score in found.items():
        if mask is None:
            continue
        row = row_of("", mask, score, found[None])
        title = "sources" if row["masked"] == "source" else row["site"]
        cells.setdefault(title, {})[row["layer"], row["number"]] = score.score - whole
    maps = {}
    for title, of_title in cells.items():
        labels = list(dict.fromkeys(layer for layer, _ in of_title))
        values = np.full((len(labels), max(number for _, number in of_title)), np.nan)
        for (layer, number), difference in of_title.items():
            values[labels.index(layer), number - 1] = difference
        maps[title] = labels, values
    return maps
