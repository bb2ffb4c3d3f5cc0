"""The command of a case, rendered before anything runs: what a person could type to the same effect."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.launch.program import Description, arguments
from banzuke.machine.blas import candidates
from banzuke.machine.model import Blas, Machine
from banzuke.plan.benchmark import Benchmark, Case, Library
from banzuke.plan.cases import processors
from banzuke.plan.catalogue import program

OPENMP_PLACEMENT = ("OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""A user who sets one of these places the threads himself."""


@dataclass(frozen=True)
class Command:
    words: list[str]
    variables: Mapping[str, str]
    """Set for the run; an empty value removes the variable."""

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
    case: Case, machine: Machine, benchmark: Benchmark, description: Description, *, oversubscribe: bool = False
) -> Command:
    """The command of `case` on this host. Raises BanzukeError when there are too few processors or no launcher."""
    words = [str(program(case.benchmark, case.backend)), *arguments(case.parameters)]
    variables = {"OMP_NUM_THREADS": str(case.threads)}
    if not any(name in os.environ for name in OPENMP_PLACEMENT) and not oversubscribe:
        places = processors(machine, case.ranks, case.threads)
        words += ["--binding", "|".join(",".join(map(str, cpus)) for cpus in places)]
    words.append("--progress")
    if benchmark.needs_blas:
        variables |= blas_variables(machine.software.blas)
    if library := benchmark.libraries.get(case.backend):
        variables |= library_variables(library)
    if case.ranks > 1:
        launcher = find_launcher(description.mpi)
        words = [*launcher.words(case.ranks), *words]
        variables |= launcher.variables
        if oversubscribe:
            variables |= YIELDING
    return Command(words, variables)


def blas_variables(probed: list[Blas]) -> dict[str, str]:
    """Variables that make a program use the fastest library. Raises BanzukeError when none works."""
    usable = [blas for blas in probed if blas.flop_rate]
    if not usable:
        problems = "; ".join(f"{blas.path}: {blas.problem}" for blas in probed)
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


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: str
    variables: Mapping[str, str]

    def words(self, ranks: int) -> list[str]:
        # The programs bind themselves, and whether there are processors enough was checked: Open MPI would count a
        # core with its hardware threads, or a task of the batch system, as one.
        unbound = ["--bind-to", "none", "--oversubscribe"] if self.kind == "Open MPI" else []
        return [str(self.path), "-n", str(ranks), *unbound]


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
    version = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    if "Open MPI" in version or "OpenRTE" in version or "prte" in version.lower():
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
        return Launcher(path, "Open MPI", root)
    return Launcher(path, "Hydra", {})
