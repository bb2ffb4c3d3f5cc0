"""Launchers that belong to batch systems: Slurm's srun, `flux run`, and Fujitsu's mpiexec in jobs of PJM."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.launch.start import Files, Start, group_words, host_file_words, host_words
from banzuke.machine import allocation
from banzuke.machine.hosts import folded, short

_SRUN = (
    "--quiet",
    "--overlap",
    "--overcommit",
    "--cpu-bind=none",
    "--kill-on-bad-exit=1",
    "--quit-on-interrupt",
    "--export=ALL",
)
"""Ranks bind themselves, and the number of processors was already checked. By default, steps wait for each other, ranks
outlive one that has died, and a script's own --export also applies to its steps.
"""
GROUP = "BANZUKE_GROUP"
"""Variable of a rank with the number of its group."""
_MPI = {"Hydra": ("pmi2", "pmix"), "Open MPI": ("pmix",), "Fujitsu": ("pmix",)}
"""Values of srun's --mpi for each kind of MPI library, the best first."""
_SECONDS = 30


def slurms_mpi(srun: str, kind: str) -> str:
    """Return the value of --mpi by which this Slurm can start the library's programs. Raises BanzukeError."""
    try:
        done = captured([srun, "--mpi=list"], seconds=_SECONDS)
    except OSError as error:
        raise BanzukeError(f"the launcher {srun} does not work", why=str(error)) from error
    if done.status:
        raise BanzukeError(f"`{srun} --mpi=list` failed", why=done.complaint.strip())
    # Older versions print to the error stream, with or without a heading.
    kinds = (done.text + done.complaint).replace(",", " ").split()
    for name in _MPI[kind]:
        if name in kinds:
            return name
    raise BanzukeError(
        f"srun cannot start programs of this MPI library, which needs --mpi={' or '.join(_MPI[kind])}",
        why=f"`srun --mpi=list` says: {' '.join(kinds)}",
        remedy="Name mpiexec as the partition's launcher",
    )


def starts_parts_by_srun(environment: Mapping[str, str]) -> bool:
    """Return whether only srun reaches all nodes of this job: in a heterogeneous job of Slurm, mpiexec reaches one of
    its parts.
    """
    return "SLURM_JOB_ID" in environment and len(allocation.groups(environment)) > 1


def srun(starts: Sequence[Start], _names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words of each part of a heterogeneous job, else those of all groups.

    Raises BanzukeError if the groups are not in the order of the parts, by which Slurm numbers the ranks.
    """
    starts = _numbered(starts)
    hosts = [{short(host) for host in part} for part in allocation.groups(os.environ)]
    parts = [(part, list(own)) for part, own in groupby(starts, lambda start: _part(start, hosts))]
    if [part for part, _ in parts] != sorted({part for part, _ in parts}):
        raise BanzukeError(
            "srun cannot start these groups of ranks in this order",
            why="it numbers the ranks of a heterogeneous job part by part",
            remedy="Request the partitions in the order in which the case has its groups",
        )
    words: list[list[str]] = []
    files: dict[Path, str] = {}
    ranks = 0
    for part, own in parts:
        selected = [f"--het-group={part}"] if len(hosts) > 1 else []
        where, read = _nodes(own, folder)
        count = sum(start.ranks for start in own)
        words.append([*_SRUN, *selected, *where, f"--ntasks={count}", *_by_rank(own, "SLURM_PROCID", ranks)])
        files |= read
        ranks += count
    return words, files


def _numbered(starts: Sequence[Start]) -> Sequence[Start]:
    """Return groups whose programs are told which group they are; the MPI library does not know it from these
    launchers.
    """
    if len(starts) == 1:
        return starts
    return [replace(start, variables={**start.variables, GROUP: str(number)}) for number, start in enumerate(starts)]


def _part(start: Start, hosts: Sequence[set[str]]) -> int:
    """Return the part of the heterogeneous job that has the group's hosts."""
    return next((part for part, own in enumerate(hosts) if start.hosts and short(start.hosts[0]) in own), 0)


def _nodes(starts: Sequence[Start], folder: Path) -> tuple[list[str], Files]:
    """Return words that name the nodes. Ranks are in blocks on each node; if their order is another, or several groups
    are on several nodes, a list has the node of each rank.
    """
    hosts = list(dict.fromkeys(host for start in starts for host in start.hosts))
    count = f"--nodes={max(1, len(hosts))}"
    if starts[0].order or (len(starts) > 1 and len(hosts) > 1):
        lines = [host for start in starts for host in start.order or _in_blocks(start)]
        named, files = host_words("--nodelist", lines, "--nodelist", lines, folder)
        return [count, "--distribution=arbitrary", *named], files
    named, files = host_words("--nodelist", [folded(hosts)] if hosts else [], "--nodelist", hosts, folder)
    per_node = sum(start.each for start in starts)
    return [count, f"--ntasks-per-node={per_node}", "--distribution=block", *named], files


def _in_blocks(start: Start) -> list[str]:
    """Return the host of each rank."""
    return [host for host in start.hosts for _ in range(start.each)]


def flux(starts: Sequence[Start], _names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words behind `flux run`, which places tasks in blocks, or by a file with the host of each.

    Raises BanzukeError for several groups on several hosts, because Flux has no MPMD of its own.
    """
    starts = _numbered(starts)
    hosts = starts[0].hosts
    if len(starts) > 1 and len({host for start in starts for host in start.hosts}) > 1:
        raise BanzukeError(
            "flux run cannot start several groups of ranks on several hosts",
            why="it places all tasks of a job alike",
            remedy="Name mpiexec as the partition's launcher",
        )
    where = [f"--nodes={max(1, len(hosts))}", *([f"--requires=hosts:{folded(hosts)}"] if hosts else [])]
    per_node = f"--tasks-per-node={sum(start.each for start in starts)}"
    unbound = ["--setopt=cpu-affinity=off", "--setopt=gpu-affinity=off"]
    order: list[str] = []
    files: Files = {}
    if starts[0].order:
        (_, file), files = host_file_words("--taskmap", starts[0].order, folder)
        order = [f"--taskmap=hostfile:{file}"]
    return [[*where, per_node, *order, *unbound, *_by_rank(starts, "FLUX_TASK_RANK")]], files


def fujitsu(starts: Sequence[Start], names: Sequence[str], folder: Path) -> tuple[list[list[str]], Files]:
    """Return the words of each group for mpiexec, beginning with the file that places each rank on a node of the job.

    `--vcoordfile FILE` has a line `(X)`, `(X,Y)` or `(X,Y,Z)` for each rank. Not yet tested with the real one.
    """
    job = [short(host) for part in allocation.groups(os.environ) for host in part]
    places = {host: _place(number) for number, host in enumerate(job)}
    lines = [places[short(host)] for start in starts for host in start.order or _in_blocks(start)]
    named, files = host_file_words("--vcoordfile", lines, folder) if lines else ([], {})
    own = [
        [
            *(word for name in names if start.hosts for word in ("-x", name)),
            *(word for name, value in start.variables.items() for word in ("-x", f"{name}={value}")),
        ]
        for start in starts
    ]
    return group_words(starts, [named + own[0], *own[1:]]), files


def _place(number: int) -> str:
    """Return the coordinates of the job's node of this number in the requested shape; X changes fastest."""
    coordinates: list[str] = []
    for extent in (int(text) for axis in "XYZ" if (text := os.environ.get(f"PJM_NODE_{axis}", "")).isdecimal()):
        coordinates.append(str(number % extent))
        number //= extent
    return f"({','.join(coordinates) or number})"


def _by_rank(starts: Sequence[Start], variable: str, first: int = 0) -> list[str]:
    """Return one command for all ranks, which are numbered from `first`: a shell executes the program of the rank's
    group.
    """
    commands = [
        [
            *(["env", *(f"{name}={value}" for name, value in start.variables.items())] if start.variables else []),
            *start.words,
        ]
        for start in starts
    ]
    if len(commands) == 1:
        return commands[0]
    lines = []
    for start, command in zip(starts[:-1], commands[:-1], strict=True):
        first += start.ranks
        lines.append(f'[ "${variable}" -ge {first} ] || exec {shlex.join(command)}')
    return ["sh", "-c", "; ".join([*lines, f"exec {shlex.join(commands[-1])}"])]
