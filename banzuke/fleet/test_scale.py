"""What docs/screen.md says about 10,000 nodes, at a tenth of the size: memory, and how often a file is read.

Nothing is timed here; python -m scripts.bench_fleet does that.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from banzuke.fleet import load as loading
from banzuke.fleet.judge import judge
from banzuke.fleet.load import load
from banzuke.fleet.outliers import TailFit, fit
from banzuke.fleet.slowness import Values
from banzuke.fleet.testing import MadeFleet
from banzuke.results.query import query
from banzuke.results.run import Run
from banzuke.results.store import Store
from scripts.bench_fleet import made
from scripts.simulate_screens import FIGURES, fleet, racks

FEW, MANY, RECORDS = 200, 1200, 20
MOST_ADDED = 0.3
"""GiB by which a report of so many more nodes may use more memory; holding records one by one would take 0.4 more."""
_MOST_USED = r"""
import contextlib, json, pathlib, re, sys
from banzuke.cli import app

def used():  # getrusage would tell of the process that started this one, too
    return int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024**2

most = []
for name in sys.argv[2:]:
    with contextlib.suppress(SystemExit):
        app(["report", name, "--results", sys.argv[1]])
    most.append(used())
print(json.dumps(most))
"""


def test_a_thousand_nodes_more_take_little_memory(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [made(nodes, RECORDS).write(store) for nodes in (FEW, MANY)]
    command = [sys.executable, "-c", _MOST_USED, str(tmp_path), *(run.name for run in runs)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    few, many = json.loads(output.stdout.splitlines()[-1])
    assert all((run.folder / "report.html").is_file() for run in runs)
    assert 0 < many - few < MOST_ADDED


def test_records_are_read_by_a_few_queries_and_never_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("records are read one by one")

    asked: Counter[int] = Counter()

    def counted(files: list[tuple[Path, list[Path]]], sql: str) -> object:
        asked[nodes] += 1
        return query(files, sql)

    monkeypatch.setattr(Run, "read", refuse)
    monkeypatch.setattr(loading, "query", counted)
    for nodes in (20, 200):
        assert len(load([MadeFleet(nodes, figures=RECORDS).write(Store(tmp_path))]).nodes) == nodes
    assert asked == {20: 2, 200: 2}


def test_a_figure_is_fitted_as_often_however_many_nodes_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[int] = Counter()

    def counted(slowness: Values, *assumed: Any) -> TailFit | None:
        calls[nodes] += 1
        return fit(slowness, *assumed)

    for module in ("outliers", "judge"):
        monkeypatch.setattr(f"banzuke.fleet.{module}.fit", counted)
    for nodes in (300, 3000):
        judge(fleet(0.01 * np.random.default_rng(1).standard_normal((nodes, FIGURES)), racks(nodes)))
    by_itself_by_all_and_together = 2 * FIGURES + 1
    assert calls == {300: by_itself_by_all_and_together, 3000: by_itself_by_all_and_together}
