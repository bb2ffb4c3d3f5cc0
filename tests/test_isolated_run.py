"""Tests of cases in isolation beside busy neighbours, with all processes in a session of the test's own."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from banzuke.cpu_lists import format_cpus
from tests.conftest import SCRIPTS
from tests.patience import PATIENCE

ALLOWED = sorted(os.sched_getaffinity(0))
pytestmark = [
    pytest.mark.skipif(len(ALLOWED) < 2, reason="hardware: isolation needs two processors"),
    pytest.mark.alone,  # a host can be isolated only once at a time
]


def spinning(parent: int) -> Iterator[str]:
    """Yield the processors of the busy neighbours that a process has started."""
    for pid in map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split()):
        if b"getppid" in Path(f"/proc/{pid}/cmdline").read_bytes():
            yield format_cpus(sorted(os.sched_getaffinity(pid)))


def test_neighbours_are_moved_away_from_an_isolated_case(tmp_path: Path) -> None:
    words = ["run", "noise", "--environment", "native,isolated:session", "--os-cores", str(ALLOWED[0])]
    words += ["--neighbours", "2", "--set", "quantum=1e-3", "--set", "samples=400", "--json"]
    seen: set[str] = set()
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("w") as output, err.open("w") as errors:
        run = subprocess.Popen(
            [SCRIPTS / "banzuke", *words, "--results", tmp_path], stdout=output, stderr=errors, start_new_session=True
        )
    end = time.monotonic() + PATIENCE
    while run.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError):  # one ended meanwhile
            seen.update(spinning(run.pid))
        time.sleep(0.01)
    run.terminate()
    assert run.wait() == 0, err.read_text()
    assert {format_cpus(ALLOWED), str(ALLOWED[0])} <= seen, "native beside everything, isolated away from the job"
    records = json.loads(out.read_text())["records"]
    conditions = [(record["provenance"]["environment"], record["provenance"]["neighbours"]) for record in records]
    assert conditions == [("native", 2), ("isolated:session", 2)]
    assert {record["groups"][0]["binding"][0]["threads"][0] for record in records} <= {str(cpu) for cpu in ALLOWED[1:]}
    assert records[1]["provenance"]["environment_details"] == {"os_cores": str(ALLOWED[0])}
