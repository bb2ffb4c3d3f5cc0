"""Tests in a guest with two NUMA nodes: memory policies are read back, pages are where they should be, and each node's
processors meet each node's memory.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import guest
from tests.conftest import SCRIPTS

pytestmark = pytest.mark.guest
SCRIPT = Path(__file__).with_name("numa_in_guest.py")
PAGES = 3 * 2_000_000 * 8 // 4096
"""Pages of STREAM's three arrays, which are adjacent."""


@pytest.fixture(scope="module")
def ended() -> dict[str, dict[str, Any]]:
    """Return the results by policy, and "matrix". CI fails if this skips: all can be installed there."""
    if shutil.which("qemu-system-" + os.uname().machine) is None:
        pytest.skip("QEMU is not installed")
    try:
        kernel = guest.kernel()
    except guest.CannotError as error:
        pytest.skip(str(error))
    programs = (SCRIPTS / "banzuke-stream-omp", SCRIPTS / "banzuke-memory-omp")
    done = guest.run(kernel, sys.executable, SCRIPT, *programs, options=("--nodes", "0,0"))
    assert done.returncode == 0, done.stderr
    by_policy: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return by_policy


@pytest.mark.parametrize(
    ("policy", "read_back", "shares"),
    [
        ("interleave", "interleave:0-1", (0.5, 0.5)),
        ("interleave:1", "interleave:1", (0, 1)),
        ("bind:1", "bind:1", (0, 1)),
        ("local", "local", (0, 1)),
    ],
)
def test_pages_lie_where_the_policy_says(
    ended: dict[str, dict[str, Any]], policy: str, read_back: str, shares: tuple[float, float]
) -> None:
    result = ended[policy]
    assert result["status"] == 0, result["error"]
    assert result["binding"]["memory"] == read_back
    assert result["binding"]["pages"] == "base"
    pages = [result["pages"].get(node, 0) for node in ("0", "1")]
    assert sum(pages) >= PAGES // 3
    assert [count / sum(pages) for count in pages] == pytest.approx(shares, abs=0.05)


def test_a_node_that_is_not_there_is_refused(ended: dict[str, dict[str, Any]]) -> None:
    result = ended["bind:0,2"]
    assert result["status"] == 2
    assert "bind:0,2: the nodes whose memory this process may use are 0-1" in result["error"]


def test_processors_of_each_node_meet_the_memory_of_each(ended: dict[str, dict[str, Any]]) -> None:
    result = ended["matrix"]
    assert result["status"] == 0, result["error"]
    record = result["record"]
    assert all(check["passed"] for check in record["verification"]), record["verification"]
    assert {name for name in record["metrics"] if "local" in name or "remote" in name} == {
        f"{whose}_{what}" for whose in ("local", "remote") for what in ("latency", "bandwidth")
    }
    for name in ("numa_latency", "numa_bandwidth"):
        pairs = record["pairs"][name]
        assert [end["node"] for end in pairs["ends"]] == [0, 1]
        assert list(zip(pairs["from"], pairs["to"], strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
        assert min(pairs["values"]) > 0
