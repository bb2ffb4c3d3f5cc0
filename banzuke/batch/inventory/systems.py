"""Finds the batch system of a login node, and asks it for its queues."""

import shutil
from collections.abc import Callable

from banzuke.batch.inventory import flux, gridengine, pbs, pjm, slurm
from banzuke.batch.inventory.model import Queue
from banzuke.machine.cluster import BatchSystem

_ASKED: dict[BatchSystem, tuple[str, Callable[[], list[Queue]]]] = {
    "slurm": ("sinfo", slurm.queues),
    "pjm": ("pjsub", pjm.queues),
    "flux": ("flux", flux.queues),
    "pbs": ("pbsnodes", pbs.queues),
    "gridengine": ("qconf", gridengine.queues),
}
"""The command that only this system has, and the function that reads its queues."""


SYSTEMS = tuple(_ASKED)


def here() -> list[BatchSystem]:
    """Return the batch systems whose commands are on PATH."""
    return [system for system, (command, _) in _ASKED.items() if shutil.which(command)]


def queues(system: BatchSystem) -> list[Queue]:
    """Return the queues of a batch system. Raises BanzukeError."""
    return _ASKED[system][1]()


def command_of(system: BatchSystem) -> str:
    return _ASKED[system][0]
