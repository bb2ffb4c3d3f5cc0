"""Tests of axes with the installed command: each value takes effect, and the record shows it as read back."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from banzuke.machine.blas import candidates
from tests import guest
from tests.conftest import SCRIPTS, SMALL, Banzuke

ALLOWED = sorted(os.sched_getaffinity(0))
TINY = ("--set", "m=64", "--set", "n=64", "--set", "k=64", "--set", "repetitions=2")


Records = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def records(banzuke: Banzuke) -> Records:
    def run(*words: str) -> list[dict[str, Any]]:
        done = banzuke("run", *words, "--json")
        assert done.stdout, done.stderr
        records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
        return records

    return run


def test_a_variable_reaches_the_programs_with_each_value_in_turn(records: Records) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    launches = records("stream", *SMALL, "--threads", "2", "--env", "OMP_THREAD_LIMIT=1,2", "--repeat", "2")
    assert [record["provenance"]["variant"]["OMP_THREAD_LIMIT"] for record in launches] == ["1", "2", "1", "2"]
    assert [record["status"] for record in launches] == ["failed", "ok", "failed", "ok"]
    assert "ran with 1 thread instead of 2 threads" in launches[0]["reason"]


def test_each_library_is_loaded(records: Records) -> None:
    names = list(dict.fromkeys(library.name for library in candidates()))
    if len(names) < 2:
        pytest.skip("not installed: two BLAS libraries")
    launches = records("dgemm", *TINY, "--library", ",".join(name.upper() for name in names[:2]))
    assert [record["status"] for record in launches] == ["ok", "ok"]
    assert [record["provenance"]["variant"] for record in launches] == [{"library": name} for name in names[:2]]
    paths = [record["groups"][0]["software"]["blas_path"] for record in launches]
    assert paths[0] != paths[1]


def test_each_set_of_cores_is_kept_to(records: Records) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    first, second = map(str, ALLOWED[:2])
    launches = records("stream", *SMALL, "--cores", first, "--cores", second)
    assert [record["groups"][0]["binding"][0]["threads"] for record in launches] == [[first], [second]]
    assert {record["status"] for record in launches} == {"ok"}


def test_the_kinds_of_pages_are_read_back(records: Records) -> None:
    launches = records("stream", "--set", "n=4e6", "--set", "rounds=3", "--pages", "base,transparent")
    kinds = [
        (record["status"], record["groups"][0]["binding"][0]["pages"])
        for record in launches
        if "ok" in record["status"]
    ]
    assert ("ok", "base") in kinds
    for record in launches:  # a machine with fragmented memory has no huge pages left
        assert record["status"] == "ok" or "transparent pages did not take effect: base" in record["reason"]


def test_options_of_the_launcher_are_in_its_command(records: Records) -> None:
    launches = records(
        "stream", *SMALL, "--ranks", "2", "--threads", "1", "--oversubscribe",
        "--launcher-options", "", "--launcher-options", "-genv OMP_THREAD_LIMIT '1'", "--launcher-options", "-nonsense",
    )  # fmt: skip
    assert [record["status"] for record in launches] == ["ok", "ok", "failed"]
    words = launches[1]["provenance"]["command"]
    assert words[1:4] == ["-genv", "OMP_THREAD_LIMIT", "1"]
    assert [record["provenance"]["variant"].get("launcher") for record in launches] == [
        None, "-genv OMP_THREAD_LIMIT 1", "-nonsense",
    ]  # fmt: skip


def test_a_dry_run_prints_what_a_shell_runs_just_so(banzuke: Banzuke, programs: Path, tmp_path: Path) -> None:
    value = "x y'; touch pwned; echo '$(id)"
    done = banzuke("run", "stream", *SMALL, "--env", f"A={value}", "--dry-run")
    (line,) = done.stdout.splitlines()
    assignments, program, _ = line.partition(f" {programs}/")
    assert program
    for command, expected in ((f"{assignments} printenv A", f"{value}\n"), (line, '"status":"ok"')):
        shell = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert expected in shell.stdout.replace('": "', '":"')
    assert not (tmp_path / "pwned").exists()


def test_what_does_nothing_here_is_said(banzuke: Banzuke) -> None:
    words = ("--library", candidates()[0].name, "--launcher-options", "-genv A 1", "--dry-run")
    done = banzuke("run", "stream", *SMALL, *words)
    assert "--library does nothing for stream: it calls no library" in done.stderr
    assert "--launcher-options does nothing for stream: one rank is started without a launcher" in done.stderr
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.guest
def test_memory_policies_of_two_nodes_are_read_back() -> None:
    """CI fails if this skips, because what is missing there can be installed."""
    if shutil.which("qemu-system-" + os.uname().machine) is None:
        pytest.skip("QEMU is not installed")
    try:
        kernel = guest.kernel()
    except guest.CannotError as error:
        pytest.skip(str(error))
    words = (
        "run",
        "stream",
        *SMALL,
        "--threads",
        "1",
        "--memory",
        "local,interleave,bind:1",
        "--json",
        "--results",
        "/tmp/r",
    )
    done = guest.run(kernel, SCRIPTS / "banzuke", *words, options=("--nodes", "0,0"))
    assert done.stdout, done.stderr
    launches = json.loads(done.stdout)["records"]
    assert [record["provenance"]["variant"]["memory"] for record in launches] == ["local", "interleave", "bind:1"]
    assert [record["status"] for record in launches] == ["ok", "ok", "ok"]
    read = [record["groups"][0]["binding"][0]["memory"] for record in launches]
    assert read == ["local", "interleave:0-1", "bind:1"]
