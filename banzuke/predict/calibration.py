"""The interval of a forecast that has a stated probability, and what it rests on."""

import math
from dataclasses import dataclass

from banzuke.predict.families import Family, families_of, fitted_to
from banzuke.predict.hardware import Hardware, PredictedMachine
from banzuke.predict.left_out import DEVICES, PROBABILITY, PROCESSORS, width

CONSTANTS = {
    ("hpl", PROCESSORS): "host.dgemm",
    ("hpl", DEVICES): "device.dgemm",
    ("hpcg", PROCESSORS): "hpcg.processors",
    ("hpcg", DEVICES): "hpcg.device",
}
"""Fitted by family, by benchmark and by what computes."""


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
    unknown = [family for family in families if not fitted_to(constant, family)]
    half = width(benchmark, kind, hardware.nodes, family_seen=not unknown)
    if half is None:
        return None
    return Calibration(math.exp(half), PROBABILITY, tuple(dict.fromkeys(_remark(family, kind) for family in unknown)))


def _computes(devices: object) -> bool:
    return isinstance(devices, tuple) and any(device.dgemm > 0 for device in devices)


def _remark(family: Family, kind: str) -> str:
    whose = f"of the family {family.name}" if family.known else f"of {kind} with this name"
    return (
        f"No public figure is known {whose}: the share that similar {kind} sustain is taken, and the interval is wider."
    )
