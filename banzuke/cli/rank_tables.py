"""Makes the tables of `banzuke rank`: places by edition, and the nearest machines."""

from collections.abc import Iterator, Mapping, Sequence

from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import GAP
from banzuke.judge.model import Figure
from banzuke.ranking.editions import Ranking
from banzuke.report.first.peers import Peer, Per
from banzuke.report.nearest import Nearest
from banzuke.units import quantity, times

FIRST, OTHERS = 2, 1
"""Number of machines shown above and as many below, by the first measure and by each other; so all fit on a screen."""
LONGEST = 36
"""Largest number of characters shown of a machine's name."""
MEASURES: Mapping[Per, str] = {
    "": "whole machine",
    "node": "by node",
    "core": "by core",
    "device": "by device",
    "watt": "by watt",
}
_EDITION, _PLACE = len("edition"), len("place")


def editions_table(ranking: Ranking, figure: float, width: int) -> Table:
    """Return the figure's places by edition, starting with the last edition that it would have led.

    The table is filled column by column, with as many pairs of columns as fit into `width`.
    """
    places = ranking.places(figure)
    led = max((edition for edition, place in places.items() if place == 1), default="")
    shown = [(edition, place) for edition, place in places.items() if edition >= led]
    blocks = max(1, (width + GAP) // (_EDITION + _PLACE + 2 * GAP))
    height = -(-len(shown) // blocks)
    blocks = -(-len(shown) // height) if shown else 0
    cells = [f"{place:,}" for _, place in shown]
    rows = [
        [text for at in range(row, height * blocks, height) for text in _pair(shown, cells, at)]
        for row in range(height)
    ]
    columns = [column for _ in range(blocks) for column in (Column("edition"), Column("place", right=True))]
    return Table.of_texts(columns, rows)


def _pair(shown: Sequence[tuple[str, int]], cells: Sequence[str], at: int) -> tuple[str, str]:
    return (shown[at][0], cells[at]) if at < len(shown) else ("", "")


def nearest_table(around: Sequence[Nearest], figure: Figure, caption: str) -> Table:
    """Return a table with the nearest machines above and below this one, for each measure."""
    columns = (Column(""), Column("machine"), Column("figure", numeric=True), Column("to this one", numeric=True))
    rows = [
        Row(cells, "own" if own else "")
        for place, entry in enumerate(around)
        for cells, own in _rows(entry, figure, FIRST if place == 0 else OTHERS)
    ]
    return Table(columns, tuple(rows), caption)


def _rows(entry: Nearest, figure: Figure, most: int) -> Iterator[tuple[tuple[Cell, ...], bool]]:
    head = MEASURES[entry.per]
    unit = unit_per(figure.unit, entry.per)
    for peer, value in reversed(entry.above[:most]):
        yield _row(head, peer, value, entry.own, unit), False
        head = ""
    own = f"▸ this machine, place {entry.place:,} of {entry.count:,}"
    yield (Cell(head), Cell(own), Cell(quantity(entry.own, unit)), Cell("")), True
    for peer, value in entry.below[:most]:
        yield _row("", peer, value, entry.own, unit), False


def _row(head: str, peer: Peer, value: float, own: float, unit: str) -> tuple[Cell, ...]:
    name = peer.machine if len(peer.machine) <= LONGEST else f"{peer.machine[: LONGEST - 1]}…"
    return Cell(head), Cell(name), Cell(quantity(value, unit)), Cell(times(value / own))


def unit_per(unit: str, per: Per) -> str:
    """Return the unit of a figure by this measure: `flop/s/W` by watt; by node, core or device it stays the same."""
    if per != "watt":
        return unit
    return "flop/s/W" if unit == "flop/s" else f"{unit.removesuffix('/s')}/J"
