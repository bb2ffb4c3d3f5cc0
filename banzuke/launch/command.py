"""The command of a case, rendered before anything runs: what a person could type to the same effect."""

import hashlib
import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from banzuke import paths
from banzuke.environment.model import OF_ONE_HOST, Environment, Native
from banzuke.errors import BanzukeError
from banzuke.launch.program import Description, arguments
from banzuke.machine.blas import candidates
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas
from banzuke.plan.benchmark import Benchmark, Case, Library
from banzuke.plan.catalogue import program
from banzuke.plan.placement import Placement, processors

OPENMP_PLACEMENT = ("OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""A user who sets one of these places the threads himself."""


NATIVE = Native()


@dataclass(frozen=True)
class Command:
    words: list[str]
    variables: Mapping[str, str]
    """Set for the run; an empty value removes the variable."""
    files: Mapping[Path, str] = field(default_factory=dict)
    """Texts that must be there before it starts."""
    placement: Placement | None = None
    """The case's, with processors numbered as its environment numbers them."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Of its environment, for the record."""
    watched: bool = True
    """Whether the processes that it tells of are this kernel's."""
    small_shm: str = ""
    """Of several ranks: variables with which their MPI makes do with a small /dev/shm."""

    def text(self) -> str:
        """The command as a person types it, variables in front."""
        assigned = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items() if value != ""]
        removed = [word for name, value in self.variables.items() if value == "" for word in ("-u", name)]
        return " ".join([*(["env", *removed] if removed else []), *assigned, shlex.join(self.words)])

    def environment(self) -> dict[str, str]:
        """The whole environment of the process."""
        merged = {**os.environ, **self.variables}
        return {name: value for name, value in merged.items() if self.variables.get(name) != ""}


def render(
    case: Case,
    machine: Machine,
    benchmark: Benchmark,
    description: Description,
    *,
    limit: float,
    folder: Path,
    oversubscribe: bool = False,
    around: Environment = NATIVE,
) -> Command:
    """The command of `case`, whose ranks say after `limit` seconds what they do; a file that it reads is in `folder`.

    Raises BanzukeError when there are too few processors or hosts, or no launcher.
    """
    kind = case.environment.partition(":")[0]
    if kind in OF_ONE_HOST and case.placement and case.placement.nodes > 1:
        raise BanzukeError(
            f"{case.placement.nodes} hosts cannot run in the environment {case.environment}",
            why="it is set up on this host alone",
            remedy="Prepare each host in the job's prologue, with `banzuke isolate --apply`, and run natively",
        )
    words = [str(program(case.benchmark, case.backend)), *arguments(case.parameters)]
    variables = {"OMP_NUM_THREADS": str(case.threads)}
    if places := _binding(case, machine, oversubscribe=oversubscribe):
        words += ["--binding", "|".join(",".join(str(around.cpu(cpu)) for cpu in cpus) for cpus in places)]
    words += ["--progress", "--time-limit", f"{limit:g}"]
    if benchmark.needs_blas:
        variables |= blas_variables(machine.software.blas)
    if library := benchmark.libraries.get(case.backend):
        variables |= library_variables(library)
    files: Mapping[Path, str] = {}
    front: list[str] = []
    small_shm = ""
    if case.ranks > 1:
        launcher = find_launcher(description.mpi)
        named, files = launcher.hosts(_hosts(case, machine), str(case.per_host), folder)
        front = launcher.words(case.ranks, named, variables)
        variables |= launcher.variables
        small_shm = launcher.small_shm
        if oversubscribe:
            variables |= YIELDING
    details = {**around.details, **({"warning": around.warning} if around.warning else {})}
    words = [*front, *around.inner(words, variables)]
    words = around.outer(words, variables, case.per_host * description.footprint)
    return Command(words, variables, files, _numbered(case.placement, around), details, kind != "vm", small_shm)


def _numbered(placement: Placement | None, around: Environment) -> Placement | None:
    """As the environment numbers the processors."""
    if placement is None:
        return None
    return replace(placement, cpus=tuple(tuple(around.cpu(cpu) for cpu in cpus) for cpus in placement.cpus))


def _binding(case: Case, machine: Machine, *, oversubscribe: bool) -> Sequence[Sequence[int]]:
    """Processors of each rank on a host; empty: a user's own settings or the kernel place the threads."""
    if case.placement:
        return case.placement.cpus
    if oversubscribe or any(name in os.environ for name in OPENMP_PLACEMENT):
        return []
    return processors(machine, case.ranks, case.threads)


def _hosts(case: Case, machine: Machine) -> list[str]:
    """Hosts of the case's ranks, from those that may be used; empty: this one, and there is no other."""
    wanted = case.placement.nodes if case.placement else 1
    if wanted > max(1, len(machine.allotment.hosts)):
        raise BanzukeError(
            f"{wanted} hosts are needed",
            why=f"{len(machine.allotment.hosts) or 'only this one'} may be used",
            remedy="Name them with --hosts, or ask the batch system for more",
        )
    here = socket.gethostname().partition(".")[0]
    return sorted(machine.allotment.hosts, key=lambda host: host.partition(".")[0] != here)[:wanted]


def blas_variables(libraries: list[Blas]) -> dict[str, str]:
    """Variables that make a program use the first library that works. Raises BanzukeError when none does."""
    usable = [blas for blas in libraries if blas.problem is None]
    if not usable:
        problems = "; ".join(f"{blas.path}: {blas.problem}" for blas in libraries)
        raise BanzukeError(
            "no BLAS library works here",
            why=problems or "none was found",
            remedy="`pip install scipy-openblas32` into the environment, or name one with --blas PATH",
        )
    return {"BANZUKE_BLAS": usable[0].path, **dict.fromkeys(usable[0].unset, "")}


@cache
def library_variables(library: Library) -> dict[str, str]:
    """The variable that names the library, which the user's own precedes. Raises BanzukeError when there is none."""
    named = os.environ.get(library.variable)
    path = named or next((found.path for found in candidates() if found.name == library.name), None)
    if path is None:
        raise BanzukeError(
            f"{library.name} was not found here",
            remedy=f"`pip install {library.package}` into the environment, load its module, or set {library.variable} "
            "to the path of the library",
        )
    return {library.variable: path}


YIELDING = {f"MPIR_CVAR_{call}_POSIX_INTRA_ALGORITHM": "mpir" for call in ("ALLREDUCE", "BCAST", "REDUCE", "BARRIER")}
"""MPICH's shared-memory collectives spin without yielding: on shared processors a thousand times slower."""


LONGEST_LIST = 4096
"""Letters of hosts on a command line: Linux takes 128 KiB in a word, and every record keeps its command."""


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: str
    variables: Mapping[str, str]
    small_shm: str = ""
    """As in `Command`."""

    def hosts(self, hosts: Sequence[str], each: str, folder: Path) -> tuple[list[str], Mapping[Path, str]]:
        """Words for so many ranks on each of the hosts, in blocks, and the file that these name where they are many."""
        if not hosts:
            return [], {}
        hydra = self.kind == "Hydra"
        around = ["-ppn", each] if hydra else ["--map-by", f"ppr:{each}:node"]
        listed = ",".join(hosts if hydra else (f"{host}:{each}" for host in hosts))
        if len(listed) <= LONGEST_LIST:
            return ["-hosts" if hydra else "--host", listed, *around], {}
        lines = "".join(f"{host}\n" if hydra else f"{host} slots={each}\n" for host in hosts)
        file = folder.absolute() / f"hosts-{hashlib.sha256(lines.encode()).hexdigest()[:12]}"
        return ["-f" if hydra else "--hostfile", str(file), *around], {file: lines}

    def words(self, ranks: int, hosts: Sequence[str], variables: Mapping[str, str]) -> list[str]:
        """`hosts`: the words for them; without, ranks start where the launcher's own defaults put them."""
        words = [str(self.path), "-n", str(ranks)]
        if self.kind == "Hydra":
            return [*words, *hosts]
        # The programs bind themselves, and whether there are processors enough was checked: Open MPI would count a
        # core with its hardware threads, or a task of the batch system, as one.
        words += ["--bind-to", "none", "--oversubscribe"]
        if hosts:
            words += hosts
            words += [word for name, value in variables.items() if value != "" for word in ("-x", name)]
        return words


@cache
def find_launcher(library: str) -> Launcher:
    """The launcher that belongs to the MPI library of the program (some list several), else the first of the path."""
    beside = [Path(file).parent.parent / "bin" / "mpiexec" for file in (library, *library.split())]
    found = next((p for p in (*beside, paths.executables() / "mpiexec") if p.is_file()), None)
    path = found or Path(shutil.which("mpiexec") or "")
    if not path.name:
        raise BanzukeError(
            "no MPI launcher found",
            why="neither beside the MPI library nor on PATH is there an mpiexec",
            remedy="Load the MPI module, or run with --ranks 1",
        )
    try:
        version = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BanzukeError(f"the MPI launcher {path} does not work", why=str(error)) from error
    if "Open MPI" in version or "OpenRTE" in version or "prte" in version.lower():
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
        return Launcher(path, "Open MPI", root, "OMPI_MCA_btl_sm_backing_directory=/tmp")
    if "Intel(R) MPI" in version:
        return Launcher(path, "Hydra", _intel_variables(path), "I_MPI_FABRICS=ofi")
    return Launcher(path, "Hydra", {}, "UCX_POSIX_DIR=/tmp MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS=4")


def _intel_variables(launcher: Path) -> dict[str, str]:
    """For the numbers of ranks that we give to count in batch jobs too, and for what comes from PyPI.

    There libfabric lies beside the library, which looks for it in the loader's path alone.
    """
    folder = launcher.parent.parent / "lib"
    known = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    loaded = {"LD_LIBRARY_PATH": ":".join(known)} if (folder / "libfabric.so.1").is_file() else {}
    return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "disable", **loaded}
