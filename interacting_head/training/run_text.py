"""The text of a run: opened, encoded, and recorded in the run directory for translation."""

import dataclasses
import logging
import os
from typing import NamedTuple

from data.batches.encoding import EncodedPairs
from data.corpora.corpus import Corpus, open_corpus, own_text
from data.corpus_encoding import TextSettings, encode_corpus
from data.errors import InputError
from data.files import atomic_write, copy_file
from data.text.cleaning import CleaningRules
from data.text.parallel_text import ParallelText
from data.text.profiles import Preprocessor
from data.text.subwords import Subwords
from interacting_head.config import OWN_FILES, DataConfig, ExperimentConfig, yaml_files
from interacting_head.runs.run_directory import RunDirectory

logger = logging.getLogger("interacting_head")

SPLITS = "train", "dev"


class RunText(NamedTuple):
    """The text of a run.

    The development text is original and preprocessed by `forms` (source, target), the training pairs are encoded.
    """

    dev: ParallelText
    preprocessed_dev: ParallelText
    forms: tuple[Preprocessor, Preprocessor]
    subwords: tuple[Subwords, Subwords]
    pairs: EncodedPairs


def text_settings(data: DataConfig) -> TextSettings:
    """Return the text settings; raise `InputError` if they contradict each other."""
    rules = CleaningRules(data.max_words, data.max_ratio, data.drop_duplicates)
    sizes = data.vocabulary_size, data.shared_vocabulary, data.joint_merges
    return TextSettings(data.profile, rules, *sizes, data.max_length)


def corpus_of(data: DataConfig, corpora_dir: str | None) -> Corpus:
    """Return the corpus of a configuration; raise `InputError` if there is none or it cannot be found."""
    own = own_files(data).values()
    if data.corpus and any(own):
        raise InputError(
            f"two texts to train on: data.corpus={data.corpus}, and files of your own; remove data.corpus from the "
            "settings, or leave out --source, --target, --dev-source and --dev-target"
        )
    if any(own):
        return own_text(*own, source_language=data.source_language, target_language=data.target_language)
    if data.corpus:
        if not (data.source_language and data.target_language):
            raise InputError(f"data.corpus={data.corpus} needs data.source_language and data.target_language")
        return open_corpus(data.corpus, data.source_language, data.target_language, corpora_dir)
    raise InputError("no text to train on: set data.corpus, or give --source, --target, --dev-source, --dev-target")


def open_text(data: DataConfig, corpora_dir: str | None) -> Corpus:
    """Return the corpus of a configuration after checking `train` and `dev` line by line."""
    corpus = corpus_of(data, corpora_dir)
    for split in SPLITS:
        corpus.split(split).check()
    return corpus


def own_files(data: DataConfig) -> dict[str, str | None]:
    """Return the paths of the user's own text."""
    return {name: getattr(data, name) for name in OWN_FILES}


def with_paths_of(run: RunDirectory, config: ExperimentConfig, corpus: Corpus) -> ExperimentConfig:
    """Return the configuration with the run's paths of the user's own text, if both mean the same text.

    They do if the paths are equivalent, or if the files, possibly moved, have the content that the run began with.
    Raises `InputError` if `run`, which need not exist yet, cannot be read.
    """
    if not (run.path / "config.yaml").is_file():
        return config
    theirs, ours = own_files(run.open(run.path).config.data), own_files(config.data)
    if theirs == ours or not (all(theirs.values()) and all(ours.values())):
        return config
    if any(os.path.abspath(theirs[name]) != os.path.abspath(ours[name]) for name in OWN_FILES):
        languages = [corpus.source_language, corpus.target_language]
        if (run.text.get("languages"), run.text.get("digests")) != (languages, digests_of(corpus)):
            return config
    return dataclasses.replace(config, data=dataclasses.replace(config.data, **theirs))


def store_paths(run: RunDirectory, data: DataConfig) -> None:
    """Write the paths of the user's own text into the configuration of a run of any version."""
    mapping = yaml_files.read_yaml(run.path / "config.yaml", "configuration")
    mapping["data"] |= own_files(data)
    with atomic_write(run.path / "config.yaml") as file:
        file.write(yaml_files.to_yaml(mapping))


def digests_of(corpus: Corpus) -> dict[str, list[str]]:
    """Return {split: digests of source and target} of the text that a run depends on."""
    return {split: corpus.split(split).digests() for split in SPLITS}


def prepare_run_text(data: DataConfig, run: RunDirectory, corpus: Corpus) -> RunText:
    """Return the text of a run; learn missing truecasers and sub-words on the training text.

    Raises `InputError` if the text has changed since the run began, and what `encode_corpus` raises.
    """
    digests = digests_of(corpus)
    run.check_text(digests)
    vocabularies = run.subword_paths if all(path.is_file() for path in run.subword_paths) else None
    if vocabularies is None:
        both = "on both sides" if data.shared_vocabulary or data.joint_merges else "on each side"
        logger.info("learning %s sub-words %s", data.vocabulary_size, both)
    else:
        run.subwords()  # raises if they are damaged
    encoded = encode_corpus(
        corpus,
        text_settings(data),
        splits=SPLITS,
        encoded_splits=["train"],
        truecasers=run.truecasers(),
        vocabularies=vocabularies,
    )
    train, dev = (encoded.texts[split] for split in SPLITS)
    for reason, count in train.dropped.items():
        logger.info("dropped from training: %s pairs (%s)", f"{count:,}", reason)
    languages = corpus.source_language, corpus.target_language
    run.save_text(languages, digests, train.truecasers, encoded.subwords)
    if vocabularies is None:
        for path, model in zip(run.subword_paths, encoded.vocabularies, strict=True):
            copy_file(model, path)
    forms = map(Preprocessor, (data.profile, data.profile), languages, train.truecasers or (None, None))
    return RunText(corpus.split("dev"), dev.text, tuple(forms), run.subwords(), encoded.pairs["train"])
