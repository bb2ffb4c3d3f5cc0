"""The processor time that a running program has used; it is a real one."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from banzuke.launch import conditions
from banzuke.launch.conditions import Snapshot, lost_share, processor_seconds

BUSY = """
import os, time
os.fork()
while time.process_time() < 0.5:
    pass
print(flush=True)
time.sleep(60)
"""
NOBODY = 1 << 22


def test_what_a_live_program_and_its_children_use_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [sys.executable, "-c", BUSY]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        for _ in range(2):
            process.stdout.readline()
        assert processor_seconds(process.pid) >= 0.9
        assert processor_seconds(NOBODY) == 0.0
        processors = os.cpu_count() or 1
        before = Snapshot(time=0, busy=20, stolen=1, own=0, throttled=0, load=0)
        after = Snapshot(time=10, busy=20 + 5 * processors, stolen=1 + processors, own=0, throttled=0, load=0)
        monkeypatch.setattr(conditions, "snapshot", lambda: after)
        assert lost_share(before, NOBODY) == pytest.approx(0.6)
        assert lost_share(before, process.pid) <= 0.6 - 0.09 / processors
        os.killpg(process.pid, signal.SIGKILL)


def test_conditions_are_shares_and_seconds() -> None:
    before = conditions.snapshot()
    sum(i * i for i in range(2_000_000))
    shares = conditions.between(before, conditions.snapshot())
    assert shares["load_before"] >= 0
    assert 0 <= shares.get("other_busy_fraction", 0.0) <= 1
    assert all(value >= 0 for value in shares.values())


def test_our_own_work_is_not_others() -> None:
    before = conditions.Snapshot(time=0, busy=100, stolen=1, own=10, throttled=2, load=0.5)
    after = conditions.Snapshot(time=1e6, busy=200, stolen=3, own=110, throttled=5, load=9)
    shares = conditions.between(before, after)
    assert shares["other_busy_fraction"] == 0
    assert shares["throttled_seconds"] == 3
    assert shares["load_before"] == 0.5
    assert shares["steal_fraction"] > 0
    assert "quota_after" not in shares


def test_a_quota_that_changes_meanwhile_is_told() -> None:
    before = conditions.Snapshot(time=0, busy=None, stolen=None, own=0, throttled=None, load=0, quota=2.0)
    assert conditions.between(before, replace(before, quota=0.5))["quota_after"] == 0.5
    lifted = conditions.between(before, replace(before, quota=None))
    assert (lifted["quota_before"], lifted["quota_after"]) == (2.0, os.cpu_count())
