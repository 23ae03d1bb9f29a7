"""Make table 1 and figure 3 of Li & Luo (2022) for the corpora used here: `python benchmarks/corpus_statistics.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import pipeline_speed, results
from data.corpora.corpus import open_corpus
from data.corpus_encoding import TextSettings
from data.stats import corpus_statistics, plot_lengths
from data.text.cleaning import CleaningRules
from data.text.parallel_text import SIDES
from interacting_head.console import ArgumentParser, run

# Name of the plot, corpus, source and target language, size of the shared vocabulary (the recipe's; the paper's for
# IWSLT16 DE-EN).
CORPORA = (
    ("multi30k_de-en", "multi30k", "de", "en", 8_000),
    ("mix_de-en", *pipeline_speed.CORPORA["mix"], 40_000),
)
MODEL_DIM = 512


def main():
    parser = ArgumentParser(prog="corpus_statistics.py", description=__doc__)
    corpora_help = "folder of the corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora_help)
    arguments = parser.parse_args()
    results.FOLDER.mkdir(exist_ok=True)
    rows = []
    for name, corpus, source, target, vocabulary_size in CORPORA:
        opened = open_corpus(corpus, source, target, arguments.corpora_dir)
        settings = TextSettings("truecased", CleaningRules(max_words=80, max_ratio=9.0), vocabulary_size)
        statistics = corpus_statistics(opened, settings)
        plot_lengths(statistics, results.FOLDER / f"lengths_{name}.png")
        rows.append({"name": name, **row(statistics.as_dict(MODEL_DIM))})
    path = results.write(
        "corpus_statistics",
        "corpora",
        rows,
        views=[
            {
                "caption": "Pairs, and training sentences in sub-words, source / target",
                "index": ["name"],
                "values": [
                    *("train", "left out", "dev", "vocabulary", "total", "mean", "shortest", "longest"),
                    *("mean in words", "n̄", "h_max", "heads"),
                ],
            },
        ],
        conditions={
            "profile": "truecased (Moses tokenisation, truecasing, at most 80 words), shared vocabulary",
            **{row["name"]: row["corpus"] for row in rows},
            "h_max, heads": f"the most heads, and the numbers of heads, for a model of {MODEL_DIM} and sentences of n̄",
            "plots": ", ".join(f"lengths_{name}.png" for name, *_ in CORPORA),
        },
    )
    print(f"{len(rows)} corpora in {path}", file=sys.stderr)


def row(figures):
    """Return the figures of a corpus as the report shows them."""

    def both(kind, key):
        return " / ".join(f"{figures[kind][side][key]:,}" for side in SIDES)

    return {
        "corpus": figures["corpus"],
        "train": figures["pairs"]["train"],
        "left out": sum(figures["dropped_from_train"].values()),
        "dev": figures["pairs"].get("dev"),
        "vocabulary": figures["vocabulary_size"]["source"],
        "total": both("train_tokens", "total"),
        "mean": both("train_tokens", "mean"),
        "shortest": both("train_tokens", "shortest"),
        "longest": both("train_tokens", "longest"),
        "mean in words": both("train_words", "mean"),
        "n̄": figures["mean_length"],
        "h_max": figures["most_heads"],
        "heads": ", ".join(map(str, figures["allowed_heads"])),
        "figures": figures,
    }


if __name__ == "__main__":
    run(main)
