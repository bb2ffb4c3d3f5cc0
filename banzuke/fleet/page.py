"""Builds the chapter of a fleet in a report, and its nodes as a table for other programs."""

from collections import Counter

from banzuke.document import Block, Cell, Column, Paragraph, Row, Section, Table
from banzuke.fleet.charts import distributions, links_chart, nodes_chart
from banzuke.fleet.model import Fleet
from banzuke.fleet.shares import shares
from banzuke.fleet.summary import figures_table, judged, type_of, worst_first
from banzuke.fleet.verdict import FleetJudgement
from banzuke.words import NodeSetting, message
from banzuke.words.language import Words

_SETTING = "setting."
_OTHERS = 3
"""Most values of a setting that are named beside the most usual one."""


def sections(fleet: Fleet, judgement: FleetJudgement, words: Words) -> list[Section]:
    """Return the chapter: slow nodes and causes, then charts over nodes and links, types of nodes, the method."""
    seen = shares(fleet)
    failed = worst_first(fleet, judgement)
    slow = {verdict.host: {reason.figure.name for reason in verdict.reasons} for verdict in failed if verdict.reasons}
    named = [host for host in slow if host in seen.hosts]
    drawn = [
        nodes_chart(seen, named, words, "fleet"),
        distributions(seen, slow, words, "fleet"),
    ]
    links = {(link.hosts, link.slow.figure.name) for link in judgement.links}
    between = {name for pair in fleet.pairs for name in pair.values}
    maps = [
        links_chart(fleet, figure, seen, {hosts for hosts, name in links if name == figure.name}, words, f"fleet-{at}")
        for at, figure in enumerate(figure for name, figure in fleet.figures.items() if name in between)
    ]
    chapter = [Section("fleet", words(message("fleet-title")), tuple(judged(fleet, judgement, words)), "summary")]
    over: list[Block] = [drawing.block for drawing in drawn if drawing]
    if figures := figures_table(fleet, seen, words):
        chapter.append(Section("fleet-over-nodes", words(message("fleet-over-nodes")), (*over, figures)))
    if charts := tuple(drawing.block for drawing in maps if drawing):
        chapter.append(Section("fleet-between-nodes", words(message("fleet-between-nodes")), charts))
    details: list[Block] = [_types(fleet, judgement, words)]
    if settings := _settings(fleet, words):
        details.append(settings)
    chapter.append(Section("fleet-types", words(message("fleet-types")), tuple(details)))
    method = Paragraph(words(message("fleet-method")))
    return [*chapter, Section("fleet-method", words(message("fleet-how")), (method,))]


def nodes_table(fleet: Fleet, judgement: FleetJudgement) -> tuple[list[str], list[list[object]]]:
    """Return all nodes for other programs: header and rows, figures in SI units."""
    figures = [name for name in fleet.figures if any(name in node.values for node in fleet.nodes.values())]
    rows: list[list[object]] = [
        [host, judgement.nodes[host].verdict, node.state, node.place, node.kind]
        + [node.values.get(name, "") for name in figures]
        for host, node in fleet.nodes.items()
    ]
    return ["node", "verdict", "state", "place", "kind", *figures], rows


def _types(fleet: Fleet, judgement: FleetJudgement, words: Words) -> Table:
    kinds = Counter(node.kind for node in fleet.nodes.values())
    first = {node.kind: node for node in reversed(list(fleet.nodes.values()))}
    verdicts = Counter((node.kind, judgement.nodes[host].verdict) for host, node in fleet.nodes.items())
    titles = (
        message("fleet-type"),
        message("fleet-nodes"),
        message("fleet-passed"),
        message("fleet-failed"),
        message("fleet-unknown"),
    )
    return Table(
        tuple(Column(words(title), numeric=at > 0) for at, title in enumerate(titles)),
        tuple(
            Row(
                (
                    Cell(type_of(first[kind], words)),
                    *(
                        Cell(f"{number:,}", number)
                        for number in (count, *(verdicts[kind, verdict] for verdict in ("pass", "fail", "unknown")))
                    ),
                )
            )
            for kind, count in kinds.most_common()
        ),
        caption=words(message("fleet-types-caption")),
        file="fleet-types",
    )


def _settings(fleet: Fleet, words: Words) -> Table | None:
    """Return a table of the settings in which nodes of a type differ."""
    counters: dict[tuple[str, str], Counter[str]] = {}
    for node in fleet.nodes.values():
        for name, value in node.facts.items():
            if name.startswith(_SETTING):
                counters.setdefault((node.kind, name.removeprefix(_SETTING)), Counter())[str(value)] += 1
    first = {node.kind: node for node in reversed(list(fleet.nodes.values()))}
    rows = []
    for (kind, name), values in sorted(counters.items()):
        (usual, count), *others = values.most_common()
        if others:
            rarer = [
                words(message("fleet-value-nodes", value=value, nodes=number)) for value, number in others[:_OTHERS]
            ]
            more = [words(message("fleet-more-values", number=len(others) - _OTHERS))] if others[_OTHERS:] else []
            cells = (
                words.fact(NodeSetting(name)),
                type_of(first[kind], words),
                usual,
                f"{count:,}",
                "\n".join([*rarer, *more]),
            )
            rows.append(Row(tuple(map(Cell, cells))))
    titles = (
        message("fleet-setting"),
        message("fleet-type"),
        message("fleet-most-have"),
        message("fleet-nodes"),
        message("fleet-others-have"),
    )
    columns = tuple(Column(words(title), numeric=at == 3) for at, title in enumerate(titles))
    return Table(columns, tuple(rows), caption=words(message("fleet-settings-caption"))) if rows else None
