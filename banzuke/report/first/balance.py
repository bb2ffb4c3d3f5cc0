"""The balance of a node: the rate of a benchmark that memory bounds, compared with published machines.

The table follows the GeoFEM reports: peak, measured memory bandwidth and their ratio, and the rate relative to both.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from banzuke.document import Cell, Column, Row, Table
from banzuke.judge.model import Figure
from banzuke.limit.best_time import last_level_cache
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedMachine
from banzuke.plan.wording import metric_title
from banzuke.record.figures import FLOPS, MOVED
from banzuke.report.first.peers import COMPARABLE, PeerComparison
from banzuke.report.model import Evaluation
from banzuke.units import percent, quantity
from banzuke.words import Quantity, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class Balance:
    """The numbers of a node; None: unknown."""

    machine: str
    cores: int | None
    peak: float | None
    """flop/s"""
    bandwidth: float | None
    """Measured, in B/s"""
    rate: float
    """flop/s"""
    caches: str
    own: bool = False

    @property
    def bytes_per_flop(self) -> float | None:
        return self.bandwidth / self.peak if self.bandwidth and self.peak else None

    @property
    def flops_per_byte(self) -> float | None:
        return self.rate / self.bandwidth if self.bandwidth else None

    @property
    def share(self) -> float | None:
        return self.rate / self.peak if self.peak else None


def balance(comparison: PeerComparison, evaluation: Evaluation, words: Words) -> Sequence[Balance]:
    """Return the rows by flops per byte that the memory can move, best first.

    Empty: memory does not bound the figure, or no published machine has both numbers.
    """
    source = _bandwidth_metric(evaluation)
    own = next(peer for peer in comparison.peers if peer.own)
    rate = own.value_per("node")
    if not (comparison.headline and comparison.unit == "flop/s" and source and rate and _bound(comparison, evaluation)):
        return []
    others = [
        Balance(
            other.name,
            other.node.processor.cores,
            other.node.total(FLOPS),
            bandwidth,
            printed,
            str(other.node.facts.get("caches", "")),
        )
        for other in evaluation.published
        if (printed := _printed(other, comparison.benchmark, comparison.metric))
        and (bandwidth := _printed(other, *source))
    ]
    if not others:
        return []
    rows = [_own(evaluation.machine, own.machine, rate, _measured(evaluation, *source), words), *others]
    return sorted(rows, key=lambda row: -(row.flops_per_byte or 0.0))


def _own(machine: Machine, name: str, rate: float, bandwidth: float | None, words: Words) -> Balance:
    cores = machine.allotment.allowed_cores
    last = last_level_cache(machine.allotment.caches)
    caches = words(message("balance-last-level", size=Quantity(last / cores, "B"))) if last else ""
    peak = machine.peaks[FLOPS].value if FLOPS in machine.peaks else None
    return Balance(name, cores, peak, bandwidth, rate, caches, own=True)


def _bandwidth_metric(evaluation: Evaluation) -> tuple[str, str] | None:
    """Return the benchmark and headline metric that measure memory bandwidth."""
    metrics = (
        (benchmark.name, metric.name)
        for benchmark in evaluation.benchmarks.values()
        if any(resource.name == MOVED for resource in benchmark.resources.measures)
        for metric in benchmark.metrics
        if metric.headline
    )
    return next(metrics, None)


def _bound(comparison: PeerComparison, evaluation: Evaluation) -> bool:
    """Return whether it moves more bytes than it computes flops: every machine computes faster than it moves."""
    first = next(a for a in evaluation.assessments if a.record.benchmark == comparison.benchmark)
    samples = first.record.metrics.get(comparison.metric)
    flops, moved = (samples.demanded(FLOPS), samples.demanded(MOVED)) if samples else (None, None)
    return bool(flops and moved and flops < moved)


def _measured(evaluation: Evaluation, benchmark: str, metric: str) -> float | None:
    """Return the B/s per node of this machine in the headline case; None: that case has no such headline."""
    first = next((a for a in evaluation.assessments if a.record.benchmark == benchmark), None)
    figures: Iterable[Figure] = first.figures if first and not first.no_headline else ()
    return next((figure.value / first.record.nodes for figure in figures if first and figure.metric == metric), None)


def _printed(machine: PublishedMachine, benchmark: str, metric: str) -> float | None:
    """Return the best published rate per node."""
    rates = [
        figure.per_node
        for figure in machine.figure
        if (figure.benchmark, figure.metric) == (benchmark, metric) and figure.kind in COMPARABLE and figure.per_node
    ]
    return max(rates, default=None)


def balance_table(comparison: PeerComparison, evaluation: Evaluation, words: Words) -> Table | None:
    """Return the table of `balance` with this machine's own row; None: there are no rows."""
    rows, source = balance(comparison, evaluation, words), _bandwidth_metric(evaluation)
    if not rows or source is None:
        return None
    measuring = evaluation.benchmarks[source[0]]
    metric = measuring.metric_of(source[1])
    bandwidth = words(metric_title(measuring.name, metric))
    return Table(
        (
            Column(words(message("peers-machine"))),
            Column(words(message("balance-cores")), numeric=True),
            Column(words(message("balance-peak")), numeric=True),
            Column(bandwidth, numeric=True),
            Column(words(message("balance-bytes-per-flop")), numeric=True),
            Column(words(message("balance-rate")), numeric=True),
            Column(words(message("peers-of-peak")), numeric=True),
            Column(words(message("balance-flops-per-byte", bandwidth=bandwidth)), numeric=True),
            Column(words(message("balance-caches"))),
        ),
        tuple(Row(_cells(row), "own" if row.own else "") for row in rows),
        words(message("balance-caption", title=comparison.title)),
    )


def _cells(row: Balance) -> tuple[Cell, ...]:
    def amount(value: float | None, unit: str, digits: int = 3) -> Cell:
        return Cell("–" if value is None else quantity(value, unit, digits), value, unit)

    return (
        Cell(row.machine),
        Cell("–" if row.cores is None else f"{row.cores:,}", row.cores),
        amount(row.peak, "flop/s", 4),
        amount(row.bandwidth, "B/s"),
        amount(row.bytes_per_flop, "1"),
        amount(row.rate, "flop/s"),
        Cell("–" if row.share is None else percent(row.share), row.share, "1"),
        amount(row.flops_per_byte, "1"),
        Cell(row.caches or "–"),
    )
