"""Writes files that make launchers follow an order: one host for each rank, in the order of the ranks."""

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, TypeAlias, get_args

import numpy as np

from banzuke.placement.topology import Indices

Launcher: TypeAlias = Literal["openmpi", "mpich", "slurm", "flux", "rankfile", "hosts"]
LAUNCHERS: tuple[Launcher, ...] = get_args(Launcher)


def order_file(hosts: Sequence[str], order: Indices, launcher: Launcher) -> str:
    """Return the file's content.

    Open MPI's sequential mapper, Slurm's arbitrary distribution and Flux' task map take a line for each rank; Hydra
    combines consecutive ranks; a rankfile also binds each rank to a core of its host, the first rank to the first core.
    A list of hosts is for orders in which each host's ranks follow each other.
    """
    names = [hosts[number] for number in order]
    if launcher == "hosts":
        return ",".join(name for name, _ in groupby(names)) + "\n"
    if launcher == "mpich":
        return "".join(f"{name}:{len(list(ranks))}\n" for name, ranks in groupby(names))
    if launcher == "rankfile":
        seen = np.zeros(len(hosts), dtype=np.int64)
        lines = []
        for rank, host in enumerate(order):
            lines.append(f"rank {rank}={hosts[host]} slot={seen[host]}\n")
            seen[host] += 1
        return "".join(lines)
    return "".join(f"{name}\n" for name in names)


def command(launcher: Launcher, file: str, order: Indices) -> str:
    """Return the command that starts a program in that order.

    Flux takes as few nodes as hold the ranks, unless their number is given, and refuses a file that names others.
    """
    ranks, nodes = order.size, np.unique(order).size
    return {
        "openmpi": f"mpirun --hostfile {file} --map-by seq -n {ranks} PROGRAM",
        "hosts": f'banzuke run BENCHMARK --hosts "$(cat {file})"',
        "rankfile": f"mpirun --map-by rankfile:file={file} -n {ranks} PROGRAM",
        "mpich": f"mpiexec -machinefile {file} -n {ranks} PROGRAM",
        "slurm": f"SLURM_HOSTFILE={file} srun --distribution=arbitrary -n {ranks} PROGRAM",
        "flux": f"flux run -N {nodes} -n {ranks} --taskmap=hostfile:{file} PROGRAM",
    }[launcher]
