"""Presents orders of ranks: a table, the grid coloured by switch, and the load of the links between switches."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from banzuke.document import Block, Cell, Column, Drawing, Item, Items, Panel, Paragraph, Row, Section, Table
from banzuke.document.drawing import SMALL, USUAL, Pen
from banzuke.placement.compare import PROPOSED, SCHEDULER, OrderComparison, Placed
from banzuke.placement.topology import Values
from banzuke.units import number as shown_number
from banzuke.units import quantity
from banzuke.words import message
from banzuke.words.language import Words

Pair: TypeAlias = tuple[int, int]
"""Numbers of two switches."""
COLOURS = 8
LEAST_GAIN = 1.005
"""Smallest speed-up of the proposed order over the scheduler's that is recommended."""
TITLES = {
    "scheduler": message("place-order-scheduler"),
    "number": message("place-order-number"),
    "random": message("place-order-random"),
    "switch": message("place-order-switch"),
    "rows": message("place-order-rows"),
    "tiles": message("place-order-tiles"),
    "strips": message("place-order-strips"),
    "strips-random": message("place-order-strips-random"),
    "place": message("place-order-place"),
}
ROUTES = {
    "destination": message("place-routing-destination"),
    "blocks": message("place-routing-blocks"),
    "first": message("place-routing-first"),
    "adaptive": message("place-routing-adaptive"),
}
SHARING = {
    "striped": message("place-adapters-striped"),
    "by-rank": message("place-adapters-by-rank"),
    "first": message("place-adapters-first"),
}
_WIDTH = 460.0
MOST_DRAWN = 40_000
"""Largest grid, in ranks, that is drawn."""
MOST_BUNDLES = 40
"""Largest number of pairs of switches whose cables are drawn."""


def title(order: str, words: Words) -> str:
    """Return the name of an order in words; `random:7` comes from a run, not from the table of `banzuke place`."""
    return words(TITLES.get(order) or message("place-order-seeded", seed=order.partition(":")[2]))


def table(comparison: OrderComparison, words: Words, file: str = "orders") -> Table:
    """Return a table of the orders: time, its ratio to the proposed order's, the sum of phases if that is another, the
    busiest link, and the rate.
    """
    least = comparison.proposed.time
    rated = any(placed.rate is not None for placed in comparison.placed)
    proposed = comparison.proposed.name == PROPOSED
    timed = comparison.unit and comparison.topology.rated
    if comparison.timing:
        time = message("place-time-model") if timed else message("place-time-model-relative")
    else:
        time = message("place-time") if timed else message("place-time-relative")
    columns = [
        Column(words(message("place-order")), name="order"),
        Column(words(time), numeric=True, name="time"),
        Column(words(message("place-ratio") if proposed else message("place-ratio-last")), numeric=True, name="ratio"),
        *([Column(words(message("place-phases")), numeric=True, name="phases")] if comparison.timing else []),
        Column(words(message("place-busiest")), name="busiest"),
        Column(words(message("place-flows")), numeric=True, name="flows"),
    ]
    if rated:
        columns.append(Column(words(message("place-rate")), numeric=True, name="rate"))
    rows = []
    for placed in comparison.placed:
        seconds, phases = _seconds(comparison, placed), _phases(comparison, placed)
        cells = [
            Cell(title(placed.name, words)),
            Cell(_time(comparison, seconds), seconds, "s" if timed else ""),
            Cell(f"{placed.time / least:.2f}" if least else "1.00", placed.time / (least or 1.0)),
            *([Cell(_time(comparison, phases), phases, "s" if timed else "")] if comparison.timing else []),
            Cell(busiest(comparison, placed)),
            Cell(shown_number(flows(comparison, placed), 3), flows(comparison, placed)),
        ]
        if rated:
            rate = placed.rate or 0.0
            cells.append(Cell(quantity(rate, comparison.pattern.counted), rate, comparison.pattern.counted))
        rows.append(Row(tuple(cells), "own" if placed.name == PROPOSED else ""))
    return Table(tuple(columns), tuple(rows), file=file)


def _seconds(comparison: OrderComparison, placed: Placed) -> float:
    """Return the time of an order; without a size of the problem, as a multiple of the fastest order's."""
    if placed.seconds is None:
        return _phases(comparison, placed)
    if comparison.unit and comparison.topology.rated:
        return placed.seconds
    return placed.time / (min(other.time for other in comparison.placed) or 1.0)


def _phases(comparison: OrderComparison, placed: Placed) -> float:
    """Return the sum of an order's phases, likewise."""
    if comparison.unit and comparison.topology.rated:
        return comparison.unit * placed.score.seconds
    return placed.score.seconds / (min(other.score.seconds for other in comparison.placed) or 1.0)


def _time(comparison: OrderComparison, seconds: float) -> str:
    return quantity(seconds, "s") if comparison.unit and comparison.topology.rated else f"{seconds:.2f}"


def _worst_phase(placed: Placed) -> int:
    return int(np.argmax([phase.seconds for phase in placed.score.phases]))


def busiest(comparison: OrderComparison, placed: Placed) -> str:
    """Return the ends of the link that takes longest."""
    phase = placed.score.phases[_worst_phase(placed)]
    topology = comparison.topology
    ends = (topology.source[phase.link], topology.target[phase.link])
    return " → ".join(topology.vertex(int(end)) for end in ends)


def flows(comparison: OrderComparison, placed: Placed) -> float:
    """Return the load of the busiest link, in units of the phase's largest message."""
    at = _worst_phase(placed)
    phase, amounts = placed.score.phases[at], comparison.traffic.phases[at].amounts
    return phase.seconds * float(comparison.topology.rate[phase.link]) / float(amounts.max())


def summary(comparison: OrderComparison, words: Words) -> Iterator[Block]:
    """Yield the verdict, then the table, then the assumptions."""
    scheduler, proposed = comparison.named(SCHEDULER), comparison.proposed
    gain = scheduler.time / proposed.time if proposed.time else 1.0
    if gain > LEAST_GAIN:
        pattern, begun, exchanges = comparison.pattern.title, TITLES[comparison.begun], comparison.exchanges
        longer = f"{gain:.2f}"
        if comparison.computed:
            verdict = message("place-verdict-run", pattern=pattern, gain=longer, begun=begun, exchanges=exchanges)
        else:
            verdict = message("place-verdict", pattern=pattern, gain=longer, begun=begun, exchanges=exchanges)
    else:
        verdict = message("place-verdict-none", pattern=comparison.pattern.title)
    yield Paragraph(words(verdict))
    yield table(comparison, words)
    for note in notes(comparison, words):
        yield Paragraph(note, small=True)


def notes(comparison: OrderComparison, words: Words) -> list[str]:
    topology = comparison.topology
    said = [*topology.notes, ROUTES[topology.routing]]
    if comparison.pattern.assumed:
        said.append(comparison.pattern.assumed)
    if (np.bincount(topology.port_host) > 1).any():
        said.append(SHARING[comparison.traffic.adapters])
    said += comparison.timing.notes if comparison.timing else [message("place-note-model")]
    return [words(note) for note in said]


def network(comparison: OrderComparison, words: Words) -> str:
    """Return one line about the topology and the grid of ranks."""
    topology = comparison.topology
    cables = int(topology.source.size) // 2
    return words(
        message(
            "place-network",
            hosts=len(topology.hosts),
            switches=len(topology.switches),
            cables=cables,
            ranks=int(comparison.placed[0].order.size),
            grid="×".join(map(str, comparison.grid)) if len(comparison.grid) > 1 else "none",
        )
    )


def sections(comparison: OrderComparison, words: Words) -> list[Section]:
    """Return the page: what to do, the orders, the grid by switch, the load of the links, the assumptions."""
    first = list(summary(comparison, words))
    blocks = [Section("place", words(message("place-title")), tuple(first[:2]), "summary")]
    if grid := grid_blocks(comparison, words):
        blocks.append(Section("grid", words(message("place-grid")), tuple(grid)))
    if links := link_blocks(comparison, words):
        blocks.append(Section("links", words(message("place-links")), tuple(links)))
    items = Items(tuple(Item(note) for note in notes(comparison, words)), style="prose")
    about = Paragraph(network(comparison, words))
    blocks.append(Section("assumed", words(message("place-assumed")), (about, items)))
    return blocks


def grid_blocks(comparison: OrderComparison, words: Words, name: str = "grid") -> list[Block]:
    """Return the grid by switch for each order; none where the grid has one side. `name`: that of the drawing."""
    if len(comparison.grid) == 1 or comparison.placed[0].order.size > MOST_DRAWN:
        return []
    grids = tuple(_grid(comparison, placed, words) for placed in _distinct(comparison))
    description = words(message("place-grid-description"))
    return [Drawing(name, words(message("place-grid")), description, grids), *_legend(comparison, words)]


def link_blocks(comparison: OrderComparison, words: Words, name: str = "links") -> list[Block]:
    """Return the load of the cables between switches for each order, as a drawing and a table; none where there
    are no cables.
    """
    heaviest = _heaviest(comparison)
    if not heaviest:
        return []
    pairs = sorted(sorted(heaviest, key=lambda pair: -heaviest[pair])[:MOST_BUNDLES])
    loads = {placed.name: _worst_loads(comparison, placed, pairs) for placed in _distinct(comparison)}
    panels = tuple(_links(comparison, name, carried, words) for name, carried in loads.items())
    description = words(message("place-links-description"))
    some = message("place-links-some", shown=len(pairs), all=len(heaviest))
    return [
        *([Paragraph(words(some), small=True)] if len(pairs) < len(heaviest) else []),
        Drawing(name, words(message("place-links")), description, panels),
        _loads(comparison, loads, words, name),
    ]


def _distinct(comparison: OrderComparison) -> list[Placed]:
    """Return each different order once, under its first name."""
    by_content: dict[bytes, Placed] = {}
    for placed in comparison.placed:
        by_content.setdefault(placed.order.tobytes(), placed)
    return list(by_content.values())


def _switches(comparison: OrderComparison) -> list[int]:
    return [int(switch) for switch in np.unique(comparison.topology.switch_of_host)]


def _legend(comparison: OrderComparison, words: Words) -> Iterator[Block]:
    names = [comparison.topology.switches[switch] for switch in _switches(comparison)]
    if len(names) > COLOURS:
        yield Paragraph(words(message("place-legend-again", number=len(names))), small=True)


def _grid(comparison: OrderComparison, placed: Placed, words: Words) -> Panel:
    """Draw each rank in its switch's colour; the layers of a three-dimensional grid are beside and below each other."""
    rows, columns, *layers = comparison.grid
    depth = layers[0] if layers else 1
    across = min(depth, math.ceil(math.sqrt(depth * rows / columns)))
    wide, high = columns + 0.5 * (across > 1), math.ceil(depth / across) * (rows + 0.5)
    edge = max(1.0, min(14.0, _WIDTH / (across * wide), 460.0 / high))
    pen = Pen(_WIDTH)
    top = pen.text(0, 0, title(placed.name, words), width=_WIDTH, bold=True) + 6
    code = {switch: number for number, switch in enumerate(_switches(comparison))}
    switch = comparison.topology.switch_of_host[placed.order].reshape(comparison.grid, order="F")
    flat = switch.reshape(rows, columns, depth)
    for layer in range(depth):
        left = layer % across * wide
        for row in range(rows):
            y = top + (layer // across * (rows + 0.5) + row) * edge
            begin = 0
            for column in range(1, columns + 1):  # neighbours on one switch as one box
                if column == columns or flat[row, column, layer] != flat[row, begin, layer]:
                    number = code[int(flat[row, begin, layer])]
                    fill = f"c{number % COLOURS + 1}"
                    pen.box((left + begin) * edge, y, (column - begin) * edge, edge, fill, "", radius=0)
                    begin = column
    bottom = top + high * edge + 4
    x, names = 0.0, [comparison.topology.switches[number] for number in code]
    if len(names) <= COLOURS:
        for number, name in enumerate(names):
            wide = 16 + 7 * min(len(name), 10)
            if x + wide > _WIDTH:  # on the next line
                x, bottom = 0.0, bottom + 16
            pen.box(x, bottom, 9, 9, f"c{number + 1}", "")
            pen.text(x + 12, bottom - 3, name, width=60, size=SMALL, most=1)
            x += wide
        bottom += 16
    return pen.panel(bottom + 4)


def _heaviest(comparison: OrderComparison) -> dict[Pair, float]:
    """Return pairs of switches, in one direction, with the load of the busiest cable between them in any order."""
    topology = comparison.topology
    size = len(topology.switches)
    between = (topology.source < size) & (topology.target < size)
    if not between.any():
        return {}
    heaviest: dict[Pair, float] = {}
    for placed in comparison.placed:
        loads = comparison.traffic.loads(placed.order).max(axis=0)
        for link in np.flatnonzero(between & (loads > 0)):
            pair = (int(topology.source[link]), int(topology.target[link]))
            heaviest[pair] = max(heaviest.get(pair, 0.0), float(loads[link]))
    return heaviest


def _worst_loads(comparison: OrderComparison, placed: Placed, pairs: Sequence[Pair]) -> dict[Pair, Values]:
    """Return the load of each pair's cables in the phase that takes longest, in units of the phase's
    largest message.
    """
    topology, at = comparison.topology, _worst_phase(placed)
    loads = comparison.traffic.loads(placed.order)[at] / comparison.traffic.phases[at].amounts.max()
    return {pair: loads[(topology.source == pair[0]) & (topology.target == pair[1])] for pair in pairs}


def _links(comparison: OrderComparison, order: str, loads: Mapping[Pair, Values], words: Words) -> Panel:
    """Draw a bar for each cable of each pair of switches, with its load as height."""
    pen = Pen(_WIDTH)
    y = pen.text(0, 0, title(order, words), width=_WIDTH, bold=True) + 4
    most = max(float(values.max(initial=0.0)) for values in loads.values()) or 1.0
    switches = comparison.topology.switches
    for pair, values in loads.items():
        name = f"{switches[pair[0]]} → {switches[pair[1]]}"
        pen.text(0, y, name, width=130, size=SMALL, most=1)
        width = min(12.0, (_WIDTH - 190) / max(values.size, 1))
        for number, value in enumerate(values):
            height = 16.0 * float(value) / most
            fill = "bad" if value >= 0.999 * most else "c1"
            pen.box(136 + number * width, y + 16 - height, max(width - 1, 0.5), height, fill, "", radius=0)
        pen.text(_WIDTH, y, shown_number(float(values.max(initial=0.0)), 3), width=50, size=USUAL, anchor="end")
        y += 20
    return pen.panel(y + 4)


def _loads(comparison: OrderComparison, loads: Mapping[str, Mapping[Pair, Values]], words: Words, file: str) -> Table:
    """Return the drawing as a table: the load of each pair's busiest cable, and where pairs have several, how many
    are in use.
    """
    topology = comparison.topology
    several = any(values.size > 1 for carried in loads.values() for values in carried.values())
    columns = [Column(words(message("place-from"))), Column(words(message("place-to")))]
    columns += [Column(title(order, words), numeric=True) for order in loads]
    rows = []
    for pair in next(iter(loads.values())):
        cells = [Cell(topology.switches[pair[0]]), Cell(topology.switches[pair[1]])]
        for carried in loads.values():
            values = carried[pair]
            most = float(values.max(initial=0.0))
            used = message("place-used", used=int((values > 0).sum()), all=int(values.size))
            cells.append(Cell(shown_number(most, 3), most, note=words(used) if several else ""))
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), file=file, heads=2)


def to_json(comparison: OrderComparison, chosen: Placed) -> dict[str, object]:
    """Return the comparison for programs; `chosen`: the order that is proposed."""
    topology = comparison.topology
    return {
        "topology": topology.name,
        "pattern": comparison.pattern.name,
        "grid": list(comparison.grid),
        "hosts": len(topology.hosts),
        "switches": len(topology.switches),
        "timed_by": "phases" if comparison.timing is None else comparison.timing.name,
        "routing": topology.routing,
        "adapters": comparison.traffic.adapters,
        "eager": comparison.pattern.eager,
        "orders": {
            placed.name: {
                "time": _seconds(comparison, placed),
                "unit": "s" if comparison.unit and topology.rated else "of the fastest",
                "sum_of_phases": _phases(comparison, placed),
                "rate": placed.rate,
                "busiest": busiest(comparison, placed),
                "messages_on_busiest": flows(comparison, placed),
                "phases": {phase.name: phase.seconds for phase in placed.score.phases[:4]},
            }
            for placed in comparison.placed
        },
        "notes": [note.code for note in topology.notes],
        "proposed": chosen.name,
        "hosts_of_ranks": [topology.hosts[number] for number in chosen.order],
    }
