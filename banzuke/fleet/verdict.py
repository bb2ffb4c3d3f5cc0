"""The judgement of a fleet: each node's verdict, the slow links and places, and the document that holds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from banzuke.fleet.model import NodeFigure
from banzuke.words import Message, data
from banzuke.words.language import words

SCHEMA_VERSION = 1
Verdict = Literal["pass", "fail", "unknown"]
Reference = Literal["fleet", "baseline", "limit"]
"""What a value is compared with: nodes of the same kind in the same screen, a baseline, or the theoretical peak."""
PASSED, FAILED, NOTHING_JUDGED = 0, 1, 2
"""Exit statuses."""
LOADED = "judge-load"
"""The cause that other processes ran."""


@dataclass(frozen=True)
class SlowFigure:
    """A value on the slow side of what is usual, and its distance from that."""

    figure: NodeFigure
    value: float
    usual: float
    """Median of what it is compared with, or the theoretical peak."""
    sigmas: float
    """Distance of the logarithms in robust standard deviations; 0 if compared with a peak."""
    against: Reference = "fleet"
    alone: bool = True
    """Whether it is far enough off by itself; otherwise it is one of several that are so together."""

    @property
    def percent(self) -> float:
        """How much slower, in per cent of the speed: a time that is twice as long is 50% slower."""
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
        """Return the value it is compared with; only a median has a deviation."""
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
    """Worst first."""
    causes: tuple[Message, ...] = ()
    """Likeliest first."""
    disturbed: bool = False
    """Whether it seemed slow but was not judged, because other processes ran and no other node shows what is usual."""

    @property
    def by_load_alone(self) -> bool:
        """Whether it is slow only because of other processes: these should be ended, the node can stay."""
        return bool(self.reasons) and {cause.code for cause in self.causes} == {LOADED}


@dataclass(frozen=True)
class SlowLink:
    """A link that is slow although neither end is slow with others; if directed, from the first to the second."""

    hosts: tuple[str, str]
    slow: SlowFigure


@dataclass(frozen=True)
class SlowPlace:
    """A rack or switch whose nodes are slow together."""

    place: str
    hosts: tuple[str, ...]
    slow: SlowFigure
    """Median of its nodes, compared with the median of all others."""


@dataclass(frozen=True)
class SlowCable:
    """A cable between two switches whose pairs are slow beside their fair share of it."""

    source: str
    target: str
    """Switches at the ends; messages from the first to the second are slow."""
    number: int
    """Number of the cable among those between its ends, from 1."""
    among: int
    alone: bool
    """Whether no other cable shows that the switches themselves are not slow."""
    pairs: int
    slow: SlowFigure

    def document(self) -> dict[str, Any]:
        return {
            "from": self.source,
            "to": self.target,
            "cable": self.number,
            "of": self.among,
            "or_switch": self.alone,
            "pairs": self.pairs,
            **self.slow.document(),
        }


@dataclass(frozen=True)
class FleetJudgement:
    nodes: Mapping[str, NodeVerdict] = field(default_factory=dict)
    """All hosts of the fleet."""
    links: tuple[SlowLink, ...] = ()
    """Slowest first."""
    places: tuple[SlowPlace, ...] = ()
    crossings: tuple[SlowPlace, ...] = ()
    """Places whose messages to all others are slow, compared with the median of the other places."""
    cables: tuple[SlowCable, ...] = ()
    shifts: Mapping[str, tuple[SlowFigure, ...]] = field(default_factory=dict)
    """Figures in which all nodes of a kind together are slower than their baseline, by kind."""
    remarks: tuple[Message, ...] = ()
    """Limits of the judgement, such as too few nodes."""

    def of(self, verdict: Verdict) -> Sequence[NodeVerdict]:
        return [node for node in self.nodes.values() if node.verdict == verdict]

    @property
    def exit_status(self) -> int:
        if self.of("fail") or self.links or self.places or self.crossings or self.cables or self.shifts:
            return FAILED
        return PASSED if self.of("pass") else NOTHING_JUDGED

    def document(self) -> dict[str, Any]:
        """Return the document that a node health check reads; units are SI."""
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
            "cables": [cable.document() for cable in self.cables],
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
    """Return a message as data for programs and as English text for people."""
    return {"code": said.code, "facts": {name: data(fact) for name, fact in said.facts.items()}, "text": words()(said)}
