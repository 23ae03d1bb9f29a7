"""A corpus of a few sentences in an invented language, and a configuration small enough to learn it in seconds."""

import random
from pathlib import Path

from interacting_head.config import ExperimentConfig, override

WORDS = {
    **{"der": "the", "die": "this", "das": "that", "ein": "one", "alte": "old", "neue": "new", "heute": "today"},
    **{"hund": "dog", "katze": "cat", "haus": "house", "mann": "man", "sieht": "sees", "hat": "has", "kauft": "buys"},
}

SETTINGS = [
    "model.attention.num_heads=2",
    "model.model_dim=32",
    "model.feed_forward_dim=64",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "data.vocabulary_size=300",
    "train.batch_tokens=128",
    "train.max_steps=25",
    "train.schedule=inverse_square_root",
    "train.learning_rate=0.01",
    "train.warmup_steps=10",
    "train.log_interval=5",
    "train.validation_interval=10",
    "train.keep_last=2",
    "decode.beam_size=2",
]


def write_corpus(folder, words=(1, 6), pairs=36):
    """Write train.de, train.en, dev.de and dev.en with a few thousand bytes; return {argument name: path}.

    `words` is the least and largest number of words of a sentence, `pairs` the number of training pairs.
    """
    draw = random.Random(1)
    files = {}
    for split, count in {"train": pairs, "dev": 6}.items():
        sources = [[draw.choice(list(WORDS)) for _ in range(draw.randint(*words))] for _ in range(count)]
        targets = [[WORDS[word] for word in words] for words in sources]
        for side, language, sentences in (("source", "de", sources), ("target", "en", targets)):
            path = Path(folder) / f"{split}.{language}"
            path.write_text("".join(" ".join(words) + ".\n" for words in sentences), encoding="utf-8")
            files[side if split == "train" else f"dev_{side}"] = path
    return files


def configuration(files, *settings):
    """Return the `ExperimentConfig` of a tiny model on these files."""
    own = [f"data.{name}={str(path)!r}" for name, path in files.items()]
    return override(ExperimentConfig(), [*own, *SETTINGS, *settings])
