"""Bandwidth by storage area and clients as in the Flow report: with a file for each process, and one shared by all."""

from collections.abc import Iterator, Mapping, Sequence

from banzuke.compare.matching import variant
from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Origin, Paragraph, Row, Table
from banzuke.judge.model import Figure
from banzuke.machine.model import Machine
from banzuke.plan.wording import seen_title, seen_value
from banzuke.record.model import Record
from banzuke.units import number, quantity
from banzuke.views.over_time import OverTime
from banzuke.views.stragglers import Stragglers
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

METRICS = ("write_bandwidth", "read_bandwidth")
ALIKE = ("files", "transfer", "access", "backend")
FROM_CACHE = ("cached_write_bandwidth", "cached_read_bandwidth")

PER_PROCESS, SHARED = "per-process", "shared"
TIMED = ("write", "read")
STORAGE = "storage"
REPLACED = "replaced"
UNKNOWN = "no-evidence"
ENOUGH = 0.9
"""Share of the best rate from which more clients add little."""
SAME = ("block", "transfer", "segments", "access", "fsync", "order", "stripe_count", "stripe_size", "collective")
"""Parameters in which the two cases of a row agree."""
Pair = Mapping[str, ViewCase]
"""Cases that differ only in `files`, by its value."""


_SHOWN_BY = ("direct", "beyond memory", "in memory", "replaced calls", "pages present")
"""The evidence for figures of both phases (benchmarks/ior/evidence.cpp)."""
_SEEN: Mapping[str, Sequence[str]] = {
    "write_to": (STORAGE, "cache"),
    "read_from": (STORAGE, "cache"),
    "write_evidence": (*_SHOWN_BY, "fsync", "fsync dropped", "no fsync"),
    "read_evidence": (*_SHOWN_BY, "pages absent", "no evidence"),
    "cached_below": (),
    "ranks": (),
    "parts": (),
    "stopped_early": (),
    "stonewall": (),
    "mounts": (),
    "rank_shift": (),
    "read_by_other_mounts": (),
    "read_cached_share": (),
    "space_for": (),
    "replaced_calls": (),
}
"""The conditions that the program reports, and their words (benchmarks/ior/measure.cpp)."""


class AreaTable(View[Mapping[str, str]]):
    """A table of areas. It sees where data was written to and read from, if not the storage, and replaced calls."""

    name = "areas"

    def declared(self, benchmark: str) -> Sequence[Message]:
        titles = [seen_title(benchmark, name) for name in _SEEN]
        return titles + [seen_value(benchmark, name, value) for name, values in _SEEN.items() for value in values]

    def judge(self, record: Record, machine: Machine) -> Mapping[str, str] | None:  # noqa: ARG002
        served = {"write": record.conditions.get("write_to"), "read": record.conditions.get("read_from")}
        by = {phase: str(record.conditions.get(f"{phase}_evidence", "")) for phase in TIMED}
        seen = {phase: by[phase] for phase in TIMED if served[phase] not in (None, STORAGE)}
        replaced = record.conditions.get("replaced_calls")
        if seen and isinstance(replaced, list):
            seen[REPLACED] = ", ".join(map(str, replaced))
        return seen or None

    def remark(
        self,
        seen: Mapping[str, str],
        launches: Sequence[Mapping[str, str]],  # noqa: ARG002
    ) -> Message:
        phases = [phase for phase in TIMED if phase in seen]
        which = "both" if len(phases) > 1 else phases[0]
        if REPLACED in seen:
            return message("ior-replaced", phases=which, calls=seen[REPLACED])
        return message("ior-from-cache", phases=which)

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return a table of areas and clients with own files and a shared one, evidence, and useful client numbers."""
        words = section.words
        pairs = _pairs(section.cases)
        if not pairs:
            return ()
        titles = (
            message("ior-area"),
            message("ior-hosts"),
            message("ior-clients"),
            message("ior-client-size"),
            message("ior-per-process-write"),
            message("ior-per-process-read"),
            message("ior-shared-write"),
            message("ior-shared-read"),
            message("ior-ratio-write"),
            message("ior-ratio-read"),
        )
        columns = tuple(Column(words(title), numeric=index > 0) for index, title in enumerate(titles))
        rows = tuple(_row(pair, words) for pair in pairs)
        table = Table(columns, rows, caption=words(message("ior-areas-caption")), file="areas")
        said = [*evidence(section.cases), *knees(section.cases)]
        return (table, *(Paragraph(words(sentence), small=True) for sentence in said))


def _pairs(cases: Sequence[ViewCase]) -> Sequence[Pair]:
    """Return the pairs by area, most clients first."""
    grouped: dict[str, dict[str, ViewCase]] = {}
    for case in cases:
        record = case.assessment.record
        if case.assessment.figures:
            same = {name: record.parameters.get(name) for name in SAME}
            key = repr(
                (_area(record), record.backend, record.nodes, record.ranks, same, sorted(variant(record).items()))
            )
            grouped.setdefault(key, {}).setdefault(str(record.parameters.get("files")), case)
    pairs = list(grouped.values())
    areas = list(dict.fromkeys(_area(_record(pair)) for pair in pairs))
    return sorted(pairs, key=lambda pair: (areas.index(_area(_record(pair))), -_record(pair).ranks))


def _record(pair: Pair) -> Record:
    return next(iter(pair.values())).assessment.record


def _area(record: Record) -> str:
    return str(record.parameters.get("area") or next(iter(record.areas), ""))


def _row(pair: Pair, words: Words) -> Row:
    record = _record(pair)
    size = int(record.parameters.get("block", 0)) * int(record.parameters.get("segments", 1))
    heads = [
        Cell(_area(record)),
        Cell(f"{record.nodes:,}", record.nodes),
        Cell(f"{record.ranks:,}", record.ranks),
        Cell(quantity(size, "B"), size, "B"),
    ]
    figures = [_figure(pair.get(files), timed) for files in (PER_PROCESS, SHARED) for timed in TIMED]
    cells = [
        _cell(pair.get(files), figures[2 * index + which], words)
        for index, files in enumerate((PER_PROCESS, SHARED))
        for which in (0, 1)
    ]
    return Row((*heads, *cells, *(_ratio(figures[2 + which], figures[which]) for which in (0, 1))))


def _figure(case: ViewCase | None, timed: str) -> Figure | None:
    """Return the storage's figure, or else the cache's."""
    figures = {figure.metric: figure for figure in case.assessment.figures} if case else {}
    return figures.get(f"{timed}_bandwidth") or figures.get(f"cached_{timed}_bandwidth")


def _cell(case: ViewCase | None, figure: Figure | None, words: Words) -> Cell:
    if case is None or figure is None:
        return Cell("–")
    rate = figure_text(figure.value, figure.unit)
    text = words(message("ior-cached", rate=rate)) if figure.metric.startswith("cached_") else rate
    return Cell(text, figure.value, figure.unit, Origin(case.id, figure.metric, "median"))


def _ratio(shared: Figure | None, per_process: Figure | None) -> Cell:
    """Return the ratio of the storage's rates; a cache's rates say nothing about it."""
    if shared is None or per_process is None or not per_process.value:
        return Cell("–")
    if shared.metric.startswith("cached_") or per_process.metric.startswith("cached_"):
        return Cell("–")
    ratio = shared.value / per_process.value
    return Cell(number(ratio), ratio)


def evidence(cases: Sequence[ViewCase]) -> Iterator[Message]:
    """Yield the evidence for the figures of each area."""
    seen: dict[tuple[str, str, str], None] = {}
    for case in cases:
        record = case.assessment.record
        for timed in TIMED:
            if isinstance(code := record.conditions.get(f"{timed}_evidence"), str):
                seen[_area(record), timed, code.replace(" ", "-")] = None
    for area, timed, code in seen:
        if timed == "write":
            yield message("ior-write-evidence", area=area, code=code)
        else:
            yield message("ior-read-evidence", area=area, code=code)
    for area, below in _caches_below(cases).items():
        hidden = "yes" if (area, "read", UNKNOWN) in seen else "no"
        yield message("ior-cached-below", area=area, below=Listed(tuple(map(_below, below))), hidden=hidden)


def _below(cache: object) -> Message | str:
    """Return a cache below an area; in older records it is a text."""
    if not isinstance(cache, Mapping):
        return str(cache)
    kind, device, over = (str(cache.get(name, "")) for name in ("kind", "device", "over"))
    return message("ior-below", kind=kind, device=device, over=over)


def _caches_below(cases: Sequence[ViewCase]) -> dict[str, list[object]]:
    """Return the caches below each area that may serve reads from memory."""
    by_area: dict[str, list[object]] = {}
    for case in cases:
        record = case.assessment.record
        below = record.conditions.get("cached_below")
        if isinstance(below, list):
            caches = by_area.setdefault(_area(record), [])
            caches += [cache for cache in below if cache not in caches]
    return by_area


def knees(cases: Sequence[ViewCase]) -> Iterator[Message]:
    """Yield for each area the fewest clients, each with its own file, that come near the best rate."""
    for area in dict.fromkeys(_area(case.assessment.record) for case in cases):
        for timed in TIMED:
            rates = _best_by_clients(cases, area, f"{timed}_bandwidth")
            if len(rates) > 1:
                best = max(rates.values())
                fewest = min(clients for clients, rate in rates.items() if rate >= ENOUGH * best)
                yield message(
                    "ior-knee",
                    area=area,
                    timed=timed,
                    clients=fewest,
                    rate=Quantity(rates[fewest], "B/s"),
                    share=Share(rates[fewest] / best),
                    most=max(rates),
                )


def _best_by_clients(cases: Sequence[ViewCase], area: str, metric: str) -> Mapping[int, float]:
    rates: dict[int, float] = {}
    for case in cases:
        record = case.assessment.record
        if _area(record) == area and record.parameters.get("files") == PER_PROCESS:
            values = [figure.value for figure in case.assessment.figures if figure.metric == metric]
            rates[record.ranks] = max([rates.get(record.ranks, 0.0), *values])
    return {clients: rate for clients, rate in rates.items() if rate}


VIEWS = (
    AreaTable(),
    Sweep(
        Plot(
            "Bandwidth over clients, each with as much",
            METRICS,
            x="ranks",
            series="area",
            alike=(*ALIKE, "block", "segments"),
        ),
        Plot(
            "Bandwidth over clients, all with as much together",
            METRICS[::-1],
            x="ranks",
            series="area",
            alike=(*ALIKE, "storage_bytes"),
        ),
    ),
    OverTime(write="Writing", read="Reading"),
    Stragglers(*METRICS, *FROM_CACHE),
)
