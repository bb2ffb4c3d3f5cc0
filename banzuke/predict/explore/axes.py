"""The sliders: which properties of a machine can be changed, and how far."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from banzuke.predict.hardware import SCALES, Hardware
from banzuke.slowdown.noise import PeriodicNoise

NOISE = PeriodicNoise(10e-3, 600.0)
"""The longest noise that the slider gives, on each rank; the interval is from the evaluation of Fugaku's system."""


@dataclass(frozen=True)
class Slider:
    """A slider, whose position ranges from -1 to 1."""

    name: str
    """A name from SCALES."""
    unit: str
    shape: str
    """How the page computes the factor from the position: span, square or cube."""
    span: float
    """Largest factor, at the end."""
    nominal: float
    """Position at which the machine is as described."""
    value: Callable[[Hardware], float]
    """Returns a node's described value for display."""

    def factor(self, position: float) -> float:
        match self.shape:
            case "span":
                return float(self.span**position)
            case "square":
                return float(self.span * ((1 + position) / 2) ** 2)
            case _:
                return float(self.span * ((1 + position) / 2) ** 3)


def _peak(machine: Hardware) -> float:
    return machine.groups[0].peak


def _link(machine: Hardware) -> float:
    return machine.fabric.node_bandwidth


def _latency(machine: Hardware) -> float:
    return machine.fabric.latency


def _spread(machine: Hardware) -> float:
    return machine.spread


def _noise(_: Hardware) -> float:
    return NOISE.length


def _bandwidth(machine: Hardware) -> float:
    group = machine.groups[0]
    return _sum(group.host.bandwidth, *(device.number * device.bandwidth for device in group.devices))


def _memory(machine: Hardware) -> float:
    group = machine.groups[0]
    return _sum(group.host.memory, *(device.number * device.memory for device in group.devices))


def _host_link(machine: Hardware) -> float:
    return sum(device.number * device.host_link for device in machine.groups[0].devices) or math.nan


def _sum(*parts: float) -> float:
    """Return the sum of the known parts; NaN: none is known."""
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
    """Return factors by name in SCALES; without a slider they are 1, and 0 for noise."""
    moved = {axis.name: axis.factor(position) for axis, position in zip(axes, positions, strict=True)}
    return {name: moved.get(name, 0.0 if name == "noise" else 1.0) for name in SCALES}
