"""Groups of unlike speed that share one problem, each with its own rank, as a user names them.

A group is a set of processors, or a device with the processors that are reserved for the thread that drives it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from banzuke.amounts import Index
from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout
from banzuke.plan.placement import Placement

MOST_RESERVED = 2
"""Processors for a device: one for the thread that drives it, and one for other threads of the device's library."""


class SharingGroup(NamedTuple):
    cpus: tuple[Index, ...]
    device: str = ""
    """Number, identity or beginning of the identity of its device; empty: it computes with its processors."""
    backend: str = ""
    """Backend of the program that drives the device; empty: that of the case, or not planned yet."""

    @property
    def name(self) -> str:
        return format_cpus(list(self.cpus)) + (f"@{self.device}" if self.device else "")


Groups = tuple[SharingGroup, ...]


def read_groups(text: str) -> Groups:
    """Return the groups in `0-3+4,5+6@0`: processors in the kernel's list format, or one with the device that it
    drives.

    A processor that drives a device may also compute in one other group: then none is reserved for the device. Raises
    BanzukeError.
    """
    groups = tuple(_read_group(text, part) for part in text.split("+"))
    if len(groups) == 1:
        raise BanzukeError(f"--groups {text}: one group has nobody to share with", remedy=_EXAMPLE)
    if shared := claimed_twice(group.cpus for group in groups if not group.device):
        raise BanzukeError(
            f"--groups {text}: groups would share the processors {format_cpus(shared)}",
            remedy="Give each processor to one group",
        )
    if shared := claimed_twice(group.cpus for group in groups if group.device):
        raise BanzukeError(
            f"--groups {text}: more than one device would be driven by the processors {format_cpus(shared)}",
            remedy="Give each device a processor of its own",
        )
    if several := sorted({group.device for group in groups if group.device and _times(groups, group.device) > 1}):
        raise BanzukeError(
            f"--groups {text}: the device {several[0]} has several groups",
            remedy="Give each device one group: 0-3+4@0+5@1",
        )
    if all(group.device for group in groups):
        raise BanzukeError(
            f"--groups {text}: no group computes with processors",
            why="devices alone are measured by the cases on devices",
            remedy=_DEVICES,
        )
    return groups


def _times(groups: Groups, device: str) -> int:
    return sum(group.device == device for group in groups)


def _read_group(text: str, part: str) -> SharingGroup:
    """Read one group; `text` is the whole option, for error messages."""
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
    if device and len(cpus) > MOST_RESERVED:
        raise BanzukeError(
            f"--groups {text}: '{part}' has {len(cpus)} processors",
            why=f"one drives the device, and more than {MOST_RESERVED} would have nothing to do",
            remedy=f"Write {cpus[-1]}@{device}, and the others as a group of their own",
        )
    return SharingGroup(cpus, device)


_EXAMPLE = "Write the processors of each with + between: 0-3+4-7"
_DEVICES = "Write a device after the processor that drives it: 0-3+4@0"


def claimed_twice(owners: Iterable[Iterable[Index]]) -> list[Index]:
    """Return the processors that several owners have."""
    times = Counter(cpu for cpus in owners for cpu in set(cpus))
    return sorted(cpu for cpu, count in times.items() if count > 1)


def devices_of_groups(groups: Groups) -> list[str]:
    """Return the names of the devices, in the order of the groups that have one."""
    return [group.device for group in groups if group.device]


def check_groups(groups: Groups, machine: Machine) -> None:
    """Raise BanzukeError for processors that may not be used."""
    allowed = machine.allotment.allowed
    if other := sorted({cpu for group in groups for cpu in group.cpus} - set(allowed)):
        raise BanzukeError(
            f"--groups: {format_cpus(other)} may not be used here",
            why=f"the processors that may are {format_cpus(allowed)}",
        )


def placements_of(groups: Groups, ranks: Sequence[int] = ()) -> tuple[Placement, ...]:
    """Return the placement of each group's ranks, so many with equally many processors each; empty: one rank each."""
    return tuple(
        Placement(group.name, group.name, _divided(group.cpus, count), per_node=count)
        for group, count in zip(groups, ranks or [1] * len(groups), strict=True)
    )


def _divided(cpus: Sequence[Index], ranks: int) -> tuple[tuple[Index, ...], ...]:
    share = len(cpus) // ranks
    return tuple(tuple(cpus[rank * share : (rank + 1) * share]) for rank in range(ranks))


def layouts_of(benchmark: Benchmark, groups: Groups, rates: Sequence[float] = ()) -> list[Layout]:
    """Return the layouts of groups: with the ranks that the benchmark chooses by their rates, if that is not one each,
    and with one each.
    """
    alone = [1] * len(groups)
    chosen = ranks_by_rates(benchmark, groups, rates)
    drivers = tuple(group.backend for group in groups)
    return [
        Layout(sum(ranks), len(places[0].cpus[0]), groups=places, drivers=drivers)
        for ranks in ([chosen] if chosen != alone else []) + [alone]
        for places in [placements_of(groups, ranks)]
    ]


def ranks_by_rates(benchmark: Benchmark, groups: Groups, rates: Sequence[float]) -> list[int]:
    """Return the ranks of each group by the measured rates; one each where the benchmark chooses nothing else."""
    if not rates or benchmark.ranks_of_groups is None:
        return [1] * len(groups)
    return list(benchmark.ranks_of_groups(rates, [len(group.cpus) for group in groups]))
