"""BLEU against the number of heads left, and runs with heads removed (Michel et al. 2019, section 4)."""

from pathlib import Path

from data.errors import InputError
from data.files import check_new_folder
from interacting_head.analysis.ablation.masking import MaskedTranslation, add_beam_size, check_beam_size, mark
from interacting_head.analysis.heat_maps import grid
from interacting_head.analysis.verb import Findings, Verb

ORDERS = ("importance", "gradient", "random")
STEPS = 8
LINES = {"importance": "-", "gradient": "--", "random": ":"}


class Pruning(Verb):
    """The verb `pruning`."""

    name = "pruning"
    summary = "BLEU against the number of heads left, and a run with heads removed"

    def add_arguments(self, parser):
        add = parser.add_argument
        add(
            "--order",
            nargs="+",
            choices=ORDERS,
            help="the order in which heads go: of the scheme's own importance, of the gradient by their gates (Michel "
            "et al. 2019), random (--seed). Default: all that a run has",
        )
        add("--heads", nargs="+", metavar="SITE[:LAYER[:HEAD]]", default=[], help="only these, numbers from 1")
        add("--steps", type=int, default=STEPS, metavar="N", help="translations of an order; default: %(default)s")
        add("--remove", type=int, metavar="N", help="write a run with the first N heads of one --order removed")
        add("--output-run", metavar="DIR", help="that run; default: RUN_DIR-without-N-heads")
        add_beam_size(parser)

    def check(self, arguments):
        check_beam_size(arguments)
        if arguments.steps < 1:
            raise InputError(f"--steps must be at least 1, got {arguments.steps}")
        if arguments.output_run is not None and arguments.remove is None:
            raise InputError("--output-run is where --remove N writes; give both")
        if arguments.remove is None:
            return
        if arguments.remove < 1:
            raise InputError(f"--remove must be at least 1, got {arguments.remove}")
        if len(arguments.model) > 1 or len(arguments.order or ()) != 1:
            raise InputError("--remove is of one run (-m) in one --order; name one of each")
        check_new_folder(output_run(arguments))

    def analyze(self, runs, arguments):
        from interacting_head.analysis.ablation.head_order import head_orders
        from interacting_head.analysis.ablation.pruned_run import check_removable
        from interacting_head.translation.inspection import weighs_heads

        findings, curves, orders_of_runs = Findings(), {}, {}
        for run in runs:
            if arguments.remove is not None:
                check_removable(run.model)  # before the heads are put in order, which takes a while
            sample = run.sample(arguments)
            names = arguments.order or [name for name in ORDERS if name != "importance" or weighs_heads(run.model)]
            if sample.references is None:
                raise InputError(f"BLEU needs references, and {sample.name} has none; give them with -r")
            orders = orders_of_runs[run.name] = head_orders(run, sample, names, arguments.seed, arguments.heads)
            heads = len(orders[names[0]])
            numbers = steps(heads, arguments.steps)
            if arguments.remove is not None:
                if arguments.remove > heads:
                    raise InputError(f"--remove {arguments.remove}: the order {names[0]} has {heads} heads")
                findings.notes.append(self._remove(run, orders[names[0]], arguments))
                numbers = [arguments.remove]
            found, whole = pruning_curves(run, sample, orders, numbers, arguments.beam_size)
            curves[run.name] = found, heads
            findings.rows += rows_of(run.name, found, whole, heads)
            of_text = f"{run.name}: {len(sample):,} sentences of {sample.name}, {whole.signature}"
            findings.notes += [*sample.notes, of_text]
        findings.data["orders"] = {
            name: {order: {str(head): value for head, value in values.items()} for order, values in orders.items()}
            for name, orders in orders_of_runs.items()
        }
        findings.figures[self.name] = lambda figure: draw(figure, curves)
        return findings

    def _remove(self, run, order, arguments):
        """Write the run without the first heads of an order; return a note of it."""
        from interacting_head.analysis.ablation.pruned_run import write_pruned_run

        removed, path = list(order)[: arguments.remove], output_run(arguments)
        smaller = write_pruned_run(run, removed, path)
        before, after = run.model.count_params(), smaller.count_params()
        return (
            f"{path}: {arguments.remove} heads removed ({' '.join(map(str, sorted(removed)))}), "
            f"{after:,} of {before:,} parameters"
        )


def output_run(arguments):
    """Return the path of the run that `--remove` writes."""
    run = Path(arguments.model[0]).resolve()
    return Path(arguments.output_run or run.with_name(f"{run.name}-without-{arguments.remove}-heads"))


def steps(heads, count):
    """Return up to `count` numbers of heads that go, evenly spread, the last all of them."""
    return sorted({round(heads * step / count) for step in range(1, count + 1)} - {0})


def pruning_curves(run, sample, orders, numbers, beam_size=None):
    """Return `{order: [(heads gone, SystemScore)]}`, from none gone on, and the `SystemScore` of the whole model.

    Args:
        run, sample, beam_size: as of `masking.MaskedTranslation`.
        orders: {name: heads in the order in which they go}.
        numbers: of heads that go.
    """
    from interacting_head.analysis.ablation.head_gates import GatedTransformer

    masks = {(name, number): frozenset(list(heads)[:number]) for name, heads in orders.items() for number in numbers}
    translation = MaskedTranslation(run, GatedTransformer(run.model), sample, beam_size)
    whole, *scores = translation.compared(list(masks.values()), run.name)
    found = dict(zip(masks, scores, strict=True))
    return {name: [(0, whole), *((number, found[name, number]) for number in numbers)] for name in orders}, whole


def rows_of(name, curves, whole, heads):
    """Return the rows of a run: each order and number of heads left of those in it."""
    return [
        {
            "run": name,
            "order": order,
            "gone": gone,
            "left": heads - gone,
            "BLEU": score.score,
            "difference": score.score - whole.score if gone else None,
            "p": score.p_value,
            "significant": mark(score.p_value),
        }
        for order, points in curves.items()
        for gone, score in points
    ]


def draw(figure, curves):
    """Draw BLEU against the heads left, a colour a run and a kind of line an order.

    Args:
        figure: an empty matplotlib `Figure`.
        curves: {run: (what `pruning_curves` returns first, number of heads that go in all)}.
    """
    [[axes]] = grid(figure, 1, 1, 6.4, 3.8)
    for number, (name, (of_run, heads)) in enumerate(curves.items()):
        for order, points in of_run.items():
            axes.plot(
                [heads - gone for gone, _ in points],
                [score.score for _, score in points],
                LINES[order],
                color=f"C{number if len(curves) > 1 else ORDERS.index(order)}",
                marker="o",
                markersize=3,
                label=f"{name}, {order}" if len(curves) > 1 else order,
            )
    axes.set(xlabel="heads left", ylabel="BLEU")
    axes.set_ylim(bottom=0)
    axes.invert_xaxis()  # they are switched off from left to right
    axes.legend(fontsize=8)
