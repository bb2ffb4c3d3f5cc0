"""Chooses the devices that each rank of a case is given."""

from collections.abc import Sequence
from itertools import islice

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.case import Case
from banzuke.units import count


def devices_of(case: Case, machine: Machine) -> Sequence[Sequence[Sequence[str]]]:
    """Return the identities of the devices of each group's ranks on a host, each device once; empty: the group drives
    none.

    Where there are several hosts, only this one's devices are known; each rank then takes the device with its number.
    Raises BanzukeError when there are too few.
    """
    machine = machine.driving(case.variant.device)
    left = {name: iter(groups[0].given(machine).allotment.devices) for name, groups in case.by_partition.items()}
    devices: list[list[list[str]]] = []
    for group in case.groups:
        wanted = group.per_host * group.devices
        taken = [device.identity for device in islice(left[group.partition], wanted)]
        if len(taken) < wanted:
            allotment = group.given(machine).allotment
            raise BanzukeError(
                f"{case.benchmark} needs {count(wanted, 'device')}",
                why=f"{len(allotment.devices)} may be used here"
                + (f": {allotment.devices_problem}" if allotment.devices_problem else ""),
                remedy="Use fewer ranks, or name other devices with --devices",
            )
        per_rank = group.devices
        devices.append(
            [taken[i : i + per_rank] for i in range(0, wanted, per_rank)] if per_rank and case.nodes == 1 else []
        )
    return devices
