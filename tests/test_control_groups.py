"""Tests of limits that the kernel enforces on the installed command: control groups and affinity."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS, Banzuke, Result
from tests.control_groups import ControlGroup, control_group
from tests.patience import PATIENCE

MEMORY = 2 << 30
LOWERED = 320 << 20
CRAMPED = 140 << 20
"""Bytes of memory in which tables can be written, but no chart drawn."""
QUOTA = 1.5
PROCESSOR = max(os.sched_getaffinity(0))
"""The group's processor: the last one, so that it is not the one on which everything starts."""


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """Yield a group with 2 GiB, the time of one and a half processors, and one processor."""
    with control_group(("memory", "cpu", "cpuset"), settings) as made:
        yield made


def settings(made: ControlGroup) -> list[tuple[Path, str]]:
    cpuset = made.folders["cpuset"]
    # With version 1, a new group has no memory nodes.
    memories = [] if made.unified else [(cpuset / "cpuset.mems", (cpuset.parent / "cpuset.mems").read_text())]
    processors = [*made.limit_time(QUOTA), *memories, (cpuset / "cpuset.cpus", str(PROCESSOR))]
    return [*processors, *made.limit_memory(MEMORY)]


@pytest.fixture
def limited(group: ControlGroup, results: Path) -> Banzuke:
    """Return a function that runs `banzuke ...` inside the group."""

    def call(*words: str | Path, **variables: str) -> Result:
        environment = os.environ | {"BANZUKE_RESULTS": str(results)} | variables
        script = f'set -e\n{group.join()}exec "$@"'
        return subprocess.run(
            ["sh", "-c", script, "sh", SCRIPTS / "banzuke", *words],
            env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    return call


def sizes(commands: str) -> set[int]:
    """Return the values of --n in rendered commands."""
    words = shlex.split(commands)
    return {int(words[i + 1]) for i, word in enumerate(words) if word == "--n"}


def test_the_description_says_what_the_group_leaves(limited: Banzuke) -> None:
    done = limited("machine", "--json", "--no-measure")
    assert done.returncode == 0, done.stderr
    machine = json.loads(done.stdout)
    (allotment,) = machine["allotments"]
    (partition,) = machine["site"]["partitions"].values()
    assert allotment["memory_allowed"] == MEMORY
    assert MEMORY // 2 < allotment["memory_available"] <= MEMORY < partition["node"]["memory"]["total"]
    assert allotment["quota"] == QUOTA
    assert allotment["allowed"] == [PROCESSOR]
    assert allotment["allowed_cores"] == 1


def test_sizes_and_threads_follow_the_group(limited: Banzuke) -> None:
    done = limited("run", "stream", "--dry-run")
    assert done.returncode == 0, done.stderr
    for n in sizes(done.stdout):
        assert 0.25 * MEMORY < 24 * n <= 0.4 * MEMORY
    for command in done.stdout.splitlines():
        assert "OMP_NUM_THREADS=1 " in command
        assert f"--binding {PROCESSOR} " in command


def test_memory_in_use_changes_no_case_and_is_told(limited: Banzuke, group: ControlGroup) -> None:
    """A neighbour in the same group holds most of it."""
    before = sizes(limited("run", "stream", "--dry-run").stdout)
    holding = f"import sys; held = b'x' * {MEMORY * 7 // 10}; print('held', flush=True); sys.stdin.read()"
    script = f'set -e\n{group.join()}exec "$@"'
    with subprocess.Popen(
        ["sh", "-c", script, "sh", sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as neighbour:
        assert neighbour.stdout
        assert neighbour.stdout.readline()
        launches = json.loads(limited("run", "stream", "--json").stdout)["records"]
        neighbour.communicate()
    assert {record["parameters"]["n"] for record in launches} == before
    assert {record["status"] for record in launches} == {"skipped"}
    assert all("of memory" in record["reason"] and "may be used now" in record["reason"] for record in launches)


def test_what_the_group_cannot_hold_is_refused_before_it_is_allocated(limited: Banzuke, group: ControlGroup) -> None:
    done = limited("run", "stream", "--set", "n=200000000", COLUMNS="300")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "needs 4.470 GiB of memory" in done.stderr
    assert "may be used now" in done.stderr
    most = group.most_memory()
    assert most is None or most < MEMORY // 2


@pytest.mark.parametrize(
    ("run", "layout"),
    [('exec "$real" "$@"', ()), ('"$real" "$@"', ()), ('exec "$real" "$@"', ("--ranks", "2", "--oversubscribe"))],
    ids=["alone", "under a shell", "under mpiexec"],
)
def test_a_program_that_the_kernel_kills_for_its_memory(
    limited: Banzuke, group: ControlGroup, wrapped: Callable[[str], dict[str, str]], run: str, layout: tuple[str, ...]
) -> None:
    """The limit is lowered after the size has been accepted, as if by a neighbour in the same group."""
    lower = "".join(f"echo {value} > {shlex.quote(str(file))}\n" for file, value in group.limit_memory(LOWERED))
    words = ("run", "stream", "--set", "n=30000000", "--set", "rounds=2", "--threads", "1", *layout)
    done = limited(*words, "--json", **wrapped(lower + run))
    assert done.returncode == 1, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert record["status"] == "failed"
    assert record["metrics"] == {}
    assert "memory" in record["reason"]


def test_a_report_that_lacks_memory_for_its_charts_is_written_without(
    limited: Banzuke, banzuke: Banzuke, group: ControlGroup, tmp_path: Path
) -> None:
    assert banzuke("run", "stream", "--set", "n=100000", "--set", "rounds=3").returncode == 0
    for file, value in group.limit_memory(CRAMPED):
        file.write_text(value)
    done = limited(
        "report", "last", "--output", tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache")
    )  # it makes the script
    assert done.returncode == 0, done.stderr
    said = f"was killed (SIGKILL), probably because memory ran out: this control group may use {CRAMPED >> 20} MiB"
    assert said in " ".join(done.stderr.split())
    assert said in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("figures/*.pdf"))


def test_an_affinity_mask_is_honoured(results: Path) -> None:
    def bound(*words: str) -> str:
        command = ["taskset", "-c", PROCESSOR, SCRIPTS / "banzuke", *words, "--results", results]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    command = ["run", "stream", "--set", "n=100000", "--set", "rounds=3"]
    (record,) = json.loads(bound(*command, "--json"))["records"]
    assert record["groups"][0]["threads"] == 1
    (binding,) = record["groups"][0]["binding"]
    assert (binding["ranks"], binding["threads"]) == ("0", [str(PROCESSOR)])
    assert f"--binding {PROCESSOR} " in bound("run", "stream", "--dry-run")


@pytest.mark.parametrize(
    ("words", "least", "works"),
    [
        (("query", "select 1"), 3, False),
        (("machine", "--no-measure"), 6, False),
        (("predict", "hpl", "Yayoi"), 1, True),
    ],
)
def test_where_no_thread_or_process_can_be_started_the_limit_is_named(
    words: tuple[str, ...],
    least: int,
    *,
    works: bool,
    results: Path,
) -> None:
    """It may also work without any, because NumPy does not need its own threads."""

    def limit(made: ControlGroup) -> list[tuple[Path, str]]:
        return [(made.folders["pids"] / "pids.max", str(least))]

    with control_group(("pids",), limit) as made:
        done = subprocess.run(
            ["sh", "-c", f'{made.join()}exec "$@"', "sh", SCRIPTS / "banzuke", *words],
            env=os.environ | {"BANZUKE_RESULTS": str(results)},
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == (0 if works else 2), done.stderr
    assert works or f"pids.max of its control group allows {least} processes" in done.stderr
    assert "Traceback" not in done.stderr
    assert "OpenBLAS" not in done.stderr
