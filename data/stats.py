"""Print Table 1 and plot Figure 3 of Li & Luo (2022) for any corpus: sizes, sentence lengths, allowed head counts.

    interacting-head stats multi30k --source-language de --target-language en --plot lengths.png

Sentence lengths are in sub-words, without begin and end symbols, after preprocessing and cleaning. The paper says
tokens; that they are sub-words follows from its lengths of up to 120 (IWSLT16) and 332 (WMT17 EN-DE), after sentences
of more than 80 and 100 words were dropped.
"""

import json
import math
import textwrap
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.command_line import ArgumentParser, run
from data.corpora.corpus import Corpus, open_corpus
from data.corpus_encoding import TextSettings, add_corpus_arguments, encode_corpus, text_settings
from data.errors import InputError
from data.files import atomic_write, check_folder
from data.head_counts import allowed_heads, mean_length, most_heads
from data.text.parallel_text import SIDES

CHUNK = 10_000  # pairs counted at a time


@dataclass(frozen=True)
class CorpusStatistics:
    """Sizes and lengths of a corpus.

    `pairs` counts the pairs of each split, for `train` after cleaning; `dropped` the dropped training pairs by reason.
    `words` and `tokens` (sub-words) are lengths of training sentences, (N,) int32 for source and target.
    """

    corpus: Corpus
    profile: str
    pairs: dict[str, int]
    dropped: dict[str, int]
    vocabulary_sizes: tuple[int, int]
    shared_vocabulary: bool
    words: tuple[np.ndarray, np.ndarray]
    tokens: tuple[np.ndarray, np.ndarray]

    def as_dict(self, model_dim: int) -> dict:
        """Return all figures as JSON values."""
        limit = most_heads(model_dim, *self.tokens)
        return {
            "corpus": self.corpus.name,
            "source_language": self.corpus.source_language,
            "target_language": self.corpus.target_language,
            "profile": self.profile,
            "pairs": self.pairs,
            "dropped_from_train": self.dropped,
            "vocabulary_size": dict(zip(SIDES, self.vocabulary_sizes, strict=True)),
            "shared_vocabulary": self.shared_vocabulary,
            "train_tokens": _figures(self.tokens),
            "train_words": _figures(self.words),
            "model_dim": model_dim,
            "mean_length": mean_length(*self.tokens),
            "most_heads": limit,
            "allowed_heads": allowed_heads(model_dim, limit),
        }


def _figures(sides):
    return {
        side: {
            "total": int(lengths.sum(dtype=np.int64)),
            "mean": round(float(lengths.mean()), 2),
            "shortest": int(lengths.min()),
            "longest": int(lengths.max()),
        }
        for side, lengths in zip(SIDES, sides, strict=True)
    }


def corpus_statistics(corpus: Corpus, settings: TextSettings) -> CorpusStatistics:
    """Count a corpus as a model would see it, but ignore `settings.max_length`; raise what `encode_corpus` raises."""
    prepared = encode_corpus(corpus, settings, splits=(), encoded_splits=())
    train = prepared.texts["train"]
    words, tokens = ([], []), ([], [])
    pairs = train.text.pairs()
    with tqdm(desc="counting", unit=" pairs", disable=None, leave=False) as bar:
        while chunk := list(islice(pairs, CHUNK)):
            for side, lines in enumerate(zip(*chunk, strict=True)):
                words[side].append(np.array([len(line.split()) for line in lines], np.int32))
                tokens[side].append(np.array([len(ids) for ids in prepared.subwords[side].encode(lines)], np.int32))
            bar.update(len(chunk))
    words, tokens = (tuple(map(np.concatenate, counts)) for counts in (words, tokens))
    kept = (tokens[0] > 0) & (tokens[1] > 0)  # as in training
    words, tokens = (tuple(counts[kept] for counts in both) for both in (words, tokens))
    dropped = Counter(train.dropped)
    dropped["empty"] += int((~kept).sum())
    if not kept.any():
        raise InputError("no training pair has text on both sides; check the files")
    return CorpusStatistics(
        corpus,
        settings.profile,
        {"train": len(tokens[0])} | {name: text.check() for name, text in corpus.splits.items() if name != "train"},
        {reason: count for reason, count in dropped.items() if count},
        tuple(model.vocabulary_size for model in prepared.subwords),
        settings.shared_vocabulary,
        words,
        tokens,
    )


def plot_lengths(statistics: CorpusStatistics, path: str | Path) -> None:
    """Draw Figure 3 as a PNG file: histogram and line graph of the sentence lengths, up to the 99.9 % quantile."""
    from matplotlib.figure import Figure  # takes a while, and only plots need it

    end = int(max(np.quantile(lengths, 0.999) for lengths in statistics.tokens)) + 1
    width = math.ceil(end / 120)  # tokens a bar
    edges = np.arange(1, end + 2 * width, width) - 0.5
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    languages = statistics.corpus.source_language, statistics.corpus.target_language
    for language, lengths, color in zip(languages, statistics.tokens, ("tab:blue", "tab:orange"), strict=True):
        label = f"{language}: mean {lengths.mean():.1f}, {lengths.min()} to {lengths.max()}"
        counts, _, _ = axes.hist(lengths, edges, color=color, alpha=0.35, label=label)
        axes.plot((edges[:-1] + edges[1:]) / 2, counts, color=color, linewidth=1.2)
    mean = mean_length(*statistics.tokens)
    axes.axvline(mean, color="black", linestyle="--", linewidth=1, label=f"n̄ = {mean}")
    title = textwrap.fill(statistics.corpus.name, 90)
    axes.set(xlabel="sub-words in a sentence", ylabel="sentences", xlim=(0, end), title=title)
    axes.legend()
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format="png", dpi=120)


def _print_table(figures):
    def both(figure, kind="train_tokens", form=","):
        return " / ".join(f"{figures[kind][side][figure]:{form}}" for side in SIDES)

    source_size, target_size = (f"{figures['vocabulary_size'][side]:,}" for side in SIDES)
    rows = [
        ("corpus", f"{figures['corpus']}, {figures['source_language']}-{figures['target_language']}"),
        ("profile", figures["profile"]),
        *((f"{split} pairs", f"{count:,}") for split, count in figures["pairs"].items()),
        *((f"dropped: {reason}", f"{count:,}") for reason, count in figures["dropped_from_train"].items()),
        ("vocabulary", f"{source_size} (shared)" if figures["shared_vocabulary"] else f"{source_size} / {target_size}"),
        ("total length of train", both("total")),
        ("mean length of train", both("mean", form=".2f")),
        ("shortest", both("shortest")),
        ("longest", both("longest")),
        ("mean length in words", both("mean", "train_words", ".2f")),
        ("n̄", figures["mean_length"]),
        (f"h_max for {figures['model_dim']}", figures["most_heads"]),
        ("numbers of heads", ", ".join(map(str, figures["allowed_heads"])) or "only 1"),
    ]
    for name, value in rows:
        combining = sum(unicodedata.combining(character) > 0 for character in name)  # letters without width
        print(f"{name:{26 + combining}} {value}")


def main() -> None:
    parser = ArgumentParser(prog="python -m data.stats", description=__doc__)
    add_corpus_arguments(parser, profile="truecased")
    parser.add_argument(
        "--model-dim", type=int, default=512, metavar="D", help="model size that the heads divide; default: %(default)s"
    )
    parser.add_argument("--plot", metavar="FILE.png", help="write a histogram of sentence lengths")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.model_dim < 1:
        raise InputError(f"--model-dim must be at least 1, got {arguments.model_dim}")
    if arguments.plot and not arguments.plot.lower().endswith(".png"):
        raise InputError(f"--plot must name a file that ends in .png, got {arguments.plot}")
    if arguments.plot and not Path(arguments.plot).absolute().parent.is_dir():
        raise InputError(f"cannot write {arguments.plot}: its folder does not exist; create it, or name another file")
    if arguments.plot and Path(arguments.plot).is_dir():
        raise InputError(f"cannot write {arguments.plot}: it is a folder; name a file")
    if arguments.plot:
        check_folder(Path(arguments.plot).absolute().parent)  # before minutes of work
    corpus = open_corpus(arguments.corpus, arguments.source_language, arguments.target_language, arguments.corpora_dir)
    statistics = corpus_statistics(corpus, text_settings(arguments))
    figures = statistics.as_dict(arguments.model_dim)
    if arguments.plot:
        plot_lengths(statistics, arguments.plot)
    if arguments.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        _print_table(figures)


if __name__ == "__main__":
    run(main)
