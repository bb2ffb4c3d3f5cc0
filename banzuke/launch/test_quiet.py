"""Who uses the processors, tested with processes that do."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from banzuke.files.trust import user_name
from banzuke.launch import quiet
from banzuke.machine.tree import Tree

BURN = (
    "import os, sys; os.nice(15); open('/proc/self/comm', 'w').write(sys.argv[1]); print(flush=True)\nwhile True: pass"
)


@contextmanager
def burning(name: str = "burner") -> Iterator["subprocess.Popen[str]"]:
    """Run a process of this name that keeps a processor busy."""
    words = [sys.executable, "-c", BURN, name]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def seen(processors: list[int], seconds: float = 0.2) -> quiet.Load:
    before = quiet.counted(processors)
    time.sleep(seconds)
    return quiet.load(before, processors)


def among(process: int, processors: list[int]) -> tuple[quiet.Load, quiet.Busy]:
    """Return the load, and this process in it, as soon as it gets processor time."""
    until = time.monotonic() + 600
    while True:
        load = seen(processors)
        matching = [busy for busy in load.busiest if busy.process == process]
        if matching or time.monotonic() > until:
            return load, matching[0]


def test_who_uses_the_processors_is_named_with_his_share() -> None:
    allowed = sorted(os.sched_getaffinity(0))
    with burning() as process:
        os.sched_setaffinity(process.pid, allowed[:1])
        load, burner = among(process.pid, allowed[:1])
    assert load.loud
    assert (burner.user, burner.command) == (user_name(os.geteuid()), "burner")
    assert 0 < burner.share <= 1
    assert list(load.busiest) == sorted(load.busiest, key=lambda busy: -busy.share)


def test_what_this_process_does_itself_and_what_runs_elsewhere_is_no_load_of_others() -> None:
    here = sorted(os.sched_getaffinity(0))
    before = quiet.counted(here)
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    assert os.getpid() not in {busy.process for busy in quiet.load(before, here).busiest}
    if len(here) > 1:
        with burning() as process:
            os.sched_setaffinity(process.pid, here[:1])
            assert process.pid not in {busy.process for busy in seen(here[1:], 0.1).busiest}


def test_a_name_may_be_anything() -> None:
    name = ") S 1 [red]\x1b[2J"
    allowed = sorted(os.sched_getaffinity(0))
    with burning(name) as process:
        _, burner = among(process.pid, allowed)
    assert burner.command == name[:15]


def test_where_nothing_is_counted_nothing_is_said(tmp_path: Path) -> None:
    for text in ("", "cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n", "cpu0 x\n", "cpu0 1 2\n", "\n"):
        (tmp_path / "proc").mkdir(exist_ok=True)
        (tmp_path / "proc" / "stat").write_text(text)
        (tmp_path / "proc" / "7").mkdir(exist_ok=True)
        (tmp_path / "proc" / "7" / "stat").write_text("7 (a) R")
        before = quiet.counted([0], Tree(tmp_path))
        assert before.processors is None
        assert quiet.load(before, [0], Tree(tmp_path)) == quiet.Load(0.0, ())
