"""This machine among published ones: the same benchmark and metric, and the figures as their reports print them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from banzuke.compare.runs import conflicts
from banzuke.compare.settings import label_of, settings, telling
from banzuke.judge.collection import collections
from banzuke.judge.energy import energies
from banzuke.judge.model import Assessment, Figure
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedFigure, PublishedMachine
from banzuke.plan.aspect import Aspect, rank
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import measures
from banzuke.plan.wording import benchmark_title, full_title, metric_title
from banzuke.record.figures import FLOPS
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.text import slug
from banzuke.words import Message, message
from banzuke.words.language import Words

Per = Literal["", "node", "core", "device", "watt"]
COMPARABLE = frozenset({"measured", "comparison", "rounded", "derived"})
_UNLIKE = 2.0
"""Nodes that differ by more than this in their number of cores are compared per core."""
LEAST_RANKED = 5
"""Machines, this one included: a place among fewer says nothing."""


@dataclass(frozen=True)
class Peer:
    """A published machine and its best figure on so many nodes; or this machine, with the median of its launches."""

    machine: str
    value: float
    """In the metric's unit, as a whole."""
    own: bool = False
    nodes: int | None = None
    cores: int | None = None
    """Of a node, as far as it took part."""
    accelerated: bool = False
    devices: int = 0
    """Whose alone it is; 0: not of devices alone."""
    power: float | None = None
    """W of all that the value is of, while it was measured."""
    part: str = ""
    """What was measured, where it is not whole nodes."""
    of_peak: float | None = None
    of_peak_printed: float | None = None
    """Where that does not follow from its own report."""
    of_peak_computed: bool = False
    """Here, from the value and the peak; the report prints none."""
    printed: str = ""
    kind: str = "measured"
    """`measured`; `comparison`, quoted from another source; `rounded`, `derived`."""
    count: int = 1
    """Printed figures of which this is the best, or launches."""
    note: str = ""
    flags: tuple[str, ...] = ()
    source: str = ""
    """Where in the reference."""
    reference: int | None = None
    """Its number among the citations; None: it is this machine."""
    best: float | None = None
    """Of all samples."""
    case: str = ""
    """Settings of this machine's case where it is not the headline's."""
    record: str = ""
    """`provenance.id` of this machine's case."""
    in_cache: bool = False
    """Whether its data stayed in the caches, where published figures are of the memory: it is not ranked."""

    def value_per(self, per: Per) -> float | None:
        """The value of a node, core, device or watt; None: that cannot be known, or says nothing of it."""
        divisor = self._count_of(per)
        return None if self.in_cache or not divisor else self.value / divisor

    def _count_of(self, per: Per) -> float | None:
        nodes = None if self.part else self.nodes
        match per:
            case "device":
                return self.devices
            case "watt":
                return self.power
            case "node":
                return nodes
            case "core":
                return nodes * self.cores if nodes and self.cores and not self.accelerated else None
            case _:
                return 1


@dataclass(frozen=True)
class PeerComparison:
    """This machine and published ones by one metric of a benchmark."""

    benchmark: str
    metric: str
    title: str
    unit: str
    better: str
    headline: bool
    anchor: str
    per: Per
    """What the peers are ranked by."""
    peers: tuple[Peer, ...]
    """Best first, then those that cannot be ranked."""
    devices: bool = False
    """Whether it is of devices alone, which are not ranked among nodes."""

    @property
    def ranked(self) -> Sequence[tuple[Peer, float]]:
        """Those that can be, with the value that counts."""
        return [(peer, value) for peer in self.peers if (value := peer.value_per(self.per)) is not None]

    @property
    def position(self) -> tuple[int, int] | None:
        """This machine's place, and of how many machines; of each of these the best figure. None: it has none."""
        names = list(dict.fromkeys("" if peer.own else peer.machine for peer, _ in self.ranked))
        return (names.index("") + 1, len(names)) if "" in names and len(names) > 1 else None

    @property
    def place(self) -> tuple[int, int] | None:
        """The same where enough machines are ranked for it to be said in words."""
        position = self.position
        return position if position and position[1] >= LEAST_RANKED else None


def compare(evaluation: Evaluation, words: Words, prefix: str = "") -> tuple[list[PeerComparison], list[str]]:
    """The comparisons, and the reports that they cite, in the order of their numbers, which begin with 1."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    citations: dict[str, int] = {}
    comparisons = []
    for name in ordered(evaluation):
        assessments = by_benchmark[name]
        if name in collected:
            continue  # none of its problems stands for the machine
        for assessment, figure in _first_of_each_metric(assessments):
            devices = bool(assessment.record.devices)
            others = published_peers(assessment.record, figure, evaluation.published, citations)
            if others:
                label = "" if assessment is assessments[0] else _label(assessment.record, assessments)
                own = own_peer(evaluation.machine, assessment, figure, label)
                title = _title(evaluation, name, figure, words)
                anchor = f"{prefix}comparison-{slug(name)}-{slug(figure.metric)}"
                if devices:
                    title, anchor = words(message("peers-on-devices", title=title)), f"{anchor}-devices"
                headline = figure.headline and not assessment.no_headline
                peers = [own, *others]
                per = _per(figure.unit, peers, devices=devices)
                comparison = ranked_by(per, name, figure, title, anchor, peers)
                comparisons.append(replace(comparison, headline=headline, devices=devices))
    return comparisons, list(citations)


def ranked_by(
    per: Per, benchmark: str, figure: Figure, title: str, anchor: str, peers: Sequence[Peer]
) -> PeerComparison:
    """The peers in the order of their values per this; those that cannot be ranked are the last."""
    sign = -1 if figure.better == "higher" else 1

    def order(peer: Peer) -> tuple[bool, float]:
        value = peer.value_per(per)
        return value is None, sign * (peer.value if value is None else value)

    ordered = tuple(sorted(peers, key=order))
    return PeerComparison(
        benchmark, figure.metric, title, figure.unit, figure.better, figure.headline, anchor, per, ordered
    )


def _per(unit: str, peers: Sequence[Peer], *, devices: bool) -> Per:
    """What rates are compared per: a device, a node, or a core where nodes have far more or fewer of them than ours.

    Empty: as a whole, as all that is no rate.
    """
    if devices:
        return "device" if unit.endswith("/s") else ""
    if not unit.endswith("/s") or all(peer.own or peer.value_per("node") is None for peer in peers):
        return ""
    own = next(peer for peer in peers if peer.own)
    others = [peer.cores for peer in peers if not peer.own and peer.value_per("core") is not None and peer.cores]
    if own.cores and others and not 1 / _UNLIKE <= own.cores / median(others) <= _UNLIKE:
        return "node" if own.accelerated else "core"
    return "node"


def _first_of_each_metric(assessments: Sequence[Assessment]) -> list[tuple[Assessment, Figure]]:
    """The headline case's figures; a metric that it lacks is taken from the first that has it. Devices have theirs."""
    chosen: dict[tuple[str, bool], tuple[Assessment, Figure]] = {}
    for assessment in assessments:
        for figure in assessment.figures:
            chosen.setdefault((figure.metric, bool(assessment.record.devices)), (assessment, figure))
    return sorted(chosen.values(), key=lambda pair: not pair[1].headline)


def _label(record: Record, assessments: Sequence[Assessment]) -> str:
    return label_of(settings(record), telling([settings(assessment.record) for assessment in assessments]))


def _title(evaluation: Evaluation, name: str, figure: Figure, words: Words) -> str:
    return full_title(*titles(evaluation, name, figure, words), words)


def published_peers(
    record: Record,
    own: Figure,
    machines: Sequence[PublishedMachine],
    citations: dict[str, int],
    *,
    nodes_too: bool = False,
) -> list[Peer]:
    """The best printed figure of such a case for each machine and number of nodes.

    Devices are set beside devices alone, and beside whole nodes only if `nodes_too`.
    """
    groups: dict[tuple[str, int | None, str | None], list[tuple[PublishedMachine, PublishedFigure, float]]]
    groups = defaultdict(list)
    for machine in machines:
        for figure in machine.figure:
            same = (figure.benchmark, figure.metric, figure.unit) == (record.benchmark, own.metric, own.unit)
            if (
                same
                and figure.value is not None
                and figure.kind in COMPARABLE
                and _alike(record, figure, nodes_too=nodes_too)
            ):
                groups[machine.id, figure.nodes, figure.part].append((machine, figure, figure.value))
    best = max if own.better == "higher" else min
    return [_peer(*best(group, key=lambda item: item[2]), len(group), citations) for group in groups.values()]


def _alike(record: Record, figure: PublishedFigure, *, nodes_too: bool) -> bool:
    """Devices of one node and of several have unlike links between them."""
    on_devices = figure.devices is not None and figure.nodes in (None, record.nodes)
    return not conflicts(record, figure) and (on_devices or nodes_too or not record.devices)


def _peer(
    machine: PublishedMachine, figure: PublishedFigure, value: float, count: int, citations: dict[str, int]
) -> Peer:
    citation = machine.site.reports[figure.report].citation
    peer = Peer(
        machine=machine.name,
        value=value,
        nodes=figure.nodes,
        cores=machine.node.processor.cores,
        accelerated=bool(machine.node.devices),
        devices=figure.devices or 0,
        power=figure.power,
        part=figure.part or "",
        printed=figure.as_printed or "",
        kind=figure.kind,
        count=count,
        note=figure.note,
        flags=tuple(figure.flags),
        source=figure.where,
        reference=citations.setdefault(citation, len(citations) + 1),
    )
    printed, recomputed = figure.percent_of_peak, figure.recomputed_percent
    if printed is not None and recomputed is not None:
        return replace(peer, of_peak=recomputed / 100, of_peak_printed=printed / 100)
    if printed is not None:
        return replace(peer, of_peak=printed / 100)
    peak = machine.peak(figure, measures(figure.benchmark))
    return replace(peer, of_peak=value / peak, of_peak_computed=True) if peak else peer


def own_peer(machine: Machine, assessment: Assessment, figure: Figure, label: str = "") -> Peer:
    """This machine as one among its peers; `label`: settings of its case where it is not the headline's."""
    record, energy = assessment.record, energies(assessment)
    return Peer(
        machine=machine.name,
        value=figure.value,
        own=True,
        nodes=record.nodes,
        cores=max(1, record.cores // record.nodes),
        accelerated=bool(record.devices),
        devices=len(record.devices),
        power=energy.watt if energy else None,
        part=record.layout if record.devices else "",
        of_peak=share_of_peak(machine, record, figure),
        count=figure.launches,
        best=figure.best,
        case=label,
        record=record.provenance.id if record.provenance else "",
        in_cache=stayed_in_cache(assessment, figure),
    )


def stayed_in_cache(assessment: Assessment, figure: Figure) -> bool:
    """Whether the memory does not bound it because its data stayed in the caches."""
    residence = assessment.residence
    return residence is not None and residence.place == "in cache" and figure.limit is None


def place_of(comparison: PeerComparison, title: str = "") -> Message:
    """`place 3 of 9 per node`, after the figure's title if that is given: among machines whose reports print it."""
    at, count = comparison.place or (0, 0)
    named = "yes" if title else "no"
    return message("first-place", title=title, named=named, place=at, count=count, per=comparison.per or "whole")


def share_of_peak(machine: Machine, record: Record, figure: Figure) -> float | None:
    """As centres' reports count: of the nodes' flop rate, also where memory bounds it; on devices of theirs."""
    peak = machine.peaks[FLOPS].value if FLOPS in machine.peaks else None
    if record.devices or not peak or figure.unit != "flop/s":
        return figure.fraction_of_peak
    return figure.value / record.nodes / peak


def titles(evaluation: Evaluation, name: str, figure: Figure, words: Words) -> tuple[str, str]:
    """The titles of a benchmark and of its figure, in the reader's language."""
    benchmark = evaluation.benchmarks.get(name)
    if benchmark is None:
        return name, figure.title
    metric = next((metric for metric in benchmark.metrics if metric.name == figure.metric), None)
    own = words(metric_title(name, metric)) if metric else figure.title
    return words(benchmark_title(benchmark)), own


def ordered(evaluation: Evaluation) -> Sequence[str]:
    """Names of the benchmarks as a report shows them: by aspect, then in the order of their assessments."""
    names = dict.fromkeys(assessment.record.benchmark for assessment in evaluation.assessments)
    return sorted(names, key=lambda name: rank(aspect_of(evaluation.benchmarks, name)))


def aspect_of(benchmarks: Mapping[str, Benchmark], name: str) -> Aspect | None:
    return benchmarks[name].aspect if name in benchmarks else None
