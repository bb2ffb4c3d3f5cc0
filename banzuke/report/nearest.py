"""Which figure of a run is ranked, and the machines nearest to it: as a whole and by node, core, device and watt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from banzuke.judge.model import Assessment, Figure
from banzuke.machine.model import Machine
from banzuke.machine.published import SAME, PublishedMachine
from banzuke.plan.benchmark import Benchmark
from banzuke.ranking.list_file import ListEntry
from banzuke.report.first.peers import (
    LEAST_RANKED,
    Peer,
    Per,
    own_peer,
    published_peers,
    ranked_by,
    stayed_in_cache,
)


@dataclass(frozen=True)
class Nearest:
    """Where this machine is among others by one measure."""

    per: Per
    own: float
    place: int
    count: int
    """Machines, this one included."""
    above: tuple[tuple[Peer, float], ...]
    """Those that are better, the nearest first."""
    below: tuple[tuple[Peer, float], ...]


def ranked_figure(assessments: Sequence[Assessment], benchmark: Benchmark) -> tuple[Assessment, Figure] | None:
    """The better headline of the first case on processors and of the first on devices; None: neither verified."""
    first = {bool(assessment.record.devices): assessment for assessment in reversed(assessments)}
    (metric,) = (metric for metric in benchmark.metrics if metric.headline)
    headlines = [
        (assessment, figure)
        for assessment in first.values()
        if not assessment.no_headline
        for figure in assessment.figures
        if figure.metric == metric.name and not stayed_in_cache(assessment, figure)
    ]
    sign = 1 if metric.better == "higher" else -1
    return max(headlines, key=lambda pair: sign * pair[1].value, default=None)


def nearest(
    machine: Machine,
    assessment: Assessment,
    figure: Figure,
    benchmark: Benchmark,
    published: Sequence[PublishedMachine],
    measures: Sequence[Per],
) -> list[Nearest]:
    """By each measure by which enough machines are known, and this one too."""
    own = own_peer(machine, assessment, figure)
    whole = benchmark.spans_hosts
    others = published_peers(assessment.record, figure, published, {}, nodes_too=whole)
    # Devices alone have no node in common with whole nodes.
    own = replace(own, part="") if whole else own
    named = ((per, _distinct(ranked_by(per, benchmark.name, figure, "", "", others).ranked)) for per in measures)
    return [
        around for per, peers in named if len(peers) + 1 >= LEAST_RANKED for around in _around(own, per, peers, figure)
    ]


def nearest_in_list(
    machine: Machine,
    assessment: Assessment,
    figure: Figure,
    benchmark: Benchmark,
    entries: Sequence[ListEntry],
    measures: Sequence[Per],
) -> list[Nearest]:
    """The same among the machines of a list, which does not tell their nodes."""
    own = own_peer(machine, assessment, figure)
    everything = replace(own, part="", nodes=1, cores=(own.nodes or 1) * (own.cores or 0))
    others = [
        Peer(
            entry.name,
            entry.value,
            nodes=1,
            cores=entry.cores,
            accelerated=entry.accelerated,
            power=entry.value / entry.per_watt if entry.per_watt else None,
        )
        for entry in entries
    ]
    named = ((per, ranked_by(per, benchmark.name, figure, "", "", others).ranked) for per in measures)
    return [around for per, peers in named if peers for around in _around(everything, per, peers, figure)]


def measures_of(benchmark: Benchmark, assessment: Assessment) -> Sequence[Per]:
    """What its figures are set beside others by, the most usual first."""
    if benchmark.spans_hosts:
        return ("", "node", "core", "watt")
    return ("device",) if assessment.record.devices else ("node", "core", "watt")


def _around(own: Peer, per: Per, peers: Sequence[tuple[Peer, float]], figure: Figure) -> list[Nearest]:
    """Nothing where this machine has no value by this measure."""
    value = own.value_per(per)
    if value is None:
        return []
    better = [pair for pair in peers if (pair[1] > value if figure.better == "higher" else pair[1] < value)]
    return [Nearest(per, value, len(better) + 1, len(peers) + 1, tuple(reversed(better)), tuple(peers[len(better) :]))]


def _distinct(ranked: Sequence[tuple[Peer, float]]) -> list[tuple[Peer, float]]:
    """Keep the best of each machine, and of one that two sources have under unlike names the first."""
    kept: dict[str, tuple[Peer, float]] = {}
    for peer, value in ranked:
        twice = any(
            peer.reference != other.reference and peer.nodes == other.nodes and abs(value / theirs - 1) < SAME
            for other, theirs in kept.values()
        )
        if peer.nodes is None or peer.nodes == 1 or not twice:
            kept.setdefault(peer.machine, (peer, value))
    return list(kept.values())
