"""Every scheme trained for a few hundred steps on Multi30k through the command line: loss, speed and RAM.

The model is so small that all schemes take half an hour on two cores; do not compare translation quality.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import results

ROOT = Path(__file__).parents[1]
SIZES = {
    "model.model_dim": 128,
    "model.feed_forward_dim": 512,
    "model.attention.num_heads": 4,
    "data.vocabulary_size": 4000,
    "train.batch_tokens": 1024,
    "train.warmup_steps": 100,
}
SCHEMES = {
    "multi_head": {},
    "fixed_head_size": {"model.attention.key_dim": 16, "model.attention.value_dim": 32},
    "talking_heads": {},
    "interacting_head": {},
    "interacting_head, head_pairs": {"model.attention.options.implementation": "head_pairs"},
    "interacting_head_pairwise": {},
    "dynamic_head_importance": {},
    "multi_hop": {},
}
VARIANTS = {"M-00": (True, True), "M-01": (True, False), "M-10": (False, True), "M-11": (False, False)}
AGGREGATIONS = ("linear", "transparent", "iterative")


def add_arguments(parser):
    parser.add_argument("--corpora-dir", metavar="DIR", help="folder of the corpus multi30k, as for train.py")
    parser.add_argument("--steps", type=int, default=300, metavar="N", help="training steps; default: %(default)s")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these schemes")
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/schemes.json")


def main(arguments):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, changes in settings().items():
            if not arguments.only or name in arguments.only:
                rows.append(measure(name, changes, Path(folder), arguments))
                print(*(f"{key} {value}" for key, value in rows[-1].items()), sep=", ", flush=True)
    base = next((row["tokens/s"] for row in rows if row["scheme"] == "multi_head"), None)
    for row in rows:
        row["over multi_head"] = row["tokens/s"] / base if base else None
    fields = ["parameters", *(key for key in rows[0] if key.startswith("loss")), "dev loss", "dev BLEU"]
    fields += ["tokens/s", "over multi_head", "peak MiB"]
    conditions = {
        "places": "each scheme is in the layers where its paper has it, see README.md",
        "what": f"{arguments.steps} steps of multi30k_de_en with {', '.join(f'{k}={v}' for k, v in SIZES.items())}; "
        "one seed, schemes one after another",
        "tokens/s": "source and target tokens without padding, since the last progress line, at most a hundred steps",
        "precision": "bfloat16 if the processor has it, else float32",
        "peak MiB": "of the training process, TensorFlow's own 600 MiB and validation included",
        "loss": "per token, including losses that layers add: this lowers dynamic_head_importance by up to 0.1 · ln 4 "
        "for each of its three layers",
        "dev BLEU": f"greedy, after {arguments.steps} steps",
    }
    views = [{"caption": f"After {arguments.steps} steps", "index": ["scheme"], "values": fields}]
    results.write("schemes", "schemes", rows, views, conditions, arguments.output)


def settings():
    """Return name → configuration keys that make the model."""
    cases = {}
    for name, changes in SCHEMES.items():
        cases[name] = {"model.attention.scheme": name.partition(",")[0], **changes}
    for name, (joint, concat) in VARIANTS.items():
        cases[f"multi_layer, {name}, n = 2"] = {
            "model.attention.scheme": "multi_layer",
            "model.attention.options": json.dumps({"joint_attention": joint, "concat_contexts": concat}),
            "model.memory_layers": 2,
        }
    for name in AGGREGATIONS:
        cases[f"{name} aggregation"] = {"model.attention.scheme": "multi_head", "model.memory": name}
    return cases


def measure(name, changes, folder, arguments):
    """Train and translate; return a row of the table."""
    run_dir = folder / name.replace(" ", "_").replace(",", "")
    steps = arguments.steps
    assignments = {**SIZES, **changes, "train.max_steps": steps, "train.validation_interval": steps}
    command = ["train.py", "multi30k_de_en", "--run-dir", str(run_dir)]
    command += ["--corpora-dir", os.path.abspath(arguments.corpora_dir)] if arguments.corpora_dir else []
    for key, value in assignments.items():
        command += ["--set", f"{key}={value}"]
    log, peak = run_script(command)
    (record,) = (json.loads(line) for line in (run_dir / "log.jsonl").read_text().splitlines())
    losses = re.findall(r"step (\d+) of \d+, .*?loss ([\d.]+),", log)
    sources = "Ein Mann liest ein Buch.\n\nZwei Hunde laufen durch den Schnee.\n"
    run_script(["translate.py", "-m", str(run_dir)], sources)
    return {
        "scheme": name,
        "parameters": next(
            int(line.split()[1].replace(",", "")) for line in log.splitlines() if " parameters, " in line
        ),
        **{f"loss, step {step}": float(loss) for step, loss in losses},
        "dev loss": record["validation_loss"],
        "dev BLEU": record["bleu"],
        "tokens/s": record["tokens_per_second"],
        "peak MiB": peak,
    }


def run_script(command, text=""):
    """Run a script of this project; return its log or output, and its peak RAM in MiB."""
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as log,
    ):
        given.write(text)
        given.seek(0)
        child = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdin=given, stdout=output, stderr=log, text=True
        )
        _, status, usage = os.wait4(child.pid, 0)
        output.seek(0)
        log.seek(0)
        if status:
            raise RuntimeError(f"{' '.join(command)} failed:\n{log.read()[-2000:]}")
        return output.read() if command[0] == "translate.py" else log.read(), usage.ru_maxrss // 1024
