"""Tests that files from users or others are read or refused, however damaged, and even if they are no files."""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.allocation import allocation
from banzuke.machine.toml import toml
from banzuke.plan.lines import Lines
from banzuke.report.hardware import site_groups
from banzuke.results.lines import Reading, read
from banzuke.results.run import MOST_LAUNCHES, OWNER, Plan, Run
from banzuke.results.store import Store
from banzuke.slowdown.noise import read_times
from banzuke.testing import case, damaged, machine

PLAN = Plan.model_validate({
    "started": "2026-11-22T12:00:00Z", "request": "run", "cases": [case(), case(threads=1)], "repetitions": 2
}).model_dump_json(indent=1).encode()  # fmt: skip
RECORD_LINES = b"".join(
    json.dumps(json.loads(file.read_bytes())).encode() + b"\n"
    for file in sorted((paths.SCHEMA / "golden").glob("*.json"))
)


def plan_of(file: Path) -> object:
    plan = Run(file.parent).plan()
    assert plan is None or len(plan.order()) <= MOST_LAUNCHES
    return plan


READERS: dict[str, tuple[str, bytes, Callable[[Path], object]]] = {
    "records": ("records.jsonl", RECORD_LINES, read),
    "plan": ("plan.json", PLAN, plan_of),
    "machine": ("machine.json", machine().model_dump_json().encode(), lambda file: Run(file.parent).machine()),
    "owner": (OWNER, b'{"host": "h", "pid": 1, "started": 5}', lambda file: Run(file.parent).busy()),
    "published": ("x.toml", (paths.MACHINES / "fugaku.toml").read_bytes(), lambda file: published.load(file.parent)),
    "site": ("x.toml", toml(machine().site).encode(), lambda file: site_groups(published.read(file))),
    "times": ("times", b"# seconds\n0.001\n0.0011\n1e-3 # a remark\n" * 30, read_times),
    "lines": ("HPL.dat", b"1 N\n2.5 threshold\n", lambda file: Lines.of(file).whole("N", 1)),
    "hosts": ("hosts", b"node1 4\nnode2 4\n", lambda file: allocation({"PBS_NODEFILE": str(file)})),
}
"""Name of the file, valid content, and its reader, which returns a value or raises BanzukeError."""
readers = pytest.mark.parametrize(("name", "good", "reader"), READERS.values(), ids=READERS)


@readers
def test_good_ones_are_read(tmp_path: Path, name: str, good: bytes, reader: Callable[[Path], object]) -> None:
    (tmp_path / name).write_bytes(good)
    assert reader(tmp_path / name) is not None


@pytest.mark.fuzz
@readers
@given(data=st.data())
def test_damaged_ones_are_read_or_refused(
    name: str, good: bytes, reader: Callable[[Path], object], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(BanzukeError):
        file = Path(folder) / name
        file.write_bytes(data.draw(damaged(good)))
        reader(file)


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[" * 5000,
        b'{"schema_version": 1}',
        b'{"schema_version": 1, "benchmark": null, "backend": "", "status": "ok", "started": "2026"}',
        RECORD_LINES.splitlines()[0].replace(b'"threads": ', b'"threads": 1e300'),
        RECORD_LINES.splitlines()[0].replace(b'"started": "', b'"started": 1, "x": "'),
        b"\xff\xfe\0",
    ],
)
def test_runs_with_damaged_records_are_listed(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records-host-1.jsonl").write_bytes(line + b"\n" + RECORD_LINES)
    (row,) = Store(tmp_path).query("FROM runs")
    assert row["verified"] >= 4
    assert None not in row["benchmarks"]


@readers
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "too large"])
def test_what_is_no_file_of_a_sensible_size_is_not_waited_for(
    tmp_path: Path, name: str, good: bytes, reader: Callable[[Path], object], kind: str
) -> None:
    file = tmp_path / name
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "folder":
            file.mkdir()
        case _:
            file.write_bytes(good)
            os.truncate(file, 1 << 40)  # takes no space
    with contextlib.suppress(BanzukeError):
        result = reader(file)
        assert not result or (isinstance(result, Reading) and result.unreadable and not result.records)
