"""The interval of a forecast that has a stated probability, and what it rests on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from banzuke.predict.families import Family, families_of, family_of_device, machines_of
from banzuke.predict.hardware import Hardware, PredictedMachine
from banzuke.predict.left_out import DEVICES, PROBABILITY, PROCESSORS, width
from banzuke.units import quantity

CONSTANTS = {
    ("hpl", PROCESSORS): "host.dgemm",
    ("hpl", DEVICES): "device.dgemm",
    ("hpcg", PROCESSORS): "hpcg.processors",
    ("hpcg", DEVICES): "hpcg.device",
}
"""Fitted by family, by benchmark and by what computes."""
FEWEST = 3
"""Machines of a family from which on its interval is as usual: fewer do not tell how unlike a further one is."""


@dataclass(frozen=True)
class Calibration:
    factor: float
    """The figure times and over it are the interval's ends."""
    probability: float
    remarks: tuple[str, ...]


def calibration(benchmark: str, machine: PredictedMachine, hardware: Hardware, on: str | None) -> Calibration | None:
    """None: of this benchmark no public figures are known, or a run measured the machine's rates.

    `on`: processors or devices, where the call says it.
    """
    kind = on or (DEVICES if all(_computes(group.devices) for group in hardware.groups) else PROCESSORS)
    constant = CONSTANTS.get((benchmark, kind))
    if constant is None or machine.measured:
        return None
    families = [families_of(machine.site.partitions[name])[kind] for name in machine.nodes]
    few = [(family, machines_of(constant, family)) for family in families]
    unknown = [(family, number) for family, number in few if number < FEWEST]
    groups = all(family.group_of(constant) for family in families)
    half = width(benchmark, kind, hardware.nodes, family_seen=not unknown, group_seen=groups)
    if half is None:
        return None
    remarks = [*_unplaced(machine)] if (benchmark, kind) == ("hpl", DEVICES) else []
    remarks += [_remark(constant, kind, *some) for some in unknown]
    return Calibration(math.exp(half), PROBABILITY, tuple(dict.fromkeys(remarks)))


def _computes(devices: object) -> bool:
    return isinstance(devices, tuple) and any(device.dgemm > 0 for device in devices)


def _unplaced(machine: PredictedMachine) -> Iterator[str]:
    """About devices whose described peak is neither their vector nor their matrix units', as far as these are known."""
    for name in machine.nodes:
        for device in machine.site.partitions[name].node.devices:
            family = family_of_device(device)
            peak, matrix = (
                (device.peaks[key].value if key in device.peaks else None) or 0.0
                for key in ("flops.fp64", "flops.fp64_matrix")
            )
            if not family.placed(peak, matrix, device.memory or math.nan):
                yield (
                    f"{device.name} is described with {quantity(peak, 'flop/s')}, neither what vector nor what "
                    f"matrix units of the family {family.name} are known to have: it is taken for what DGEMM can use. "
                    'Give node.devices.0.peaks."flops.fp64_matrix".'
                )


def _remark(constant: str, kind: str, family: Family, machines: int) -> str:
    if machines:
        number = "one machine" if machines == 1 else f"{machines} machines"
        return f"Of the family {family.name} figures of only {number} are public: the interval is wider."
    if not family.group_of(constant):
        return (
            f"No family and no group follow from the description of the {kind}, whose name, number of cores or "
            f"nominal clock is missing or fits no other: what is assumed of everybody is taken, and the interval is "
            "wider still. Give node.processors.0.cores and node.processors.0.nominal_hz."
        )
    whose = f"of the family {family.name}" if family.known else f"of {kind} with this name"
    return (
        f"No public figure is known {whose}: the share that similar {kind} sustain is taken, and the interval is wider."
    )
