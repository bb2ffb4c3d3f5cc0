"""A node that has no other to be compared with, by what its hardware can do, and by what else ran on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from banzuke.fleet.causes import IDLE, causes, disturbed, loaded
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, SlowFigure
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.on_devices import of_backend
from banzuke.words import Listed, Message, message

LEAST_SHARE = 0.5
"""STREAM on all cores reaches 70 to 90% of the theoretical peak of nodes whose memory channels are all in use, and
DGEMM 70 to 95% of the processors'."""


class _Limited(NamedTuple):
    figure: NodeFigure
    value: float
    peak: float

    @property
    def share(self) -> float:
        return self.value / self.peak


def peak_of(benchmark: str, unit: str, machine: Machine) -> float | None:
    """The theoretical rate of the machine's processors that bounds the benchmark's figures in this unit."""
    spec = benchmarks().get(benchmark)
    for resource in spec.resources.measures if spec else ():
        if resource.unit == unit and resource.peak:
            peak = resource.peak(machine)
            return peak.value or None if peak else None
    return None


def by_limits(found: FleetJudgement, fleet: Fleet, machine: Machine, hosts: Sequence[str]) -> FleetJudgement:
    """With verdicts of these hosts, as far as limits of this machine are known: what passed beside its own earlier
    figures may always have been slow.
    """
    judged = {host: one for host in hosts if (one := _judged(fleet.nodes[host], fleet, machine))}
    told = {host: one for host, one in judged.items() if _says_more(one, found.nodes[host])}
    alone = tuple(host for host, one in told.items() if one.verdict == "pass")
    remarks = [message("judge-limits", hosts=Listed(alone, 3))] if alone else []
    nodes = {**found.nodes, **told}
    kept = [one for one in found.remarks if not _settled(one, nodes)]
    return replace(found, nodes=nodes, remarks=(*kept, *remarks))


def _says_more(one: NodeVerdict, before: NodeVerdict) -> bool:
    """What seemed slow beside its own earlier figures does not pass by a limit."""
    if before.verdict == "unknown":
        return not before.disturbed
    return before.verdict == "pass" and (one.verdict == "fail" or one.disturbed)


def _settled(remark: Message, nodes: Mapping[str, NodeVerdict]) -> bool:
    """Whether it says that nodes cannot be compared which have a verdict all the same."""
    hosts = remark.facts.get("hosts")
    if remark.code != "judge-too-few" or not isinstance(hosts, Listed):
        return False
    verdicts = [nodes[host] for host in hosts.items if isinstance(host, str)]
    return all(one.verdict != "unknown" or one.disturbed for one in verdicts)


def _judged(node: Node, fleet: Fleet, machine: Machine) -> NodeVerdict | None:
    """None: nothing is known of it."""
    if node.state != "measured":
        return None
    limited = list(_limited(node, fleet, machine))
    below = [one for one in limited if one.share < LEAST_SHARE]
    reasons = tuple(SlowFigure(one.figure, one.value, one.peak, sigmas=0.0, against="limit") for one in below)
    if reasons and (not_judged := disturbed(node)):
        return not_judged
    why = causes(node, reasons, IDLE) or loaded(node)
    action = why[0].action if why else None
    told = tuple(one.said for one in why)
    if reasons:
        again = message("judge-action-again", host=node.host)
        return NodeVerdict(node.host, "fail", action or again, reasons, told)
    if limited:
        return NodeVerdict(node.host, "pass", action or message("judge-action-none"), causes=told)
    return NodeVerdict(node.host, "unknown", action, causes=told) if action else None


def _limited(node: Node, fleet: Fleet, machine: Machine) -> Iterator[_Limited]:
    for name, value in node.values.items():
        program = name.partition(":")[0]
        benchmark, _, backend = program.partition("-")
        figure = fleet.figures[name]
        if figure.better == "higher" and not of_backend(benchmark, backend, machine) and value >= 0:
            peak = peak_of(benchmark, figure.unit, machine)
            if peak:
                yield _Limited(figure, value, peak)
