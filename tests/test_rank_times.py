"""Tests of ranks that other tests would delay, beside none of them: ranks that move, die or hang, and their times."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from banzuke.testing import patiently
from tests.conftest import Banzuke, Wrapped
from tests.test_messages import only_record

pytestmark = pytest.mark.alone
"""Ranks that wait for each other take two processors."""
Around = Callable[[str], dict[str, str]]
ENDLESS = ("--set", "test=latency", "--set", "max_size=4096", "--set", "iterations=1000000")
"""Options of a case that takes many seconds, of which a test waits for one."""
RANK = "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"


@pytest.fixture
def pt2pt(wrapped: Wrapped) -> Around:
    """Return `wrapped` for the point-to-point program."""
    return lambda script: wrapped(script, "banzuke-pt2pt-mpi")


def test_a_rank_that_is_moved_gives_no_figure(banzuke: Banzuke, pt2pt: Around) -> None:
    everywhere = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    move = f"while [ -e /proc/$$/exe ]; do taskset -acp {everywhere} $$; sleep 0.05; done"  # a zombie has none
    script = f'[ "{RANK}" = 1 ] && {{ ({move}) > /dev/null 2>&1 & }}; exec "$real" "$@"'
    words = ("--set", "test=latency", "--set", "min_size=4096", "--set", "max_size=4096", "--set", "iterations=50000")
    done = banzuke("run", "pt2pt", *words, "--placement", "same", "--json", **pt2pt(script))
    assert done.returncode == 1, done.stderr
    record = only_record(done)
    assert record["metrics"] == {}
    assert "was moved while it ran" in record["reason"]


def gone(file: Path) -> bool:
    """Return whether the process whose number is in the file has ended."""
    for _ in range(600):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), 0)
            time.sleep(0.1)
            continue
        return True
    return False


def disturbed(folder: Path, signal: str) -> str:
    """Return a script whose rank 1 gets the signal during messages, which rank 0's first output shows."""
    return (
        f'echo $$ > "{folder}/{RANK}"\n'
        f'[ "{RANK}" = 0 ] && exec 2> >(tee "{folder}/said" >&2)\n'
        f'[ "{RANK}" = 1 ] && (until grep -qs processes "{folder}/said"; do sleep 0.05; done\n'
        f"sleep 0.3; kill -{signal} $$) > /dev/null 2>&1 &\n"
        'exec "$real" "$@"'
    )


def test_a_rank_that_is_killed_in_the_middle_is_named(banzuke: Banzuke, pt2pt: Around, tmp_path: Path) -> None:
    reasons = []
    for attempt in map(str, range(3)):  # on a busy machine a launcher may name a rank that it killed itself
        folder = tmp_path / attempt
        folder.mkdir()
        done = banzuke("run", "pt2pt", *ENDLESS, "--placement", "same", "--json", **pt2pt(disturbed(folder, "KILL")))
        assert done.returncode == 1, done.stderr
        record = only_record(done)
        assert record["status"] == "failed"
        assert record["metrics"] == {}
        assert "killed by signal 9 (SIGKILL)" in record["reason"]
        assert gone(folder / "0")
        reasons.append(record["reason"])
        if "rank 1" in record["reason"]:
            return
    pytest.fail(f"rank 1 is never named: {reasons}")


def test_a_rank_that_stops_is_told_by_the_last_steps(banzuke: Banzuke, pt2pt: Around, tmp_path: Path) -> None:
    def stopped(factor: float) -> None:
        folder, limit = tmp_path / f"{factor:g}", f"{3 * factor:g}"
        folder.mkdir()
        variables = pt2pt(disturbed(folder, "STOP"))
        done = banzuke("run", "pt2pt", *ENDLESS, "--placement", "same", "--timeout", limit, "--json", **variables)
        assert done.returncode == 1, done.stderr
        reason = only_record(done)["reason"]
        assert f"exceeded its time limit of {limit} s" in reason
        assert "rank 0: latency" in reason
        assert "rank 1: nothing was heard" in reason
        assert gone(folder / "0")
        assert gone(folder / "1")

    patiently(stopped)


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_parts_of_a_breakdown_add_up_to_the_time(banzuke: Banzuke, ranks: int) -> None:
    """Parts are means over ranks, but the time is that of the last."""
    n = 2000
    how = ("--ranks", str(ranks), "--threads", "1", "--oversubscribe", "--set", f"n={n}", "--set", "nb=64")
    record = only_record(banzuke("run", "hpl", *how, "--json"))
    assert record["status"] == "ok"
    where, taken = record["breakdown"], record["metrics"]["time"]["value"]
    assert sum(map(sum, where["seconds"].values())) == pytest.approx(taken, rel=0.1)
    assert sum(where["flops"]) == pytest.approx(n * n * (2 * n / 3 + 1.5), rel=1e-12)
    assert where["ends"] == sorted(where["ends"])
    assert where["ends"][-1] == 1
    assert {len(where["flops"]), *map(len, where["seconds"].values())} == {len(where["ends"])}
