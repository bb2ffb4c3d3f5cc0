"""The sliders: what of a machine can be changed, and how far."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.predict.hardware import SCALES, Hardware
from banzuke.slowdown.noise import PeriodicNoise

NOISE = PeriodicNoise(10e-3, 600.0)
"""The longest that the slider gives, on each rank; the interval is that of the evaluation of Fugaku's system."""


@dataclass(frozen=True)
class Slider:
    """A slider, whose position goes from -1 to 1."""

    name: str
    """Of SCALES."""
    unit: str
    shape: str
    """How the factor follows from the position, by name, for the page: span, square or cube."""
    span: float
    """Factor at the end: the largest."""
    nominal: float
    """Position where the machine is as described."""
    value: Callable[[Hardware], float]
    """Of a node as described, for display."""

    def factor(self, position: float) -> float:
        match self.shape:
            case "span":
                return float(self.span**position)
            case "square":
                return float(self.span * ((1 + position) / 2) ** 2)
            case _:
                return float(self.span * ((1 + position) / 2) ** 3)


def _peak(of: Hardware) -> float:
    return of.groups[0].peak


def _link(of: Hardware) -> float:
    return of.fabric.node_bandwidth


def _latency(of: Hardware) -> float:
    return of.fabric.latency


def _spread(of: Hardware) -> float:
    return of.spread


def _noise(_: Hardware) -> float:
    return NOISE.length


def _bandwidth(of: Hardware) -> float:
    group = of.groups[0]
    return _sum(group.host.bandwidth, *(each.number * each.bandwidth for each in group.devices))


def _memory(of: Hardware) -> float:
    group = of.groups[0]
    return _sum(group.host.memory, *(each.number * each.memory for each in group.devices))


def _host_link(of: Hardware) -> float:
    return sum(each.number * each.host_link for each in of.groups[0].devices) or math.nan


def _sum(*parts: float) -> float:
    """Of what is known."""
    return sum(part for part in parts if math.isfinite(part)) or math.nan


AXES = (
    Slider("flops", "flop/s", "span", 3, 0, _peak),
    Slider("memory.bandwidth", "B/s", "span", 3, 0, _bandwidth),
    Slider("memory", "B", "span", 3, 0, _memory),
    Slider("link.bandwidth", "B/s", "span", 3, 0, _link),
    Slider("link.latency", "s", "span", 3, 0, _latency),
    Slider("host_link", "B/s", "span", 3, 0, _host_link),
    Slider("spread", "1", "square", 4, 0, _spread),
    Slider("noise", "s", "cube", 1, -1, _noise),
)


def factors(axes: Sequence[Slider], positions: Sequence[float]) -> Mapping[str, float]:
    """Of SCALES."""
    known = {axis.name: axis.factor(position) for axis, position in zip(axes, positions, strict=True)}
    return {name: known.get(name, 0.0 if name == "noise" else 1.0) for name in SCALES}
