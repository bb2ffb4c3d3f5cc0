"""Tests of the kernel's trace of who took a processor, for real, in the test's own mount namespace."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from banzuke.program.installed import program
from banzuke.record.model import Record
from banzuke.testing import patiently
from benchmarks.noise.quanta import RecordedNoise
from benchmarks.noise.sources import NEARLY, TICKS, rates, tick

CPU = max(os.sched_getaffinity(0))
MOUNTED = ("unshare", "-m", "sh", "-c", 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"', "sh")
INSTANCES = "/sys/kernel/tracing/instances"


def traced(samples: int) -> list[str]:
    words = ("--binding", str(CPU), "--quantum", "1e-3", "--samples", str(samples), "--trace", "on")
    return [*MOUNTED, str(program("noise", "omp")), *words]


def run(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=600).stdout


def left() -> list[str]:
    """Return our trace instances that still exist."""
    return [name for name in run(*MOUNTED, "ls", INSTANCES).split() if name.startswith("banzuke-")]


def gone() -> bool:
    """Return whether none is left after a while; its removal waits for a process's files to close."""
    for _ in range(600):
        if not left():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(autouse=True)
def _allowed() -> None:
    if subprocess.run([*MOUNTED, "test", "-w", INSTANCES], capture_output=True, check=False).returncode:
        pytest.skip("hardware: this kernel or container allows no trace files")


@contextmanager
def neighbour() -> Iterator[None]:
    """Run a busy process on the same processor."""
    with subprocess.Popen(["taskset", "-c", str(CPU), "sh", "-c", "while :; do :; done"]) as busy:
        try:
            yield
        finally:
            busy.kill()


def blame(record: dict[str, Any], who: str) -> dict[str, Any]:
    entries: list[dict[str, Any]] = [entry for entry in record["conditions"]["blame"] if entry["who"] == who]
    assert len(entries) == 1, record["conditions"]["blame"]
    return entries[0]


@pytest.mark.slow
def test_the_one_that_took_the_processor_is_blamed() -> None:
    with neighbour():
        record = json.loads(run(*traced(200)))
    taken = blame(record, "sh")
    lost = sum(record["series"]["time"]["lines"][0]["values"]) * 1e-9
    assert taken["kind"] == "process"
    by_others = sum(  # other tests may use this processor, too
        entry["seconds"]
        for entry in record["conditions"]["blame"]
        if entry["kind"] == "process" and entry["who"] != "sh"
    )
    assert taken["seconds"] > 0.1 * (lost - by_others)
    assert sum(entry["seconds"] for entry in record["conditions"]["blame"]) < 1.5 * lost
    assert 0 < taken["longest"] <= taken["seconds"]
    assert taken["events"] > 1
    assert {entry["kind"] for entry in record["conditions"]["blame"]} >= {"process", "interrupt"}
    assert not left()


@pytest.mark.slow
def test_a_tick_costs_what_the_trace_of_its_interrupts_shows() -> None:
    """A processor loses more than the traced handler's time: entry and exit, caches, the trace itself."""
    if subprocess.run(["chrt", "-f", "50", "true"], capture_output=True, check=False).returncode:
        pytest.skip("hardware: no real-time priority, so others run on this processor")

    def measured(factor: float) -> None:
        samples = str(round(33_000 * factor**0.5))  # which take 8 s at first
        words = ("--test", "ftq", "--quantum", "2.5e-4", "--samples", samples, "--trace", "on", "--binding", str(CPU))
        record = json.loads(run(*MOUNTED, "chrt", "-f", "50", str(program("noise", "omp")), *words))
        seen = RecordedNoise.of(Record.model_validate(record))
        assert seen
        if sum(rates(seen, timers=True).values()) < NEARLY * min(TICKS):
            pytest.skip("hardware: this processor has no tick")
        kernel_tick = tick(seen)
        assert kernel_tick, "the spectrum has a peak at the rate of the ticks that were counted"
        assert kernel_tick.lost
        timer = blame(record, "local timer")
        mean = timer["seconds"] / timer["events"]
        assert 0.5 * mean < kernel_tick.lost < 4 * mean

    patiently(measured)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_by_one_that_is_ended(ending: signal.Signals) -> None:
    with subprocess.Popen(traced(60_000), stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                if left():
                    break
                time.sleep(0.1)
            # It is in use, so that nobody else can remove it as a leftover.
            remove = [*MOUNTED, "rmdir", f"{INSTANCES}/{left()[0]}"]
            assert subprocess.run(remove, capture_output=True, check=False).returncode
        finally:
            process.send_signal(ending)
    assert process.returncode == -ending
    assert gone()


def test_what_was_left_is_removed_by_the_next() -> None:
    run(*MOUNTED, "mkdir", f"{INSTANCES}/banzuke-1")
    run(*traced(2))
    assert not left()


def test_without_trace_files_it_says_what_to_do() -> None:
    hidden = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/kernel && exec "$@"', "sh")
    call = [*hidden, *traced(2)[len(MOUNTED) :]]
    refused = subprocess.run(call, capture_output=True, text=True, check=False, timeout=600)
    assert refused.returncode == 2
    assert "mount -t tracefs nodev /sys/kernel/tracing" in refused.stderr
