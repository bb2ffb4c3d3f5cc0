"""Chooses which kinds of nodes take part in one prediction, how many nodes of each, and finds what each kind adds.

The benchmark's model says how it uses given kinds together. This module chooses the kinds: all except those without
which the predicted figure is clearly higher.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.hardware import Hardware, PredictedMachine, hardware
from banzuke.predict.model import OF_ALL, Call, Model, constants_of, estimated, model_of
from banzuke.predict.undescribed import UndescribedError
from banzuke.words import Message, Quantity, message

CLEARLY = 1.03
"""Factor by which the figure must rise without a kind for that kind to count as slowing the others; smaller
differences are within the error of predictions."""


@dataclass(frozen=True)
class Filling:
    """The way in which a benchmark uses nodes of several kinds together."""

    nodes: tuple[int, ...]
    """Nodes that take part in each of the hardware's groups: as many as can be used, at least one."""
    call: Call
    """Settings that were asked for, and those chosen for these nodes."""
    reasons: tuple[Message, ...]
    """Reasons for the choice, in whole sentences."""
    brakes: Mapping[int, Message]
    """Reasons why a group holds the others back, by index of the group; groups that do not are absent."""


@runtime_checkable
class FillingModel(Model, Protocol):
    """A model of a benchmark that can use nodes of several kinds together."""

    per_kind: AbstractSet[str]
    """Settings that may have a value for each kind of node, separated by commas."""

    def fill(self, machine: Hardware, call: Call) -> Filling:
        """Choose how nodes of several kinds are used, at least one of each kind. Raises BanzukeError."""
        ...


def of_nodes(machine: Hardware, nodes: Sequence[int]) -> Hardware:
    """Return the machine with this many nodes in each group."""
    groups = zip(machine.groups, nodes, strict=True)
    return replace(machine, groups=tuple(replace(group, nodes=number) for group, number in groups))


@dataclass(frozen=True)
class AddedKind:
    """One kind of node, with what it adds to the figure."""

    partition: str
    name: str
    nodes: int
    """Nodes that take part; 0: the kind is left out."""
    there: int
    """Nodes that the machine has, or that were asked for."""
    alone: float | None
    """The figure of all its nodes without other kinds; None: the call is impossible on them."""
    together: float | None
    """The figure together with the kinds listed before it; for a kind that is left out, with all that take part. None:
    the call is impossible on them."""
    added: float | None
    """Difference between `together` and the figure of the same kinds without this one; None: one of them is unknown."""


@dataclass(frozen=True)
class Composition:
    """The nodes of several kinds that are used together, with the settings and reasons."""

    machine: PredictedMachine
    """The nodes that take part."""
    call: Call
    kinds: tuple[AddedKind, ...]
    """Kinds that take part, highest figure alone first, then those that are left out."""
    reasons: tuple[Message, ...]


class _Subsets:
    """Figures of subsets of a machine's kinds, each computed once."""

    def __init__(self, model: FillingModel, machine: PredictedMachine, call: Call) -> None:
        self.model, self.machine, self.call = model, machine, call
        self.values = {name: constant.value for name, constant in constants_of(model, machine).items()}
        self._known: dict[frozenset[str], tuple[float, Filling | None]] = {}

    def used(self, names: AbstractSet[str]) -> tuple[float, Filling | None]:
        """Return the figure of these kinds together and how they are used; 0 and None if the call is impossible."""
        key = frozenset(names)
        if not key:
            return 0.0, None
        if key not in self._known:
            try:
                self._known[key] = self.compute(key)
            except UndescribedError:
                raise
            except BanzukeError:
                self._known[key] = 0.0, None
        return self._known[key]

    def figure(self, names: AbstractSet[str]) -> float:
        return self.used(names)[0]

    def compute(self, names: AbstractSet[str]) -> tuple[float, Filling]:
        """Compute the figure of these kinds, and how they are used. Raises BanzukeError if the call is impossible."""
        nodes = {name: number for name, number in self.machine.nodes.items() if name in names}
        described = hardware(replace(self.machine, nodes=nodes), self.values)
        call = self._call(nodes)
        if len(nodes) == 1:
            alone = Filling(tuple(nodes.values()), call, (), {})
            return estimated(self.model, described, call).figure, alone
        filling = self.model.fill(described, call)
        return estimated(self.model, of_nodes(described, filling.nodes), filling.call).figure, filling

    def _call(self, nodes: Mapping[str, int]) -> Call:
        """Return the call for these kinds. Settings with a value for each kind keep the values of these kinds. Settings
        of all nodes together (`OF_ALL`) are dropped if some kinds are missing.
        """
        every = list(self.machine.nodes)
        call = {name: value for name, value in self.call.items() if name not in OF_ALL or len(nodes) == len(every)}
        for name in self.model.per_kind & set(call):
            values = str(call[name]).split(",")
            if len(values) == len(every):
                own = [value for kind, value in zip(every, values, strict=True) if kind in nodes]
                call[name] = ",".join(own) if len(own) > 1 else int(own[0]) if own[0].strip().isdecimal() else own[0]
        return call


def compose(benchmark: Benchmark, machine: PredictedMachine, call: Call, *, keep: bool) -> Composition:
    """Choose which kinds take part, and how. `keep`: all do, because the user named them. Raises BanzukeError."""
    model = model_of(benchmark)
    if not isinstance(model, FillingModel):
        raise BanzukeError(f"the model of {benchmark.name} does not know nodes of several kinds")
    subsets = _Subsets(model, _connected(machine), call)
    every = frozenset(machine.nodes)
    subsets.compute(every)  # raises the error if the call is impossible
    names = every if keep or OF_ALL & set(call) else _fastest(subsets)
    _, filling = subsets.compute(names)
    used = dict(zip((name for name in machine.nodes if name in names), filling.nodes, strict=True))
    unit = benchmark.metric_of(model.metric).unit
    slowing = {name for name in names if subsets.figure(names - {name}) > CLEARLY * subsets.figure(names)}
    if OF_ALL & set(call):
        slowing = set()  # settings of all nodes do not apply to a subset, so its figure is no comparison
    said = [_slowing(subsets, names, name, unit) for name in machine.nodes if name in slowing]
    said += [_left_out(subsets, names, name, unit) for name in machine.nodes if name not in names]
    kinds = tuple(_kinds(subsets, used))
    return Composition(replace(subsets.machine, nodes=used), filling.call, kinds, (*filling.reasons, *said))


def _connected(machine: PredictedMachine) -> PredictedMachine:
    """Return the machine after giving partitions without a described network the first that another one has."""
    parts = machine.site.partitions
    network = next((parts[name].network for name in machine.nodes if parts[name].network), None)
    lacking = {
        name: parts[name].having(network=network) for name in machine.nodes if network and not parts[name].network
    }
    return replace(machine, site=machine.site.having(partitions={**parts, **lacking})) if lacking else machine


def _fastest(subsets: _Subsets) -> frozenset[str]:
    """Return all kinds except those without which the others are clearly faster.

    The search for the best subset starts from each kind, because a single start may end in a local maximum. The kinds
    that cost least are then put back while the figure stays within `CLEARLY` of the best.
    """
    nodes = subsets.machine.nodes
    names = max((_improved(subsets, frozenset([name])) for name in nodes), key=subsets.figure)
    best = subsets.figure(names)
    while more := [names | {name} for name in nodes if name not in names]:
        larger = max(more, key=subsets.figure)
        if CLEARLY * subsets.figure(larger) < best:
            break
        names = larger
    return names


def _improved(subsets: _Subsets, names: frozenset[str]) -> frozenset[str]:
    """Return these kinds after adding or removing one at a time for as long as that raises the figure."""
    while True:
        changed = max((names ^ {name} for name in subsets.machine.nodes), key=subsets.figure)
        if subsets.figure(changed) <= subsets.figure(names):
            return names
        names = changed


def _kinds(subsets: _Subsets, used: Mapping[str, int]) -> Iterator[AddedKind]:
    machine = subsets.machine
    by_figure = sorted(machine.nodes, key=lambda name: (name not in used, -subsets.figure({name})))
    before: frozenset[str] = frozenset()
    for name in by_figure:
        earlier, together = subsets.figure(before), subsets.figure(before | {name})
        yield AddedKind(
            name,
            machine.site.called(name),
            used.get(name, 0),
            machine.nodes[name],
            subsets.figure({name}) or None,
            together or None,
            together - earlier if together and earlier else None,
        )
        if name in used:
            before |= {name}


def _slowing(subsets: _Subsets, names: frozenset[str], name: str, unit: str) -> Message:
    return message(
        "predict-kind-slows",
        kind=subsets.machine.site.called(name),
        figure=Quantity(subsets.figure(names), unit),
        without=Quantity(subsets.figure(names - {name}), unit),
        why=_brake(subsets, names, name),
    )


def _left_out(subsets: _Subsets, names: frozenset[str], name: str, unit: str) -> Message:
    if not subsets.figure(names | {name}):
        kind, nodes = subsets.machine.site.called(name), subsets.machine.nodes[name]
        return message("predict-kind-impossible", kind=kind, nodes=nodes)
    return message(
        "predict-kind-left-out",
        kind=subsets.machine.site.called(name),
        nodes=subsets.machine.nodes[name],
        figure=Quantity(subsets.figure(names), unit),
        added=Quantity(subsets.figure(names | {name}), unit),
        why=_brake(subsets, names | {name}, name),
    )


def _brake(subsets: _Subsets, names: frozenset[str], name: str) -> Message:
    """Return how a kind holds the others back."""
    _, filling = subsets.used(names)
    group = [kind for kind in subsets.machine.nodes if kind in names].index(name)
    return (filling.brakes.get(group) if filling else None) or message("predict-kind-costs")
