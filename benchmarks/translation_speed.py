"""Speed of translation: our search and CTranslate2's in turn in one process, and the search with every scheme.

Needs ctranslate2, and a run directory of a scheme that converts to it exactly, trained with multi_head for example.
Every sentence of the input is translated in each turn, from text to text.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.schemes_training import settings
from data.text.parallel_text import decode_lines, open_text_file
from data.workers import available_cores
from interacting_head.console import RunError, importing_keras

BATCH_SIZES = (8, 64)
LENGTH = 12  # sub-words of a translation where its length is forced
OURS, THEIRS = "this project, TensorFlow", "CTranslate2 float32"
THEIR_ENGINES = {THEIRS: "float32", "CTranslate2 int8": "int8"}


def add_arguments(parser):
    """Adds the options of this measurement to a parser."""
    parser.add_argument("--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("--input", required=True, metavar="FILE", help="sentences to translate")
    parser.add_argument("--sentences", type=int, default=1000, metavar="N", help="so many of them; default: 1000")
    parser.add_argument("--beam-size", type=int, default=4, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="turns of each engine; default: 3")
    parser.add_argument("--schemes", nargs="+", metavar="NAME", help="only these; default: all")
    parser.add_argument("--schemes-sentences", type=int, default=320, metavar="N", help="of them for every scheme")
    parser.add_argument("--output", metavar="FILE", help="default: benchmarks/results/translation.json")


def main(arguments):
    """Measures and writes the result."""
    with open_text_file(arguments.input) as file:
        lines = list(decode_lines(file, arguments.input))[: arguments.sentences]
    with importing_keras():
        from interacting_head.model.compilation import share_cores

        share_cores()  # as translate.py does
        rows, tokens = measure_engines(arguments, lines)
        rows += measure_schemes(arguments, lines[: arguments.schemes_sentences])
    fields = {
        "index": ["engine"],
        "columns": "batch",
        "value": "sentences/s",
        "where": {"part": "engines"},
        "digits": 1,
    }
    schemes = {**fields, "index": ["scheme"], "where": {"part": "schemes"}}
    views = [
        {"caption": "Sentences/s", **fields},
        {"caption": "Over CTranslate2 float32", **fields, "value": "ratio", "digits": 2},
        {"caption": f"Every scheme, translations of {LENGTH} sub-words: sentences/s", **schemes},
        {"caption": "Every scheme, over multi_head", **schemes, "value": "ratio", "digits": 2},
    ]
    conditions = {
        "what": f"{len(lines):,} lines, {tokens:,} sub-words of translation, beam {arguments.beam_size}, from text to "
        f"text; {arguments.rounds} turns of each engine, medians; ratios are medians of those within a round",
        "threads": "each engine works on as many batches at a time as there are cores, one thread on each",
        "schemes": f"the model's sizes with random weights, {arguments.schemes_sentences} lines, lengths forced",
    }
    results.write("translation", "Translation speed", rows, views, conditions, arguments.output)


def measure_engines(arguments, lines):
    """Rows of our search and of CTranslate2, and how many sub-words were put out."""
    from interacting_head.translation.translator import Translator

    translators = {
        size: Translator.from_run(arguments.model, batch_size=size, beam_size=arguments.beam_size)
        for size in BATCH_SIZES
    }
    engines = {name: ctranslate2_engine(arguments.model, weights) for name, weights in THEIR_ENGINES.items()}
    subwords = translators[BATCH_SIZES[0]].source_subwords, translators[BATCH_SIZES[0]].target_subwords
    turns = {}
    for size in BATCH_SIZES:
        turns[OURS, size] = lambda lines, size=size: list(translators[size].translate(lines))
        for name, engine in engines.items():
            turns[name, size] = lambda lines, engine=engine, size=size: their_translations(
                engine, *subwords, lines, size, arguments.beam_size
            )
    seconds = {turn: [] for turn in turns}
    for turn in turns.values():
        turn(lines[:64])
    for _ in range(arguments.rounds):
        for name, turn in turns.items():
            started = time.perf_counter()
            found = turn(lines)
            seconds[name].append(time.perf_counter() - started)
            if name[0] == OURS:
                tokens = sum(len(best.tokens) for best, *_ in found)
            print(*name, f"{len(lines) / seconds[name][-1]:.1f} sentences/s", flush=True)
    rows = []
    for (name, size), taken in seconds.items():
        rows.append(
            {
                "part": "engines",
                "engine": name,
                "batch": size,
                "sentences/s": len(lines) / float(np.median(taken)),
                "ratio": float(np.median(np.divide(seconds[THEIRS, size], taken))),
            }
        )
    return rows, tokens


def ctranslate2_engine(run_dir, quantization):
    """The model of a run directory, converted."""
    try:
        import ctranslate2

        from interacting_head.export.ctranslate2 import convert
    except ImportError as error:
        raise RunError(f"{error}: install ctranslate2 to compare with it") from error
    with tempfile.TemporaryDirectory() as folder:
        convert(run_dir, Path(folder) / "model", quantization)
        return ctranslate2.Translator(str(Path(folder) / "model"), inter_threads=available_cores(), intra_threads=1)


def their_translations(engine, source_subwords, target_subwords, lines, batch_size, beam_size):
    """The best translations by CTranslate2; it sorts by length itself."""
    found = engine.translate_batch(
        source_subwords.encode_as_pieces(lines), max_batch_size=batch_size, beam_size=beam_size, length_penalty=1
    )
    ids = {target_subwords.piece(i): i for i in range(target_subwords.vocabulary_size)}
    return target_subwords.decode([[ids[piece] for piece in result.hypotheses[0]] for result in found])


def measure_schemes(arguments, lines):
    """Rows of every scheme with random weights, whose translations are all of one length."""
    from interacting_head.config import override
    from interacting_head.model.building import build_model
    from interacting_head.run_directory import RunDirectory
    from interacting_head.search.options import SearchOptions
    from interacting_head.translation.translator import Translator

    run = RunDirectory.open(arguments.model)
    subwords, translators = run.subwords(), {}
    options = SearchOptions(beam_size=arguments.beam_size, min_length=LENGTH, max_length=LENGTH)
    for name, changes in settings().items():
        if arguments.schemes and name not in ("multi_head", *arguments.schemes):
            continue
        config = override(run.config, ["model.placements=null", "model.memory=null"])
        config = override(config, [f"{key}={value}" for key, value in changes.items()])
        translators[name] = Translator(build_model(config, *subwords), *subwords, options=options)
        list(translators[name].translate(lines[:8]))
        print(f"{name}: compiled", flush=True)
    seconds = {(name, size): [] for name in translators for size in BATCH_SIZES}
    for _ in range(arguments.rounds):
        for (name, size), taken in seconds.items():
            translators[name].batch_size = size
            started = time.perf_counter()
            list(translators[name].translate(lines))
            taken.append(time.perf_counter() - started)
    return [
        {
            "part": "schemes",
            "scheme": name,
            "batch": size,
            "sentences/s": len(lines) / float(np.median(taken)),
            "ratio": float(np.median(np.divide(seconds["multi_head", size], taken))),
        }
        for (name, size), taken in seconds.items()
    ]
