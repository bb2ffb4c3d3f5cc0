"""Judges a node that has no other to be compared with by what its hardware can do, and by what else ran on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from banzuke.fleet.causes import IDLE, causes, disturbed_by_launch, disturbed_verdict, load_causes
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, SlowFigure
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.on_devices import of_backend
from banzuke.words import Listed, Message, message

LEAST_SHARE = 0.5
"""Share of the theoretical peak below which a node is slow: STREAM on all cores reaches 70 to 90% of the memory's if
all channels are in use, DGEMM 70 to 95% of the processors'.
"""


class _Limited(NamedTuple):
    figure: NodeFigure
    value: float
    peak: float

    @property
    def share(self) -> float:
        return self.value / self.peak


def peak_of(benchmark: str, unit: str, machine: Machine) -> float | None:
    """Return the theoretical rate of the machine's processors that bounds the benchmark's figures in this unit."""
    spec = benchmarks().get(benchmark)
    for resource in spec.resources.measures if spec else ():
        if resource.unit == unit and resource.peak:
            peak = resource.peak(machine)
            return peak.value or None if peak else None
    return None


def by_limits(judgement: FleetJudgement, fleet: Fleet, machine: Machine, hosts: Sequence[str]) -> FleetJudgement:
    """Replace verdicts of these hosts by those that the limits of this machine allow, as far as they are known.

    Limits are needed because a node that equals its own earlier figures may always have been slow.
    """
    judged = {host: verdict for host in hosts if (verdict := _judged(fleet.nodes[host], fleet, machine))}
    replaced = {host: verdict for host, verdict in judged.items() if _says_more(verdict, judgement.nodes[host])}
    alone = tuple(host for host, verdict in replaced.items() if verdict.verdict == "pass")
    remarks = [message("judge-limits", hosts=Listed(alone, 3))] if alone else []
    nodes = {**judgement.nodes, **replaced}
    kept = [remark for remark in judgement.remarks if not _settled(remark, nodes)]
    return replace(judgement, nodes=nodes, remarks=(*kept, *remarks))


def _says_more(verdict: NodeVerdict, before: NodeVerdict) -> bool:
    """Return whether a verdict replaces the other; a node slower than its earlier figures never passes by a limit."""
    if before.verdict == "unknown":
        return not before.disturbed
    return before.verdict == "pass" and (verdict.verdict == "fail" or verdict.disturbed)


def _settled(remark: Message, nodes: Mapping[str, NodeVerdict]) -> bool:
    """Return whether a remark says that nodes cannot be compared, but all of them have a verdict now."""
    hosts = remark.facts.get("hosts")
    if remark.code != "judge-too-few" or not isinstance(hosts, Listed):
        return False
    verdicts = [nodes[host] for host in hosts.items if isinstance(host, str)]
    return all(verdict.verdict != "unknown" or verdict.disturbed for verdict in verdicts)


def _judged(node: Node, fleet: Fleet, machine: Machine) -> NodeVerdict | None:
    """Return the verdict by limits; None: no limit is known."""
    if node.state != "measured":
        return None
    limited = list(_limited(node, fleet, machine))
    below = [rate for rate in limited if rate.share < LEAST_SHARE]
    reasons = tuple(SlowFigure(rate.figure, rate.value, rate.peak, sigmas=0.0, against="limit") for rate in below)
    own = tuple(reason for reason in reasons if reason.figure.name not in node.disturbed)
    if reasons and not own:
        return disturbed_by_launch(node, [reason.figure.name for reason in reasons])
    reasons = own
    if reasons and (not_judged := disturbed_verdict(node)):
        return not_judged
    why = causes(node, reasons, IDLE) or load_causes(node)
    action = why[0].action if why else None
    explained = tuple(cause.said for cause in why)
    if reasons:
        again = message("judge-action-again", host=node.host)
        return NodeVerdict(node.host, "fail", action or again, reasons, explained)
    if limited:
        return NodeVerdict(node.host, "pass", action or message("judge-action-none"), causes=explained)
    return NodeVerdict(node.host, "unknown", action, causes=explained) if action else None


def _limited(node: Node, fleet: Fleet, machine: Machine) -> Iterator[_Limited]:
    for name, value in node.values.items():
        program = name.partition(":")[0]
        benchmark, _, backend = program.partition("-")
        figure = fleet.figures[name]
        if figure.better == "higher" and not of_backend(benchmark, backend, machine) and value >= 0:
            peak = peak_of(benchmark, figure.unit, machine)
            if peak:
                yield _Limited(figure, value, peak)
