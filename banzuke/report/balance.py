"""The balance of a node: what a benchmark that memory bounds makes of it, beside published machines.

The table of the GeoFEM reports: peak, STREAM Triad and their ratio, the rate and what it is of both, and the caches.
"""

from collections.abc import Sequence

from banzuke.limit.roofline import last_level_cache
from banzuke.machine.model import Machine
from banzuke.machine.published import PublishedMachine
from banzuke.report.comparison import COMPARABLE
from banzuke.report.content import Amount, Balance, Comparison, Section
from banzuke.units import UNKNOWN, percent, quantity

TRIAD = ("stream", "triad_bandwidth")


def balanced(
    comparisons: Sequence[Comparison],
    machine: Machine,
    sections: Sequence[Section],
    published: Sequence[PublishedMachine],
) -> list[Comparison]:
    """The comparisons, those of the rates that memory bounds with the balance of the machines whose Triad is known."""
    bandwidth, bound = _triad(sections), _memory_bound(sections)
    return [
        comparison.model_copy(update={"balance": _rows(comparison, machine, bandwidth, published)})
        if comparison.headline and comparison.unit == "flop/s" and comparison.benchmark in bound
        else comparison
        for comparison in comparisons
    ]


def _memory_bound(sections: Sequence[Section]) -> set[str]:
    """Benchmarks whose headline moves more bytes than it computes: every machine computes faster than it moves."""
    return {
        section.name
        for section in sections
        for figure in section.cases[0].measurements
        if figure.headline and figure.flops and figure.bytes and figure.flops < figure.bytes
    }


def _triad(sections: Sequence[Section]) -> float | None:
    """B/s of a node of this machine, in the headline case."""
    name, metric = TRIAD
    figures = [
        figure.median.value / int(section.cases[0].settings["hosts"])
        for section in sections
        if section.name == name
        for figure in section.cases[0].measurements
        if figure.metric == metric
    ]
    return figures[0] if figures else None


def _rows(
    comparison: Comparison, machine: Machine, bandwidth: float | None, published: Sequence[PublishedMachine]
) -> list[Balance]:
    """By the share of Triad, best first; empty without a published machine."""
    others = [
        _row(
            other.name,
            other.node.processor.cores,
            other.node.total("flops.fp64"),
            triad,
            rate,
            str(other.node.facts.get("caches", UNKNOWN)),
        )
        for other in published
        if (rate := _printed(other, comparison.benchmark, comparison.metric)) and (triad := _printed(other, *TRIAD))
    ]
    mine = next(rival for rival in comparison.rivals if rival.this)
    if not others or mine.per_node is None:
        return []
    cores = machine.allotment.allowed_cores
    last = last_level_cache(machine.allotment.caches)
    caches = f"last level {quantity(last / cores, 'B')} per core" if last else UNKNOWN
    peak = machine.peaks["flops.fp64"].value if "flops.fp64" in machine.peaks else None
    rows = [_row(mine.machine, cores, peak, bandwidth, mine.per_node, caches, this=True), *others]
    return sorted(rows, key=lambda row: -(row.flops_per_byte.value or 0.0))


def _printed(machine: PublishedMachine, benchmark: str, metric: str) -> float | None:
    """The best rate of a node."""
    rates = [
        figure.per_node
        for figure in machine.figure
        if (figure.benchmark, figure.metric) == (benchmark, metric) and figure.kind in COMPARABLE and figure.per_node
    ]
    return max(rates, default=None)


def _row(
    name: str,
    cores: int | None,
    peak: float | None,
    bandwidth: float | None,
    rate: float,
    caches: str,
    *,
    this: bool = False,
) -> Balance:
    bytes_per_flop = bandwidth / peak if bandwidth and peak else None
    flops_per_byte = rate / bandwidth if bandwidth else None
    share = rate / peak if peak else None
    return Balance(
        machine=name,
        this=this,
        cores=cores,
        peak=Amount(value=peak, text=quantity(peak, "flop/s", 4)),
        bandwidth=Amount(value=bandwidth, text=quantity(bandwidth, "B/s")),
        bytes_per_flop=Amount(value=bytes_per_flop, text=quantity(bytes_per_flop, "1")),
        rate=Amount(value=rate, text=quantity(rate, "flop/s")),
        share=Amount(value=share, text=percent(share)),
        flops_per_byte=Amount(value=flops_per_byte, text=quantity(flops_per_byte, "1")),
        caches=caches,
    )
