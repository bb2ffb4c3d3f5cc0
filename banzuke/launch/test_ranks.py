"""What ranks report on the error stream; the processes are real ones."""

import select
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Self

import pytest

from banzuke.launch.ranks import Listener, Process, RankReports

HERE = socket.gethostname()


@pytest.fixture
def sleepers() -> Iterator[list[subprocess.Popen[bytes]]]:
    started = [subprocess.Popen(["sleep", "60"]) for _ in range(3)]
    yield started
    for process in started:
        process.kill()
        process.wait()


def processes(entries: dict[str, list[subprocess.Popen[bytes]]]) -> str:
    ranks = iter(range(100))
    hosts = [f'"{host}":"{",".join(f"{next(ranks)}:{p.pid}" for p in on)}"' for host, on in entries.items()]
    return f"processes {{{','.join(hosts)}}}\n"


def heard(*lines: str) -> RankReports:
    listener = Listener()
    assert all(listener.hear(line) for line in lines)
    return listener.reports()


def test_processes_are_told_by_rank() -> None:
    reports = heard('processes {"b":"1:20,2:21","a":"0:20"}\n')
    assert reports.processes == (Process(0, 20, "a"), Process(1, 20, "b"), Process(2, 21, "b"))
    assert str(reports.processes[1]) == "rank 1 (process 20 on b)"


def test_equal_steps_are_one_group() -> None:
    reports = heard("step 2 allreduce, 64 B, timed\n", "step 0 set-up\n", "step 1 set-up\n")
    assert reports.steps == {"allreduce, 64 B, timed": [2], "set-up": [0, 1]}


@pytest.mark.parametrize(
    "line",
    [
        "\n",
        "step by step\n",
        "steps 1 2\n",
        "warning: step 1 failed\n",
        "processes are many\n",
        "processes {no JSON\n",
        'processes {"a":"x"}\n',
        'processes {"a":5}\n',
    ],
)
def test_other_lines_are_not_for_it(line: str) -> None:
    assert not Listener().hear(line)


class Late:
    """An epoll that is scheduled late."""

    registered = threading.Semaphore(0)
    all_ended = threading.Event()

    def __init__(self) -> None:
        self._ends = select.epoll()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._ends.close()

    def register(self, file: int, mask: int) -> None:
        self._ends.register(file, mask)
        self.registered.release()

    def poll(self, seconds: float, maxevents: int) -> list[tuple[int, int]]:
        assert self.all_ended.wait(60)
        return self._ends.poll(seconds, maxevents)


def test_the_first_end_is_seen_however_late_we_look(
    sleepers: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("banzuke.launch.ranks.select", SimpleNamespace(epoll=Late, EPOLLIN=select.EPOLLIN))
    listener = Listener()
    listener.hear(processes({HERE: sleepers}))
    for _ in sleepers:
        assert Late.registered.acquire(timeout=60)
    for number in (1, 0, 2):
        sleepers[number].kill()
        sleepers[number].wait()
    Late.all_ended.set()
    for thread in threading.enumerate():
        if "_watch" in thread.name:
            thread.join(60)
    assert listener.reports().first == Process(1, sleepers[1].pid, HERE)


def test_while_all_run_none_is_first(sleepers: list[subprocess.Popen[bytes]]) -> None:
    assert heard(processes({HERE: sleepers})).first is None


def test_ends_on_other_hosts_are_not_seen(sleepers: list[subprocess.Popen[bytes]]) -> None:
    listener = Listener()
    listener.hear(processes({HERE: sleepers[:2], "elsewhere": sleepers[2:]}))
    sleepers[0].kill()
    time.sleep(0.2)
    assert listener.reports().first is None


def test_the_numbers_of_another_kernels_processes_are_not_taken_for_ours(
    sleepers: list[subprocess.Popen[bytes]],
) -> None:
    listener = Listener(watching=False)
    listener.hear(processes({HERE: sleepers}))
    sleepers[0].kill()
    time.sleep(0.2)
    reports = listener.reports()
    assert reports.first is None
    assert [process.pid for process in reports.processes] == [sleeper.pid for sleeper in sleepers]


def test_steps_are_waited_for_until_every_rank_has_spoken() -> None:
    listener = Listener()
    listener.hear('processes {"elsewhere":"0:1,1:2"}\n')
    begun = time.monotonic()
    listener.hear("step 1 set-up\n")
    assert listener.steps(0.1) == {1: "set-up"}
    assert time.monotonic() - begun >= 0.1
    listener.hear("step 0 set-up\n")
    assert listener.steps(60) == {0: "set-up", 1: "set-up"}
    assert time.monotonic() - begun < 30


def test_the_last_steps_are_those_that_count() -> None:
    listener = Listener()
    for line in ('processes {"elsewhere":"0:1,1:2"}\n', "step 0 set-up\n", "step 1 set-up\n", "step 0 timed\n"):
        listener.hear(line)
    assert listener.steps(60) == {0: "timed", 1: "set-up"}
    listener.forget_steps()
    listener.hear("step 1 checked\n")
    assert listener.steps(0.01) == {1: "checked"}
    assert listener.reports().steps == {"checked": [1]}
