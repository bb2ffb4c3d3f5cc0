"""The constants that are fitted by family of processors or devices, and how far families may differ."""

from collections.abc import Mapping
from dataclasses import dataclass

PROCESSORS, DEVICES = "processors", "devices"
SMALL = "small machines"
"""Class of boards, laptops, desktops and workstations: their figures are posted by people, with untuned libraries."""
SHARE_OF_PEAK = "dgemm"
"""End of constants that are shares of a peak."""


@dataclass(frozen=True)
class PriorSpread:
    """Standard deviations of logarithms. They were chosen once, not fitted."""

    figure: float
    """Scatter that no constant explains, as runs of one machine differ."""
    family: float
    """Scatter of families about their group, since their designs differ."""
    group: float
    """Scatter of groups about the value that is assumed for all."""


@dataclass(frozen=True)
class FamilyConstant:
    """A constant that has a value of its own for each family."""

    benchmark: str
    """Benchmark whose figures determine it."""
    kind: str
    """Whether families of processors or of devices have it."""
    spread: PriorSpread
    small: PriorSpread | None = None
    """Spread of small machines, whose figures differ more; None: none are known."""


BY_FAMILY: Mapping[str, FamilyConstant] = {
    "host.dgemm": FamilyConstant("hpl", PROCESSORS, PriorSpread(0.08, 0.10, 0.2), small=PriorSpread(0.20, 0.30, 1.0)),
    "device.dgemm": FamilyConstant("hpl", DEVICES, PriorSpread(0.08, 0.25, 0.6)),
    "hpcg.processors": FamilyConstant("hpcg", PROCESSORS, PriorSpread(0.12, 0.25, 0.4)),
    "hpcg.device": FamilyConstant("hpcg", DEVICES, PriorSpread(0.12, 0.25, 0.4)),
}
"""Constants by name; one that another's model needs comes first."""


def constant_of(benchmark: str, kind: str) -> str | None:
    """Return the constant that this benchmark's figures on processors or devices determine."""
    return next((name for name, own in BY_FAMILY.items() if (own.benchmark, own.kind) == (benchmark, kind)), None)
