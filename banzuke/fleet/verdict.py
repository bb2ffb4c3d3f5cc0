"""What was judged of a fleet: each node's verdict, the links and places that are slow, and the document of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from banzuke.fleet.model import NodeFigure
from banzuke.words import Message, data
from banzuke.words.language import words

SCHEMA_VERSION = 1
Verdict = Literal["pass", "fail", "unknown"]
Reference = Literal["fleet", "baseline", "limit"]
"""The nodes of its kind in the same screen, those that a baseline was learnt from, or the theoretical peak."""
PASSED, FAILED, NOTHING_JUDGED = 0, 1, 2
"""Exit statuses."""
LOADED = "judge-load"
"""The cause that other processes ran."""


@dataclass(frozen=True)
class SlowFigure:
    """How far a value lies on the slow side of what is usual."""

    figure: NodeFigure
    value: float
    usual: float
    """The median of what it is compared with, or the theoretical peak."""
    sigmas: float
    """Distance of the logarithms in robust standard deviations; 0 of a peak."""
    against: Reference = "fleet"
    alone: bool = True
    """Far enough off by itself; else one of several that are so together."""

    @property
    def percent(self) -> float:
        """Per cent of the speed: a time that takes twice as long is 50% slower."""
        ratio = self.value / self.usual if self.figure.better == "higher" else self.usual / self.value
        return 100 * (1 - ratio)

    def document(self) -> dict[str, Any]:
        return {
            "figure": self.figure.name,
            "unit": self.figure.unit,
            "value": self.value,
            **self._compared(),
            "percent": round(self.percent, 2),
            "against": self.against,
            "alone": self.alone,
        }

    def _compared(self) -> dict[str, float]:
        """A theoretical peak is no median, and nothing varies about it."""
        if self.against == "limit":
            return {"limit": self.usual}
        return {"median": self.usual, "sigmas": round(self.sigmas, 2)}


@dataclass(frozen=True)
class NodeVerdict:
    host: str
    verdict: Verdict
    action: Message
    """What to do next."""
    reasons: tuple[SlowFigure, ...] = ()
    """The worst first."""
    causes: tuple[Message, ...] = ()
    """The likeliest first."""
    disturbed: bool = False
    """Seemed slow, and is not judged: other processes ran, and no other node shows what is usual."""

    @property
    def by_load_alone(self) -> bool:
        """Slow, and other processes explain it: those are to be ended, and the node is not to be taken out."""
        return bool(self.reasons) and {cause.code for cause in self.causes} == {LOADED}


@dataclass(frozen=True)
class SlowLink:
    """Slow although neither of its ends is slow with others; of a directed figure, from the first to the second."""

    hosts: tuple[str, str]
    slow: SlowFigure


@dataclass(frozen=True)
class SlowPlace:
    """A rack or switch whose nodes are slow together."""

    place: str
    hosts: tuple[str, ...]
    slow: SlowFigure
    """The median of its nodes, against the median of all others."""


@dataclass(frozen=True)
class FleetJudgement:
    nodes: Mapping[str, NodeVerdict] = field(default_factory=dict)
    """By host: all of the fleet."""
    links: tuple[SlowLink, ...] = ()
    """The slowest first."""
    places: tuple[SlowPlace, ...] = ()
    crossings: tuple[SlowPlace, ...] = ()
    """Places from which to all others messages are slow, against the median of other places."""
    shifts: Mapping[str, tuple[SlowFigure, ...]] = field(default_factory=dict)
    """By kind: figures in which all nodes together are slower than their baseline."""
    remarks: tuple[Message, ...] = ()
    """What limits what was judged, such as too few nodes."""

    def of(self, verdict: Verdict) -> Sequence[NodeVerdict]:
        return [node for node in self.nodes.values() if node.verdict == verdict]

    @property
    def exit_status(self) -> int:
        if self.of("fail") or self.links or self.places or self.crossings or self.shifts:
            return FAILED
        return PASSED if self.of("pass") else NOTHING_JUDGED

    def document(self) -> dict[str, Any]:
        """What a node health check reads; units are SI."""
        return {
            "schema_version": SCHEMA_VERSION,
            "nodes": [_node(node) for node in self.nodes.values()],
            "links": [
                {"hosts": list(link.hosts), "directed": link.slow.figure.directed, **link.slow.document()}
                for link in self.links
            ],
            "places": [
                {"place": place.place, "hosts": list(place.hosts), **place.slow.document()} for place in self.places
            ],
            "crossings": [
                {"place": place.place, "hosts": list(place.hosts), **place.slow.document()} for place in self.crossings
            ],
            "shifts": {kind: [figure.document() for figure in slower] for kind, slower in self.shifts.items()},
            "remarks": [_said(remark) for remark in self.remarks],
            "exit_status": self.exit_status,
        }


def _node(node: NodeVerdict) -> dict[str, Any]:
    return {
        "host": node.host,
        "verdict": node.verdict,
        "reasons": [reason.document() for reason in node.reasons],
        "causes": [_said(cause) for cause in node.causes],
        "action": _said(node.action),
    }


def _said(said: Message) -> dict[str, Any]:
    """In data for programs, and in English for people."""
    return {"code": said.code, "facts": {name: data(fact) for name, fact in said.facts.items()}, "text": words()(said)}
