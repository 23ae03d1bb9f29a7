"""What stands before the first training step: text, sub-words, batches, a compiled model; and the dry run."""

import logging
import shutil
import tempfile
from typing import NamedTuple

import keras

from data.batches.encoding import encode_parallel
from data.batches.pipeline import TrainingBatches
from data.corpora.corpus import Corpus, open_corpus, own_text
from data.errors import InputError
from data.text.cleaning import CleaningRules
from data.text.parallel_text import ParallelText
from data.text.prepared_text import prepare_text
from data.text.profiles import TextForm
from data.text.vocabularies import check_vocabulary_settings, learn_vocabularies
from interacting_head import config as configuration
from interacting_head.model.building import build_model
from interacting_head.model.compilation import parts_side_by_side
from interacting_head.model.placement import check_model
from interacting_head.run_directory import RunDirectory
from interacting_head.training import peak_ram, precision
from interacting_head.training.devices import Devices
from interacting_head.training.optimizer import Adam
from interacting_head.training.schedules import schedule_class
from interacting_head.training.training_model import TrainingModel

logger = logging.getLogger("interacting_head")

SPLITS = "train", "dev"


class RunText(NamedTuple):
    """The text of a run: as it is (`corpus`), and in the form of its profile (`train`, `dev`)."""

    corpus: Corpus
    train: ParallelText
    dev: ParallelText
    forms: tuple[TextForm, TextForm]


def check(config):
    """Raises `InputError` for an `ExperimentConfig` that cannot be trained, as far as it can be known without text."""
    data, train = config.data, config.train
    _rules(data)
    check_vocabulary_settings(data.vocabulary_size, data.shared_vocabulary, data.joint_merges)
    check_model(config.model)
    schedule_class(train.schedule)
    if train.best_metric == "bleu" and not train.validation_bleu:
        raise InputError("train.best_metric is bleu, but train.validation_bleu is false; set one of them")


def open_text(data, corpora_dir):
    """The `Corpus` of a `DataConfig`, `train` and `dev` checked line by line."""
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
    for split in SPLITS:
        corpus.split(split).check()
    return corpus


def prepare_run_text(data, run, corpus):
    """The `RunText` of a run; its truecasers are learnt on the training text where they do not exist yet.

    Raises:
        InputError: where the text is not the one with which the run was begun.
    """
    languages = corpus.source_language, corpus.target_language
    digests = {split: corpus.split(split).digests() for split in SPLITS}
    run.check_text(digests)
    text = corpus.split("train")
    train = prepare_text(text, data.profile, languages, rules=_rules(data))
    for reason, count in train.dropped.items():
        logger.info("left out of training: %s pairs (%s)", f"{count:,}", reason)
    existing = run.truecasers()
    if existing and any(a.digest != b.digest for a, b in zip(existing, train.truecasers, strict=True)):
        train = prepare_text(text, data.profile, languages, rules=_rules(data), truecasers=existing)
    dev = prepare_text(corpus.split("dev"), data.profile, languages, truecasers=train.truecasers)
    run.save_text(languages, digests, train.truecasers)
    forms = map(TextForm, (data.profile, data.profile), languages, train.truecasers or (None, None))
    return RunText(corpus, train.text, dev.text, tuple(forms))


def _rules(data):
    return CleaningRules(data.max_words, data.max_ratio, data.drop_duplicates)


def prepare_subwords(data, run, text):
    """The source and target `Subwords` of a run, learnt on its training text where they do not exist yet."""
    if not all(path.is_file() for path in run.subword_paths):
        both = "on both sides" if data.shared_vocabulary or data.joint_merges else "on each side"
        logger.info("learning %s sub-words %s", data.vocabulary_size, both)
        learnt = learn_vocabularies(text, data.vocabulary_size, data.shared_vocabulary, data.joint_merges)
        for path, model in zip(run.subword_paths, learnt, strict=True):
            path.parent.mkdir(exist_ok=True)
            shutil.copyfile(model, path)
    return run.subwords()


def number_of_steps(train, batches_per_epoch):
    """After how many steps a training of this `TrainConfig` is at its end."""
    if train.max_epochs is None:
        return train.max_steps
    return min(train.max_steps, train.max_epochs * batches_per_epoch)


def make_batches(config, text, source_subwords, target_subwords, replicas=1):
    """The `TrainingBatches` of a configuration for so many replicas of the model, from its first batch on."""
    data, parts = config.data, config.train.accumulate_batches
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
    return TrainingBatches(
        pairs,
        config.train.batch_tokens * parts,
        config.train.seed,
        static_shapes=xla_compiles_step(),
        multiple=parts * replicas,
    )


def make_training_model(model, config, total_steps):
    """The compiled `TrainingModel` of a `Transformer`, to be trained so many steps."""
    train = config.train
    if train.accumulate_batches > 1 and keras.backend.backend() not in ("tensorflow", "jax"):
        raise InputError(
            f"train.accumulate_batches is {train.accumulate_batches}, which the backend {keras.backend.backend()} "
            "cannot do; set it to 1, or set the environment variable KERAS_BACKEND to tensorflow or jax"
        )
    optimizer = Adam(
        schedule_class(train.schedule).of_training(train, config.model.model_dim, total_steps),
        beta_1=train.adam_beta_1,
        beta_2=train.adam_beta_2,
        epsilon=train.adam_epsilon,
        gradient_clip=train.gradient_clip,
        ema_decay=train.ema_decay,
    )
    training_model = TrainingModel(model, train.label_smoothing, train.accumulate_batches, parts_side_by_side())
    training_model.compile(optimizer=optimizer, jit_compile=xla_compiles_step())
    return training_model


def xla_compiles_step():
    """Return whether XLA compiles the training step: then each new shape costs a compilation."""
    if keras.backend.backend() == "jax":
        return True
    # Under a strategy for several GPUs XLA cannot compile the step.
    return keras.backend.backend() == "tensorflow" and len(_tensorflow_gpus()) == 1


def _tensorflow_gpus():
    import tensorflow as tf

    return tf.config.list_physical_devices("GPU")


def dry_run(config, corpora_dir=None):
    """Prints configuration, model, batch plan and memory, and leaves nothing behind but encoded text in the cache."""
    check(config)
    config = precision.resolved(config)
    corpus, replicas = open_text(config.data, corpora_dir), Devices.find().replicas
    keras.config.set_dtype_policy(config.train.precision)
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(folder)
        text = prepare_run_text(config.data, run, corpus)
        subwords = prepare_subwords(config.data, run, text.train)
        batches = make_batches(config, text.train, *subwords, replicas)
        model = build_model(config, *subwords)
    plan = batches.plan(0)
    print(configuration.to_yaml(config))
    model.summary()
    steps = number_of_steps(config.train, len(plan))
    largest = " × ".join(map(str, plan.shapes[plan.shapes.prod(axis=1).argmax()].tolist()))
    needs = peak_ram.report(make_training_model(model, config, steps), plan.shapes, replicas)
    print(f"""
parameters          {model.count_params():,}
vocabulary          {subwords[0].vocabulary_size:,} source, {subwords[1].vocabulary_size:,} target
tokens an epoch     {plan.tokens:,} source and target, without padding
batches an epoch    {len(plan):,}, padded / non-padded tokens {plan.padded_ratio():.3f}
largest batch       {largest} (sentences × source × target)
steps               at most {steps:,}, {steps / len(plan):.1f} epochs""")
    print("\n".join(needs))
