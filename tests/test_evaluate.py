"""Tests of `evaluate` on this machine: it measures, judges and reports, with all numbers as in the records."""

import csv
import json
from pathlib import Path
from typing import Any

from banzuke.compare.statistics import median
from tests.conftest import Banzuke, Wrapped
from tests.preloaded import DRAWN

SCREEN = 40
"""Most lines that a terminal of 80 or 100 columns shows of an evaluation."""


def test_an_evaluation_ends_with_a_report_of_its_records(banzuke: Banzuke, wrapped: Wrapped, results: Path) -> None:
    small = wrapped('exec "$real" "$@" --n 100000 --rounds 3')
    call = ("evaluate", "--only", "stream", "--name", "Machine <under> test")
    done = banzuke(*call, "-v", **small, **DRAWN)
    assert done.returncode == 0, done.stderr
    assert "Machine <under> test: " in done.stdout
    assert "median of its limit 95% interval" in " ".join(done.stdout.split())
    assert "median of 3 launches" in " ".join(done.stdout.split())
    (run,) = (path for path in results.iterdir() if path.is_dir())
    assert f"report: {run / 'report.html'}" in " ".join(done.stderr.split())
    (file,) = run.glob("records-*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert {record["status"] for record in records} == {"ok"}
    html = (run / "report.html").read_text()
    assert "Machine &lt;under&gt; test" in html
    cases: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        cases.setdefault(record["provenance"]["case"], []).append(record["metrics"])
    for launches in cases.values():
        for name in launches[0]:
            assert f'value="{median([median(launch[name]["samples"]) for launch in launches])!r}"' in html
    rows = list(csv.DictReader((run / "report.csv").read_text().splitlines()))
    assert len(rows) == sum(len(launches[0]) for launches in cases.values())
    plan = json.loads((run / "plan.json").read_text())
    assert len(plan["cases"]) == len(cases)
    assert sum(plan["budget"]["launches"]) == len(records)
    assert json.loads((run / "machine.json").read_text())["site"]["name"] == "Machine <under> test"
    assert {path.suffix for path in (run / "figures").iterdir()} == {".svg", ".pdf"}
    for width in (80, 100):  # finished, so that it only ends as an evaluation does
        again = banzuke(*call, "--run", run.name, COLUMNS=str(width), **small)
        assert again.returncode == 0, again.stderr
        lines = [*again.stdout.splitlines(), *again.stderr.splitlines()]
        assert "Machine <under> test" in again.stdout
        assert f"report: {run / 'report.html'}" in " ".join(again.stderr.split())
        assert sum(max(1, -(-len(line) // width)) for line in lines) <= SCREEN, again.stdout + again.stderr


def test_one_benchmark_that_knows_a_library_is_enough(banzuke: Banzuke) -> None:
    call = ("evaluate", "--only", "stream", "--only", "fft", "--minutes", "5", "--dry-run", "--library")
    done = banzuke(*call, "own")
    assert done.returncode == 0, done.stderr
    assert "--library does nothing for stream: it calls no library that could be chosen" in done.stderr
    assert "banzuke-fft-omp" in done.stdout
    done = banzuke(*call, "nonsense")
    assert done.returncode == 2
    assert "there is no library 'nonsense' here" in done.stderr
