"""Measure the quality of a keras-hub Transformer that trains for as many minutes as finished runs of ours.

    python benchmarks/peer_quality.py RUN_DIR [RUN_DIR ...] --corpora-dir DIR

It needs requirements-benchmarks.txt. For each run, keras-hub's model of the same sizes trains on the same batches, with
the same schedule, for the minutes that the run took, on the same number of cores. Both translate the test set greedily.
"""

import itertools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tqdm import tqdm

from benchmarks import results
from benchmarks.child_process import ChildProcess
from benchmarks.training_speed import described, fit, keras_hub_model
from data.corpora.corpus import open_corpus
from data.text.subwords import BEGIN, END, PAD
from interacting_head.console import ArgumentParser, run
from interacting_head.metrics import evaluate
from interacting_head.runs.run_directory import RunDirectory

TRIAL_STEPS = 100
"""Steps that measure keras-hub's speed, after as many to trace its functions."""
BATCH = 64
MAX_LENGTH = 80


def main():
    parser = ArgumentParser(prog="peer_quality.py", description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help="finished runs of train.py, with the same recipe")
    corpora_help = "folder of the corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora_help)
    parser.add_argument("--test", default="test_2016_flickr", metavar="SPLIT", help="test set; default: %(default)s")
    parser.add_argument("--name", default="peer_quality", help="name of the result; default: %(default)s")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    arguments = parser.parse_args()
    rows = []
    for directory in map(RunDirectory.open, arguments.runs):
        config, minutes = directory.config, directory.read_log()[-1]["seconds"] / 60
        data, train = config.data, config.train
        corpus = open_corpus(data.corpus, data.source_language, data.target_language, arguments.corpora_dir)
        sources, references = map(list, zip(*corpus.split(arguments.test).pairs(), strict=True))
        shared = {"languages": f"{data.source_language}-{data.target_language}", "seed": train.seed}
        for model, translate in (("ours", of_ours), ("keras-hub", of_keras_hub)):
            with ChildProcess(translate) as child:
                steps, translations = child(directory.path, sources, minutes, arguments.corpora_dir)
            score = evaluate(translations, references, ["sacrebleu"])["sacrebleu"].score
            rows.append({**shared, "model": model, "minutes": minutes, "steps": steps, "test BLEU": score})
            print(f"{directory.path}: {model}, {steps} steps, {score:.2f}", file=sys.stderr)
    view = {
        "caption": "Greedy sacreBLEU next to keras-hub after the same minutes of training",
        "index": ["languages", "model"],
        "columns": "seed",
        "values": ["minutes", "steps", "test BLEU"],
        "digits": {"minutes": 1, "steps": 0},
    }
    conditions = {
        "models": described(config),
        "precision": train.precision,
        "schedule": f"{train.schedule}, peak {train.learning_rate}, {train.warmup_steps} steps of warm-up in "
        f"{train.max_steps}, for keras-hub in proportion to its steps",
        "checkpoint": "ours: the best of the validations, whose time is part of the minutes; keras-hub: the last",
        "test set": arguments.test,
    }
    print(f"wrote {results.write(arguments.name, 'quality', rows, [view], conditions, None, arguments.conditions)}")


def of_ours(path, sources, minutes, corpora_dir):
    """Return steps and greedy translations of a run of ours."""
    from interacting_head.translation.translator import Translator

    found = Translator.from_run(path, beam_size=1).translate(sources)
    return RunDirectory.open(path).read_log()[-1]["step"], [best.text for best, *_ in found]


def of_keras_hub(path, sources, minutes, corpora_dir):
    """Return steps and greedy translations of keras-hub's model after a training of some minutes."""
    import keras

    from interacting_head.training import run_text, setup
    from interacting_head.training.schedules import schedule_class

    config = RunDirectory.open(path).config
    train = config.train
    keras.utils.set_random_seed(train.seed)
    keras.config.set_dtype_policy(train.precision)
    with tempfile.TemporaryDirectory() as folder:
        corpus = run_text.open_text(config.data, corpora_dir)
        text = run_text.prepare_run_text(config.data, RunDirectory(folder), corpus)
        batches = iter(setup.make_batches(config, text.pairs))
        source_subwords, target_subwords = text.subwords
        encoded = source_subwords.encode(sources)
    model = keras_hub_model(config, target_subwords.vocabulary_size)
    fit(model, list(itertools.islice(batches, TRIAL_STEPS)))
    rate = TRIAL_STEPS / fit(model, list(itertools.islice(batches, TRIAL_STEPS)))
    steps = round(60 * minutes * rate)

    keras.utils.set_random_seed(train.seed)
    model = keras_hub_model(config, target_subwords.vocabulary_size)
    schedule = schedule_class(train.schedule)(train.learning_rate, steps * train.warmup_steps // train.max_steps, steps)
    model.optimizer.learning_rate = schedule
    print(f"keras-hub: {steps} steps", file=sys.stderr)
    seconds = fit(model, list(itertools.islice(batches, steps)))
    print(f"keras-hub: {seconds / 60:.1f} minutes", file=sys.stderr)
    return steps, target_subwords.decode(greedy(model, encoded))


def greedy(model, encoded):
    """Return the greedy translations, lists of ids, of encoded sentences."""
    import keras
    import keras_hub
    import numpy as np
    import tensorflow as tf

    network = tf.function(model, reduce_retracing=True)
    sampler = keras_hub.samplers.GreedySampler()
    found = []
    for start in tqdm(range(0, len(encoded), BATCH), unit="batch"):
        sources = encoded[start : start + BATCH]
        source_ids = keras.ops.convert_to_tensor(keras.utils.pad_sequences(sources, padding="post", value=PAD))
        prompt = np.full((len(sources), MAX_LENGTH), PAD, dtype="int32")
        prompt[:, 0] = BEGIN
        prompt = keras.ops.convert_to_tensor(prompt)

        def following(prompt, cache, index, source_ids=source_ids):
            logits = network({"source_ids": source_ids, "target_ids": prompt[:, :index]})
            return logits[:, -1], None, cache

        ids = sampler(following, prompt, index=1, mask=prompt == BEGIN, stop_token_ids=[END])
        found += [list(itertools.takewhile(lambda one: one != END, sentence)) for sentence in ids.numpy().tolist()]
    return found


if __name__ == "__main__":
    run(main)
