"""The public corpora by name, from `corpora.yaml`, `archives.tsv` and `multi30k.sha256`.

Sizes and checksums missing there are unknown or change; `SOURCE.json` of the corpus then records the checksum.
"""

import json
from functools import partial
from pathlib import Path

import yaml

from data.corpora.published import (
    Archive,
    ArchivedCorpus,
    LineAlignedCorpus,
    PublishedFile,
    Text,
    cut_at_random,
    cut_regularly,
    split_languages,
)
from data.files import read_rows
from data.readers import read_help_pages, read_plain, read_sgm, read_table, read_talks, read_xml

_FOLDER = Path(__file__).parent

READERS = {
    "help_pages": read_help_pages,
    "plain": read_plain,
    "sgm": read_sgm,
    "talks": read_talks,
    "talks_and_titles": partial(read_talks, titles=True),
    "xml": read_xml,
    # Source, alignment type and alignment quality stand before the texts; `<s>` divides segments.
    "hindencorp": partial(read_table, columns=(4, 3), width=5, separator="<s>"),
    "tatoeba": partial(read_table, columns=(0, 1)),
    "ted": partial(read_table, columns=("be", "en"), null=("NULL",), escaped=True),
}


def _archive(row: dict[str, str]) -> Archive:
    known = {name: value for name, value in row.items() if value}
    return Archive(**known | {"size": int(row["size"] or 0) or None, "by_hand": row["by_hand"] == "yes"})


ARCHIVE = {row["file_name"]: _archive(row) for row in read_rows(_FOLDER / "archives.tsv")}


def _line_aligned(name, address, checksums, **about):
    files = []
    for line in (_FOLDER / checksums).read_text(encoding="utf-8").splitlines():
        sha256, file_name = line.split()
        split, language = file_name.split(".")
        # The published name of the development set is `val`.
        files.append(PublishedFile({"val": "dev"}.get(split, split), language, f"{address}{file_name}.gz", sha256))
    return LineAlignedCorpus(name, **about, files=tuple(files))


def _archived(name, languages, splits, held_out=None, dev_interval=None, **about):
    cut = partial(cut_at_random, held_out=held_out) if held_out else None
    if dev_interval:
        cut = partial(cut_regularly, interval=dev_interval)
    texts = {
        split: tuple(_text(line, split_languages(split, languages)) for line in description.splitlines())
        for split, description in splits.items()
    }
    definition = json.dumps([languages, splits, held_out, dev_interval])
    return ArchivedCorpus(name, languages, **about, splits=texts, cut=cut, definition=definition)


def _text(description: str, languages: tuple[str, ...]) -> Text:
    reader, *files = description.split()
    # Without `{language}`, all of these are the same file.
    names = dict.fromkeys(file.replace("{language}", code) for file in files for code in languages)
    places = (name.partition("/") for name in names)
    return Text(tuple((ARCHIVE[archive], inner or None) for archive, _, inner in places), READERS[reader])


def _corpora():
    for name, entry in yaml.safe_load((_FOLDER / "corpora.yaml").read_text(encoding="utf-8")).items():
        make = _archived if "splits" in entry else _line_aligned
        yield make(name, **entry | {"languages": tuple(entry["languages"])})


KNOWN_CORPORA: dict[str, ArchivedCorpus | LineAlignedCorpus] = {corpus.name: corpus for corpus in _corpora()}
