"""Presents the judgement of a fleet as blocks for terminals and pages: counts, slow nodes, causes, figures."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Paragraph, Row, Table
from banzuke.fleet.directions import link_name
from banzuke.fleet.model import Fleet, Node, NodeFigure
from banzuke.fleet.shares import Shares, deviation, shares
from banzuke.fleet.verdict import FleetJudgement, NodeVerdict, SlowCable, SlowFigure, SlowPlace
from banzuke.units import number, percent
from banzuke.words import Message, Share, message
from banzuke.words.language import Words

SHOWN = 100
"""Most rows of a table of nodes or links; a fleet of 10,000 may have hundreds of slow ones, and the files have all."""
_REASONS = 4
"""Most figures that are named for a node."""
_COUNT, _OVER_NODES = 2, 4
"""Columns of the table of figures: the number of nodes, and the first of those about differences between nodes."""
_NONE = "none"
"""What a node without devices reports as its devices."""


def blocks(fleet: Fleet, judgement: FleetJudgement, words: Words) -> list[Block]:
    """Return all blocks without charts; what needs attention comes first."""
    figures = figures_table(fleet, shares(fleet), words)
    return [*judged(fleet, judgement, words), *([figures] if figures else [])]


def judged(fleet: Fleet, judgement: FleetJudgement, words: Words) -> list[Block]:
    """Return what was found of the fleet: remarks first, then places, links and nodes, each in a table."""
    shown: list[Block] = [Paragraph(words.sentences(_counted(fleet, judgement)))]
    shown += [Paragraph(words(remark)) for remark in judgement.remarks]
    disturbed = [verdict for verdict in judgement.of("unknown") if verdict.disturbed]
    shown += [Paragraph(words(verdict.action)) for verdict in disturbed[:SHOWN]]
    if fleet.damaged:
        shown.append(Paragraph(words(message("fleet-damaged", lines=fleet.damaged))))
    tables = (
        _places(judgement, words),
        _crossings(judgement, words),
        _cables(judgement, words),
        _nodes(fleet, judgement, words),
    )
    shown += [table for table in tables if table]
    shown += [table for table in (_links(judgement, words), _shifts(fleet, judgement, words)) if table]
    return shown


def worst_first(fleet: Fleet, judgement: FleetJudgement) -> list[NodeVerdict]:
    """Return the nodes that failed: those without measurements, then the slow ones."""
    return sorted(
        judgement.of("fail"),
        key=lambda verdict: (
            fleet.nodes[verdict.host].state == "measured",
            -max((slow.sigmas for slow in verdict.reasons), default=0.0),
            verdict.host,
        ),
    )


def type_of(node: Node, words: Words) -> str:
    """Return `AMD EPYC 9654, 192 cores`: what the node reports of its type, or the hash of its hardware."""
    cores = node.facts.get("type.cores")
    parts = [
        str(node.facts.get("type.processor", "")),
        words(message("fleet-cores", cores=cores)) if isinstance(cores, int) else "",
        str(node.facts.get("type.devices", "")).removeprefix(_NONE),
    ]
    return words(message("fact-comma")).join(filter(None, parts)) or node.kind or words(message("fleet-type-unknown"))


def _counted(fleet: Fleet, judgement: FleetJudgement) -> Iterator[Message]:
    kinds = {node.kind for node in fleet.nodes.values() if node.kind}
    yield message("fleet-nodes-of-types", nodes=len(fleet.nodes), types=max(1, len(kinds)))
    counts = (len(judgement.of(verdict)) for verdict in ("pass", "fail", "unknown"))
    passed, failed, unknown = counts
    yield message("fleet-counted", passed=passed, failed=failed, unknown=unknown)
    if links := len({frozenset(pair.hosts) for pair in fleet.pairs}):
        slow = len({frozenset(link.hosts) for link in judgement.links})
        yield message("fleet-counted-links", links=links, slow=slow)


def _nodes(fleet: Fleet, judgement: FleetJudgement, words: Words) -> Table | None:
    failed = worst_first(fleet, judgement)
    rows = [
        Row(
            (
                Cell(verdict.host, mark="failed", note=fleet.nodes[verdict.host].place),
                Cell(_observed(fleet.nodes[verdict.host], verdict, words)),
                Cell(words.joined(verdict.causes) or "–"),
                Cell(words(verdict.action)),
            )
        )
        for verdict in failed[:SHOWN]
    ]
    titles = (message("fleet-node"), message("fleet-seen"), message("fleet-causes"), message("fleet-action"))
    return _table(titles, rows, len(failed), message("fleet-failed-nodes"), words)


def _observed(node: Node, verdict: NodeVerdict, words: Words) -> str:
    if node.state != "measured":
        state = message("fleet-state", state=node.state)
        return words(message("fleet-state-why", state=state, why=node.why)) if node.why else words(state)
    reasons = [_slow(slow) for slow in verdict.reasons[:_REASONS]]
    more = len(verdict.reasons) - len(reasons)
    return words.joined([*reasons, *([message("fleet-more", number=more)] if more else [])])


def _slow(slow: SlowFigure) -> Message:
    title, unit, share = slow.figure.title, slow.figure.unit, slow.percent / 100
    if slow.against == "limit":
        value, limit = figure_text(slow.value, unit), figure_text(slow.usual, unit)
        return message("fleet-of-limit", figure=title, value=value, share=Share(1 - share), limit=limit)
    sigmas = number(slow.sigmas, 2)
    return message("fleet-slower", figure=title, share=Share(share), sigmas=sigmas, against=slow.against)


def _links(judgement: FleetJudgement, words: Words) -> Table | None:
    rows = [
        Row((Cell(link_name(link.hosts, link.slow.figure), mark="failed"), *_amounts(link.slow, words)))
        for link in judgement.links[:SHOWN]
    ]
    titles = (message("fleet-link"), *_AMOUNTS)
    return _table(titles, rows, len(judgement.links), message("fleet-slow-links"), words, numeric=(2, 3, 4, 5))


def _places(judgement: FleetJudgement, words: Words) -> Table | None:
    return _table_of_places(judgement.places, message("fleet-slow-places"), words)


def _crossings(judgement: FleetJudgement, words: Words) -> Table | None:
    """Return the table of places whose nodes reach all others slowly."""
    return _table_of_places(judgement.crossings, message("fleet-slow-crossings"), words)


def _cables(judgement: FleetJudgement, words: Words) -> Table | None:
    rows = [
        Row(
            (
                Cell(
                    cable_name(cable, words), mark="failed", note=words(message("fleet-pairs-there", pairs=cable.pairs))
                ),
                *_amounts(cable.slow, words),
            )
        )
        for cable in judgement.cables[:SHOWN]
    ]
    titles = (message("fleet-cable"), *_AMOUNTS)
    return _table(titles, rows, len(rows), message("fleet-slow-cables"), words, numeric=(2, 3, 4, 5))


def cable_name(cable: SlowCable, words: Words) -> str:
    """Return the ends of a cable, and which one of those between them it is."""
    ends = f"{cable.source} → {cable.target}"
    if cable.alone:
        return words(message("fleet-cable-or-switch", ends=ends))
    return words(message("fleet-cable-of", ends=ends, number=cable.number, among=cable.among))


def _table_of_places(places: Sequence[SlowPlace], caption: Message, words: Words) -> Table | None:
    rows = [
        Row(
            (
                Cell(place.place, mark="failed", note=words(message("fleet-nodes-there", nodes=len(place.hosts)))),
                *_amounts(place.slow, words),
            )
        )
        for place in places[:SHOWN]
    ]
    titles = (message("fleet-place"), *_AMOUNTS)
    return _table(titles, rows, len(places), caption, words, numeric=(2, 3, 4, 5))


def _shifts(fleet: Fleet, judgement: FleetJudgement, words: Words) -> Table | None:
    """Return the table of types whose nodes are all slower than before."""
    types = {node.kind: type_of(node, words) for node in fleet.nodes.values()}
    slower = [(kind, slow) for kind, figures in judgement.shifts.items() for slow in figures]
    rows = [Row((Cell(types.get(kind, kind)), *_amounts(slow, words))) for kind, slow in slower[:SHOWN]]
    titles = (message("fleet-type"), *_AMOUNTS)
    return _table(titles, rows, len(slower), message("fleet-shifts"), words, numeric=(2, 3, 4, 5))


_AMOUNTS = (
    message("fleet-figure"),
    message("fleet-value"),
    message("fleet-usual"),
    message("fleet-below"),
    message("fleet-sigmas"),
)


def _amounts(slow: SlowFigure, words: Words) -> tuple[Cell, ...]:
    unit = slow.figure.unit
    return (
        Cell(words(slow.figure.title)),
        Cell(figure_text(slow.value, unit), slow.value, unit),
        Cell(figure_text(slow.usual, unit), slow.usual, unit),
        Cell(percent(slow.percent / 100), slow.percent / 100, "1"),
        Cell(number(slow.sigmas, 2), slow.sigmas),
    )


def _table(
    titles: Iterable[Message],
    rows: Sequence[Row],
    total: int,
    caption: Message,
    words: Words,
    numeric: Sequence[int] = (),
) -> Table | None:
    """Return a table, or None without rows. `total`: number of rows before the table was cut."""
    if not rows:
        return None
    said = [caption, *([message("fleet-first", shown=len(rows), of=total)] if total > len(rows) else [])]
    columns = tuple(Column(words(title), numeric=at in numeric) for at, title in enumerate(titles))
    return Table(columns, tuple(rows), caption=words.sentences(said))


def figures_table(fleet: Fleet, seen: Shares, words: Words) -> Table | None:
    """Return the distribution of each figure over the nodes of each type; its value for types of one node."""
    types = {node.kind: type_of(node, words) for node in fleet.nodes.values()}
    kinds = [fleet.nodes[host].kind for host in seen.hosts]
    rows = []
    for row, figure in enumerate(seen.figures):
        for kind in sorted(types):
            columns = [at for at, other in enumerate(kinds) if other == kind and np.isfinite(seen.values[row, at])]
            if columns:
                rows.append(Row((Cell(words(figure.title)), *_distribution(figure, types[kind], seen, row, columns))))
    if not rows:
        return None
    several, spread = len(types) > 1, any(row.cells[_COUNT].value != 1 for row in rows)
    titles = (
        message("fleet-figure"),
        message("fleet-type"),
        message("fleet-nodes"),
        message("fleet-median") if spread else message("fleet-value"),
        message("fleet-spread"),
        message("fleet-slowest"),
        message("fleet-fastest"),
    )
    kept = [at for at in range(len(titles)) if (several or at != 1) and (spread or at < _OVER_NODES)]
    return Table(
        tuple(Column(words(titles[at]), numeric=at in (2, 3, 4)) for at in kept),
        tuple(Row(tuple(row.cells[at] for at in kept)) for row in rows),
        caption=words(message("fleet-figures-caption") if spread else message("fleet-figures-of-one")),
        file="fleet-figures",
    )


def _distribution(figure: NodeFigure, kind: str, seen: Shares, row: int, columns: Sequence[int]) -> tuple[Cell, ...]:
    values = seen.values[row, columns]
    median = float(np.median(values))
    spread = deviation(values) / median if median else 0.0
    ends = [columns[int(at)] for at in (np.argmin(values), np.argmax(values))]
    slowest, fastest = ends if figure.better == "higher" else ends[::-1]
    described = (
        Cell(kind),
        Cell(f"{len(columns):,}", len(columns)),
        Cell(figure_text(median, figure.unit), median, figure.unit),
    )
    if len(columns) == 1:
        return (*described, *[Cell("–")] * 3)
    return (
        *described,
        Cell(percent(spread, 2), spread, "1"),
        *(
            Cell(
                figure_text(float(seen.values[row, at]), figure.unit), float(seen.values[row, at]), note=seen.hosts[at]
            )
            for at in (slowest, fastest)
        ),
    )
