"""The section that compares this machine with published ones: a chart and a table for each figure."""

from collections.abc import Sequence

from banzuke.compare.settings import figure_text
from banzuke.document import (
    Block,
    Cell,
    Charts,
    Column,
    Details,
    Heading,
    Item,
    Items,
    Origin,
    Paragraph,
    Row,
    Section,
    Table,
)
from banzuke.report.first.balance import balance_table
from banzuke.report.first.peer_charts import peer_charts
from banzuke.report.first.peers import Peer, PeerComparison, Per
from banzuke.report.model import Evaluation
from banzuke.units import percent, quantity
from banzuke.words import Message, Quantity, Share, message
from banzuke.words.language import Words
from banzuke.words.written import printed_amount

NONE = "–"


def comparison_section(
    comparisons: Sequence[PeerComparison],
    citations: Sequence[str],
    evaluation: Evaluation,
    words: Words,
    prefix: str = "",
) -> Section | None:
    """Return the section; None: nothing is published to compare with."""
    if not comparisons:
        return None
    blocks: list[Block] = [Paragraph(words(message("peers-intro")))]
    for comparison in comparisons:
        table = peers_table(comparison, words, prefix)
        if not comparison.headline:
            blocks.append(Details(comparison.title, (table,)))
            continue
        blocks.append(Heading(comparison.title, anchor=comparison.anchor))
        charts = peer_charts(comparison, words)
        blocks += [Charts(tuple(charts))] if charts else []
        blocks.append(table)
        balance = balance_table(comparison, evaluation, words)
        blocks += [balance] if balance else []
    blocks.append(Heading(words(message("peers-references"))))
    cited = [Item(text, anchor=f"{prefix}reference-{number}") for number, text in enumerate(citations, 1)]
    blocks.append(Items(tuple(cited), ordered=True, style="references"))
    return Section(f"{prefix}comparison", words(message("peers-title")), tuple(blocks))


def peers_table(comparison: PeerComparison, words: Words, prefix: str = "") -> Table:
    """Return a row for each peer, best first: value as measured or printed, per node, device or core, and source."""
    rates = comparison.unit.endswith("/s")
    per_core, devices = comparison.per == "core", comparison.devices
    columns = [
        Column(words(message("peers-machine"))),
        Column(words(message("peers-value")), numeric=True, name="value"),
        Column(words(message("peers-printed"))),
        Column(words(message("peers-devices") if devices else message("peers-nodes")), numeric=True),
        *([Column(words(message("peers-per-node")), numeric=True, name="per node")] if rates and not devices else []),
        *([Column(words(message("peers-per-device")), numeric=True, name="per device")] if rates and devices else []),
        *([Column(words(message("peers-per-core")), numeric=True, name="per core")] if per_core else []),
        Column(words(message("peers-of-peak")), numeric=True, name="of peak"),
        Column(words(message("peers-source"))),
    ]
    rows = []
    for peer in comparison.peers:
        bases: list[Per] = ["device" if devices else "node"] if rates else []
        bases += ["core"] if per_core else []
        count = peer.devices if devices else peer.nodes
        rows.append(
            Row(
                (
                    _name(peer, words),
                    _value(comparison, peer),
                    Cell(words(printed_amount(peer.printed)) if peer.printed else ""),
                    Cell(NONE if count is None else f"{count:,}", count),
                    *(_quantity_cell(peer.value_per(per), comparison.unit) for per in bases),
                    _of_peak(peer, words),
                    _source(comparison, peer, words, prefix),
                ),
                "own" if peer.own else "",
            )
        )
    return Table(tuple(columns), tuple(rows), words(_caption(comparison)))


def _caption(comparison: PeerComparison) -> Message:
    return message("peers-caption", title=comparison.title, better=comparison.better, per=comparison.per or "whole")


def _name(peer: Peer, words: Words) -> Cell:
    if peer.own:
        return Cell(f"▸ {peer.machine}", note=words(message("peers-own")))
    title = words.fact(peer.title or peer.machine)
    return Cell(words(message("peers-name", machine=title, part=peer.part)) if peer.part else title)


def _value(comparison: PeerComparison, peer: Peer) -> Cell:
    origin = Origin(peer.record, comparison.metric, "median") if peer.record else None
    text = figure_text(peer.value, comparison.unit) if peer.own else _printed(peer.value, comparison.unit)
    return Cell(text, peer.value, comparison.unit, origin)


def _printed(value: float, unit: str) -> str:
    """Return a published value with one digit more than a measured one, because reports print more."""
    return percent(value, 4) if unit == "1" else quantity(value, unit, 4)


def _quantity_cell(value: float | None, unit: str) -> Cell:
    return Cell(NONE) if value is None else Cell(quantity(value, unit), value, unit)


def _of_peak(peer: Peer, words: Words) -> Cell:
    if peer.of_peak is None:
        return Cell(NONE)
    note = words(message("peers-computed")) if peer.of_peak_computed else ""
    if peer.of_peak_printed is not None:
        note = words(message("peers-share-printed", share=Share(peer.of_peak_printed)))
    return Cell(percent(peer.of_peak), peer.of_peak, "1", note=note)


def _source(comparison: PeerComparison, peer: Peer, words: Words, prefix: str) -> Cell:
    if peer.own:
        said = [message("peers-median", launches=peer.count, best=_best(comparison, peer))]
        said += [message("peers-case", settings=peer.case)] if peer.case else []
        said += [message("peers-in-cache")] if peer.in_cache else []
        return Cell(words(message("peers-this-report")), note=words.joined(said))
    about = [message("peers-best-of", count=peer.count)] if peer.count > 1 else []
    about += [message("peers-kind", kind=peer.kind)] if peer.kind != "measured" else []
    remarks = [words.fact(peer.note).removesuffix(".")] if peer.note else []
    remarks = [*map(words, about), *remarks, *(f"⚑ {words.fact(flag)}" for flag in peer.flags)]
    return Cell(
        f"[{peer.reference}] {words.fact(peer.source)}",
        link=f"#{prefix}reference-{peer.reference}",
        note=words.joined(remarks),
    )


def _best(comparison: PeerComparison, peer: Peer) -> Quantity | str:
    return "" if peer.best is None else figure_text(peer.best, comparison.unit)
