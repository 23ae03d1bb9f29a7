"""Measure how long installation, `make demo` and `make test` take in a temporary clone of the last commit.

python benchmarks/set_up_times.py
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import results
from interacting_head.console import ArgumentParser, RunError, run

ROOT = Path(__file__).parents[1]
TARGETS = {
    ".venv/transformers-installed": "installing, with all optional packages for the tests",
    "demo": "make demo",
    "test": "make test",
}
FOUND = {
    "demo": re.compile(r"sacrebleu\s+\|?\s*([\d.]+)"),
    "test": re.compile(r"(\d+ passed.*?) in "),
}
"""Target → pattern of the result in its output."""


def main():
    parser = ArgumentParser(prog="set_up_times.py", description=__doc__)
    parser.add_argument("--output", metavar="FILE", help="result file; default: benchmarks/results/set_up.json")
    parser.add_argument("--conditions", metavar="TEXT", help="what else ran on the machine")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        for target, what in TARGETS.items():
            started = time.perf_counter()
            made = subprocess.run(["make", target], cwd=clone, capture_output=True, text=True)
            minutes = (time.perf_counter() - started) / 60
            if made.returncode:
                raise RunError(f"make {target} failed: {made.stdout[-2000:]}{made.stderr[-2000:]}")
            match = FOUND[target].findall(made.stdout) if target in FOUND else []
            rows.append({"what": what, "minutes": minutes, "result": match[-1] if match else None})
            print(f"{what}: {minutes:.1f} minutes", file=sys.stderr)
        size = subprocess.run(["du", "-sk", ".venv"], cwd=clone, capture_output=True, text=True, check=True).stdout
        rows[0]["result"] = f"{int(size.split()[0]) / 2**20:.1f} GiB on disk"
    path = results.write(
        "set_up",
        "set_up",
        rows,
        views=[
            {
                "caption": "In a fresh clone",
                "index": ["what"],
                "values": ["minutes", "result"],
                "digits": {"minutes": 1},
            }
        ],
        conditions={"packages": "from a near index or its cache"},
        path=arguments.output,
        machine_load=arguments.conditions,
    )
    print(f"wrote {path}")


if __name__ == "__main__":
    run(main)
