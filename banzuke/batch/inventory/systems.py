"""The batch system of a login node, and what it says."""

import shutil
from collections.abc import Callable

from banzuke.batch.inventory import flux, gridengine, pbs, pjm, slurm
from banzuke.batch.inventory.model import Queue
from banzuke.machine.site import BatchSystem

_ASKED: dict[BatchSystem, tuple[str, Callable[[], list[Queue]]]] = {
    "slurm": ("sinfo", slurm.queues),
    "pjm": ("pjsub", pjm.queues),
    "flux": ("flux", flux.queues),
    "pbs": ("pbsnodes", pbs.queues),
    "gridengine": ("qconf", gridengine.queues),
}
"""The command that none of the others has, and what reads its queues."""


SYSTEMS = tuple(_ASKED)


def here() -> list[BatchSystem]:
    """Those whose commands are on PATH."""
    return [system for system, (command, _) in _ASKED.items() if shutil.which(command)]


def queues(system: BatchSystem) -> list[Queue]:
    """Raises BanzukeError."""
    return _ASKED[system][1]()


def command_of(system: BatchSystem) -> str:
    return _ASKED[system][0]
