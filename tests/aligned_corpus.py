"""A corpus whose word alignment is known by construction: word by word, but the first word comes last."""

import random
from pathlib import Path

from tests.tiny_corpus import WORDS

SETTINGS = [
    "model.attention.num_heads=4",
    "model.model_dim=32",
    "model.feed_forward_dim=64",
    "model.encoder_layers=1",
    "model.decoder_layers=2",
    "model.dropout=0",
    "data.vocabulary_size=370",
    "train.batch_tokens=512",
    "train.max_steps=800",
    "train.schedule=inverse_square_root",
    "train.learning_rate=0.01",
    "train.warmup_steps=30",
    "train.validation_interval=800",
    "decode.beam_size=2",
]
TRAIN = ["aligned.yaml", "--source", "train.de", "--target", "train.en", "--dev-source", "dev.de", "--dev-target"]
TRAIN += ["dev.en", *(word for setting in SETTINGS for word in ("--set", setting))]
"""Arguments of `train.py` that learn it in seconds."""


def write_corpus(folder, words=(3, 6), pairs=600):
    """Write train.de, train.en, dev.de, dev.en, and the gold links dev.gold; no sentence has a word twice."""
    draw = random.Random(1)
    for split, count in {"train": pairs, "dev": 30}.items():
        sources = [draw.sample(list(WORDS), draw.randint(*words)) for _ in range(count)]
        targets = [[WORDS[word] for word in [*source[1:], source[0]]] for source in sources]
        gold = [[f"{i}-{(i - 1) % len(source)}" for i in range(len(source))] for source in sources]
        for name, lines in {"de": sources, "en": targets, "gold": gold}.items():
            text = "".join(" ".join(line) + "\n" for line in lines)
            (Path(folder) / f"{split}.{name}").write_text(text, encoding="utf-8")
    (Path(folder) / "aligned.yaml").write_text("{}\n", encoding="utf-8")
