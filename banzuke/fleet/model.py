"""What is known of many nodes: the figures of each, the links between them, and what each says of itself."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from banzuke.amounts import Scalar
from banzuke.plan.screening import Part
from banzuke.record.state import Signs, Taken
from banzuke.words import Message

State = Literal["measured", "failed", "hung", "dead"]
"""`failed`: a program or a check did; `hung`: it began and did not end in time; `dead`: it could not be started."""


@dataclass(frozen=True)
class NodeFigure:
    """One that all nodes have, such as STREAM's Triad at the same settings."""

    name: str
    """Tells figures apart: benchmark, metric, and what else was not usual."""
    title: Message | str
    unit: str
    better: Literal["higher", "lower"] = "higher"
    parts: frozenset[Part] | None = None
    """What of a node can make it slow, and so which causes explain it; None: anything."""
    setting: str = ""
    """Parameters and programs that it was measured with: figures of others are not compared."""
    directed: bool = False
    """Whether it is of what a link's first host sends to its second."""


class FigureLaunch(NamedTuple):
    """A figure in one launch on processors."""

    value: float
    signs: Signs
    """Of the state that the machine was in."""


@dataclass(frozen=True)
class Node:
    host: str
    kind: str
    """Equal for equal hardware; nodes are judged beside those of their kind alone."""
    state: State = "measured"
    why: str = ""
    """What the program or the launcher said, where the state is not `measured`."""
    values: Mapping[str, float] = field(default_factory=dict)
    """By figure; the median where there are several launches. A figure that did not verify is missing."""
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    """What it says of itself, by name: type.*, setting.*, link.*, memory.*, state.*."""
    place: str = ""
    """Rack or switch; empty: unknown."""
    devices: Mapping[str, str] = field(default_factory=dict)
    """By figure that each of several devices has: the identity of the slowest, whose value it is."""
    launches: Mapping[str, Sequence[FigureLaunch]] = field(default_factory=dict)
    """By figure: those that show a state of the machine."""
    disturbed: Mapping[str, Taken] = field(default_factory=dict)
    """By figure: the least that others had of the processors in a launch, where it was much in all of them."""


@dataclass(frozen=True)
class Pair:
    """A link between two nodes, measured while others were, too; the other direction of it is another."""

    hosts: tuple[str, str]
    values: Mapping[str, float]
    """By figure."""


@dataclass(frozen=True)
class Fleet:
    figures: Mapping[str, NodeFigure]
    nodes: Mapping[str, Node]
    """By host."""
    pairs: tuple[Pair, ...] = ()
    damaged: int = 0
    """Lines of the files that hold no record and no node, and were passed over."""


def kind_of(facts: Mapping[str, Scalar]) -> str:
    """What `Node.kind` is by a node's own facts; empty: it says nothing of its type."""
    of_type = sorted((name, value) for name, value in facts.items() if name.startswith("type."))
    return hashlib.sha256(json.dumps(of_type).encode()).hexdigest()[:12] if of_type else ""
