"""Groups of processors of unlike speed that share one problem, each with a rank of its own: as a user names them."""

from collections import Counter

from banzuke.amounts import Index
from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.placement import Placement

Groups = tuple[tuple[Index, ...], ...]
"""Processors of each."""


def read_groups(text: str) -> Groups:
    """`0-3+4,5`, in the kernel's list format. Raises BanzukeError."""
    groups = tuple(tuple(parse_cpus(part)) for part in text.split("+"))
    if empty := next((part for part, cpus in zip(text.split("+"), groups, strict=True) if not cpus), None):
        raise BanzukeError(f"--groups {text}: '{empty}' is no list of processors", remedy=_EXAMPLE)
    if any(not cpus for cpus in groups):
        raise BanzukeError(f"--groups {text}: a group has no processor", remedy=_EXAMPLE)
    if len(groups) == 1:
        raise BanzukeError(f"--groups {text}: one group has nobody to share with", remedy=_EXAMPLE)
    owners = Counter(cpu for cpus in groups for cpu in cpus)
    if shared := [cpu for cpu, count in owners.items() if count > 1]:
        raise BanzukeError(f"--groups {text}: groups would share the processors {format_cpus(shared)}")
    return groups


_EXAMPLE = "Write the processors of each with + between: 0-3+4-7"


def check_groups(groups: Groups, machine: Machine) -> None:
    """Raises BanzukeError for processors that may not be used."""
    allowed = machine.allotment.allowed
    if other := sorted({cpu for cpus in groups for cpu in cpus} - set(allowed)):
        raise BanzukeError(
            f"--groups: {format_cpus(other)} may not be used here",
            why=f"the processors that may are {format_cpus(allowed)}",
        )


def placements_of(groups: Groups) -> tuple[Placement, ...]:
    """Where the rank of each group stands."""
    names = [format_cpus(list(cpus)) for cpus in groups]
    return tuple(Placement(name, name, (cpus,), per_node=1) for name, cpus in zip(names, groups, strict=True))
