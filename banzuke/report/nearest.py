"""Chooses the figure of a run to rank, and finds the nearest machines: whole, or by node, core, device or watt."""

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
    """The place of this machine among others by one measure, with its neighbours."""

    per: Per
    own: float
    place: int
    count: int
    """Number of machines, this one included."""
    above: tuple[tuple[Peer, float], ...]
    """Better machines with their values, nearest first."""
    below: tuple[tuple[Peer, float], ...]
    """Equal and worse machines with their values, nearest first."""


def ranked_figure(assessments: Sequence[Assessment], benchmark: Benchmark) -> tuple[Assessment, Figure] | None:
    """Return the better headline of the first case on processors and the first on devices; None: neither can be ranked.

    A headline whose checks did not pass, or whose data stayed in the caches, is not ranked.
    """
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
    """Return the neighbours by each measure for which this machine has a value and enough others do."""
    own = own_peer(machine, assessment, figure)
    whole = benchmark.spans_hosts
    others = published_peers(assessment.record, figure, published, {}, nodes_too=whole)
    # A run on devices is ranked by node, too: figures of whole machines include their devices.
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
    """Return the neighbours in a list by each measure but `node`, because lists do not give numbers of nodes."""
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
    """Return the measures by which figures of the benchmark are ranked, most usual first."""
    if benchmark.spans_hosts:
        return ("", "node", "core", "watt")
    return ("device",) if assessment.record.devices else ("node", "core", "watt")


def _around(own: Peer, per: Per, peers: Sequence[tuple[Peer, float]], figure: Figure) -> list[Nearest]:
    """Return this machine's neighbours as the only item; empty if it has no value by this measure."""
    value = own.value_per(per)
    if value is None:
        return []
    better = [pair for pair in peers if (pair[1] > value if figure.better == "higher" else pair[1] < value)]
    return [Nearest(per, value, len(better) + 1, len(peers) + 1, tuple(reversed(better)), tuple(peers[len(better) :]))]


def _distinct(ranked: Sequence[tuple[Peer, float]]) -> list[tuple[Peer, float]]:
    """Keep the best value of each machine, and only one of two equal entries from different sources.

    Entries with equal values and numbers of nodes are taken as one machine under two names, unless they are of one node
    or of an unknown number.
    """
    kept: dict[str, tuple[Peer, float]] = {}
    for peer, value in ranked:
        twice = any(
            peer.reference != other.reference and peer.nodes == other.nodes and abs(value / theirs - 1) < SAME
            for other, theirs in kept.values()
        )
        if peer.nodes is None or peer.nodes == 1 or not twice:
            kept.setdefault(peer.machine, (peer, value))
    return list(kept.values())
