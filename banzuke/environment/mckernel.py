"""Runs jobs on McKernel, which runs beside Linux on processors and memory of its own, through mcexec.

Written from IHK/McKernel's documentation (ihkmckernel.readthedocs.io: mcexec(1), ihkosctl(1), mcreboot(1)) and never
run by us: an administrator or the batch system has to boot it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.environment.model import Kind, Wanted
from banzuke.environment.native import Native
from banzuke.environment.tools import LOCAL_RANKS, find_program
from banzuke.errors import BanzukeError
from banzuke.machine.command import output
from banzuke.machine.model import Machine
from banzuke.machine.tree import Tree

_PLACES = (Path("/opt/mckernel"), Path("/opt/ihk+mckernel"), Path("/usr/local"))
_DEVICE = "dev/mcos0"
"""The device of the first instance, which mcexec uses if none is named."""
_RUNNING = "RUNNING"
_RANKS = f'exec "$0" -n "{LOCAL_RANKS}" "$@"'
"""Starts mcexec(1) with the number of ranks on the host, which it needs for MPI other than Fujitsu's."""
_FUJITSU = "PJM_ENVIRONMENT"
"""Set in jobs of Fujitsu's Technical Computing Suite."""


@dataclass(frozen=True, kw_only=True)
class McKernel(Native):
    mcexec: Path
    cpus: tuple[int, ...] = ()
    """Linux's numbers of McKernel's processors, which it numbers from 0; empty: unknown."""

    def inner(self, words: list[str], _variables: Mapping[str, str]) -> list[str]:
        start = [str(self.mcexec)] if _FUJITSU in os.environ else ["bash", "-c", _RANKS, str(self.mcexec)]
        return [*start, *words]

    def cpu(self, number: int) -> int:
        return self.cpus.index(number) if number in self.cpus else number


def find(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> McKernel:  # noqa: ARG001
    """Return McKernel. Raises BanzukeError: which part of it is missing here."""
    return find_in(asked, Tree())


def find_in(asked: Wanted, tree: Tree) -> McKernel:
    """Return McKernel as found in this tree and on PATH: installed, booted and ready. Raises BanzukeError."""
    installed = (str(tree.path(f"{place}/bin/mcexec")) for place in _PLACES if tree.exists(f"{place}/bin/mcexec"))
    mcexec = find_program("mcexec") or next(installed, None)
    if mcexec is None:
        places = ", ".join(f"{place}/bin" for place in _PLACES)
        raise _missing("McKernel is not installed here", f"mcexec is neither on PATH nor in {places}")
    if not tree.exists(_DEVICE):
        raise _missing("McKernel is not booted here", f"there is no /{_DEVICE}")
    control = find_program("ihkosctl") or str(Path(mcexec).parent.parent / "sbin/ihkosctl")
    status = output([control, "0", "get", "status"], timeout=20) or "unknown"
    if status not in {_RUNNING, "unknown"}:
        raise _missing("McKernel is not ready", f"`{control} 0 get status` says {status}")
    cpus = parse_cpus(output([control, "0", "query", "cpu"], timeout=20) or "")
    details = {"mcexec": mcexec, "status": status, "mckernel_cpus": format_cpus(cpus) or "unknown"}
    return McKernel(name=asked.name, details=details, mcexec=Path(mcexec), cpus=tuple(cpus))


def _missing(problem: str, why: str) -> BanzukeError:
    remedy = "An administrator installs and boots it (mcreboot.sh), or a job asks for it: `#PJM -L jobenv=mck`"
    return BanzukeError(problem, why=why, remedy=remedy)


KIND = Kind("mckernel", find)
