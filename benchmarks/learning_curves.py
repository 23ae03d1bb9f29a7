"""Measure quality against time: validation BLEU by minutes of training, and final test BLEU, of finished runs.

    python benchmarks/learning_curves.py RUN_DIR [RUN_DIR ...] --corpora-dir DIR

Runs that differ only in the seed are averaged into one curve. Test BLEU is sacreBLEU of ordinary text, and BLEU of
lower-cased tokens, which most papers on small corpora state.
"""

import functools
import itertools
import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import results
from data.corpora.corpus import open_corpus
from data.text.profiles import Preprocessor
from interacting_head.analysis.figures import save_figure
from interacting_head.console import ArgumentParser, RunError, run
from interacting_head.metrics import evaluate
from interacting_head.runs.run_directory import VERSION, RunDirectory
from interacting_head.translation.engines import load_engine
from interacting_head.translation.translator import Translator


def main():
    parser = ArgumentParser(prog="learning_curves.py", description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help="finished runs of train.py, with the same recipe")
    corpora_help = "folder of the corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora_help)
    test_help = "test sets, splits of the recipe's corpus or of another; default: %(default)s"
    parser.add_argument("--tests", nargs="+", default=["test_2016_flickr"], metavar="[CORPUS:]SPLIT", help=test_help)
    parser.add_argument("--name", default="learning_curves", help="name of the result; default: %(default)s")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    arguments = parser.parse_args()
    load_engine("keras")
    rows = []
    for directory in map(RunDirectory.open, arguments.runs):
        config, log = directory.config, directory.read_log()
        data = config.data
        if not config.train.validation_bleu:
            raise RunError(f"{directory.path} has no BLEU of its validations; train with train.validation_bleu=true")
        [best] = [record for record in log if record["step"] == directory.read_json("metrics.json")["best_step"]]
        translator = Translator.from_run(directory.path)
        scores = {}
        for test in arguments.tests:
            name, _, split = test.rpartition(":")
            corpus = open_corpus(name or data.corpus, data.source_language, data.target_language, arguments.corpora_dir)
            sources, references = map(list, zip(*corpus.split(split).pairs(), strict=True))
            translations = [best.text for best, *_ in translator.translate(sources)]
            scores[bleu_of(test)] = evaluate(translations, references, ["sacrebleu"])["sacrebleu"].score
            as_tokens = Preprocessor("lowercased", data.target_language).preprocess
            tokens = [list(map(as_tokens, lines)) for lines in (translations, references)]
            scores[f"{bleu_of(test)} of lower-cased tokens"] = evaluate(*tokens, ["bleu"])["bleu"].score
        precision = config.train.precision
        attention = config.model.attention
        options = [f"{name} {value}" for name, value in attention.options.items()]
        former = [f"run of version {directory.version}"] if directory.version != VERSION else []
        scheme = ", ".join([attention.scheme, *options, *former])
        shared = {"corpus": data.corpus, "scheme": scheme, "seed": config.train.seed, "precision": precision}
        for record in log:
            point = {"step": record["step"], "minutes": record["seconds"] / 60, "dev BLEU": record["bleu"]}
            rows.append({**shared, **point, **(scores if record is best else dict.fromkeys(scores))})
        tests = ", ".join(f"{name} {score:.2f}" for name, score in scores.items())
        print(f"{directory.path}: dev BLEU {best['bleu']:.2f}, {tests}", file=sys.stderr)
    text = f"{data.corpus} {data.source_language}-{data.target_language}"
    results.FOLDER.mkdir(exist_ok=True)
    save_figure(functools.partial(plot, rows), results.FOLDER / arguments.name, ["png"])
    columns = list(scores)
    final = [row for row in rows if row[columns[0]] is not None]
    means = [
        f"{column}, {scheme} {mean(row[column] for row in group):.2f}"
        for column in columns
        for scheme, group in by_scheme(final)
    ]
    results.write(
        arguments.name,
        "quality",
        rows,
        views=[
            {
                "caption": f"{text}: validation BLEU (greedy), and BLEU of the best checkpoint on test sets",
                "index": ["scheme", "step"],
                "columns": "seed",
                "values": ["minutes", "dev BLEU", *columns],
                "digits": {"minutes": 1},
            }
        ],
        conditions={
            "minutes": "from the start of the training, validations included",
            "what": f"{text}, {config.train.max_steps} steps, {precision}",
            "search": f"beam {config.decode.beam_size}, length penalty {config.decode.length_penalty:g} "
            f"({config.decode.length_penalty_type})",
            "test BLEU": "sacreBLEU (13a, cased); BLEU of text in lower case, normalised and tokenised by Moses' rules",
            "means over the seeds": "; ".join(means),
            "plot": f"{arguments.name}.png",
        },
        machine_load=arguments.conditions,
    )


def bleu_of(test):
    """Return the column of a test set's scores."""
    return f"{test} BLEU"


def plot(rows, figure):
    """Draw dev BLEU over minutes: a thin line for each run, a thick one for the mean of a scheme."""
    figure.set_size_inches(7, 4.5)
    axes = figure.subplots()
    for number, (scheme, group) in enumerate(by_scheme(rows)):
        color = f"C{number}"
        for _, points in itertools.groupby(sorted(group, key=lambda row: row["seed"]), lambda row: row["seed"]):
            points = list(points)
            axes.plot(*coordinates(points), color=color, linewidth=0.6, alpha=0.6)
        steps = sorted({row["step"] for row in group})
        at_steps = [[row for row in group if row["step"] == step] for step in steps]
        average = [{key: mean(row[key] for row in part) for key in ("minutes", "dev BLEU")} for part in at_steps]
        axes.plot(*coordinates(average), color=color, linewidth=2, marker="o", markersize=3, label=scheme)
    axes.set(xlabel="minutes", ylabel="dev BLEU (greedy)", xlim=(0, None), ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()


def by_scheme(rows):
    """Yield each scheme with its rows."""
    ordered = sorted(rows, key=lambda row: row["scheme"])
    return [(scheme, list(group)) for scheme, group in itertools.groupby(ordered, lambda row: row["scheme"])]


def coordinates(points):
    """Return minutes and dev BLEU of rows, as two lists."""
    return [point["minutes"] for point in points], [point["dev BLEU"] for point in points]


if __name__ == "__main__":
    run(main)
