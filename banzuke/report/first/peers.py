"""Compares this machine with published ones: same benchmark and metric, with figures as their reports print them."""

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
from banzuke.plan.wording import benchmark_title, full_title, layout_of, metric_title
from banzuke.record.figures import FLOPS
from banzuke.record.model import Record
from banzuke.report.model import Evaluation
from banzuke.text import slug
from banzuke.words import Fact, Message, Translated, message
from banzuke.words.language import Words
from banzuke.words.written import printed_place

Per = Literal["", "node", "core", "device", "watt"]
COMPARABLE = frozenset({"measured", "comparison", "rounded", "derived"})
_UNLIKE = 2.0
"""Ratio of the nodes' numbers of cores above which they are compared per core."""
LEAST_RANKED = 5
"""Smallest number of machines, this one included, among which a place is meaningful."""


@dataclass(frozen=True)
class Peer:
    """A published machine with its best figure for a number of nodes; or this one with the median of its launches."""

    machine: str
    value: float
    """Total in the metric's unit."""
    own: bool = False
    nodes: int | None = None
    cores: int | None = None
    """Cores of a node that took part."""
    accelerated: bool = False
    devices: int = 0
    """Number of devices, if the figure is of devices alone; else 0."""
    power: float | None = None
    """Power in W of everything that the value was measured on, during the measurement."""
    title: Fact = ""
    """The machine's name for the reader."""
    part: Fact = ""
    """The part that was measured, if not whole nodes."""
    of_peak: float | None = None
    of_peak_printed: float | None = None
    """Share of the peak as printed, where the report's own numbers give another one."""
    of_peak_computed: bool = False
    """Whether the share was computed here from value and peak, because the report prints none."""
    printed: str = ""
    kind: str = "measured"
    """Kind of figure: `measured`; `comparison`, quoted from another source; `rounded`; `derived`."""
    count: int = 1
    """Number of printed figures of which this is the best, or of launches."""
    note: Fact = ""
    flags: tuple[Fact, ...] = ()
    source: Fact = ""
    """Place in the reference."""
    reference: int | None = None
    """Number of the citation; None: this machine."""
    best: float | None = None
    """Best of all samples."""
    case: str = ""
    """Settings of this machine's case, if it is not the headline's."""
    record: str = ""
    """`provenance.id` of this machine's case."""
    in_cache: bool = False
    """Whether its data stayed in the caches, unlike published figures of the memory, so that it is not ranked."""

    def value_per(self, per: Per) -> float | None:
        """Return the value per node, core, device or watt; None: unknown, or not meaningful."""
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
    """Part of a machine by whose value peers are ranked: node, core or device; empty: the whole."""
    peers: tuple[Peer, ...]
    """Peers, best first, then those that cannot be ranked."""
    devices: bool = False
    """Whether it is about devices alone, which are not ranked among nodes."""

    @property
    def ranked(self) -> Sequence[tuple[Peer, float]]:
        """The peers that can be ranked, with the ranking value."""
        return [(peer, value) for peer in self.peers if (value := peer.value_per(self.per)) is not None]

    @property
    def position(self) -> tuple[int, int] | None:
        """Place of this machine, and number of machines, each by its best figure; None: it has no place."""
        names = list(dict.fromkeys("" if peer.own else peer.machine for peer, _ in self.ranked))
        return (names.index("") + 1, len(names)) if "" in names and len(names) > 1 else None

    @property
    def place(self) -> tuple[int, int] | None:
        """The position, if enough machines are ranked for it to be meaningful."""
        position = self.position
        return position if position and position[1] >= LEAST_RANKED else None


def compare(evaluation: Evaluation, words: Words, prefix: str = "") -> tuple[list[PeerComparison], list[str]]:
    """Return the comparisons and the citations of the reports, numbered from 1."""
    by_benchmark: dict[str, list[Assessment]] = defaultdict(list)
    for assessment in evaluation.assessments:
        by_benchmark[assessment.record.benchmark].append(assessment)
    collected = collections(evaluation.assessments, evaluation.benchmarks)
    citations: dict[str, int] = {}
    comparisons = []
    for name in ordered(evaluation):
        assessments = by_benchmark[name]
        if name in collected:
            continue  # none of its problems represents the machine
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
    cited = _translated_citations(evaluation.published)
    return comparisons, [words.fact(cited.get(citation, citation)) for citation in citations]


def _translated_citations(machines: Sequence[PublishedMachine]) -> dict[str, Fact]:
    """Return those citations that a description has in Japanese, by the English ones."""
    return {
        report.citation: Translated(report.citation, (("ja", report.citation_in_its_language(published)),))
        for machine in machines
        for report in machine.site.reports.values()
        if (published := machine.site.ja.get(report.published))
    }


def ranked_by(
    per: Per, benchmark: str, figure: Figure, title: str, anchor: str, peers: Sequence[Peer]
) -> PeerComparison:
    """Return the peers ordered by their values per node, core, ...; those that cannot be ranked come last."""
    sign = -1 if figure.better == "higher" else 1

    def order(peer: Peer) -> tuple[bool, float]:
        value = peer.value_per(per)
        return value is None, sign * (peer.value if value is None else value)

    ordered = tuple(sorted(peers, key=order))
    return PeerComparison(
        benchmark, figure.metric, title, figure.unit, figure.better, figure.headline, anchor, per, ordered
    )


def _per(unit: str, peers: Sequence[Peer], *, devices: bool) -> Per:
    """Return what values are compared per; empty: as a whole, as for everything that is not a rate.

    Rates are compared per device, or per node, or per core where other nodes have far more or fewer cores than ours.
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
    """Return each metric of the headline case, or of the first case that has it; devices separately."""
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
    """Return the best printed figure of such a case for each machine and number of nodes.

    A figure of devices is compared with those of devices, and with those of whole nodes only if `nodes_too`.
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
    """Return whether a published figure is comparable; on devices, the number of nodes must not differ.

    Links between the devices of one node differ from those between several.
    """
    on_devices = figure.devices is not None and figure.nodes in (None, record.nodes)
    return not conflicts(record, figure) and (on_devices or nodes_too or not record.devices)


def _peer(
    machine: PublishedMachine, figure: PublishedFigure, value: float, count: int, citations: dict[str, int]
) -> Peer:
    citation = machine.site.reports[figure.report].citation

    def translated(text: str) -> Translated:
        return Translated(text, (("ja", machine.site.ja[text]),) if text in machine.site.ja else ())

    peer = Peer(
        machine=machine.name,
        title=translated(machine.name),
        value=value,
        nodes=figure.nodes,
        cores=machine.node.processor.cores,
        accelerated=bool(machine.node.devices),
        devices=figure.devices or 0,
        power=figure.power,
        part=translated(figure.part or ""),
        printed=figure.as_printed or "",
        kind=figure.kind,
        count=count,
        note=translated(figure.note),
        flags=tuple(map(translated, figure.flags)),
        source=printed_place(figure.where),
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
    """Return this machine as one of the peers; `label`: settings of its case, if it is not the headline's."""
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
        part=layout_of(record) if record.devices else "",
        of_peak=share_of_peak(machine, record, figure),
        count=figure.launches,
        best=figure.best,
        case=label,
        record=record.provenance.id if record.provenance else "",
        in_cache=stayed_in_cache(assessment, figure),
    )


def stayed_in_cache(assessment: Assessment, figure: Figure) -> bool:
    """Return whether memory does not bound the figure because its data stayed in the caches."""
    residence = assessment.residence
    return residence is not None and residence.place == "in cache" and figure.limit is None


def place_of(comparison: PeerComparison, title: str = "") -> Message:
    """Return `place 3 of 9 per node`, after the `title` if there is one; published machines are counted."""
    at, count = comparison.place or (0, 0)
    named = "yes" if title else "no"
    return message("first-place", title=title, named=named, place=at, count=count, per=comparison.per or "whole")


def share_of_peak(machine: Machine, record: Record, figure: Figure) -> float | None:
    """Return the share of the nodes' flop rate, even if memory is the bound, as centres report it; or of devices'."""
    peak = machine.peaks[FLOPS].value if FLOPS in machine.peaks else None
    if record.devices or not peak or figure.unit != "flop/s":
        return figure.fraction_of_peak
    return figure.value / record.nodes / peak


def titles(evaluation: Evaluation, name: str, figure: Figure, words: Words) -> tuple[str, str]:
    """Return the titles of a benchmark and of its figure, in the reader's language."""
    benchmark = evaluation.benchmarks.get(name)
    if benchmark is None:
        return name, figure.title
    metric = next((metric for metric in benchmark.metrics if metric.name == figure.metric), None)
    own = words(metric_title(name, metric)) if metric else figure.title
    return words(benchmark_title(benchmark)), own


def ordered(evaluation: Evaluation) -> Sequence[str]:
    """Return the benchmarks' names in a report's order: by aspect, then by their assessments."""
    names = dict.fromkeys(assessment.record.benchmark for assessment in evaluation.assessments)
    return sorted(names, key=lambda name: rank(aspect_of(evaluation.benchmarks, name)))


def aspect_of(benchmarks: Mapping[str, Benchmark], name: str) -> Aspect | None:
    return benchmarks[name].aspect if name in benchmarks else None
