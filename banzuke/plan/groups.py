"""Groups of unlike speed that share one problem, each with a rank of its own: as a user names them.

A group is of processors, or a device with the processor that drives it.
"""

from collections import Counter
from typing import NamedTuple

from banzuke.amounts import Index
from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.placement import Placement


class SharingGroup(NamedTuple):
    cpus: tuple[Index, ...]
    device: str = ""
    """By number, identity or how that begins; empty: it computes with its processors."""
    backend: str = ""
    """Of the program that drives the device; empty: that of the case, or it is not planned yet."""

    @property
    def name(self) -> str:
        return format_cpus(list(self.cpus)) + (f"@{self.device}" if self.device else "")


Groups = tuple[SharingGroup, ...]


def read_groups(text: str) -> Groups:
    """`0-3+4,5+6@0`: processors in the kernel's list format, with the device that one of them drives.

    Raises BanzukeError.
    """
    groups = tuple(_read_group(text, part) for part in text.split("+"))
    if len(groups) == 1:
        raise BanzukeError(f"--groups {text}: one group has nobody to share with", remedy=_EXAMPLE)
    owners = Counter(cpu for group in groups for cpu in group.cpus)
    if shared := [cpu for cpu, count in owners.items() if count > 1]:
        raise BanzukeError(f"--groups {text}: groups would share the processors {format_cpus(shared)}")
    if all(group.device for group in groups):
        raise BanzukeError(
            f"--groups {text}: no group computes with processors",
            why="devices alone are measured by the cases on devices",
            remedy=_DEVICES,
        )
    return groups


def _read_group(text: str, part: str) -> SharingGroup:
    """`text`: the whole, for messages."""
    listed, at, device = part.partition("@")
    if not listed:
        raise BanzukeError(f"--groups {text}: a group has no processor", remedy=_DEVICES if at else _EXAMPLE)
    cpus = tuple(parse_cpus(listed))
    if not cpus:
        raise BanzukeError(f"--groups {text}: '{listed}' is no list of processors", remedy=_EXAMPLE)
    if device in ("all", "none") or "@" in device:
        raise BanzukeError(f"--groups {text}: '{device}' is not the name of one device", remedy=_DEVICES)
    if at and not device:
        raise BanzukeError(f"--groups {text}: '{part}' names no device", remedy=_DEVICES)
    if device and len(cpus) > 1:
        raise BanzukeError(
            f"--groups {text}: '{part}' has {len(cpus)} processors",
            why="one drives the device, and the others would have nothing to do",
            remedy=f"Write {cpus[-1]}@{device}, and the others as a group of their own",
        )
    return SharingGroup(cpus, device)


_EXAMPLE = "Write the processors of each with + between: 0-3+4-7"
_DEVICES = "Write a device after the processor that drives it: 0-3+4@0"


def devices_of_groups(groups: Groups) -> list[str]:
    """Names of the devices, in the order of the groups that have one."""
    return [group.device for group in groups if group.device]


def check_groups(groups: Groups, machine: Machine) -> None:
    """Raises BanzukeError for processors that may not be used."""
    allowed = machine.allotment.allowed
    if other := sorted({cpu for group in groups for cpu in group.cpus} - set(allowed)):
        raise BanzukeError(
            f"--groups: {format_cpus(other)} may not be used here",
            why=f"the processors that may are {format_cpus(allowed)}",
        )


def placements_of(groups: Groups) -> tuple[Placement, ...]:
    """Where the rank of each group stands."""
    return tuple(Placement(group.name, group.name, (group.cpus,), per_node=1) for group in groups)
