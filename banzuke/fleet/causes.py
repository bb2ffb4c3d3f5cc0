"""Finds likely causes of a slow node: facts that it reports of itself and that differ from most nodes of its kind.

A cause is named only if it can explain a figure that is slow. Facts that could not be read are no cause.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

from banzuke.amounts import MOST_AMOUNT, Scalar
from banzuke.fleet.model import Node
from banzuke.fleet.verdict import NodeVerdict, SlowFigure
from banzuke.plan.screening import Part
from banzuke.words import Message, NodeSetting, Quantity, Share, message

Facts = Mapping[str, Scalar]
_STATE = "state."
_HOTTER = 10.0
"""Kelvin above the median; nodes at the end of a rack's cooling differ by less."""
_CLOCK = 0.99
"""Share of the usual clock below which the difference is more than rounding."""
_LOADED = 1.0
"""Runnable processes above the median."""
_THROTTLED = 10.0
"""Times the median count; lower factors mean little, because nodes were not started at the same time."""
_MODULES = (2, 4, 6, 8, 10, 12, 16, 20, 24, 32)
"""Numbers of memory modules in a node, one for each channel."""
_EXACT = 0.01
"""Largest relative error at which a ratio of bandwidths is taken for a ratio of modules."""


IDLE: Facts = {"state.load": 0.0}
"""The facts of a node on which nothing else runs, as far as they are the same for all kinds."""


class Cause(NamedTuple):
    said: Message
    action: Message


def usual(nodes: Sequence[Node]) -> Facts:
    """Return what more than half of these nodes report of each fact; for a state, the median."""
    said: dict[str, list[Scalar]] = {}
    for node in nodes:
        for name, value in node.facts.items():
            said.setdefault(name, []).append(value)
    majority: dict[str, Scalar] = {}
    for name, values in said.items():
        if name.startswith(_STATE):
            numbers = [value for value in values if isinstance(value, int | float)]
            if 2 * len(numbers) > len(nodes):
                majority[name] = median_low(numbers)
            continue
        most, times = Counter(values).most_common(1)[0]
        if 2 * times > len(nodes):
            majority[name] = most
    return majority


def causes(node: Node, slow: Sequence[SlowFigure], most: Facts) -> tuple[Cause, ...]:
    """Return the likely causes, strongest evidence first. `most`: the usual facts of its kind."""
    explains = [find for part, find in _CAUSES if any(_suspects(reason, part) for reason in slow)]
    evidence = [cause for find in explains for cause in find(node, most)]
    return (*evidence, *([] if evidence else _fraction(node, slow)))


def _suspects(slow: SlowFigure, part: Part | None) -> bool:
    return part is None or slow.figure.parts is None or part in slow.figure.parts


def load_causes(node: Node) -> tuple[Cause, ...]:
    """Return a load by other processes as the cause, for a node that cannot be compared with others."""
    return tuple(_loaded(node, IDLE))


def disturbed_verdict(node: Node) -> NodeVerdict | None:
    """Return the verdict on a node that seems slow and has no others beside it; None: no load explains it."""
    load, why = _number(node.facts, "state.load"), load_causes(node)
    if load is None or not why:
        return None
    action = message("judge-action-loaded", host=node.host, load=load)
    return NodeVerdict(node.host, "unknown", action, causes=tuple(cause.said for cause in why), disturbed=True)


def disturbed_by_launch(node: Node, figures: Sequence[str]) -> NodeVerdict:
    """Return the verdict on a node that seems slow only in these figures, while others used its processors."""
    took = [node.disturbed[name] for name in figures]
    others, hypervisor = (
        Share(max(filter(None, shares), default=0.0))
        for shares in ([own.others for own in took], [own.hypervisor for own in took])
    )
    said = message("judge-disturbed", others=others, hypervisor=hypervisor)
    action = message("judge-action-disturbed", host=node.host, others=others, hypervisor=hypervisor)
    return NodeVerdict(node.host, "unknown", action, causes=(said,), disturbed=True)


def _number(facts: Facts, name: str) -> float | None:
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) and abs(value) <= MOST_AMOUNT else None


def _below(node: Node, most: Facts, name: str) -> tuple[float, float] | None:
    """Return the node's value and the usual one if the node's is smaller, else None."""
    own, others = _number(node.facts, name), _number(most, name)
    return (own, others) if own is not None and others is not None and own < others else None


def _memory(node: Node, most: Facts) -> Iterator[Cause]:
    if below := _below(node, most, "memory.modules"):
        own, others = map(int, below)
        yield Cause(
            message("judge-modules", modules=own, usual=others), message("judge-action-modules", host=node.host)
        )
    errors, others_errors = (_number(facts, "memory.uncorrected_errors") for facts in (node.facts, most))
    if errors and others_errors is not None and errors > others_errors:
        yield Cause(message("judge-memory-errors", errors=int(errors)), message("judge-action-modules", host=node.host))
    if below := _below(node, most, "memory.speed"):
        own, others = map(int, below)
        yield Cause(
            message("judge-memory-speed", speed=own, usual=others), message("judge-action-modules", host=node.host)
        )


def _links(node: Node, most: Facts, *, storage: bool) -> Iterator[Cause]:
    """Find causes in the links of network cards and devices or, with `storage`, of local drives."""
    devices = sorted({name.split(".")[1] for name in node.facts if name.startswith("link.") and name.count(".") >= 2})
    for device in devices:
        if device.startswith("nvme") != storage:
            continue
        link = f"link.{device}"
        state, others_state = (facts.get(f"{link}.state") for facts in (node.facts, most))
        if state is not None and others_state is not None and state != others_state:
            yield Cause(
                message("judge-port", device=device, state=str(state), usual=str(others_state)),
                message("judge-action-link", device=device, host=node.host, quantity="rate"),
            )
        for quantity in ("width", "speed", "rate"):
            own = _number(node.facts, f"{link}.{quantity}")
            others = _number(most, f"{link}.{quantity}")
            possible = _number(node.facts, f"{link}.{quantity}_max") if others is None else others
            if own is not None and possible is not None and own < possible:
                yield Cause(
                    message("judge-link", device=device, quantity=quantity, value=own, usual=possible),
                    message("judge-action-link", device=device, host=node.host, quantity=quantity),
                )


def _network(node: Node, most: Facts) -> Iterator[Cause]:
    return _links(node, most, storage=False)


def _drives(node: Node, most: Facts) -> Iterator[Cause]:
    return _links(node, most, storage=True)


def _power(node: Node, most: Facts) -> Iterator[Cause]:
    if below := _below(node, most, "state.power_cap"):
        cap, others = (Quantity(watts, "W") for watts in below)
        yield Cause(
            message("judge-power-cap", cap=cap, usual=others), message("judge-action-power-cap", host=node.host)
        )


def _fewer_processors(node: Node, most: Facts) -> Iterator[Cause]:
    """Find a quota of the control group, or a set of allowed processors, that is smaller than usual."""
    own = [value for name in ("quota", "allowed") if (value := _number(node.facts, f"{_STATE}{name}")) is not None]
    others = [value for name in ("quota", "allowed") if (value := _number(most, f"{_STATE}{name}")) is not None]
    if own and others and min(own) < min(others):
        yield Cause(
            message("judge-fewer-processors", processors=min(own), usual=min(others)),
            message("judge-action-processors", host=node.host),
        )


def _throttled(node: Node, most: Facts) -> Iterator[Cause]:
    own, others = _number(node.facts, "state.throttled"), _number(most, "state.throttled")
    if own is not None and others is not None and own > _THROTTLED * max(others, 1):
        yield Cause(
            message("judge-throttled", times=int(own), usual=int(others)),
            message("judge-action-cooling", host=node.host),
        )


def _hot(node: Node, most: Facts) -> Iterator[Cause]:
    own, others = _number(node.facts, "state.temperature"), _number(most, "state.temperature")
    if own is not None and others is not None and own > others + _HOTTER:
        yield Cause(message("judge-hot", kelvin=own - others, at=own), message("judge-action-cooling", host=node.host))


def _clock(node: Node, most: Facts) -> Iterator[Cause]:
    if (below := _below(node, most, "state.clock_maximum")) and below[0] < _CLOCK * below[1]:
        clock, others = (Quantity(hertz, "Hz") for hertz in below)
        yield Cause(message("judge-clock", clock=clock, usual=others), message("judge-action-clock", host=node.host))


def _loaded(node: Node, most: Facts) -> Iterator[Cause]:
    own, others = _number(node.facts, "state.load"), _number(most, "state.load")
    if own is not None and others is not None and own > 2 * others + _LOADED:
        usually = others or 0  # the messages choose their wording by whole numbers
        yield Cause(message("judge-load", load=own, usual=usually), message("judge-action-load", host=node.host))


def _settings(*names: str) -> Callable[[Node, Facts], Iterator[Cause]]:
    def find(node: Node, most: Facts) -> Iterator[Cause]:
        for name in names:
            setting = f"setting.{name}"
            own, others = node.facts.get(setting), most.get(setting)
            if own is not None and others is not None and own != others:
                yield Cause(
                    message("judge-setting", setting=NodeSetting(name), value=str(own), usual=str(others)),
                    message("judge-action-setting", setting=NodeSetting(name), usual=str(others), host=node.host),
                )

    return find


def _fraction(node: Node, slow: Sequence[SlowFigure]) -> Iterator[Cause]:
    """Find a bandwidth that fits one module less than usual, if no fact tells how many modules there are."""
    for reason in slow:
        share = 1 - reason.percent / 100
        for modules in _MODULES:
            exact = abs(share - (modules - 1) / modules) < _EXACT * share
            follows = reason.figure.parts is not None and "modules" in reason.figure.parts
            if follows and exact and "memory.modules" not in node.facts:
                said = message("judge-fraction", share=Share(share), modules=modules, fewer=modules - 1)
                yield Cause(said, message("judge-action-modules", host=node.host))
                return


_CAUSES: tuple[tuple[Part | None, Callable[[Node, Facts], Iterator[Cause]]], ...] = (
    ("memory", _memory),
    ("network", _network),
    ("drives", _drives),
    ("processors", _fewer_processors),
    ("processors", _power),
    ("processors", _throttled),
    ("processors", _clock),
    ("processors", _hot),
    (None, _loaded),
    ("processors", _settings("governor", "boost", "energy_preference", "smt", "offline", "isolated", "idle_states")),
    ("pages", _settings("thp", "huge_pages", "numa_balancing", "numa_nodes", "zone_reclaim")),
    (None, _settings("devices", "driver", "clock_source", "mitigations", "bios", "board", "microcode", "kernel")),
)
"""The part of a node that must be slow for the cause to apply (None: any), and what finds the cause; strongest evidence
first.
"""
