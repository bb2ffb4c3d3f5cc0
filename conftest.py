"""Which tier a test is of, tests in several processes, and what skips mean.

Where everything can run, a skip is a failure: BANZUKE_NO_SKIPS=1, set by continuous integration.
"""

import fcntl
import gc
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "banzuke",
    derandomize=bool(os.environ.get("CI")),  # a merge is refused for what it changed; `make fuzz` looks for more
    deadline=None,  # no test asserts a time, nor how much a record holds
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
hypothesis.settings.register_profile("quick", hypothesis.settings.get_profile("banzuke"), max_examples=20)
hypothesis.settings.register_profile("long", hypothesis.settings.get_profile("banzuke"), max_examples=500)
hypothesis.settings.register_profile("fuzz", hypothesis.settings.get_profile("banzuke"), max_examples=20_000)
hypothesis.settings.load_profile("banzuke")

gc.disable()  # until all tests are collected, which leaves little garbage: looking for it took a third of the time

for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)  # tables are as wide as in a file; workers of pytest-xdist have a width of their own

os.environ.setdefault("BANZUKE_WAIT", "0")  # other tests use the processors, and a look at them takes half a second

# Shells that start tests in the background ignore the one, nohup the other; tests send both.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

ALLOWED = "hardware:"
"""Start of the reason of a skip that no set-up can cure, such as a missing GPU."""


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("BANZUKE_NO_SKIPS") != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not reason.removeprefix("Skipped: ").startswith(ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"skipped although BANZUKE_NO_SKIPS=1, without a reason that starts '{ALLOWED}': {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report


ANSWERING = """#!/bin/sh
[ "$*" = --version ] || exec {real} "$@"
[ -e {answer} ] || {{ {real} --version > {answer}.$$ && mv {answer}.$$ {answer}; }} 2>/dev/null
cat {answer}
"""


SLOW_TO_ANSWER = ("clang", "clang++", "hipcc")


def pytest_configure(config: pytest.Config) -> None:
    """Hipcc starts ten programs to tell its version, and LLVM's compilers load their libraries; every look at the
    machine asks them: a third of a short run.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:  # which have them from the process that starts them
        return
    found = {name: real for name in SLOW_TO_ANSWER if (real := shutil.which(name))}
    if not found:
        return
    folder = tempfile.TemporaryDirectory(prefix="banzuke-versions-")
    config.add_cleanup(folder.cleanup)
    for name, real in found.items():
        answering = Path(folder.name, name)
        words = {"real": shlex.quote(real), "answer": shlex.quote(f"{folder.name}/answer-{name}")}
        answering.write_text(ANSWERING.format(**words), encoding="utf-8")
        answering.chmod(0o755)
    Path(folder.name).chmod(0o755)
    os.environ["PATH"] = os.pathsep.join((folder.name, os.environ["PATH"]))


INSTALLED = Path(__file__).parent / "tests"
"""Tests of the installed command; all others are unit tests."""
NEEDS = {"browser": "browser", "hosts": "network", "slurm": "network", "other_mpis": "mpi"}
"""Fixture -> marker of the tests that use it."""


def is_alone(item: pytest.Item) -> bool:
    return item.get_closest_marker("alone") is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    installed = {path for path in {item.path for item in items} if INSTALLED in path.parents}  # slow for each test
    for item in items:
        if item.path not in installed:
            item.add_marker("unit")
        for fixture, marker in NEEDS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
    shared = {item.path for item in items if not is_alone(item)}
    waiting = {item.path for item in items if item.get_closest_marker("first")}
    # Files of tests that run alone come last: among others, each would wait for the other processes' tests.
    items.sort(key=lambda item: (item.path not in shared, item.path not in waiting))


def pytest_collection_finish() -> None:
    """What was loaded until here stays; looking through it for garbage took a sixth of the unit tests' time."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)  # of the rest, what reads all sources makes as many objects again
    gc.enable()


TESTS, QUEUE = Path(__file__), Path(__file__).parent / "tests" / "conftest.py"
"""Locked, and never written: files that all processes of pytest-xdist have."""


@contextmanager
def locked(file: Path, *, shared: bool = False) -> Iterator[None]:
    with file.open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test marked `alone` waits until no other process is in a test, and none begins one until it has ended."""
    with ExitStack() as held:
        if hasattr(item.config, "workerinput"):
            with locked(QUEUE):  # otherwise those that may share would go on without end, past one that waits
                held.enter_context(locked(TESTS, shared=not is_alone(item)))
        return (yield)
