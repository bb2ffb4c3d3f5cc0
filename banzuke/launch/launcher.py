"""The launchers of the MPI libraries: they start groups of ranks on hosts, several groups as one MPMD job."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

from banzuke import paths
from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.launch.resource_managers import flux, fujitsu, slurms_mpi, srun
from banzuke.launch.start import LONGEST_HOST_LIST, Files, Start, group_words, host_file_words, host_words

YIELDING = {f"MPIR_CVAR_{call}_POSIX_INTRA_ALGORITHM": "mpir" for call in ("ALLREDUCE", "BCAST", "REDUCE", "BARRIER")}
"""MPICH's shared-memory collectives spin without yielding, which is a thousand times slower on shared processors."""

_BOOTSTRAPS = ("HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP")
"""Variables by which a user chooses how Hydra starts its proxies, in MPICH and in Intel MPI."""
_LONGEST_WORD = 100_000
"""Bytes of the longest word of a command; the kernel takes 128 KiB."""


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: str
    mpi: Path | None
    """The mpiexec of the MPI library; None: it has none."""
    variables: Mapping[str, str]
    small_shm: str = ""
    """Variables with which this MPI needs less of /dev/shm, for an error's remedy."""
    options: Sequence[str] = ()
    """Options that its site or this MPI library needs."""

    def render(
        self, starts: Sequence[Start], names: Sequence[str], folder: Path, further: Sequence[str] = ()
    ) -> tuple[list[str], Files]:
        """Return the command, and the files in `folder` that it reads.

        `names`: variables of the launcher's environment that the ranks on all hosts must get; `further`: options of the
        user's, which come after the launcher's own.
        """
        if self.kind == "Hydra" and starts[0].order:
            parts, files = _hydra_in_order(self.path, starts[0], folder)
        else:
            parts, files = _PARTS[self.kind](starts, names, folder)
        joined = [*parts[0], *(word for part in parts[1:] for word in (":", *part))]
        return [str(self.path), *self.options, *further, *joined], files


def _hydra(starts: Sequence[Start], _names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words of each group. All groups share one list of hosts, on which each continues after the one
    before.
    """
    several = len(starts) > 1
    lines = [f"{host}:{start.each}" if several else host for start in starts for host in start.hosts]
    named, files = host_words("-hosts", lines, "-f", lines, folder)
    named += ["-ppn", str(starts[0].each)] if lines and not several else []
    own = [[word for name, value in start.variables.items() for word in ("-env", name, value)] for start in starts]
    return group_words(starts, [named + own[0], *own[1:]]), files


def _hydra_in_order(path: Path, start: Start, folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words of a group whose ranks are in an order of their own: with a map of ranks, or with a file that
    repeats hosts.

    In a Slurm job, Hydra starts its proxies with one srun, which sorts nodes, so only a map keeps the order. Raises
    BanzukeError where there is none.
    """
    places = {host: str(place) for place, host in enumerate(start.hosts)}
    text = ",".join(places[host] for host in start.order)
    sorts = "SLURM_JOB_ID" in os.environ and {os.environ.get(name, "slurm") for name in _BOOTSTRAPS} == {"slurm"}
    if len(text) <= (_LONGEST_WORD if sorts else LONGEST_HOST_LIST) and _maps_ranks(path):
        named, files = host_words("-hosts", start.hosts, "-f", start.hosts, folder)
        named += ["-ppn", str(start.each), "-rankmap", text]
    elif sorts:
        raise BanzukeError(
            f"{path} cannot start these ranks in another order in a job of Slurm",
            why="it starts them by srun, which sorts nodes, and takes no map of them",
            remedy="Name srun as the partition's launcher",
        )
    else:
        lines = [f"{host}:{len(list(ranks))}" for host, ranks in groupby(start.order)]
        named, files = host_file_words("-machinefile", lines, folder)  # Intel MPI joins what -hosts or -f repeat
    own = [word for name, value in start.variables.items() for word in ("-env", name, value)]
    return group_words([start], [named + own]), files


@cache
def _maps_ranks(path: Path) -> bool:
    """Return whether this Hydra takes a map of ranks to nodes; Intel MPI's and old ones do not."""
    return "-rankmap" in captured([path, "-h"], seconds=30).text


def _open_mpi(starts: Sequence[Start], names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words of each group, after options of the whole job.

    The programs bind themselves, and the number of processors was already checked; Open MPI would count a core with its
    hardware threads, or a task of the batch system, as one. It maps all groups in one way: by ranks on each host where
    there is only one group, else by the slots that each group has on its hosts.
    """
    several = len(starts) > 1
    options: list[list[str]] = []
    files: dict[Path, str] = {}
    for start in starts:
        slots = [f"{host}:{start.each}" for host in start.hosts]
        lines = [f"{host} slots={start.each}" for host in start.hosts]
        if start.order:
            own, read = host_file_words("--hostfile", start.order, folder)
        else:
            own, read = host_words("--host", slots, "--hostfile", lines, folder)
        files |= read
        if start.hosts:
            blocks = "seq" if start.order else f"ppr:{start.each}:node"
            own += [] if several else ["--map-by", blocks]
            own += [word for name in names for word in ("-x", name)]
        own += [word for name, value in start.variables.items() for word in ("-x", f"{name}={value}")]
        options.append(own)
    by_slot = ["--map-by", "slot"] if several else []
    return group_words(starts, [["--bind-to", "none", "--oversubscribe", *by_slot, *options[0]], *options[1:]]), files


_PARTS: Mapping[str, Callable[[Sequence[Start], Sequence[str], Path], tuple[list[list[str]], Files]]] = {
    "Hydra": _hydra,
    "Open MPI": _open_mpi,
    "Fujitsu": fujitsu,
    "srun": srun,
    "flux": flux,
}


@cache
def find_launcher(library: str, command: str = "") -> Launcher:
    """Return the launcher that belongs to the program's MPI library (some list several files), else the first on PATH.

    `command`: the partition's launcher; srun and `flux run` start programs of any MPI library. Raises BanzukeError.
    """
    words = shlex.split(command)
    manager = Path(words[0]).name if words else ""
    mpiexec = _mpiexec(library)
    if manager in {"srun", "flux"}:
        path = shutil.which(words[0])
        if path is None:
            raise BanzukeError(
                f"the launcher {words[0]} was not found",
                why="the partition's description names it",
                remedy="Load its module in the description's batch.modules, or name another launcher there",
            )
        kind = launcher_of(mpiexec) if mpiexec else None
        options = words[1:] if manager == "srun" else ["run", *words[1:][words[1:2] == ["run"] :]]
        if manager == "srun" and kind and not any(word.startswith("--mpi") for word in options):
            options = [f"--mpi={slurms_mpi(path, kind.kind)}", *options]
        return replace(kind or Launcher(Path(), "", None, {}), path=Path(path), kind=manager, options=options)
    if mpiexec is None:
        raise BanzukeError(
            "no MPI launcher found",
            why="neither beside the MPI library nor on PATH is there an mpiexec",
            remedy="Load the MPI module, or run with --ranks 1",
        )
    return launcher_of(mpiexec)


def _mpiexec(library: str) -> Path | None:
    beside = [Path(file).parent.parent / "bin" / "mpiexec" for file in (library, *library.split())]
    installed = next((p for p in (*beside, paths.executables() / "mpiexec") if p.is_file()), None)
    on_path = shutil.which("mpiexec")
    return installed or (Path(on_path) if on_path else None)


@cache
def launcher_of(path: Path) -> Launcher:
    """Return the launcher that an mpiexec is, by what it prints about itself. Raises BanzukeError."""
    try:
        version = captured([path, "--version"], seconds=30).text
    except OSError as error:
        raise BanzukeError(f"the MPI launcher {path} does not work", why=str(error)) from error
    if "Open MPI" in version or "OpenRTE" in version or "prte" in version.lower():
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
        # Fujitsu's is derived from Open MPI, and takes the places of ranks from PJM.
        kind = "Fujitsu" if "PJM_ENVIRONMENT" in os.environ else "Open MPI"
        return Launcher(path, kind, path, root, "OMPI_MCA_btl_sm_backing_directory=/tmp")
    if "Intel(R) MPI" in version:
        return Launcher(path, "Hydra", path, _intel_variables(path), "I_MPI_FABRICS=ofi")
    return Launcher(path, "Hydra", path, {}, "UCX_POSIX_DIR=/tmp MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS=4")


def _intel_variables(launcher: Path) -> dict[str, str]:
    """Return variables that make Intel MPI honour our rank counts inside batch jobs, and find its libfabric.

    Its PyPI package puts libfabric beside the library, which only searches the loader's path.
    """
    folder = launcher.parent.parent / "lib"
    folders = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    loaded = {"LD_LIBRARY_PATH": ":".join(folders)} if (folder / "libfabric.so.1").is_file() else {}
    return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "disable", **loaded}
