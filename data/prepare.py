"""Prepares a corpus for training: normalises, tokenises, truecases, cleans, learns sub-words and encodes."""

import json
import os
import re
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from data.batches.encoding import encoded_folder, load_encoded
from data.command_line import ArgumentParser, run
from data.corpora.corpus import Corpus, open_corpus
from data.errors import InputError
from data.text.cleaning import CleaningRules
from data.text.parallel_text import open_text_file
from data.text.prepared_text import SIDES, PreparedText, prepare_text
from data.text.profiles import DEFAULT_MAX_LENGTH, DEFAULT_VOCABULARY_SIZE, PROFILES
from data.text.subwords import Subwords
from data.text.vocabularies import add_vocabulary_arguments, learn_vocabularies, vocabulary_settings

RECORD = "prepare.json"


@dataclass(frozen=True)
class Settings:
    """How a corpus is prepared; training prepares its text by the same settings and finds the work done.

    Args:
        profile: one of `data.text.profiles.PROFILES`.
        rules: which training pairs are left out.
        vocabulary_size, shared_vocabulary, joint_merges: see `data.text.vocabularies.learn_vocabularies`.
        max_length: most sub-words of a side of an encoded pair.
    """

    profile: str = PROFILES[0]
    rules: CleaningRules = field(default_factory=CleaningRules)
    vocabulary_size: int | tuple[int, int] = DEFAULT_VOCABULARY_SIZE
    shared_vocabulary: bool = True
    joint_merges: bool = False
    max_length: int = DEFAULT_MAX_LENGTH


class PreparedCorpus(NamedTuple):
    """A prepared corpus, in the cache.

    Args:
        texts: {split: `PreparedText`}, the training text first.
        vocabularies: model files of source and target.
        encoded: {split: folder for `data.load_encoded`}.
        seconds: {stage: time taken}; next to nothing where it was in the cache.
    """

    texts: dict[str, PreparedText]
    vocabularies: tuple[Path, Path]
    encoded: dict[str, Path]
    seconds: dict[str, float]


def prepare_corpus(corpus: Corpus, settings: Settings, progress: bool = True) -> PreparedCorpus:
    """Prepares all splits of a corpus: truecasing and sub-words are learnt on `train`, which alone is cleaned.

    Raises:
        InputError: where there is no split `train`, and what the stages raise.
    """
    languages = corpus.source_language, corpus.target_language
    seconds = {}
    started = time.perf_counter()
    train = prepare_text(corpus.split("train"), settings.profile, languages, rules=settings.rules, progress=progress)
    texts = {"train": train}
    for split, text in corpus.splits.items():
        if split != "train":
            texts[split] = prepare_text(
                text, settings.profile, languages, truecasers=train.truecasers, progress=progress
            )
    seconds["text"] = time.perf_counter() - started
    started = time.perf_counter()
    choices = settings.vocabulary_size, settings.shared_vocabulary, settings.joint_merges
    vocabularies = learn_vocabularies(train.text, *choices, progress=progress)
    seconds["sub-words"] = time.perf_counter() - started
    started = time.perf_counter()
    subwords = tuple(map(Subwords, vocabularies))
    encoded = {
        split: encoded_folder(prepared.text, *subwords, settings.max_length, progress=progress)
        for split, prepared in texts.items()
    }
    seconds["encoding"] = time.perf_counter() - started
    return PreparedCorpus(texts, vocabularies, encoded, seconds)


def write_output(folder: Path, corpus: Corpus, prepared: PreparedCorpus, record: dict) -> None:
    """Copies what was prepared into a folder, which appears, or takes the place of a former one, when complete.

    Its files: `<split>.<language>`, `subwords/`, `truecasing/`, `encoded/<split>/` and the record, `prepare.json`.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".partial-"))
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror}; name another --output-dir") from error
    try:
        for split, (text, _, _) in prepared.texts.items():
            for path, language in zip(
                (text.source, text.target), (corpus.source_language, corpus.target_language), strict=True
            ):
                with open_text_file(path) as source, open(temporary / f"{split}.{language}", "wb") as target:
                    shutil.copyfileobj(source, target)
            shutil.copytree(prepared.encoded[split], temporary / "encoded" / split)
        for name in ("subwords", "truecasing"):
            (temporary / name).mkdir()
        for side, path in zip(SIDES, prepared.vocabularies, strict=True):
            shutil.copyfile(path, temporary / "subwords" / f"{side}.model")
        for side, truecaser in zip(SIDES, prepared.texts["train"].truecasers or (), strict=False):
            truecaser.save(temporary / "truecasing" / f"{side}.truecase")
        if not prepared.texts["train"].truecasers:
            (temporary / "truecasing").rmdir()
        files = sorted(path.relative_to(temporary).as_posix() for path in temporary.rglob("*") if path.is_file())
        record = {**record, "files": files}
        (temporary / RECORD).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.chmod(folder.parent.stat().st_mode & 0o777)
        if folder.is_dir():
            former = temporary / "former"
            os.replace(folder, former)
            os.replace(temporary, folder)
            shutil.rmtree(folder / "former")
        else:
            os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def parse_arguments(arguments: list[str] | None = None):
    """The options of the command line."""
    parser = ArgumentParser(prog="python -m data.prepare", description=__doc__)
    parser.add_argument("corpus", metavar="CORPUS[+CORPUS …]", help="a corpus, or several as one training set")
    parser.add_argument("--source-language", required=True, metavar="CODE", help="such as de")
    parser.add_argument("--target-language", required=True, metavar="CODE", help="such as en")
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        default=Settings.profile,
        help="raw: sub-words of the text as it is (default); the others normalised and tokenised before: paper "
        "truecased, lowercased, tokenized in its own case",
    )
    add_vocabulary_arguments(parser)
    parser.add_argument(
        "--max-length",
        type=int,
        default=Settings.max_length,
        metavar="N",
        help="sub-words, default %(default)s",
    )
    parser.add_argument("--max-words", type=int, metavar="N", help="words of a side; default: any")
    parser.add_argument(
        "--max-ratio", type=float, metavar="R", help="words of one side for one of the other; default: any"
    )
    parser.add_argument("--drop-duplicates", action="store_true", help="keep one of equal training pairs")
    parser.add_argument("--corpora-dir", metavar="DIR", help="default: $CORPORA_DIR, then the cache folder")
    parser.add_argument("--output-dir", metavar="DIR", help="default: prepared/CORPUS-SOURCE-TARGET-PROFILE")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Prepares the corpus that the command line names."""
    given = parse_arguments(arguments)
    if given.max_length < 1:
        raise InputError(f"--max-length must be at least 1, got {given.max_length}")
    rules = CleaningRules(given.max_words, given.max_ratio, given.drop_duplicates)
    settings = Settings(given.profile, rules, *vocabulary_settings(given), given.max_length)
    languages = given.source_language, given.target_language
    if given.source_language == given.target_language:
        raise InputError(f"--source-language and --target-language are both {given.source_language}; give two")
    folder = Path(given.output_dir or f"prepared/{_folder_name(given.corpus, *languages, given.profile)}")
    former = _former_record(folder)
    corpus = open_corpus(given.corpus, *languages, given.corpora_dir)
    inputs = {
        "corpus": given.corpus,
        "languages": list(languages),
        "settings": json.loads(json.dumps(asdict(settings))),  # as it is read again
        "versions": {name: version(name) for name in ("sacremoses", "sentencepiece")},
        "text": {split: text.digests() for split, text in corpus.splits.items()},
    }
    if former.get("inputs") == inputs and all((folder / name).is_file() for name in former["files"]):
        print(f"{folder} is up to date: nothing to do")
        return
    if former:
        print(f"{folder} is made anew: {_what_changed(former, inputs)}")
    started = time.perf_counter()
    prepared = prepare_corpus(corpus, settings)
    splits = _describe(prepared)
    write_output(folder, corpus, prepared, {"inputs": inputs, "splits": splits, "seconds": prepared.seconds})
    _print_summary(folder, splits, prepared.seconds, time.perf_counter() - started)


def _folder_name(*words):
    # The name of a mix has signs that are a nuisance in names of folders.
    return "-".join(re.sub(r"[^\w.+-]+", "_", word) for word in words)


def _former_record(folder):
    """What a former run has recorded in the output folder; {} where there was none."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return {key: record[key] for key in ("inputs", "files")}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / RECORD} is damaged; remove {folder} or name another --output-dir") from error
    except OSError as error:
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise InputError(f"{folder} exists and was not made by this command; name another --output-dir") from error
        return {}


def _what_changed(former, inputs):
    then = former["inputs"]
    changed = [f"the text of {split}" for split in inputs["text"] if inputs["text"][split] != then["text"].get(split)]
    changed += [name for name in ("corpus", "languages", "settings", "versions") if inputs[name] != then[name]]
    return f"{' and '.join(changed) or 'a file of it'} changed"


def _describe(prepared):
    """{split: number of pairs, those left out by reason, and sub-words of both sides}."""
    splits = {}
    for split, folder in prepared.encoded.items():
        pairs = load_encoded(folder)
        dropped = dict(prepared.texts[split].dropped)
        for reason, count in (("empty", pairs.dropped_empty), ("too many sub-words", pairs.dropped_long)):
            dropped[reason] = dropped.get(reason, 0) + count
        splits[split] = {
            "pairs": len(pairs) + sum(dropped.values()),
            "left_out": {reason: count for reason, count in dropped.items() if count},
            "encoded_pairs": len(pairs),
            "source_subwords": int(pairs.source.lengths.sum()),
            "target_subwords": int(pairs.target.lengths.sum()),
        }
    return splits


def _print_summary(folder, splits, seconds, total):
    for split, found in splits.items():
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in found["left_out"].items()) or "none"
        print(
            f"{split}: {found['pairs']:,} pairs, left out {left_out}; "
            f"{found['source_subwords']:,} and {found['target_subwords']:,} sub-words"
        )
    pairs = sum(found["pairs"] for found in splits.values())
    stages = ", ".join(f"{stage} {duration:.1f} s" for stage, duration in seconds.items())
    print(f"{pairs:,} pairs in {total:.1f} s, {pairs / total:,.0f} a second ({stages}); they are in {folder}")


if __name__ == "__main__":
    run(main)
