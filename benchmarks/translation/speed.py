"""Speed of translation: the engines and plain CTranslate2 in turns in one process, and the search with every scheme.

It needs ctranslate2 and a run whose scheme converts to it exactly, such as multi_head. Each turn translates the whole
input from text to text, as `translate.py` does.

Tried for the search in TensorFlow and rejected (Multi30k model, 256 dimensions, 3 + 3 layers; CPU time with one core
for each batch on an AMD processor with AVX-512):
- XLA (`jit_compile`) for 16 steps: 137 instead of 190 ms with batches of 8, but 929 instead of 926 ms with batches of
  64. Compiling takes 5 s for each pair of source length and capacity, too long for a text of a few thousand lines.
- Removing finished sentences when a third, a sixth or a sixteenth of the batch is done, not a quarter: 1 to 8 % slower.
- Two or three levels of blocks, or smaller blocks, for the choice of the best sub-words: not faster.
- Concrete functions of flat lists of tensors: less than half of the Python calls, but no less time (5.0 and 5.5 instead
  of 4.9 and 5.2 s for 200 lines).
"""

import subprocess
import sys
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
ENGINES = {
    "keras": ("keras", None, None),
    "savedmodel": ("savedmodel", "savedmodel", None),
    "ctranslate2 float32": ("ctranslate2", "ctranslate2", "float32"),
    "ctranslate2 int8": ("ctranslate2", "ctranslate2", "int8"),
}
"""Name → engine of `translate.py`, and the format of its model with the quantization; none: the run directory."""
ALONE = {"CTranslate2 alone, float32": "ctranslate2 float32", "CTranslate2 alone, int8": "ctranslate2 int8"}
"""Name of CTranslate2 without this project → the engine that has the same model."""
THEIRS = "CTranslate2 alone, float32"
OVER_THEIRS, OVER_ALONE = "over CTranslate2 alone, float32", "over CTranslate2 alone, same weights"
EQUAL = "lines as from keras"
SAME = 1e-4  # scores that differ by less are equal up to rounding
SCRIPT = Path(__file__).parents[2] / "translate.py"


def add_arguments(parser):
    parser.add_argument("--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("--input", required=True, metavar="FILE", help="sentences to translate")
    parser.add_argument("--sentences", type=int, default=1000, metavar="N", help="number of sentences; default: 1000")
    parser.add_argument("--beam-size", type=int, default=4, metavar="N", help="beam size; default: 4")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="turns of each engine; default: 3")
    schemes_help = "schemes to measure; --schemes alone: none; default: all"
    parser.add_argument("--schemes", nargs="*", metavar="NAME", help=schemes_help)
    number_help = "number of sentences for each scheme; default: 320"
    parser.add_argument("--schemes-sentences", type=int, default=320, metavar="N", help=number_help)
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/translation.json")


def main(arguments):
    with open_text_file(arguments.input) as file:
        lines = list(decode_lines(file, arguments.input))[: arguments.sentences]
    with importing_keras():
        from interacting_head.model.compilation import share_cores
    share_cores()  # as translate.py does
    with tempfile.TemporaryDirectory() as folder:
        models = exported(arguments, Path(folder))
        rows, tokens = measure_engines(arguments, lines, models)
        rows += measure_starts(arguments, lines, models, Path(folder))
    rows += measure_pruning(arguments, lines)
    if arguments.schemes != []:
        rows += measure_schemes(arguments, lines[: arguments.schemes_sentences])
    conditions = {
        "what": f"{len(lines):,} lines, {tokens:,} sub-words of translation, beam {arguments.beam_size}, from text to "
        f"text; {arguments.rounds} turns of each engine, medians; ratios are medians of those within a round",
        "threads": "each engine works on as many batches at a time as there are cores, one thread on each",
        "first line, end": "seconds from the command `translate.py` to its first line and to its end",
        "schemes": f"the model's sizes with random weights, {arguments.schemes_sentences} lines, lengths forced",
    }
    results.write("translation", "translation", rows, views(), conditions, arguments.output)


def views():
    """Return the tables; see `results.write`."""
    return [
        {
            "caption": "Engines",
            "where": {"part": ["engines", "starts"]},
            "index": ["batch", "engine"],
            "values": ["sentences/s", OVER_THEIRS, OVER_ALONE, "over keras", EQUAL, "first line, s", "end, s"],
            "digits": {"sentences/s": 1, "first line, s": 1, "end, s": 1},
        },
        {
            "caption": f"Every scheme, translations of {LENGTH} sub-words",
            "where": {"part": "schemes", "code": None},
            "index": ["scheme"],
            "columns": "batch",
            "values": ["sentences/s", "over multi_head"],
            "digits": {"sentences/s": 1},
        },
    ]


def exported(arguments, folder):
    """Export models as `ENGINES` need them; return `{name: folder}`."""
    from interacting_head.export import convert

    models = {}
    for name, (_, file_format, quantization) in ENGINES.items():
        models[name] = arguments.model
        if file_format:
            options = {"beam_size": arguments.beam_size} if quantization is None else {}
            models[name] = convert(
                arguments.model, file_format, folder / name.replace(" ", "_"), quantization=quantization, **options
            )
    return models


def measure_engines(arguments, lines, models):
    """Return rows of the engines and of CTranslate2 alone, and the number of sub-words from the default engine."""
    from interacting_head.translation.translator import Translator

    turns, subwords = {}, None
    for size in BATCH_SIZES:
        for name, (engine, *_) in ENGINES.items():
            translator = Translator.from_run(
                models[name], batch_size=size, beam_size=arguments.beam_size, engine=engine
            )
            turns[name, size] = lambda lines, translator=translator, size=size: our_translations(
                translator, lines, size
            )
            subwords = translator.source_subwords, translator.target_subwords
        for name, same in ALONE.items():
            engine = ctranslate2_alone(models[same])
            turns[name, size] = lambda lines, engine=engine, size=size, subwords=subwords: their_translations(
                engine, *subwords, lines, size, arguments.beam_size
            )
    seconds, found = {turn: [] for turn in turns}, {}
    for turn in turns.values():
        turn(lines[:64])
    for _ in range(arguments.rounds):
        for name, turn in turns.items():
            started = time.perf_counter()
            found[name] = turn(lines)
            seconds[name].append(time.perf_counter() - started)
            print(*name, f"{len(lines) / seconds[name][-1]:.1f} sentences/s", flush=True)
    tokens = sum(map(len, subwords[1].encode(found["keras", BATCH_SIZES[0]])))
    rows = []
    for (name, size), taken in seconds.items():

        def over(other, taken=taken, size=size):
            return float(np.median(np.divide(seconds[other, size], taken)))

        alone = next((alone for alone, same in ALONE.items() if same == name), None)
        expected = found["keras", BATCH_SIZES[0]]
        row = {"part": "engines", "engine": name, "batch": size, "sentences/s": len(lines) / float(np.median(taken))}
        row[OVER_THEIRS] = over(THEIRS)
        row[OVER_ALONE] = alone and over(alone)
        row["over keras"] = None if name in ALONE else over("keras")
        row[EQUAL] = sum(one == other for one, other in zip(found[name, size], expected, strict=True))
        rows.append(row)
    return rows, tokens


def measure_starts(arguments, lines, models, folder):
    """Return rows of the seconds from the start of `translate.py` to its first line and to its end."""
    (folder / "lines.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    taken = {}
    for _ in range(arguments.rounds):
        for size in BATCH_SIZES:
            for name, (engine, *_) in ENGINES.items():
                options = ["-m", models[name], "--engine", engine, "--batch-size", size, "-i", folder / "lines.txt"]
                command = [sys.executable, SCRIPT, *options, "--beam-size", arguments.beam_size]
                started = time.perf_counter()
                with subprocess.Popen(
                    list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                ) as process:
                    process.stdout.readline()
                    first = time.perf_counter() - started
                    process.stdout.read()
                if process.returncode:
                    raise RunError(f"{' '.join(map(str, command))} failed")
                taken.setdefault((name, size), []).append((first, time.perf_counter() - started))
                print(f"{name}, batches of {size}: first line after {first:.2f} s", flush=True)
    return [
        {"part": "starts", "engine": name, "batch": size, "first line, s": first, "end, s": end}
        for (name, size), times in taken.items()
        for first, end in [np.median(times, axis=0).tolist()]
    ]


def measure_pruning(arguments, lines):
    """Return rows of beam sizes: lines that score above greedy search, and below it because of pruning."""
    from interacting_head.translation.translator import Translator

    rows, greedy = [], None
    for beam_size in dict.fromkeys((1, 2, arguments.beam_size, 2 * arguments.beam_size)):
        translator = Translator.from_run(arguments.model, beam_size=beam_size)
        scores = np.array([best.score for best, *_ in translator.translate(lines, token_scores=False)])
        greedy = scores if greedy is None else greedy
        rows.append(
            {
                "part": "pruning",
                "beam": beam_size,
                "mean score": scores.mean().item(),
                "lines above greedy": int((scores > greedy + SAME).sum()),
                "lines below greedy": int((scores < greedy - SAME).sum()),
            }
        )
    return rows


def our_translations(translator, lines, batch_size):
    """Return the best translations, in the windows of `translate.py`."""
    from interacting_head.translation.files import FIRST_BATCHES
    from interacting_head.translation.streams import BATCHES_IN_WINDOW, windows

    pairs = ((line, None) for line in lines)
    sizes = FIRST_BATCHES * batch_size, BATCHES_IN_WINDOW * batch_size
    found = translator.translate_windows(windows(pairs, *sizes), token_scores=False)
    return [best.text for _, window in found for best, *_ in window]


def ctranslate2_alone(folder):
    """Return CTranslate2 with a converted model."""
    try:
        import ctranslate2
    except ImportError as error:
        raise RunError(f"{error}: install ctranslate2 to compare with it") from error
    return ctranslate2.Translator(str(folder), inter_threads=available_cores(), intra_threads=1)


def their_translations(engine, source_subwords, target_subwords, lines, batch_size, beam_size):
    """Return the best translations by CTranslate2; it sorts by length itself."""
    found = engine.translate_batch(
        source_subwords.encode_as_pieces(lines), max_batch_size=batch_size, beam_size=beam_size, length_penalty=1
    )
    ids = {piece: number for number, piece in enumerate(target_subwords.pieces())}
    return target_subwords.decode([[ids[piece] for piece in result.hypotheses[0]] for result in found])


def measure_schemes(arguments, lines):
    """Return rows of every scheme with random weights, whose translations are all of one length."""
    from interacting_head.config import override
    from interacting_head.model.building import build_model
    from interacting_head.runs.run_directory import RunDirectory
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
            "over multi_head": float(np.median(np.divide(seconds["multi_head", size], taken))),
        }
        for (name, size), taken in seconds.items()
    ]
