"""Tests of two programs in one job, started by each MPI library: each group has what it was given."""

import ctypes
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from banzuke.environment.model import Environment
from banzuke.environment.native import Native
from banzuke.launch import process
from banzuke.launch.command import NATIVE, Command, render
from banzuke.launch.complete import CaseOrigin, complete
from banzuke.launch.process import ProcessResult
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.machine.user_variables import PLACING
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.placement import Placement
from banzuke.program.describe import ask
from banzuke.record.model import Record
from tests.clusters import Slurm
from tests.namespaces import NETWORK, Hosts
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("library")
LIBRARIES = {"mpi": "MPICH", "openmpi": "Open MPI", "intelmpi": "Intel(R) MPI Library"}
"""Each library's name for itself."""
OTHERS = [pytest.param(name, marks=pytest.mark.mpi) for name in LIBRARIES if name != "mpi"]
TOGETHER = Benchmark("together", "", (), lambda *_: {}, lambda *_: [], lambda *_: 1.0, "first")


@pytest.fixture(scope="module", params=["mpi", *OTHERS])
def library(request: pytest.FixtureRequest, compiled: Callable[[str], Path]) -> Iterator[str]:
    """Yield a library for which both programs exist."""
    name: str = request.param
    if name != "mpi" and name not in request.getfixturevalue("other_mpis"):
        pytest.skip(f"hardware: there is no {LIBRARIES[name]} for this processor")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BANZUKE_LIBEXEC", str(compiled(name) / "bin"))
        for variable in PLACING:
            patch.delenv(variable, raising=False)
        yield name


@pytest.fixture(scope="module")
def here() -> Machine:
    machine = discover(measure=False, hosts=[])
    if len(machine.allotment.allowed) < 2:
        pytest.skip("hardware: two groups need two processors")
    return machine


def rendered(case: Case, machine: Machine, around: Environment = NATIVE, *, oversubscribe: bool = False) -> Command:
    answers = [ask("together", group.backend, case.ranks, group.threads, case.parameters) for group in case.groups]
    return render(
        case, machine, TOGETHER, answers, limit=PATIENCE, folder=Path(), oversubscribe=oversubscribe, around=around
    )


def read_back(case: Case, command: Command, outcome: ProcessResult | None = None) -> Record:
    outcome = outcome or process.run(command, timeout=PATIENCE, progress=lambda _: None)
    record = complete(case, command, outcome, CaseOrigin("run", "machine"), PATIENCE)
    assert record.status == "ok", f"{record.reason}\n{outcome.log}\n{command.text()}"
    return record


def on(*cpus: int, nodes: int = 1, per_kernel: int = 1) -> Placement:
    """Return a placement of each rank on these processors; hosts under one kernel, like namespaces, count as one."""
    return Placement("-".join(map(str, cpus)), "", (cpus,) * per_kernel, per_node=1, nodes=nodes)


def together(*groups: RankGroup) -> Case:
    return Case("together", groups, {})


def test_each_group_has_its_own_ranks_and_binding(library: str, here: Machine) -> None:
    first, second, *_ = here.allotment.allowed
    case = together(RankGroup("first", 1, 1, on(second)), RankGroup("second", 1, 1, on(first)))
    record = read_back(case, rendered(case, here))
    assert record.backend == "first+second"
    assert [(group.program, group.ranks, group.threads) for group in record.groups] == [
        ("together-first", 1, 1),
        ("together-second", 1, 1),
    ]
    assert [(place.ranks, place.threads) for place in record.binding] == [("0", [f"{second}"]), ("1", [f"{first}"])]
    assert all(group.software["mpi"].startswith(LIBRARIES[library]) for group in record.groups)


def test_each_group_has_its_own_threads(here: Machine) -> None:
    case = together(RankGroup("first", 2, 1), RankGroup("second", 1, 3), RankGroup("first", 1, 1))
    record = read_back(case, rendered(case, here, oversubscribe=True))
    assert [(group.program, group.ranks, group.threads) for group in record.groups] == [
        ("together-first", 2, 1),
        ("together-second", 1, 3),
        ("together-first", 1, 1),
    ]
    assert [list(host.ranks) for host in record.hosts] == [[0, 1, 2, 3]]


def test_the_command_can_be_typed(here: Machine) -> None:
    case = replace(
        together(RankGroup("first", 1, 1), RankGroup("second", 1, 1)), parameters={"device": "a 'b' | $c : d"}
    )
    command = rendered(case, here)
    done = subprocess.run(["sh", "-c", command.text()], capture_output=True, text=True, timeout=PATIENCE, check=False)
    ended = ProcessResult(done.stdout, done.stderr, done.returncode, timed_out=False, conditions={})
    assert read_back(case, command, ended).parameters == case.parameters


PR_SET_THP_DISABLE, MPOL_BIND = 41, 2
SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}
"""Numbers of the system call."""
LIMITED = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
mask = ctypes.c_ulong(1)
libc.prctl({PR_SET_THP_DISABLE}, 1, 0, 0, 0)
libc.syscall({SET_MEMPOLICY.get(platform.machine(), -1)}, {MPOL_BIND}, ctypes.byref(mask), ctypes.c_ulong(64))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Script that starts a program with its memory on NUMA node 0, and without huge pages."""


@dataclass(frozen=True)
class Limited(Native):
    def inner(self, words: list[str], _variables: Mapping[str, str]) -> list[str]:
        return [sys.executable, "-c", LIMITED, *words] if words[0].endswith("second") else words


def test_memory_pages_and_devices_are_read_back_of_each_group(here: Machine) -> None:
    if ctypes.CDLL(None).syscall(SET_MEMPOLICY.get(platform.machine(), -1), 0, None, 0) != 0:
        pytest.skip("hardware: no process may place its pages on NUMA nodes here")
    case = replace(together(RankGroup("first", 1, 1), RankGroup("second", 1, 1)), parameters={"device": "GPU-1"})
    first, second = read_back(case, rendered(case, here, Limited())).binding
    assert (first.memory, second.memory) == ("default", "bind:0")
    assert second.pages == "base"
    assert first.pages in {"base", "transparent"}
    assert (first.devices, second.devices) == (["GPU-1 of first"], ["GPU-1 of second"])


def test_groups_have_hosts_of_their_own(here: Machine, hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *_ = here.allotment.allowed
    for name, value in {**NETWORK, **hosts.variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("socket.gethostname", lambda: hosts.names[0])
    both = here.changed(allotment={"hosts": hosts.names})
    case = together(RankGroup("first", 1, 1, on(first)), RankGroup("second", 2, 1, on(second, nodes=2, per_kernel=2)))
    command = rendered(case, both)
    record = read_back(case, replace(command, words=hosts.on(hosts.names[0], *command.words)))
    hosts_of_groups = [
        [(host.name, host.ranks) for hosts in group.hosts for host in hosts.each] for group in record.groups
    ]
    assert hosts_of_groups == [[("h1", [0])], [("h1", [1]), ("h2", [2])]]


def started_by_slurm(slurm: Slurm, case: Case, machine: Machine, *allocation: str) -> list[list[tuple[str, list[int]]]]:
    """Return the hosts of each group with their ranks, as its programs report them."""
    command = rendered(case, machine)
    variables = [f"{name}={value}" for name, value in command.variables.items()]
    done = slurm.run("salloc", "--quiet", *allocation, "env", *variables, *command.words)
    record = read_back(case, command, ProcessResult(done.stdout, done.stderr, done.returncode, False, {}))
    return [[(host.name, list(host.ranks)) for hosts in group.hosts for host in hosts.each] for group in record.groups]


def test_slurm_starts_groups_on_hosts_of_their_own(
    here: Machine, slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    first, second, *_ = here.allotment.allowed
    machine = here.changed(allotment={"hosts": ["n1", "n2"]}, partition={"launcher": "srun"})
    case = together(RankGroup("first", 1, 1, on(first)), RankGroup("second", 2, 1, on(second, nodes=2, per_kernel=2)))
    hosts_of_groups = started_by_slurm(slurm, case, machine, "--nodelist=n[1-2]", "--exclusive")
    assert hosts_of_groups == [[("n1", [0])], [("n1", [1]), ("n2", [2])]]


def test_slurm_starts_groups_on_unlike_partitions(here: Machine, slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_0", "n1")
    monkeypatch.setenv("SLURM_JOB_NODELIST_HET_GROUP_1", "n[3-4]")
    first, second, *_ = here.allotment.allowed
    own = here.changed(allotment={"hosts": ["n1"]}, partition={"launcher": "srun"})
    site = own.site.model_copy(update={"partitions": {"main": own.partition, "large": own.partition}})
    allotments = [
        own.allotment.model_copy(update={"partition": name, "hosts": hosts})
        for name, hosts in (("main", ["n1"]), ("large", ["n3", "n4"]))
    ]
    both = own.model_copy(update={"site": site, "allotments": allotments})
    case = together(
        RankGroup("first", 2, 1, replace(on(first), cpus=((first,), (second,)), per_node=2), partition="main"),
        RankGroup("second", 2, 1, on(first, nodes=2, per_kernel=2), partition="large"),
    )
    parts = ("--partition=main", "--nodelist=n1", "--exclusive", ":", "--partition=large", "--nodelist=n[3-4]")
    assert started_by_slurm(slurm, case, both, *parts) == [[("n1", [0, 1])], [("n3", [2]), ("n4", [3])]]
