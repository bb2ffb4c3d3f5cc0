"""MPI libraries are probed; stand-ins for a launcher and the program answer by the library's name."""

import json
import os
from pathlib import Path

import pytest

from banzuke.evaluation import messages
from banzuke.machine import probe
from banzuke.machine.site import Mpi
from banzuke.testing import machine

LAUNCHER = """#!/bin/sh
[ "$1" = --version ] && { echo "HYDRA build details: Version: 5"; exit; }
shift 2
exec "$@"
"""
PROGRAM = """#!/bin/sh
echo "$1 $2" >> calls
case "$1" in
  *broken*) echo "noise of the launcher" >&2; echo "banzuke-messages: cannot load it" >&2; exit 1;;
  *) [ "$(wc -l < calls)" = 1 ] && latency=4e-7 || latency=2e-7
    echo '{"version": "MPICH Version: 5.0.2", "interface": "mpich", "ranks": 2, "latency": '$latency',
           "bandwidth": 1e10, "allreduce": 3e-7}';;
esac
"""


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, text in (("mpiexec", LAUNCHER), (probe.MESSAGES, PROGRAM)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / "mpiexec")


def test_the_best_of_two_rounds_counts(launcher: str, tmp_path: Path) -> None:
    places: list[tuple[int, int]] = []
    two = machine().changed(allotment={"one_per_core": [0, 2]})
    libraries = [Mpi(path=path, launcher=launcher) for path in ("/l/good.so", "/l/broken.so")]
    good, broken = messages.probe_messages(two, libraries, lambda *at: places.append(at))
    assert (good.latency, good.bandwidth, good.allreduce, good.ranks) == (2e-7, 1e10, 3e-7, 2)
    assert good.version == "MPICH Version: 5.0.2"
    assert broken.latency is None
    assert (broken.problem or "").startswith("cannot load it")
    assert (tmp_path / "calls").read_text().splitlines() == ["/l/good.so 0,2", "/l/broken.so 0,2"] * 2
    assert places == [(done, 4) for done in range(4)]
    assert Mpi.model_validate(json.loads(good.model_dump_json())) == good


def test_a_full_shared_memory_is_told_beside_the_failure(launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    two = machine().changed(allotment={"one_per_core": [0, 2]})
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((4096, 4096, 16, 0, 0, 0, 0, 0, 0, 255)))
    libraries = [Mpi(path=path, launcher=launcher) for path in ("/l/good.so", "/l/broken.so")]
    good, broken = messages.probe_messages(two, libraries)
    assert (good.problem, broken.latency) == (None, None)
    full = "/dev/shm, in which ranks pass messages, has 64 KiB, now 0 B free"
    assert broken.problem == f"cannot load it; {full}"


def test_ranks_stay_on_this_host_of_a_job(launcher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mpiexec").write_text(LAUNCHER.replace("shift 2", 'echo "words: $@" >> words; shift 6'))
    monkeypatch.setattr(messages, "elsewhere", lambda hosts: list(hosts) != ["n2"])
    of_job = machine().changed(allotment={"one_per_core": [0, 2], "hosts": ["n1", "n2"]})
    (library,) = messages.probe_messages(of_job, [Mpi(path="/l/good.so", launcher=launcher)])
    assert library.latency == 2e-7
    assert (tmp_path / "words").read_text().startswith("words: -n 2 -hosts n2 -ppn 2 ")
    away = machine().changed(allotment={"one_per_core": [0, 2], "hosts": ["n1", "n3"]})
    (library,) = messages.probe_messages(away, [Mpi(path="/l/good.so", launcher=launcher)])
    assert library.problem == "the job's hosts are others"


def test_without_the_program_there_is_nothing_to_probe(launcher: str, tmp_path: Path) -> None:
    assert launcher
    (tmp_path / probe.MESSAGES).unlink()
    assert messages.libraries() == []


def test_one_core_sends_no_messages(launcher: str, tmp_path: Path) -> None:
    alone = machine().changed(allotment={"one_per_core": [0]})
    (library,) = messages.probe_messages(alone, [Mpi(path="/l/good.so", launcher=launcher)])
    assert library.problem == "one core sends no messages"
    assert not (tmp_path / "calls").exists()
