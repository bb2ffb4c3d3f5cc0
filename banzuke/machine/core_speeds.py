"""Compares the speeds of cores of different kinds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from banzuke.machine.model import Machine


@dataclass(frozen=True)
class CoreSpeeds:
    """Speed of one core of each kind."""

    relative: Mapping[str, float]
    told: Mapping[str, float]
    """Values from which the speeds follow: measured flop/s, or else Hz."""
    how: Literal["measured", "nominal", "highest"]


def core_speeds(machine: Machine, kinds: Iterable[str]) -> CoreSpeeds | None:
    """Return the speeds as measured, else by clock and, if known for all `kinds`, FMA units; None:
    clocks are unknown.
    """
    names, of_kinds = list(kinds), machine.node.processor.kinds
    rates = {
        name: rates.fma_rate for name, rates in machine.allotment.kinds.items() if name in names and rates.fma_rate
    }
    if len(rates) == len(names):
        return CoreSpeeds(rates, rates, "measured")
    counted = all(of_kinds[name].fma_units for name in names)
    units = {name: (of_kinds[name].fma_units or 1) if counted else 1 for name in names}
    nominal = {name: hz for name in names if (hz := of_kinds[name].nominal_hz)}
    highest = {name: hz for name in names if (hz := of_kinds[name].maximum_hz)}
    if len(nominal) == len(names):
        return CoreSpeeds({name: hz * units[name] for name, hz in nominal.items()}, nominal, "nominal")
    if len(highest) == len(names):
        return CoreSpeeds({name: hz * units[name] for name, hz in highest.items()}, highest, "highest")
    return None


def loaded_clocks(machine: Machine) -> list[tuple[float, float]]:
    """Return the clock under vector load on all cores and the nominal clock, for each kind with both known."""
    processor, rates = machine.node.processor, machine.allotment.kinds
    pairs = [(rates[name].vector_hz, kind.nominal_hz) for name, kind in processor.kinds.items() if name in rates]
    if not processor.kinds:
        pairs = [(machine.allotment.vector_hz, processor.nominal_hz)]
    return [(seen, nominal) for seen, nominal in pairs if seen and nominal]
