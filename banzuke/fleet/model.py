"""What is known of many nodes: the figures of each, the links between them, and what each reports of itself."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from banzuke.amounts import Scalar
from banzuke.plan.screening import Part
from banzuke.record.state import Signs, Taken
from banzuke.results.network import KeptNetwork
from banzuke.words import Message

State = Literal["measured", "failed", "hung", "dead"]
"""`failed`: a program or a check failed; `hung`: it did not end in time; `dead`: it could not be started."""


@dataclass(frozen=True)
class NodeFigure:
    """A figure that all nodes have, such as STREAM's Triad at the same settings."""

    name: str
    """Distinguishes figures: benchmark, metric, and settings if they are not the usual ones."""
    title: Message | str
    unit: str
    better: Literal["higher", "lower"] = "higher"
    parts: frozenset[Part] | None = None
    """Parts of a node that can make the figure slow, and so which causes explain it; None: any part."""
    setting: str = ""
    """Parameters and programs with which it was measured; figures with other settings are not compared."""
    directed: bool = False
    """Whether it measures what a link's first host sends to its second."""


class FigureLaunch(NamedTuple):
    """A figure in one launch on processors."""

    value: float
    signs: Signs
    """Signs of the state that the machine was in."""


@dataclass(frozen=True)
class Node:
    host: str
    kind: str
    """Equal for equal hardware; nodes are judged only beside those of their kind."""
    state: State = "measured"
    why: str = ""
    """What the program or the launcher reported, if the state is not `measured`."""
    values: Mapping[str, float] = field(default_factory=dict)
    """By figure; the median of several launches. A figure that was not verified is missing."""
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    """What it reports of itself, by name: type.*, setting.*, link.*, memory.*, state.*."""
    place: str = ""
    """Rack or switch; empty: unknown."""
    devices: Mapping[str, str] = field(default_factory=dict)
    """Identity of the slowest device, by figure, if several devices have the figure; its value is the node's."""
    launches: Mapping[str, Sequence[FigureLaunch]] = field(default_factory=dict)
    """Launches that show a state of the machine, by figure."""
    disturbed: Mapping[str, Taken] = field(default_factory=dict)
    """Least share of the processors that others used in a launch, by figure, if it was high in all launches."""


@dataclass(frozen=True)
class Pair:
    """A link between two nodes, measured while other links were, too; its other direction is another link."""

    hosts: tuple[str, str]
    values: Mapping[str, float]
    """By figure."""
    round: int | None = None
    """Pairs with the same one ran at the same time; None: unknown."""


@dataclass(frozen=True)
class Fleet:
    figures: Mapping[str, NodeFigure]
    nodes: Mapping[str, Node]
    """By host."""
    pairs: tuple[Pair, ...] = ()
    damaged: int = 0
    """Lines of the files that hold neither a record nor a node and were ignored."""
    network: KeptNetwork | None = None
    """The network that was given when the nodes were measured."""


def kind_of(facts: Mapping[str, Scalar]) -> str:
    """Return the `Node.kind` that follows from a node's own facts; empty: it reports nothing about its type."""
    of_type = sorted((name, value) for name, value in facts.items() if name.startswith("type."))
    return hashlib.sha256(json.dumps(of_type).encode()).hexdigest()[:12] if of_type else ""
