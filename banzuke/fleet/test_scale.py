"""What docs/screen.md says of 10,000 nodes, at a tenth of the size: memory, and how often a file is read.

Nothing is timed: python -m scripts.bench_fleet does that.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from banzuke.fleet import load as loading
from banzuke.fleet.judge import judge
from banzuke.fleet.load import load
from banzuke.fleet.outliers import fits
from banzuke.fleet.testing import MadeFleet
from banzuke.record.query import query
from banzuke.record.run import Run
from banzuke.record.store import Store
from scripts.bench_fleet import made
from scripts.simulate_screens import FIGURES, fleet, racks

NODES, RECORDS = 1000, 20
MOST = 0.7
"""GiB of `banzuke report`: less than the page says of ten times as many, and than the records take one by one."""


def test_a_report_of_a_thousand_nodes_takes_little_memory(tmp_path: Path) -> None:
    run = made(NODES, RECORDS).write(Store(tmp_path))
    command = [sys.executable, "-m", "banzuke", "report", run.name, "--results", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss / 1024**2 < MOST


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

    def counted(columns: list[np.ndarray], learnt: object = ()) -> object:
        calls[nodes] += len(columns)
        return fits(columns, learnt)  # type: ignore[arg-type]

    monkeypatch.setattr("banzuke.fleet.judge.fits", counted)
    for nodes in (300, 3000):
        judge(fleet(0.01 * np.random.default_rng(1).standard_normal((nodes, FIGURES)), racks(nodes)))
    assert calls == {300: FIGURES, 3000: FIGURES}
