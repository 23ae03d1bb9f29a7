"""Searches and scores on one device and on several: `python -m tests.several_devices FILE.npz COUNT`.

JAX divides the processor by XLA_FLAGS, TensorFlow here.

A deterministic model stands on one device, and again, with the same weights, under `Devices` on all of them.
"""

import sys

import keras
import numpy as np

from interacting_head.model.compilation import Compiled
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import Scorer, TransformerSearch
from interacting_head.training.devices import Devices
from tests.interacting_head import tiny

LENGTHS = [3, 7, 2, 5, 6]  # no multiple of the devices


def results(model):
    """Arrays by name, and the number of devices that work on the rows of a call."""
    search = TransformerSearch(model, SearchOptions(beam_size=3, n_best=3))
    found = search(tiny.sources(LENGTHS), Limits(max_lengths=np.array([9, 12, 6, 10, 8], "int32")))
    target_ids, labels = tiny.targets(LENGTHS)
    whole = Compiled(lambda ids: ids, [model], arguments=dict, rows=("ids",))
    one_row = search(tiny.sources(LENGTHS[:1]), Limits(max_lengths=np.array([9], "int32")))
    scorer = Scorer(model, label_smoothing=0.1)
    log_p, correct, smoothed = scorer(tiny.sources(LENGTHS), target_ids, labels)
    scores = {"log_p": log_p, "correct": correct, "smoothed": smoothed}
    return {**found._asdict(), **scores, "row": one_row.ids, "devices": whole.devices}


def main(path, count):
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        [cpu] = tf.config.list_physical_devices("CPU")
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
    devices = Devices.find()
    one = tiny.transformer()
    with devices.scope():
        several = tiny.transformer()
        several.set_weights(one.get_weights())
    found = {"one": results(one), "several": results(several)}
    np.savez(path, **{f"{place} {name}": array for place, own in found.items() for name, array in own.items()})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
