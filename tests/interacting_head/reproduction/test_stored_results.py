"""The report in `benchmarks/`, and what the README says of it, against the stored results."""

import json
from pathlib import Path

from interacting_head.reproduction.claims import INCONCLUSIVE, UNDECIDED
from interacting_head.reproduction.command_line import figure_link
from interacting_head.reproduction.report import report
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.tables import TABLES

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks"


def test_the_stored_report_equals_a_report_of_the_stored_results():
    results = Results(BENCHMARKS / "results" / "reproduction")
    markdown, found = report(results, results.seeds(), figure_link)
    assert markdown == (BENCHMARKS / "REPRODUCTION.md").read_text(encoding="utf-8")
    stored = json.loads((BENCHMARKS / "REPRODUCTION.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(found)) == stored
    for line in markdown.splitlines():
        if line.startswith("!["):
            assert (BENCHMARKS / line.split("](")[1].rstrip(")")).is_file(), line


def test_the_readme_has_the_decided_claims_and_the_number_of_the_others():
    stored = (BENCHMARKS / "REPRODUCTION.md").read_text(encoding="utf-8")
    decided, claims = (stored.split(f"## {name}\n")[1].split("\n## ")[0] for name in ("Decided claims", "Claims"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    header, *rows = (line for line in decided.splitlines() if line.startswith("|"))
    assert readme.split(f"{header}\n")[1].split("\n\n")[0].splitlines() == rows
    open_ones = {f"**{word}**" for word in (INCONCLUSIVE, UNDECIDED)}
    lines = [line for line in claims.splitlines()[3:] if line.startswith("|")]
    by_scores = [line for line in lines if "seeds" in line and not open_ones & set(line.split(" | "))]
    assert ("**No claim about translation quality has been decided yet.**" in readme) == (not by_scores)
    [counts] = [line for line in decided.splitlines() if line.startswith("Verdicts on ")]
    assert counts in " ".join(readme.split())


def test_every_stored_run_belongs_to_a_cell():
    sizes = [(table, size) for table in TABLES.values() for size in ((False, True) if table.small else (False,))]
    names = {run.name for table, size in sizes for run in table.in_size(size).runs(5)}
    stored = {path.stem for path in (BENCHMARKS / "results" / "reproduction" / "runs").iterdir()}
    assert stored
    assert stored <= names
