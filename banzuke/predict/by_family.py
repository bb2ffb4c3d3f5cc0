"""Which constants are fitted by families of processors and devices, and how far these may differ."""

from collections.abc import Mapping
from dataclasses import dataclass

PROCESSORS, DEVICES = "processors", "devices"


@dataclass(frozen=True)
class PriorSpread:
    """Standard deviations of logarithms: chosen once, not fitted."""

    figure: float
    """That no constant explains, as runs of one machine differ."""
    family: float
    """Of a family about its group, as their designs do."""
    group: float
    """Of a group about what is assumed of everybody."""


@dataclass(frozen=True)
class FamilyConstant:
    """A constant that each family has a value of its own of."""

    benchmark: str
    """Whose figures tell of it."""
    kind: str
    """Whether families of processors or of devices have it."""
    spread: PriorSpread


BY_FAMILY: Mapping[str, FamilyConstant] = {
    "host.dgemm": FamilyConstant("hpl", PROCESSORS, PriorSpread(0.08, 0.10, 0.2)),
    "device.dgemm": FamilyConstant("hpl", DEVICES, PriorSpread(0.08, 0.25, 0.3)),
    "hpcg.processors": FamilyConstant("hpcg", PROCESSORS, PriorSpread(0.12, 0.25, 0.4)),
    "hpcg.device": FamilyConstant("hpcg", DEVICES, PriorSpread(0.12, 0.25, 0.4)),
}
"""By name; what a later one's model computes with comes first."""


def constant_of(benchmark: str, kind: str) -> str | None:
    """The one that figures of this benchmark on processors or devices tell of."""
    return next((name for name, own in BY_FAMILY.items() if (own.benchmark, own.kind) == (benchmark, kind)), None)
