"""The constants that are fitted by family of processors or devices, which benchmarks with a public list declare."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from banzuke.plan.capabilities import FamilyConstant
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.constants import SHARED

PROCESSORS, DEVICES = "processors", "devices"
SMALL = "small machines"
"""Class of boards, laptops, desktops and workstations: their figures are posted by people, with untuned libraries."""


@dataclass(frozen=True, kw_only=True)
class ListedConstant(FamilyConstant):
    """A constant with the benchmark that declares it."""

    benchmark: str
    """Name of the benchmark whose figures determine it."""


@cache
def by_family() -> Mapping[str, ListedConstant]:
    """Return the constants by name; one that another benchmark's model needs comes first."""
    declared = [
        ListedConstant(**vars(constant), benchmark=benchmark.name)
        for benchmark in benchmarks().values()
        if benchmark.public_list
        for constant in benchmark.public_list.determines
    ]
    return {constant.name: constant for constant in sorted(declared, key=lambda own: own.name not in SHARED)}


def constant_of(benchmark: str, kind: str) -> str | None:
    """Return the constant that this benchmark's figures on processors or devices determine."""
    return next((name for name, own in by_family().items() if (own.benchmark, own.kind) == (benchmark, kind)), None)
