"""Several programs in one job: what each group of ranks gets, in the command of each launcher."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from banzuke.environment import cross_memory
from banzuke.environment.native import Native
from banzuke.errors import BanzukeError
from banzuke.launch.check import check, check_memory, memory
from banzuke.launch.command import Command, render
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.user_variables import BINDING, COUNTING, PLACING
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.catalogue import find
from banzuke.plan.placement import Placement
from banzuke.program.describe import Answer
from banzuke.testing import case, machine

GIB = 1 << 30
HYDRA, OPEN_MPI = "HYDRA build details:", "mpiexec (Open MPI) 5.0.11"
TEAMS = (RankGroup("omp", ranks=2, threads=2), RankGroup("cuda", ranks=3, threads=1))


def place(name: str, *cpus: tuple[int, ...], nodes: int = 1) -> Placement:
    return Placement(name, "", cpus, per_node=len(cpus), nodes=nodes)


ACROSS = (
    RankGroup("omp", 4, 2, place("wide", (0, 1), (2, 3), nodes=2)),
    RankGroup("cuda", 1, 1, place("narrow", (4,))),
)
"""The first group is on two hosts, the second on the first of them alone."""


@pytest.fixture(autouse=True)
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*PLACING, *COUNTING, *BINDING):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setattr("socket.gethostname", lambda: "n1")
    monkeypatch.setattr(cross_memory, "refusal", str)  # whatever this host allows
    for backend, footprint in (("omp", 100.0), ("cuda", 1.0)):
        program = tmp_path / f"banzuke-stream-{backend}"
        said = description(tmp_path, backend=backend, footprint=footprint).model_dump_json()
        program.write_text(f"#!/bin/sh\necho {shlex.quote(said)}\n")
        program.chmod(0o755)
    return tmp_path


def description(prefix: Path, *, footprint: float, **changes: Any) -> Answer:
    parameter = {"name": "n", "type": "integer", "help": "", "value": 5, "minimum": 1, "maximum": 10**9}
    fields = {"benchmark": "stream", "schema_version": 2, "parameters": [parameter], "compiler": "c", "flags": "f"}
    problem = {"footprint": footprint, "facts": {}}
    return Answer.model_validate(
        fields | {"mpi": f"{prefix}/lib/libmpi.so", "mpi_name": "mpich", "problem": problem} | changes
    )


def install(prefix: Path, version: str) -> None:
    launcher = prefix / "bin" / "mpiexec"
    launcher.parent.mkdir()
    launcher.write_text(f"#!/bin/sh\necho {shlex.quote(version)}\n")
    launcher.chmod(0o755)


def rendered(started: Case, here: Machine, folder: Path = Path("results"), **changes: Any) -> Command:
    return render(started, here, find("stream"), check(started, here), limit=60.0, folder=folder, **changes)


def parts(command: Command, prefix: Path) -> list[str]:
    """Return the words after the launcher, group by group."""
    words = command.words[command.words.index(f"{prefix}/bin/mpiexec") + 1 :]
    return " ".join(words).replace(f"{prefix}/", "").split(" : ")


def on_hosts(*names: str) -> Machine:
    return machine(cores=8).changed(allotment={"hosts": list(names)})


@pytest.mark.parametrize(
    ("version", "whole", "own"),
    [
        (HYDRA, "", "-env OMP_NUM_THREADS "),
        (OPEN_MPI, "--bind-to none --oversubscribe --map-by slot ", "-x OMP_NUM_THREADS="),
    ],
)
def test_each_group_has_its_own_program_threads_and_binding(
    installation: Path, version: str, whole: str, own: str
) -> None:
    install(installation, version)
    command = rendered(case(groups=TEAMS), machine(cores=8))
    assert parts(command, installation) == [
        f"-n 2 {whole}{own}2 banzuke-stream-omp --n 1000 --binding 0,1|2,3 --progress --time-limit 60",
        f"-n 3 {own}1 banzuke-stream-cuda --n 1000 --binding 4|5|6 --progress --time-limit 60",
    ]
    assert "OMP_NUM_THREADS" not in command.variables
    assert "'0,1|2,3'" in command.text()


def test_what_all_groups_are_given_is_given_once(installation: Path) -> None:
    install(installation, HYDRA)
    alike = (RankGroup("omp", ranks=2, threads=2), RankGroup("cuda", ranks=3, threads=2))
    command = rendered(case(groups=alike), machine(cores=10))
    assert command.variables["OMP_NUM_THREADS"] == "2"
    assert "-env" not in command.words


def test_what_one_group_must_not_have_is_removed_for_all(installation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(installation, HYDRA)
    variables = {"omp": {"A": "", "B": ""}, "cuda": {"A": "1", "B": ""}}
    monkeypatch.setattr("banzuke.launch.command._variables", lambda group, *_: variables[group.backend])
    command = rendered(case(groups=TEAMS), machine(cores=8))
    assert command.text().startswith("env -u A -u B ")
    assert ["-env" in part for part in parts(command, installation)] == [False, True]
    assert " -env A 1 " in parts(command, installation)[1]


def test_hydra_gets_one_list_of_hosts_in_the_order_of_the_ranks(installation: Path) -> None:
    install(installation, HYDRA)
    first, second = parts(rendered(case(groups=ACROSS), on_hosts("n1", "n2", "n3")), installation)
    assert first.startswith("-n 4 -hosts n1:2,n2:2,n1:1 -env OMP_NUM_THREADS 2 banzuke-stream-omp ")
    assert second.startswith("-n 1 -env OMP_NUM_THREADS 1 banzuke-stream-cuda ")
    assert "--binding 0,1|2,3 " in first
    assert "--binding 4 " in second


def test_open_mpi_gets_the_hosts_of_each_group(installation: Path) -> None:
    install(installation, OPEN_MPI)
    first, second = parts(rendered(case(groups=ACROSS), on_hosts("n1", "n2", "n3")), installation)
    assert first.startswith(
        "-n 4 --bind-to none --oversubscribe --map-by slot --host n1:2,n2:2 -x OMP_NUM_THREADS=2 banzuke-stream-omp "
    )
    assert second.startswith("-n 1 --host n1:1 -x OMP_NUM_THREADS=1 banzuke-stream-cuda ")


@pytest.mark.parametrize(
    ("version", "option", "lines"),
    [(HYDRA, "-f", [["n{}:2", "n{}:1"]]), (OPEN_MPI, "--hostfile", [["n{} slots=2"], ["n{} slots=1"]])],
)
def test_long_lists_of_hosts_are_files(
    installation: Path, version: str, option: str, lines: list[list[str]], tmp_path: Path
) -> None:
    install(installation, version)
    numbers = range(1, 2001)
    wide = RankGroup("omp", 4000, 2, place("wide", (0, 1), (2, 3), nodes=2000))
    thin = RankGroup("cuda", 2000, 1, place("thin", (4,), nodes=2000))
    command = rendered(case(groups=(wide, thin)), on_hosts(*(f"n{number}" for number in numbers)), tmp_path / "a b")
    named = [Path(command.words[at + 1]) for at, word in enumerate(command.words) if word == option]
    assert list(command.files) == named
    assert [command.files[file] for file in named] == [
        "".join(line.format(number) + "\n" for line in formats for number in numbers) for formats in lines
    ]


class Crate(Native):
    def inner(self, words: list[str], variables: Mapping[str, str]) -> list[str]:
        return ["crate", json.dumps(dict(variables)), *words]

    def outer(self, words: list[str], _variables: Mapping[str, str], memory: float) -> list[str]:
        return ["ship", f"{memory:g}", *words]

    def cpu(self, number: int) -> int:
        return number + 10


def test_an_environment_goes_around_each_group(installation: Path) -> None:
    install(installation, HYDRA)
    command = rendered(case(groups=ACROSS), on_hosts("n1", "n2"), around=Crate())
    assert command.words[:2] == ["ship", "201"]
    crates = [json.loads(command.words[at + 1]) for at, word in enumerate(command.words) if word == "crate"]
    assert crates == [{"OMP_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "1"}]
    assert [placement.cpus for placement in command.placements if placement] == [((10, 11), (12, 13)), ((14,),)]


def test_a_group_is_named_whose_program_is_not_installed(installation: Path) -> None:
    (installation / "banzuke-stream-cuda").unlink()
    missing = rf"no backend 'cuda' \(no banzuke-stream-cuda in {installation}; the group narrow needs it\)"
    with pytest.raises(BanzukeError, match=missing):
        check(case(groups=ACROSS), machine(cores=8))


def test_a_host_needs_the_memory_of_all_its_ranks(installation: Path) -> None:
    started = case(groups=ACROSS)
    assert memory(started, [description(installation, backend="omp", footprint=size) for size in (100.0, 1.0)]) == 201
    with pytest.raises(BanzukeError, match=r"needs 201 B of memory"):
        check(started, machine(memory=200))


def two_partitions() -> Machine:
    """Thin nodes n1 and n2, and a fat one with twice as many cores and as much memory."""
    thin, fat = on_hosts("n1", "n2"), machine(cores=16, memory=128 << 30).changed(allotment={"hosts": ["f1"]})
    site = thin.site.model_copy(update={"partitions": {"thin": thin.partition, "fat": fat.partition}})
    allotments = [
        partition.allotment.model_copy(update={"partition": name}) for name, partition in (("thin", thin), ("fat", fat))
    ]
    return Machine(site=site, allotments=allotments)


APART = (
    RankGroup("omp", 4, 2, place("wide", (0, 1), (2, 3), nodes=2), "thin"),
    RankGroup("cuda", 8, 1, partition="fat"),
    RankGroup("omp", 2, 4, partition="fat"),
)


@pytest.mark.parametrize(("version", "first", "second"), [
    (HYDRA, "-hosts n1:2,n2:2,f1:8,f1:2 ", "-n 8 -env "), (OPEN_MPI, "--host n1:2,n2:2 ", "-n 8 --host f1:8 "),
])  # fmt: skip
def test_groups_are_placed_in_their_partitions(installation: Path, version: str, first: str, second: str) -> None:
    install(installation, version)
    words = parts(rendered(case(groups=APART), two_partitions()), installation)
    assert first in words[0]
    assert words[1].startswith(second)
    bound = [part.partition("--binding ")[2].partition(" ")[0] for part in words]
    assert bound == ["0,1|2,3", "0|1|2|3|4|5|6|7", "8,9,10,11|12,13,14,15"]


def test_a_partition_is_checked_by_what_is_given_of_it(installation: Path) -> None:
    started = case(groups=APART)
    assert (started.nodes, started.per_host) == (3, 10)
    answers = [description(installation, backend="b", footprint=size) for size in (50 * GIB, 5 * GIB, 5 * GIB)]
    assert memory(started, answers) == 100 * GIB
    with pytest.raises(BanzukeError, match=r"needs 100 GiB of memory .64 GiB of 64 GiB"):
        check_memory(started, two_partitions(), answers)
    answers[0] = description(installation, backend="b", footprint=32 * GIB)
    check_memory(started, two_partitions(), answers)
    elsewhere = case(groups=(RankGroup("omp", partition="gpu"),))
    with pytest.raises(BanzukeError, match=r"this job has nothing of the partition gpu .only of thin, fat"):
        check(elsewhere, two_partitions())


def test_groups_do_not_share_processors(installation: Path) -> None:
    install(installation, HYDRA)
    twice = (RankGroup("omp", 1, 2, place("a", (0, 1))), RankGroup("omp", 1, 1, place("b", (1,))))
    with pytest.raises(BanzukeError, match="groups of the case would share the processors 1"):
        rendered(case(groups=twice), machine(cores=8))
    with pytest.raises(BanzukeError, match="2 ranks x 2 threads and 3 ranks x 1 thread need 7 processors"):
        rendered(case(groups=TEAMS), machine(cores=6))


def test_a_processor_that_computes_may_drive_a_device(installation: Path) -> None:
    install(installation, HYDRA)
    groups = (RankGroup("omp", 1, 2, place("a", (0, 1))), RankGroup("cuda", 1, 1, place("b", (1,)), devices=1))
    devices = [
        AllottedDevice(identity=f"GPU-{number}", name="Large", vendor="NVIDIA", memory=1, memory_available=1)
        for number in range(2)
    ]
    here = machine(cores=8).changed(allotment={"devices": devices})
    bindings = re.findall(r"--binding (\S+)", rendered(case(groups=groups), here).text())
    assert bindings == ["0,1", "1"]
    with pytest.raises(BanzukeError, match="groups of the case would share the processors 1"):
        rendered(case(groups=(*groups, groups[1])), here)


def test_programs_for_two_mpi_libraries_are_no_job(installation: Path) -> None:
    other = installation / "other"
    other.mkdir()
    for prefix in (installation, other):
        install(prefix, HYDRA)
    answers = [description(prefix, backend="b", footprint=1.0) for prefix in (installation, other)]
    with pytest.raises(BanzukeError, match=r"stream-omp and stream-cuda cannot run together .*different MPI libraries"):
        render(case(groups=TEAMS), machine(cores=8), find("stream"), answers, limit=60.0, folder=Path())
