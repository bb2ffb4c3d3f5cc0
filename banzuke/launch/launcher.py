"""The launchers of the MPI libraries: words that start groups of ranks on hosts, several groups as one MPMD job."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from banzuke import paths
from banzuke.errors import BanzukeError

YIELDING = {f"MPIR_CVAR_{call}_POSIX_INTRA_ALGORITHM": "mpir" for call in ("ALLREDUCE", "BCAST", "REDUCE", "BARRIER")}
"""MPICH's shared-memory collectives spin without yielding: on shared processors a thousand times slower."""


LONGEST_HOST_LIST = 4096
"""Characters of a host list on the command line; longer ones go to a file, because each record keeps its command."""


@dataclass(frozen=True)
class Start:
    """What is started for one group of ranks."""

    words: Sequence[str]
    ranks: int
    hosts: Sequence[str]
    """In blocks of ranks; empty: where the launcher's own defaults put them."""
    each: int
    """Ranks on each host."""
    variables: Mapping[str, str]
    """Set for this group alone; what is set for all comes from the launcher's own environment."""


Files = Mapping[Path, str]
"""Texts that must be there before the launcher starts."""


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: str
    variables: Mapping[str, str]
    small_shm: str = ""
    """Variables with which this MPI makes do with a small /dev/shm, for an error's remedy."""

    def render(
        self, starts: Sequence[Start], names: Sequence[str], folder: Path, further: Sequence[str] = ()
    ) -> tuple[list[str], Files]:
        """The command, and the files in `folder` that it reads.

        `names`: variables of the launcher's environment that the ranks on all hosts must get; `further`: options of the
        user's, which come first.
        """
        options, files = _hydra(starts, folder) if self.kind == "Hydra" else _open_mpi(starts, names, folder)
        parts = [["-n", str(start.ranks), *own, *start.words] for start, own in zip(starts, options, strict=True)]
        return [str(self.path), *further, *parts[0], *(word for part in parts[1:] for word in (":", *part))], files


def _hydra(starts: Sequence[Start], folder: Path) -> tuple[list[list[str]], Files]:
    """Options of each group. One list of hosts serves all: a group's ranks go on where those of the one before end."""
    several = len(starts) > 1
    lines = [f"{host}:{start.each}" if several else host for start in starts for host in start.hosts]
    named, files = _listed("-hosts", lines, "-f", lines, folder)
    named += ["-ppn", str(starts[0].each)] if lines and not several else []
    own = [[word for name, value in start.variables.items() for word in ("-env", name, value)] for start in starts]
    return [named + own[0], *own[1:]], files


def _open_mpi(starts: Sequence[Start], names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Options of each group, after those of the whole job.

    The programs bind themselves, and whether there are processors enough was checked: Open MPI would count a core with
    its hardware threads, or a task of the batch system, as one. It maps all groups in one way: ranks by host only where
    there is but one group, else by the slots that each group has on its hosts.
    """
    several = len(starts) > 1
    options: list[list[str]] = []
    files: dict[Path, str] = {}
    for start in starts:
        slots = [f"{host}:{start.each}" for host in start.hosts]
        lines = [f"{host} slots={start.each}" for host in start.hosts]
        own, read = _listed("--host", slots, "--hostfile", lines, folder)
        files |= read
        if start.hosts:
            own += [] if several else ["--map-by", f"ppr:{start.each}:node"]
            own += [word for name in names for word in ("-x", name)]
        own += [word for name, value in start.variables.items() for word in ("-x", f"{name}={value}")]
        options.append(own)
    by_slot = ["--map-by", "slot"] if several else []
    return [["--bind-to", "none", "--oversubscribe", *by_slot, *options[0]], *options[1:]], files


def _listed(
    option: str, hosts: Sequence[str], file_option: str, lines: Sequence[str], folder: Path
) -> tuple[list[str], Files]:
    """Words that name hosts, and the file that these name where they are many."""
    listed = ",".join(hosts)
    if len(listed) <= LONGEST_HOST_LIST:
        return [option, listed] if hosts else [], {}
    text = "".join(f"{line}\n" for line in lines)
    file = folder.absolute() / f"hosts-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return [file_option, str(file)], {file: text}


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
    """Makes Intel MPI honour our rank counts inside batch jobs, and find its libfabric.

    Its PyPI package puts libfabric beside the library, which looks for it in the loader's path alone.
    """
    folder = launcher.parent.parent / "lib"
    known = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    loaded = {"LD_LIBRARY_PATH": ":".join(known)} if (folder / "libfabric.so.1").is_file() else {}
    return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "disable", **loaded}
