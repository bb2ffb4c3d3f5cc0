"""Commands as they are rendered; the programs are shell scripts that describe themselves."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from banzuke.environment import cross_memory
from banzuke.environment.native import Native
from banzuke.errors import BanzukeError
from banzuke.launch.check import check
from banzuke.launch.command import Command
from banzuke.launch.command import render as render_within
from banzuke.launch.start import LONGEST_HOST_LIST
from banzuke.machine.user_variables import BINDING, COUNTING, PLACING
from banzuke.plan.catalogue import find
from banzuke.plan.placement import Placement, pair_placements
from banzuke.program.describe import Answer, Problem
from banzuke.testing import case, machine

PARAMETER = {"name": "n", "type": "integer", "help": "size", "value": 5, "minimum": 1, "maximum": 10**9}


@pytest.fixture(autouse=True)
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*PLACING, *COUNTING, *BINDING, "BANZUKE_BLAS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setattr(cross_memory, "refusal", str)  # whatever this host allows
    install(tmp_path, footprint=1000)
    return tmp_path


def install(folder: Path, *, footprint: float, mpi: str = "none") -> None:
    description = {
        "benchmark": "stream",
        "backend": "omp",
        "schema_version": 1,
        "parameters": [PARAMETER],
        "problem": {"footprint": footprint, "facts": {}},
        "compiler": "c",
        "flags": "f",
        "mpi": mpi,
        "mpi_name": "none",
    }
    for program in ("banzuke-stream-omp", "banzuke-dgemm-blas"):
        file = folder / program
        file.write_text(f"#!/bin/sh\necho '{json.dumps(description)}'\n")
        file.chmod(0o755)


def render(*parts: Any, **changes: Any) -> Command:
    """The last of the parts is the description of each group's program."""
    started, here, benchmark, description = parts
    alike = [description] * len(started.groups)
    return render_within(started, here, benchmark, alike, limit=60.0, **({"folder": Path("results")} | changes))


def description(**changes: object) -> Answer:
    fields = {"benchmark": "stream", "backend": "omp", "schema_version": 1, "parameters": []}
    problem = {"problem": {"footprint": 1.0, "facts": {}}}
    build = {"compiler": "c", "flags": "f", "mpi": "none", "mpi_name": "none"}
    return Answer.model_validate(fields | problem | build | changes)


def test_one_rank_needs_no_launcher(installation: Path) -> None:
    command = render(case(), machine(cores=4), find("stream"), description())
    assert command.words == [
        str(installation / "banzuke-stream-omp"), "--n", "1000", "--binding", "0,2", "--progress",
        "--time-limit", "60",
    ]  # fmt: skip
    assert command.variables == {"OMP_NUM_THREADS": "2"}


@pytest.mark.parametrize("name", PLACING)
def test_a_users_own_placement_is_honoured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "cores")
    assert "--binding" not in render(case(), machine(), find("stream"), description()).words


@pytest.mark.parametrize("name", PLACING)
def test_set_to_nothing_it_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "")
    command = render(case(), machine(), find("stream"), description())
    assert "--binding" in command.words
    assert command.variables[name] == ""
    assert name not in command.environment()


def test_the_number_of_threads_is_the_cases_unless_it_is_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    monkeypatch.setenv("MKL_NUM_THREADS", "1")
    environment = render(
        case(variables=(("OMP_THREAD_LIMIT", "3"),)), machine(), find("stream"), description()
    ).environment()
    assert (environment["OMP_THREAD_LIMIT"], environment["OMP_NUM_THREADS"]) == ("3", "2")
    assert "MKL_NUM_THREADS" not in environment


def test_too_many_processors_are_refused_unless_asked_for() -> None:
    wanted = case(threads=9)
    with pytest.raises(BanzukeError, match="9 processors"):
        render(wanted, machine(cores=4), find("stream"), description())
    assert "--binding" not in render(wanted, machine(cores=4), find("stream"), description(), oversubscribe=True).words


def test_ranks_get_a_launcher_and_a_place_each(tmp_path: Path) -> None:
    prefix = tmp_path / "mpi with space"
    (prefix / "bin").mkdir(parents=True)
    mpiexec = prefix / "bin" / "mpiexec"
    mpiexec.write_text("#!/bin/sh\necho 'mpiexec (Open MPI) 5.0'\n")
    mpiexec.chmod(0o755)
    command = render(
        case(ranks=2, threads=1), machine(cores=4), find("stream"), description(mpi=str(prefix / "lib" / "libmpi.so"))
    )
    assert command.words[:6] == [str(mpiexec), "-n", "2", "--bind-to", "none", "--oversubscribe"]
    assert command.words[-4] == "0|2"
    assert "'0|2'" in command.text()


class Ship(Native):
    """An environment with words around everything and numbers of its own."""

    def inner(self, words: list[str], variables: Mapping[str, str]) -> list[str]:
        return ["crate", *(f"{name}={value}" for name, value in variables.items()), *words]

    def outer(self, words: list[str], _variables: Mapping[str, str], memory: float) -> list[str]:
        return ["ship", f"{memory:g}", *words]

    def cpu(self, number: int) -> int:
        return number + 10


def test_an_environment_goes_around_the_program_and_around_the_launcher(tmp_path: Path) -> None:
    mpi = launcher(tmp_path, "HYDRA").model_copy(update={"problem": Problem(footprint=500.0, facts={})})
    pair = Placement("pair", "two cores", ((0,), (3,)), per_node=2)
    started = case(ranks=2, threads=1, placement=pair)
    around = Ship(details={"tool": "ship 1"}, warning="it rolls")
    command = render(started, machine(cores=4), find("stream"), mpi, around=around)
    mpiexec, program = str(tmp_path / "bin/mpiexec"), str(tmp_path / "banzuke-stream-omp")
    assert command.words[:8] == ["ship", "1000", mpiexec, "-n", "2", "crate", "OMP_NUM_THREADS=1", program]
    assert command.words[command.words.index("--binding") + 1] == "10|13"
    assert command.placements[0] is not None
    assert command.placements[0].cpus == ((10,), (13,))
    assert command.details == {"tool": "ship 1", "warning": "it rolls"}


@pytest.mark.parametrize(("environment", "watched"), [("native", True), ("container", True), ("vm:tcg", False)])
def test_processes_of_another_kernel_are_not_watched(environment: str, watched: bool) -> None:  # noqa: FBT001
    assert render(case(environment=environment), machine(), find("stream"), description()).watched is watched


@pytest.mark.parametrize("environment", ["isolated", "isolated:user", "vm:tcg"])
def test_what_is_set_up_on_one_host_is_refused_for_several(environment: str) -> None:
    here = machine(cores=2).changed(allotment={"hosts": ["n1", "n2"]})
    started = case(ranks=2, threads=1, placement=FAR, environment=environment)
    with pytest.raises(BanzukeError, match=rf"2 hosts cannot run in the environment {environment}.*--apply"):
        render(started, here, find("stream"), description())


@pytest.mark.parametrize("environment", ["isolated", "vm:tcg"])
def test_what_is_set_up_on_this_host_is_refused_for_another(environment: str) -> None:
    there = machine(cores=2).changed(allotment={"hosts": ["n1"]})
    with pytest.raises(
        BanzukeError, match=rf"other hosts cannot run in the environment {environment}.*only on this host"
    ):
        render(case(environment=environment), there, find("stream"), description())


def test_one_rank_is_started_on_the_host_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpi = launcher(tmp_path, "HYDRA build details:")
    there = machine(cores=2).changed(allotment={"hosts": ["n1"]})
    words = render(case(), there, find("stream"), mpi).words
    assert words[:7] == [str(tmp_path / "bin/mpiexec"), "-n", "1", "-hosts", "n1", "-ppn", "1"]
    monkeypatch.setattr("socket.gethostname", lambda: "n1")
    assert render(case(), there, find("stream"), mpi).words[0] == str(tmp_path / "banzuke-stream-omp")
    monkeypatch.setattr("socket.gethostname", lambda: "n2")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path / "none"))
    with pytest.raises(BanzukeError, match="no MPI launcher"):
        render(case(), there, find("stream"), description(mpi="unknown"))


NEAR, FAR = pair_placements(machine(cores=2).changed(allotment={"hosts": ["n1", "n2"]}))


def launcher(folder: Path, version: str) -> Answer:
    mpiexec = folder / "bin" / "mpiexec"
    mpiexec.parent.mkdir()
    mpiexec.write_text(f"#!/bin/sh\necho '{version}'\n")
    mpiexec.chmod(0o755)
    return description(mpi=f"{folder}/lib/libmpi.so")


def words(placement: Placement | None, hosts: list[str], mpi: Answer, **changes: Any) -> str:
    here = machine(cores=2).changed(allotment={"hosts": hosts})
    started = case(ranks=2, threads=1, placement=placement)
    return " ".join(render(started, here, find("stream"), mpi, **changes).words).partition("bin/mpiexec ")[2]


@pytest.mark.parametrize("version", ["HYDRA build details:", "Intel(R) MPI Library for Linux* OS, Version 2021.18"])
def test_hydra_gets_blocks_of_ranks_on_hosts(version: str, tmp_path: Path) -> None:
    mpi = launcher(tmp_path, version)
    assert words(FAR, ["n1", "n2", "n3"], mpi).startswith("-n 2 -hosts n1,n2 -ppn 1 /")
    assert "--binding 0|1 " in words(FAR, ["n1", "n2"], mpi)
    assert words(NEAR, ["n1", "n2"], mpi).startswith("-n 2 -hosts n1 -ppn 2 /")
    assert words(NEAR, [], mpi).startswith("-n 2 /")
    assert words(None, ["n1", "n2"], mpi).startswith("-n 2 -hosts n1 -ppn 2 /")


def test_intel_mpi_from_pypi_finds_its_libfabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    mpi = launcher(tmp_path, "Intel(R) MPI Library for Linux* OS, Version 2021.18")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libfabric.so.1").touch()
    variables = render(case(ranks=2, threads=1), machine(), find("stream"), mpi).variables
    assert variables["LD_LIBRARY_PATH"] == f"{tmp_path}/lib:/opt/lib"
    assert variables["I_MPI_JOB_RESPECT_PROCESS_PLACEMENT"] == "disable"


@pytest.mark.parametrize("version", ["mpiexec (OpenRTE) 4.1.6", "mpiexec (Open MPI) 5.0.11"])
def test_open_mpi_gets_slots_of_hosts(version: str, tmp_path: Path) -> None:
    mpi = launcher(tmp_path, version)
    assert words(FAR, ["n1", "n2"], mpi).startswith(
        "-n 2 --bind-to none --oversubscribe --host n1:1,n2:1 --map-by ppr:1:node -x OMP_NUM_THREADS /"
    )
    assert "--host n1:2 --map-by ppr:2:node" in words(NEAR, ["n1", "n2"], mpi)
    assert words(NEAR, [], mpi).startswith("-n 2 --bind-to none --oversubscribe /")


@pytest.mark.parametrize(
    ("version", "option", "line", "around"),
    [
        ("HYDRA", "-f", "n{}.example.org", "-ppn 1"),
        ("mpiexec (Open MPI) 5.0", "--hostfile", "n{}.example.org slots=1", "--map-by ppr:1:node"),
    ],
)
def test_a_file_holds_many_hosts(version: str, option: str, line: str, around: str, tmp_path: Path) -> None:
    hosts = [f"n{number}.example.org" for number in range(10_000)]
    everywhere = Placement("10000-nodes-1", "", ((0,),), per_node=1, nodes=len(hosts))
    here = machine(cores=2).changed(allotment={"hosts": hosts})
    started = case(ranks=len(hosts), threads=1, placement=everywhere)
    command = render(started, here, find("stream"), launcher(tmp_path, version), folder=Path("a b"))
    ((file, text),) = command.files.items()
    assert file.parent == Path("a b").absolute()
    assert f"{option} {file} {around} " in " ".join(command.words)
    assert text == "".join(line.format(number) + "\n" for number in range(10_000))
    assert max(map(len, command.words)) < LONGEST_HOST_LIST


def test_the_host_that_was_looked_at_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "n2.example.org")
    mpi = launcher(tmp_path, "HYDRA")
    assert "-hosts n2 -ppn 2" in words(NEAR, ["n1", "n2"], mpi)
    assert "-hosts n2,n1 -ppn 1" in words(FAR, ["n1", "n2", "n3"], mpi)


@pytest.mark.parametrize(
    ("version", "around", "lines"),
    [
        ("HYDRA", "-n 4 -machinefile {} /", ["n2:1", "n1:2", "n2:1"]),
        ("HYDRA -rankmap", "-n 4 -hosts n1,n2 -ppn 2 -rankmap 1,0,0,1 /", []),
        ("mpiexec (Open MPI) 5.0.11", "--hostfile {} --map-by seq ", ["n2", "n1", "n1", "n2"]),
    ],
)
def test_ranks_go_to_hosts_in_an_order_of_their_own(
    version: str, around: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    here = machine(cores=2).changed(allotment={"hosts": ["n1", "n2"]})
    everywhere = Placement("2-nodes-all", "", ((0,), (1,)), per_node=2, nodes=2)
    started = case(ranks=4, threads=1, placement=everywhere, rank_order="random:1")
    mpi = launcher(tmp_path, version)
    order = ["n2", "n1", "n1", "n2"]
    command = render(started, here, find("stream"), mpi, ordered=lambda *_: order)
    assert around.format(next(iter(command.files), "")) in " ".join(command.words)
    assert [line for text in command.files.values() for line in text.splitlines()] == lines
    assert command.order == order
    if version == "HYDRA":
        monkeypatch.setenv("SLURM_JOB_ID", "1")
        with pytest.raises(BanzukeError, match="srun, which sorts nodes"):
            render(started, here, find("stream"), mpi, ordered=lambda *_: order)


def test_too_few_hosts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"2 hosts are needed \(only this one may be used\)"):
        words(FAR, [], launcher(tmp_path, "HYDRA"))


@pytest.mark.parametrize("name", PLACING)
def test_a_placement_binds_whatever_else_is_set(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "cores")
    assert "--binding 0|1 " in words(NEAR, [], launcher(tmp_path, "HYDRA"), oversubscribe=True)


def test_where_ranks_may_not_read_each_other_their_mpi_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_memory, "refusal", lambda: "process_vm_readv: no")
    monkeypatch.setattr(cross_memory, "variables", lambda: {"MPIR_CVAR_CH4_CMA_ENABLE": "0", "UCX_TLS": "^cma"})
    answer = launcher(tmp_path, "HYDRA")
    command = render(case(ranks=2, threads=1, variables=(("UCX_TLS", "self"),)), machine(), find("stream"), answer)
    assert command.variables == {"OMP_NUM_THREADS": "1", "MPIR_CVAR_CH4_CMA_ENABLE": "0", "UCX_TLS": "self"}
    assert command.details == {"cross_memory_attach": "process_vm_readv: no"}
    alone = render(case(), machine(), find("stream"), answer)
    assert "UCX_TLS" not in alone.variables


def test_the_memory_of_a_host_holds_its_own_ranks_alone(installation: Path) -> None:
    install(installation, footprint=40 << 30, mpi="/lib/libmpi.so")
    check(case(ranks=2, placement=FAR), machine(memory=64 << 30))
    with pytest.raises(BanzukeError, match="needs 80 GiB"):
        check(case(ranks=2, placement=NEAR), machine(memory=64 << 30))


def test_sizes_beyond_the_memory_are_refused(installation: Path) -> None:
    install(installation, footprint=40 << 30, mpi="/lib/libmpi.so")
    check(case(), machine(memory=64 << 30))
    with pytest.raises(BanzukeError, match=r"needs 80 GiB of memory \(64 GiB of 64 GiB"):
        check(case(ranks=2), machine(memory=64 << 30))


def test_unknown_parameters_are_answered_with_a_suggestion() -> None:
    with pytest.raises(BanzukeError, match=r"no parameter 'N'.*Did you mean 'n'"):
        check(case(parameters={"N": 5}), machine())


def test_ranks_without_mpi_are_refused() -> None:
    with pytest.raises(BanzukeError, match="built without MPI"):
        check(case(ranks=2), machine())


def test_a_variant_shows_in_the_command(tmp_path: Path) -> None:
    mpi = launcher(tmp_path, "HYDRA")
    asked = {"variables": (("A", "x; y'"), ("GONE", "")), "launcher": "-genv B 'two words'", "cores": "2-3"}
    command = render(case(ranks=2, threads=1, **asked), machine(cores=4), find("stream"), mpi)
    assert command.words[1:6] == ["-genv", "B", "two words", "-n", "2"]
    assert command.words[command.words.index("--binding") + 1] == "2|3"
    assert command.cores == [2, 3]
    assert {name: command.variables[name] for name in ("A", "GONE")} == {"A": "x; y'", "GONE": ""}
    assert shlex.split(command.text())[:4] == ["env", "-u", "GONE", "OMP_NUM_THREADS=1"]
    assert "A=x; y'" in shlex.split(command.text())


def test_programs_take_the_memory_policy_and_the_pages() -> None:
    words = render(case(memory="bind:0", pages="base"), machine(), find("stream"), description()).words
    assert words[words.index("--memory-policy") + 1] == "bind:0"
    assert words[words.index("--pages") + 1] == "base"


def test_a_variable_of_the_launch_itself_is_not_varied() -> None:
    with pytest.raises(BanzukeError, match=r"--env OMP_NUM_THREADS cannot be varied \(the launch itself sets"):
        render(case(variables=(("OMP_NUM_THREADS", "1"),)), machine(), find("stream"), description())


def test_threads_that_are_not_bound_keep_to_no_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BanzukeError, match=r"--cores 0-1 binds every thread .*--oversubscribe"):
        render(case(cores="0-1"), machine(), find("stream"), description(), oversubscribe=True)
    monkeypatch.setenv("OMP_PLACES", "cores")
    with pytest.raises(BanzukeError, match="OMP_PLACES places the threads"):
        render(case(cores="0-1"), machine(), find("stream"), description())


def test_a_program_is_no_rank_of_the_step_that_started_banzuke(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PMI_FD", "PMI_RANK", "PMIX_RANK", "PMIX_SERVER_URI41", "PMIX_MCA_gds"):
        monkeypatch.setenv(name, "0")
    environment = Command(["x"], {"PMI_RANK": "3"}).environment()
    assert {name for name in environment if name.startswith("PMI")} == {"PMI_RANK", "PMIX_MCA_gds"}
    assert environment["PMI_RANK"] == "3"
