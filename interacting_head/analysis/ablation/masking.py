"""BLEU without single heads, or without sources of encoder-decoder attention (Ampomah et al. 2020, Table 7)."""

import dataclasses
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

import numpy as np
from tqdm import tqdm

from data.errors import InputError
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head, Source, all_heads, chosen_heads
from interacting_head.analysis.base import (
    SITE_TITLES,
    AnalysedRun,
    Analysis,
    Findings,
    Sample,
    check_at_least,
    with_samples,
)
from interacting_head.analysis.figures import Figure, HeatMap, draw_heat_maps
from interacting_head.config.values import MOST_HYPOTHESES
from interacting_head.metrics.significance import SystemScore

METRIC = "sacrebleu"
SIGNIFICANCE = {0.01: "‡", 0.05: "†"}
"""p-value → mark of differences below it, as in Table 7."""


class MaskedTranslation:
    """Translate the same sentences with many masks, making batches and compiling functions only once.

    A mask is a collection of `Head`s and `Source`s. Raises `InputError` if the sample has no references, or an empty
    one.
    """

    def __init__(self, run: AnalysedRun, gated: GatedTransformer, sample: Sample, beam_size: int | None = None):
        from interacting_head.metrics import METRICS  # takes a while
        from interacting_head.metrics.metric import Options
        from interacting_head.translation.engines.keras import TransformerEngine

        check_references(sample)
        self.gated = gated
        self.references = list(map(run.translator.target_form.expected, sample.references))
        self.metric = METRICS[METRIC](Options(language=run.languages[1]))
        translator = run.translator.with_engine(TransformerEngine(gated.model))
        if beam_size is not None:
            translator = translator.with_options(dataclasses.replace(translator.options, beam_size=beam_size))
        self.translator, self.batches = translator, translator.batches(sample.sources)

    def lines(self, mask: Iterable[Head | Source], progress: tqdm | None = None) -> list[str]:
        """Return the translations with a mask; raise `InputError` for unknown heads and sources."""
        self.gated.close(mask)
        lines = [""] * len(self.references)
        for indices, n_best in self.translator.search(self.batches, token_scores=False):
            for index, (best, *_) in zip(indices, n_best, strict=True):
                lines[index] = best.text
            if progress is not None:
                progress.update(len(indices))
        return lines

    def compared(self, masks: list, description: str) -> list:
        """Return the `significance.SystemScore` of the full model, and of each mask compared with it."""
        from interacting_head.metrics.significance import compare

        masks = list(map(frozenset, [(), *masks]))
        statistics = dict.fromkeys(masks)  # each different mask once
        total = len(statistics) * len(self.references)
        with tqdm(desc=description, total=total, unit=" sentences", disable=None, leave=False) as progress:
            for mask in statistics:
                statistics[mask] = self.metric.statistics(self.lines(mask, progress), [self.references])
        systems = [(str(number), statistics[mask]) for number, mask in enumerate(masks)]
        return compare(self.metric, systems, number_of_references=1)


def check_references(sample: Sample) -> None:
    """Raise `InputError` for a `Sample` without references."""
    if sample.references is None:
        raise InputError(f"BLEU needs references, and {sample.name} has none; give them with -r")


class Masking(Analysis):
    """The verb `masking`."""

    name = "masking"
    summary = "BLEU with single heads masked, or single sources of multi_layer"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--heads",
            nargs="*",
            metavar="SITE[:LAYER[:HEAD]]",
            help="mask these heads one by one, counted from 1; --heads alone: every head. Default: every source if "
            "decoder layers read several, otherwise every head",
        )
        add_beam_size(parser)

    def check(self, arguments: Namespace) -> None:
        check_beam_size(arguments)

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings = Findings()
        sampled = with_samples(runs, arguments)
        for run, sample in sampled:  # before minutes are spent on the first one
            check_references(sample)
            chosen_heads(all_heads(run.model), arguments.heads or ())
        for run, sample in sampled:
            scores, signature = masked_scores(run, sample, arguments.heads, arguments.beam_size)
            rows = [row_of(run.name, mask, score, scores[None]) for mask, score in scores.items()]
            findings.add_run(run, sample, rows, f", {signature}")
        findings.notes.append(
            "† p < 0.05, ‡ p < 0.01 by two-sided paired bootstrap resampling, not corrected for multiple tests: about "
            "one mask in twenty has a † by chance"
        )
        findings.add_figure(self.name, draw, findings.rows)
        return findings


def add_beam_size(parser: ArgumentParser) -> None:
    """Add the option `--beam-size` for verbs that translate."""
    parser.add_argument("--beam-size", type=int, metavar="N", help="beam size; default: each run's; 1 is fastest")


def check_beam_size(arguments: Namespace) -> None:
    """Raise `InputError` for a `--beam-size` below 1 or above `MOST_HYPOTHESES`."""
    check_at_least(1, beam_size=arguments.beam_size)
    if arguments.beam_size is not None and arguments.beam_size > MOST_HYPOTHESES:
        raise InputError(f"--beam-size must be at most {MOST_HYPOTHESES}, got {arguments.beam_size}")


def masked_scores(
    run: AnalysedRun, sample: Sample, patterns: list[str] | None = None, beam_size: int | None = None
) -> tuple[dict, str]:
    """Return `{mask: SystemScore}` of a run, with the mask None for the full model, and BLEU's signature.

    Patterns as in `chosen_heads`; without them, mask each source if there are several, otherwise each head.
    """
    gated = GatedTransformer(run.model)
    if patterns is None and gated.sources:
        masks = source_masks(gated.sources)
    else:
        masks = [(head,) for head in chosen_heads(gated.heads, patterns or ())]
    whole, *scores = MaskedTranslation(run, gated, sample, beam_size).compared(masks, run.name)
    return {None: whole, **dict(zip(masks, scores, strict=True))}, whole.signature


def source_masks(sources: list) -> list[tuple]:
    """Return masks of each `Source` in all decoder layers, as in Table 7, and then in single layers."""
    numbers = sorted({source.source for source in sources})
    of_all = [tuple(source for source in sources if source.source == number) for number in numbers]
    return list(dict.fromkeys([*of_all, *((source,) for source in sources)]))


def row_of(name: str, mask: tuple | None, score: SystemScore, whole: SystemScore) -> dict:
    """Return the row of a mask; its `layer` is `all` for a source that is masked in every layer."""
    masked, site, layer, number = "nothing", None, None, None
    if mask and isinstance(mask[0], Head):
        masked, (site, layer, number) = "head", mask[0]
    elif mask:
        masked, site, (layer, number) = "source", "cross", mask[0]
        layer = layer if len(mask) == 1 else "all"
    place = {"run": name, "masked": masked, "site": site, "layer": layer, "number": number}
    return {**place, **score_columns(score, whole if mask else None)}


def score_columns(score: SystemScore, whole: SystemScore | None) -> dict:
    """Return the columns of a `SystemScore`, compared with the full model's unless that is None."""
    return {
        "BLEU": score.score,
        "difference": None if whole is None else score.score - whole.score,
        "p": score.p_value,
        "significant": mark(score.p_value),
    }


def mark(p_value: float | None) -> str:
    """Return the mark of a p-value, "" if the difference may be chance."""
    return next((sign for limit, sign in SIGNIFICANCE.items() if p_value is not None and p_value < limit), "")


def draw(rows: list[dict], figure: Figure) -> None:
    """Draw BLEU differences for each run: heat maps of layers and heads by site, or of layers and sources."""
    by_map = {}
    for row in rows:
        if row["difference"] is not None:
            title = "sources" if row["masked"] == "source" else SITE_TITLES[row["site"]]
            by_map.setdefault((row["run"], title), {}).setdefault(row["layer"], {})[row["number"]] = row["difference"]
    maps = {}
    for (run, title), layers in by_map.items():
        values = {
            layer: [by_number.get(number, np.nan) for number in range(1, max(by_number) + 1)]
            for layer, by_number in layers.items()
        }
        xlabel = "source" if title == "sources" else "head"
        maps[run, title] = HeatMap.of_heads(f"{run}, {title}", values, xlabel=xlabel)
    differences = [row["difference"] for row in rows if row["difference"] is not None]
    limits = min(0.0, *differences), max(0.0, *differences)
    draw_heat_maps(figure, maps, limits=limits, numbers=".1f", title="BLEU difference from the full model")
