"""Prepare a corpus for training: normalise, tokenise, truecase, clean, learn sub-words and encode."""

import hashlib
import json
import os
import re
import shutil
import time
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from data.batches import encoding
from data.command_line import ArgumentParser, folder_name, run
from data.corpora.corpus import Corpus, open_corpus
from data.corpus_encoding import EncodedCorpus, add_corpus_arguments, encode_corpus, text_settings
from data.errors import InputError, counted
from data.files import check_folder, check_not_mounted, copy_folder, remove_abandoned, write_json, written_atomically
from data.text import preprocessed_text, vocabularies
from data.text.parallel_text import SIDES, open_text_file
from data.text.profiles import DEFAULT_MAX_LENGTH

RECORD = "prepare.json"
LONGEST_NAME = 150  # characters of a default folder's name
FORMATS = [preprocessed_text.FORMAT, vocabularies.FORMAT, encoding.FORMAT]
"""Versions of what this project does to the text."""


def write_output(folder: Path, corpus: Corpus, prepared: EncodedCorpus, record: dict) -> None:
    """Write `<split>.<language>`, `subwords/`, `truecasing/`, `encoded/<split>/` and `prepare.json`, atomically."""
    folder = folder.resolve()
    languages = corpus.source_language, corpus.target_language
    with written_atomically(folder, parents=True, advice="name another --output-dir") as partial:
        partial.mkdir()
        for split, (text, _, _) in prepared.texts.items():
            copy_folder(prepared.pairs[split].folder, partial / "encoded" / split)
            for path, language in zip((text.source, text.target), languages, strict=True):
                with open_text_file(path) as source, open(partial / f"{split}.{language}", "wb") as target:
                    shutil.copyfileobj(source, target)
        (partial / "subwords").mkdir()
        for side, path in zip(SIDES, prepared.vocabularies, strict=True):
            shutil.copyfile(path, partial / "subwords" / f"{side}.model")
        if truecasers := prepared.texts["train"].truecasers:
            (partial / "truecasing").mkdir()
            for side, truecaser in zip(SIDES, truecasers, strict=True):
                truecaser.save(partial / "truecasing" / f"{side}.truecase")
        files = sorted(path.relative_to(partial).as_posix() for path in partial.rglob("*") if path.is_file())
        record = {**record, "files": files}
        write_json(partial / RECORD, record)
        if folder.is_dir():  # removed with the folder that holds `partial`
            os.replace(folder, partial.with_name(f"former {folder.name}"))


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m data.prepare", description=__doc__)
    add_corpus_arguments(parser)
    parser.add_argument(
        "--max-length",
        type=int,
        default=DEFAULT_MAX_LENGTH,
        metavar="N",
        help="drop pairs with more than N sub-words on a side; default: %(default)s",
    )
    parser.add_argument(
        "--output-dir",
        type=folder_name,
        metavar="DIR",
        help="output folder; default: prepared/CORPUS-SOURCE-TARGET-PROFILE",
    )
    given = parser.parse_args(arguments)
    if given.max_length < 1:
        raise InputError(f"--max-length must be at least 1, got {given.max_length}")
    settings = text_settings(given, given.max_length)
    languages = given.source_language, given.target_language
    if languages[0] == languages[1]:
        raise InputError(
            f"--source-language and --target-language are both {given.source_language}; give two different languages"
        )
    # The name of a mix has characters that are awkward in folder names.
    name = "-".join(re.sub(r"[^\w.+-]+", "_", word) for word in (given.corpus, *languages, given.profile))
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    folder = Path(given.output_dir or f"prepared/{name}")
    # Before minutes of work.
    check_not_mounted(folder)
    check_folder(folder.resolve().parent)
    former = _former_record(folder)
    corpus = open_corpus(given.corpus, *languages, given.corpora_dir)
    inputs = {
        "corpus": given.corpus,
        "languages": list(languages),
        "settings": json.loads(json.dumps(asdict(settings))),  # in the form in which it is read back
        "versions": {name: version(name) for name in ("sacremoses", "sentencepiece")} | {"formats": FORMATS},
        "text": {split: text.digests() for split, text in corpus.splits.items()},
    }
    if former.get("inputs") == inputs and all((folder / name).is_file() for name in former["files"]):
        remove_abandoned(folder.resolve().parent)  # an earlier run may have been killed while it replaced this one
        print(f"{folder} is up to date: nothing to do")
        return
    if former:
        _check_own(folder, former)
        print(f"rebuilding {folder}: {_what_changed(former, inputs)}")
    started = time.perf_counter()
    prepared = encode_corpus(corpus, settings)
    splits = _describe(prepared)
    write_output(folder, corpus, prepared, {"inputs": inputs, "splits": splits, "seconds": prepared.seconds})
    _print_summary(folder, splits, prepared.seconds, time.perf_counter() - started)


def _former_record(folder):
    """Return the record of an earlier run in the output folder, {} if there was none."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        inputs, files = record["inputs"], record["files"]
        if not (isinstance(inputs["text"], dict) and all(isinstance(name, str) for name in files)):
            raise TypeError("values of another type")
        return {"inputs": inputs, "files": files}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / RECORD} is damaged; remove {folder}, or name another --output-dir") from error
    except OSError as error:
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            message = f"{folder} exists and was not created by this command; name another --output-dir"
            raise InputError(message) from error
        return {}


def _check_own(folder, former):
    """Raise `InputError` if a folder, which will be replaced, has a file that this command did not write."""
    own = {folder / name for name in (RECORD, *former["files"])}
    if others := sorted(path for path in folder.rglob("*") if path not in own and not path.is_dir()):
        raise InputError(
            f"{folder} will be replaced, but this command did not write {others[0]}; move it, or name another "
            "--output-dir"
        )


def _what_changed(former, inputs):
    then = former["inputs"]
    splits = dict.fromkeys([*inputs["text"], *then["text"]])
    changed = [f"the text of {split}" for split in splits if inputs["text"].get(split) != then["text"].get(split)]
    changed += [name for name in ("corpus", "languages", "settings", "versions") if inputs[name] != then.get(name)]
    return f"{' and '.join(changed)} changed" if changed else "a file is missing"


def _describe(prepared):
    """Return {split: number of pairs, dropped pairs by reason, and sub-words of both sides}."""
    splits = {}
    for split, pairs in prepared.pairs.items():
        dropped = Counter(prepared.texts[split].dropped)
        dropped.update({"empty": pairs.dropped_empty, "too many sub-words": pairs.dropped_long})
        splits[split] = {
            "pairs": len(pairs) + dropped.total(),
            "left_out": {reason: count for reason, count in dropped.items() if count},
            "encoded_pairs": len(pairs),
            "source_subwords": int(pairs.source.lengths.sum()),
            "target_subwords": int(pairs.target.lengths.sum()),
        }
    return splits


def _print_summary(folder, splits, seconds, total):
    for split, found in splits.items():
        dropped = ", ".join(f"{count:,} {reason}" for reason, count in found["left_out"].items()) or "none"
        print(
            f"{split}: {counted(found['pairs'], 'pair')}, dropped: {dropped}; "
            f"{found['source_subwords']:,} source and {found['target_subwords']:,} target sub-words"
        )
    pairs = sum(found["pairs"] for found in splits.values())
    stages = ", ".join(f"{stage} {duration:.1f} s" for stage, duration in seconds.items())
    print(f"{counted(pairs, 'pair')} in {total:.1f} s, {pairs / total:,.0f} pairs/s ({stages}); written to {folder}")


if __name__ == "__main__":
    run(main)
