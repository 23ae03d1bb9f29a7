"""BLEU by number of heads left, and runs with heads removed (Michel et al. 2019, section 4)."""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection
from pathlib import Path

from data.errors import InputError
from data.files import check_new_folder
from interacting_head.analysis.ablation.head_gates import GatedTransformer, all_heads, chosen_heads
from interacting_head.analysis.ablation.masking import (
    MaskedTranslation,
    add_beam_size,
    check_beam_size,
    check_references,
    score_columns,
)
from interacting_head.analysis.base import AnalysedRun, Analysis, Findings, Sample, check_at_least, with_samples
from interacting_head.analysis.figures import Figure, add_legend, grid

STEPS = 8
LINES = {"importance": "-", "gradient": "--", "random": ":"}
"""Order in which heads are removed → its line style in the figure."""


class Pruning(Analysis):
    """The verb `pruning`."""

    name = "pruning"
    summary = "BLEU by number of heads left; can write a run with heads removed"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--order",
            nargs="+",
            choices=LINES,
            help="order in which heads are removed, the least important first: by the scheme's own importance, by the "
            "gradient of the loss with respect to their gates (Michel et al. 2019), or random (--seed). Default: every "
            "order that the run supports",
        )
        heads_help = "remove only these heads, counted from 1"
        add("--heads", nargs="+", metavar="SITE[:LAYER[:HEAD]]", default=[], help=heads_help)
        steps_help = "number of points on the curve of each order; default: %(default)s"
        add("--steps", type=int, default=STEPS, metavar="N", help=steps_help)
        add(
            "--remove",
            type=int,
            metavar="N",
            help="write a run without the first N heads of the order; needs exactly one --order",
        )
        add("--output-run", metavar="DIR", help="folder of that run; default: RUN_DIR-without-N-heads")
        add_beam_size(parser)

    def check(self, arguments: Namespace) -> None:
        check_beam_size(arguments)
        check_at_least(1, steps=arguments.steps)
        if arguments.output_run is not None and arguments.remove is None:
            raise InputError("--output-run is the folder that --remove N writes; give both")
        if arguments.remove is None:
            return
        check_at_least(1, remove=arguments.remove)
        if len(arguments.model) > 1 or len(arguments.order or ()) != 1:
            raise InputError("--remove needs exactly one run (-m) and one --order")
        check_new_folder(output_run(arguments))
        if arguments.output_dir and Path(arguments.output_dir).resolve() == output_run(arguments).resolve():
            raise InputError("-o and --output-run are the same folder; name another -o for tables and figures")

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        from interacting_head.analysis.ablation.head_order import head_orders
        from interacting_head.analysis.ablation.pruned_run import check_removable
        from interacting_head.translation.inspection import weighs_heads

        findings = Findings(data={"orders": {}})
        sampled = with_samples(runs, arguments)
        for run, sample in sampled:  # before ordering the heads, which takes a while
            check_references(sample)
            if arguments.remove is not None:
                check_removable(run.model)
            heads = chosen_heads(all_heads(run.model), arguments.heads)
            if "importance" in (arguments.order or ()):
                run.inspector(head_importance=True)
            if arguments.remove is not None:
                check_count(arguments, heads)
        for run, sample in sampled:
            names = arguments.order or [name for name in LINES if name != "importance" or weighs_heads(run.model)]
            orders = head_orders(run, sample, names, arguments.seed, arguments.heads)
            findings.data["orders"][run.name] = {
                name: {str(head): value for head, value in order.items()} for name, order in orders.items()
            }
            numbers = steps(len(orders[names[0]]), arguments.steps)
            if arguments.remove is not None:
                check_count(arguments, orders[names[0]])
                findings.notes.append(write_without_heads(run, orders[names[0]], arguments))
                numbers = [arguments.remove]
            rows, signature = pruning_rows(run, sample, orders, numbers, arguments.beam_size)
            findings.add_run(run, sample, rows, f", {signature}")
        findings.add_figure(self.name, draw, findings.rows)
        return findings


def check_count(arguments: Namespace, heads: Collection) -> None:
    """Raise `InputError` if `--remove` asks for more heads than these."""
    if arguments.remove > len(heads):
        raise InputError(f"--remove {arguments.remove}: the order {arguments.order[0]} has only {len(heads)} heads")


def output_run(arguments: Namespace) -> Path:
    """Return the path of the run that `--remove` writes."""
    run = Path(arguments.model[0]).resolve()
    return Path(arguments.output_run or run.with_name(f"{run.name}-without-{arguments.remove}-heads"))


def write_without_heads(run: AnalysedRun, order: dict, arguments: Namespace) -> str:
    """Write the run without the first heads of an order, and return a note about it."""
    from interacting_head.analysis.ablation.pruned_run import write_pruned_run

    removed, path = sorted(list(order)[: arguments.remove]), output_run(arguments)
    smaller = write_pruned_run(run, removed, path)
    before, after = run.model.count_params(), smaller.count_params()
    names = " ".join(map(str, removed))
    return f"{path}: {arguments.remove} heads removed ({names}), {after:,} of {before:,} parameters"


def steps(heads: int, count: int) -> list[int]:
    """Return up to `count` evenly spaced numbers of heads to remove; the last is all of them."""
    return sorted({round(heads * step / count) for step in range(1, count + 1)} - {0})


def pruning_rows(
    run: AnalysedRun, sample: Sample, orders: dict[str, dict], numbers: list[int], beam_size: int | None
) -> tuple[list, str]:
    """Return the rows of a run, the full model and each number of heads removed by order, and BLEU's signature.

    The orders are `{name: heads in the order of removal}`.
    """
    places = [(name, gone) for name in orders for gone in [0, *numbers]]
    masks = [list(orders[name])[:gone] for name, gone in places]
    whole, *scores = MaskedTranslation(run, GatedTransformer(run.model), sample, beam_size).compared(masks, run.name)
    rows = []
    for (name, gone), score in zip(places, scores, strict=True):
        columns = score_columns(score, whole) if gone else score_columns(whole, None)
        rows.append({"run": run.name, "order": name, "gone": gone, "left": len(orders[name]) - gone, **columns})
    return rows, whole.signature


def draw(rows: list[dict], figure: Figure) -> None:
    """Draw BLEU by heads left: a colour for each run and a line style for each order."""
    [[axes]] = grid(figure, 1, 1, 6.4, 3.8)
    runs = list(dict.fromkeys(row["run"] for row in rows))
    for run, order in dict.fromkeys((row["run"], row["order"]) for row in rows):
        points = [(row["left"], row["BLEU"]) for row in rows if (row["run"], row["order"]) == (run, order)]
        several = len(runs) > 1
        color = f"C{runs.index(run) if several else list(LINES).index(order)}"
        name = f"{run}, {order}" if several else order
        axes.plot(*zip(*points, strict=True), LINES[order], color=color, marker="o", markersize=3, label=name)
    axes.set(xlabel="heads left", ylabel="BLEU")
    axes.set_ylim(bottom=0)
    axes.invert_xaxis()  # they are switched off from left to right
    add_legend(figure)
