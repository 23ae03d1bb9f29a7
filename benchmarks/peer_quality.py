"""Measure the quality of a keras-hub Transformer after the steps that it takes in the minutes of a recipe.

    python benchmarks/peer_quality.py --steps 3000 --corpora-dir DIR

It needs requirements-benchmarks.txt. keras-hub's model has the recipe's sizes and trains on its batches with its
schedule, at several peak learning rates with seed 1, and with further seeds at the rate with the highest BLEU on the
development text. To continue, repeat the command: finished trainings are in the result file.
"""

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tqdm import tqdm

from benchmarks import results
from benchmarks.child_process import ChildProcess
from benchmarks.training_speed import described, fit, keras_hub_model, prepared
from data.corpora.corpus import open_corpus
from data.text.subwords import BEGIN, END, PAD
from interacting_head import recipes
from interacting_head.config import override
from interacting_head.console import ArgumentParser, run
from interacting_head.metrics import evaluate

RECIPE = "multi30k_de_en"
DEV, TEST = "dev", "test_2016_flickr"
NAME = "peer_quality"
MAX_LENGTH = 80
BATCH = 64
BEAM = 4
DEV_BLEU, TEST_BLEU, BEAM_BLEU = "dev BLEU, greedy", "test BLEU, greedy", f"test BLEU, beam {BEAM}"


def main():
    parser = ArgumentParser(prog="peer_quality.py", description=__doc__)
    parser.add_argument("--steps", type=int, required=True, metavar="N", help="steps of each training")
    rates_help = "peaks of the learning rate; default: twice the recipe's, the recipe's and half of it"
    parser.add_argument("--rates", type=float, nargs="+", metavar="RATE", help=rates_help)
    seeds_help = "seeds at the best rate; default: %(default)s"
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help=seeds_help)
    corpora_help = "folder of the corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora_help)
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    arguments = parser.parse_args()
    peak = recipes.get(RECIPE).train.learning_rate
    rows = results.former_rows(results.FOLDER / f"{NAME}.json", [], [])
    for rate in arguments.rates or (2 * peak, peak, peak / 2):
        trained(rows, arguments, rate, 1)
    first = [row for row in rows if (row["seed"], row["steps"]) == (1, arguments.steps)]
    best = max(first, key=lambda row: row[DEV_BLEU])["rate"]
    for seed in range(2, arguments.seeds + 1):
        trained(rows, arguments, best, seed)


def trained(rows, arguments, rate, seed):
    """Add the scores of a training, unless they are there, and write the result."""
    if any((row["rate"], row["seed"], row["steps"]) == (rate, seed, arguments.steps) for row in rows):
        return
    config = configuration(arguments.steps, rate, seed)
    with ChildProcess(scores) as child:
        row = {"rate": rate, "seed": seed, "steps": arguments.steps, **child(config, arguments.corpora_dir)}
    print(row, file=sys.stderr)
    rows.append(row)
    view = {
        "caption": f"A keras-hub Transformer on {config.data.corpus} {config.data.source_language}-"
        f"{config.data.target_language}: sacreBLEU",
        "index": ["rate", "seed"],
        "values": ["steps", DEV_BLEU, TEST_BLEU, BEAM_BLEU],
        "digits": {"steps": 0, "rate": 5},
    }
    conditions = {
        "model": described(config),
        "training": f"{row['precision']}, {config.train.schedule} schedule, cross-entropy without label smoothing, "
        "last weights",
        "test set": TEST,
    }
    results.write(NAME, "quality", rows, [view], conditions, machine_load=arguments.conditions)


def configuration(steps, rate, seed):
    """Return the recipe with these values; the share of warm-up steps stays the same."""
    config = recipes.get(RECIPE)
    warm_up = config.train.warmup_steps * steps // config.train.max_steps
    settings = {"max_steps": steps, "warmup_steps": warm_up, "learning_rate": rate, "seed": seed}
    return override(config, [f"train.{name}={value}" for name, value in settings.items()])


def scores(config, corpora_dir):
    """Return precision and sacreBLEU of a keras-hub model after a training."""
    import keras

    from interacting_head.training import setup
    from interacting_head.training.precision import resolved

    train = resolved(config).train
    keras.utils.set_random_seed(train.seed)
    keras.config.set_dtype_policy(train.precision)
    batches, (source_subwords, target_subwords) = prepared(config, train.max_steps, corpora_dir)
    model = keras_hub_model(config, target_subwords.vocabulary_size)
    model.optimizer.learning_rate = setup.make_schedule(config, train.max_steps)
    print(f"keras-hub, rate {train.learning_rate:g}, seed {train.seed}: {fit(model, batches):,.0f} s", file=sys.stderr)

    corpus = open_corpus(config.data.corpus, config.data.source_language, config.data.target_language, corpora_dir)
    found = {"precision": train.precision}
    for name, split, beam in ((DEV_BLEU, DEV, 1), (TEST_BLEU, TEST, 1), (BEAM_BLEU, TEST, BEAM)):
        sources, references = map(list, zip(*corpus.split(split).pairs(), strict=True))
        ids = translations(model, source_subwords.encode(sources), beam)
        found[name] = evaluate(target_subwords.decode(ids), references, ["sacrebleu"])["sacrebleu"].score
    return found


def translations(model, encoded, beam):
    """Return the translations, lists of ids, of encoded sentences; a beam of 1 is a greedy search."""
    import keras
    import keras_hub
    import numpy as np
    import tensorflow as tf

    sampler = keras_hub.samplers.BeamSampler(beam) if beam > 1 else keras_hub.samplers.GreedySampler()
    network = tf.function(model, reduce_retracing=True)
    found = [None] * len(encoded)
    by_length = sorted(range(len(encoded)), key=lambda number: len(encoded[number]))
    for start in tqdm(range(0, len(by_length), BATCH), unit="batch"):
        numbers = by_length[start : start + BATCH]
        sources = [encoded[number] for number in numbers]
        source_ids = np.repeat(keras.utils.pad_sequences(sources, padding="post", value=PAD), beam, axis=0)
        source_ids = keras.ops.convert_to_tensor(source_ids)
        prompt = np.full((len(sources), MAX_LENGTH), PAD, dtype="int32")
        prompt[:, 0] = BEGIN
        prompt = keras.ops.convert_to_tensor(prompt)

        def following(prompt, cache, index, source_ids=source_ids):
            logits = network({"source_ids": source_ids, "target_ids": prompt[:, :index]})
            return logits[:, -1], None, cache

        ids = sampler(following, prompt, index=1, mask=prompt == BEGIN, stop_token_ids=[END])
        for number, sentence in zip(numbers, ids.numpy().tolist(), strict=True):
            found[number] = list(itertools.takewhile(lambda one: one != END, sentence))
    return found


if __name__ == "__main__":
    run(main)
