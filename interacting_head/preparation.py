"""What stands before the first training step: text, sub-words, batches, a compiled model; and the dry run."""

import logging
import shutil
import tempfile

import keras

from data.corpora import open_corpus, own_text
from data.encoding import encode_parallel
from data.errors import InputError
from data.pipeline import TrainingBatches
from data.subwords import train_subwords
from interacting_head import config as configuration
from interacting_head.optimizer import Adam
from interacting_head.run_directory import RunDirectory, build_model
from interacting_head.schedules import make_schedule
from interacting_head.training_model import TrainingModel

logger = logging.getLogger("interacting_head")


def open_text(data, corpora_dir):
    """`{"train": ParallelText, "dev": ParallelText}` of a `DataConfig`, checked line by line."""
    own = [data.source, data.target, data.dev_source, data.dev_target]
    if data.corpus and any(own):
        raise InputError("give data.corpus or --source, --target, --dev-source and --dev-target, not both")
    if any(own):
        missing = [name for name in ("source", "target", "dev_source", "dev_target") if not getattr(data, name)]
        if missing:
            options = ", ".join("--" + name.replace("_", "-") for name in missing)
            raise InputError(f"your own text needs four files; {options} is missing")
        corpus = own_text(*own, source_language=data.source_language, target_language=data.target_language)
    elif data.corpus:
        if not (data.source_language and data.target_language):
            raise InputError(f"data.corpus={data.corpus} needs data.source_language and data.target_language")
        corpus = open_corpus(data.corpus, data.source_language, data.target_language, corpora_dir)
    else:
        raise InputError("no text to train on: set data.corpus, or give --source, --target, --dev-source, --dev-target")
    text = {split: corpus.split(split) for split in ("train", "dev")}
    for parallel_text in text.values():
        parallel_text.check()
    return text


def prepare_subwords(data, run, text):
    """The source and target `Subwords` of a run, trained on its training text where they do not exist yet."""
    source_path, target_path = run.subword_paths
    if not (source_path.is_file() and target_path.is_file()):
        source_path.parent.mkdir(exist_ok=True)
        if data.shared_vocabulary:
            logger.info("training %d shared sub-words on both sides", data.vocabulary_size)
            train_subwords((line for pair in text.pairs() for line in pair), data.vocabulary_size, source_path)
            shutil.copyfile(source_path, target_path)
        else:
            logger.info("training %d sub-words for each side", data.vocabulary_size)
            for side, path in enumerate((source_path, target_path)):
                train_subwords((pair[side] for pair in text.pairs()), data.vocabulary_size, path)
    return run.subwords()


def number_of_steps(train, batches_per_epoch):
    """After how many steps a training of this `TrainConfig` is at its end."""
    if train.max_epochs is None:
        return train.max_steps
    return min(train.max_steps, train.max_epochs * batches_per_epoch)


def make_batches(config, text, source_subwords, target_subwords):
    """The `TrainingBatches` of a configuration, from its first batch on."""
    data = config.data
    pairs = encode_parallel(
        text, source_subwords, target_subwords, data.max_length, limit_pairs=data.train_pairs, seed=data.seed
    )
    logger.info(
        "%s pairs (%d empty and %d longer than %d sub-words left out)",
        f"{len(pairs):,}",
        pairs.dropped_empty,
        pairs.dropped_long,
        data.max_length,
    )
    return TrainingBatches(pairs, config.train.batch_tokens, config.train.seed, static_shapes=compiles_per_shape())


def make_training_model(model, config, total_steps):
    """The compiled `TrainingModel` of a `Transformer`, to be trained so many steps."""
    train = config.train
    optimizer = Adam(
        make_schedule(train, config.model.model_dim, total_steps),
        beta_1=train.adam_beta_1,
        beta_2=train.adam_beta_2,
        epsilon=train.adam_epsilon,
        gradient_clip=train.gradient_clip,
    )
    training_model = TrainingModel(model, train.label_smoothing)
    training_model.compile(optimizer=optimizer, jit_compile=compiles_per_shape())
    return training_model


def compiles_per_shape():
    """Whether XLA compiles the training step: then each new shape costs a compilation."""
    if keras.backend.backend() == "jax":
        return True
    return keras.backend.backend() == "tensorflow" and bool(_tensorflow_gpus())


def _tensorflow_gpus():
    import tensorflow as tf

    return tf.config.list_physical_devices("GPU")


def dry_run(config, corpora_dir=None):
    """Prints configuration, model and batch plan, and leaves nothing behind but encoded text in the cache."""
    text = open_text(config.data, corpora_dir)
    with tempfile.TemporaryDirectory() as folder:
        subwords = prepare_subwords(config.data, RunDirectory(folder), text["train"])
        batches = make_batches(config, text["train"], *subwords)
        model = build_model(config, *subwords)
    plan = batches.plan(0)
    print(configuration.to_yaml(config))
    model.summary()
    steps = number_of_steps(config.train, len(plan))
    largest = " × ".join(map(str, plan.shapes[plan.shapes.prod(axis=1).argmax()].tolist()))
    print(f"""
parameters          {model.count_params():,}
vocabulary          {subwords[0].vocabulary_size:,} source, {subwords[1].vocabulary_size:,} target
tokens an epoch     {plan.tokens:,} source and target, without padding
batches an epoch    {len(plan):,}, padded / non-padded tokens {plan.padded_ratio():.3f}
largest batch       {largest} (sentences × source × target)
steps               at most {steps:,}, {steps / len(plan):.1f} epochs""")
