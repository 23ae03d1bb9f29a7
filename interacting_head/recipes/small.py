"""Small versions of the papers' experiments, for two CPU cores and free corpora.

They keep what the experiment is about: scheme, heads, positions, numbers of layers that are compared, dropout, label
smoothing, Adam's constants. They reduce what makes it expensive: corpus, sizes, number of steps. As in
`multi30k_de_en`, text is raw, blocks are pre-norm and the learning rate follows one cosine cycle, because post-norm
stacks need a long warm-up, for which a short training has no time.
"""

from dataclasses import replace
from typing import NamedTuple

from interacting_head.config import ExperimentConfig

NEWS = "newstest:newstest2008,newstest2009,newstest2010,newstest2011,newstest2012+dev=newstest:newstest2013"
MODEL_DIM = 128


class StandIn(NamedTuple):
    """A corpus or mix that replaces a paper's, with steps of 2,048 tokens on each side.

    `mean_length` is n̄ in sub-words (`interacting-head stats`). With a `patience`, training is validated ten times
    instead of five, and stops early.
    """

    corpus: str
    vocabulary_size: int
    max_steps: int
    mean_length: int | None = None
    patience: int | None = None


MULTI30K_DE_EN = StandIn("multi30k", 6000, 3000, 15)
MIX_DE_EN = StandIn(f"tatoeba_en-de+multi30k+libreoffice_help_en-de+{NEWS}", 8000, 8000, 13)
MIX_CS_EN = StandIn(f"tatoeba_en-cs+multi30k+libreoffice_help_en-cs+{NEWS}", 8000, 5000, 19)
TATOEBA_DE_EN = StandIn("tatoeba_en-de", 8000, 6000)
TATOEBA_ES_EN = StandIn("tatoeba_en-es", 8000, 6000)
TATOEBA_VI_EN = StandIn("tatoeba_en-vi", 4000, 1200)
TATOEBA_HI_EN = StandIn("tatoeba_en-hi", 4000, 1200, patience=3)
TATOEBA_BE_EN = StandIn("tatoeba_en-be", 2000, 600, patience=3)


def on_a_cpu(config: ExperimentConfig, stand_in: StandIn, layers: int = 3) -> ExperimentConfig:
    """Return a paper's experiment with another corpus, smaller and shorter; F keeps its ratio to D."""
    model, data, train = config.model, config.data, config.train
    return replace(
        config,
        model=replace(
            model,
            model_dim=MODEL_DIM,
            feed_forward_dim=model.feed_forward_dim * MODEL_DIM // model.model_dim,
            encoder_layers=layers,
            decoder_layers=layers,
            normalization="pre",
        ),
        data=replace(
            data,
            corpus=stand_in.corpus,
            profile="raw",
            vocabulary_size=stand_in.vocabulary_size,
            max_length=100,
            max_words=None,
            max_ratio=None,
        ),
        train=replace(
            train,
            batch_tokens=2048,
            max_steps=stand_in.max_steps,
            max_epochs=40,
            schedule="cosine",
            learning_rate=3e-3,
            warmup_steps=stand_in.max_steps // 10,
            gradient_clip=1.0,
            validation_interval=stand_in.max_steps // (10 if stand_in.patience else 5),
            validation_epochs=None,
            validation_bleu=True,
            patience=stand_in.patience,
            best_metric="bleu",
            average_last=0,
        ),
        decode=replace(config.decode, batch_size=64),
    )
