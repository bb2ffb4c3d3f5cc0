"""Simulates orders of ranks, and presents the times beside the model's, with the links that carry most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from banzuke.document import Block, Cell, Column, Paragraph, Row, Section, Table
from banzuke.placement.blocks import title
from banzuke.placement.compare import PROPOSED, OrderComparison, Placed
from banzuke.placement.simulate import Replayed, of_phases, simulate
from banzuke.placement.skeleton import Skeleton
from banzuke.placement.timing import protocol, timing_of
from banzuke.units import number, percent, quantity
from banzuke.words import message
from banzuke.words.language import Words

ERROR = 0.1
"""Share of a time by which simulated ones may be off (docs/placement.md): smaller differences change no proposal."""
SHOWN = 3
"""Number of links that are named."""


@dataclass(frozen=True)
class SimulatedOrder:
    placed: Placed
    simulated: Replayed
    model: float
    """Seconds in the analytic model."""
    computing: float
    """Seconds that the busiest rank computes in the simulation."""
    stands_for: float
    """Number of the benchmark's messages for which one of the simulation stands."""


def simulated_orders(comparison: OrderComparison, names: Sequence[str], rate: float) -> list[SimulatedOrder]:
    """Simulate these orders of the comparison; orders with the same hosts are simulated once. Raises BanzukeError.

    `rate`: of a rank's computation; the comparison has a size.
    """
    skeleton = _skeleton(comparison, rate)
    timing = timing_of(comparison.pattern, comparison.grid, comparison.traffic, comparison.size, rate)
    done: dict[bytes, Replayed] = {}
    orders = []
    for placed in (placed for placed in comparison.placed if placed.name in names):
        key = placed.order.tobytes()
        if key not in done:
            done[key] = simulate(comparison.topology, placed.order, skeleton, comparison.traffic.adapters)
        model = timing.seconds(placed.order) if timing else (comparison.unit or 0.0) * placed.score.seconds
        orders.append(SimulatedOrder(placed, done[key], model, skeleton.computing, skeleton.stands_for))
    return orders


def fastest_instead(orders: Sequence[SimulatedOrder]) -> SimulatedOrder | None:
    """Return the order that is fastest when simulated, if the proposed one is slower there by more than a simulation
    may be off; None: it is not, or it is not simulated.
    """
    proposed = next((order for order in orders if order.placed.name == PROPOSED), None)
    if proposed is None:
        return None
    fastest = min(orders, key=lambda order: order.simulated.seconds)
    return fastest if proposed.simulated.seconds > (1 + ERROR) * fastest.simulated.seconds else None


def _skeleton(comparison: OrderComparison, rate: float) -> Skeleton:
    pattern, size, unit = comparison.pattern, comparison.size or 0.0, comparison.unit or 0.0
    if pattern.computes:
        return pattern.computes.skeleton(comparison.grid, size, rate, comparison.topology.message_seconds)
    ranks = int(comparison.placed[0].order.size)
    return of_phases(comparison.traffic.phases, unit, ranks, eager=pattern.eager)


def busiest(comparison: OrderComparison, simulated: Replayed) -> list[tuple[str, str, float]]:
    """Return the links that carry most for their rate: both ends, and the share of the time that it takes."""
    topology = comparison.topology
    links = np.argsort(-simulated.busy, kind="stable")[:SHOWN]
    return [
        (topology.vertex(int(topology.source[link])), topology.vertex(int(topology.target[link])), busy)
        for link in links
        if (busy := float(simulated.busy[link])) > 0
    ]


def table(comparison: OrderComparison, orders: Sequence[SimulatedOrder], words: Words) -> Table:
    """Return a table of the orders: simulated and modelled time, their ratio, computation, the busiest links."""
    computes = comparison.pattern.computes is not None
    columns = [
        Column(words(message("place-order")), name="order"),
        Column(words(message("place-simulated")), numeric=True, name="simulated"),
        Column(words(message("place-model")), numeric=True, name="model"),
        Column(words(message("place-simulated-ratio")), numeric=True, name="ratio"),
        *([Column(words(message("place-computing")), numeric=True, name="computing")] if computes else []),
        Column(words(message("place-simulated-links")), name="links"),
    ]
    rows = []
    for order in orders:
        seconds = order.simulated.seconds
        links = [f"{end} → {other} {100 * busy:.0f}%" for end, other, busy in busiest(comparison, order.simulated)]
        cells = [
            Cell(title(order.placed.name, words)),
            Cell(quantity(seconds, "s"), seconds, "s"),
            Cell(quantity(order.model, "s"), order.model, "s"),
            Cell(f"{seconds / order.model:.2f}" if order.model else "", seconds / order.model if order.model else None),
            *([Cell(quantity(order.computing, "s"), order.computing, "s")] if computes else []),
            Cell("; ".join(links)),
        ]
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), file="simulated")


def blocks(comparison: OrderComparison, orders: Sequence[SimulatedOrder], words: Words) -> list[Block]:
    """Return the table and what the simulation assumes."""
    said = [message("place-note-simulated", latency=quantity(comparison.topology.message_seconds, "s"))]
    if comparison.pattern.in_turn and not comparison.timing:  # else the model's notes say it
        said.append(protocol(comparison.pattern))
    if comparison.pattern.computes:
        said.append(message("place-note-simulated-computation"))
    if (many := max((order.stands_for for order in orders), default=1.0)) > 1:
        said.append(message("place-note-simulated-steps", number=number(many, 2)))
    notes = [Paragraph(words(note), small=True) for note in said]
    return [*_contradiction(orders, words), table(comparison, orders, words), *notes]


def _contradiction(orders: Sequence[SimulatedOrder], words: Words) -> list[Block]:
    """Return a line if the simulation contradicts the model's proposal, with what is proposed instead."""
    best = fastest_instead(orders)
    if best is None:
        return []
    seconds = {order.placed.name: order.simulated.seconds for order in orders}
    line = message(
        "place-contradicted",
        longer=percent(seconds[PROPOSED] / best.simulated.seconds - 1),
        order=title(best.placed.name, words),
    )
    return [Paragraph(words(line))]


def section(comparison: OrderComparison, orders: Sequence[SimulatedOrder], words: Words) -> Section:
    return Section("simulated", words(message("place-simulated-title")), tuple(blocks(comparison, orders, words)))


def simulated_to_json(comparison: OrderComparison, orders: Sequence[SimulatedOrder]) -> dict[str, object]:
    """Return the simulated orders for programs."""
    return {
        order.placed.name: {
            "time": order.simulated.seconds,
            "model": order.model,
            "computing": order.computing,
            "messages_for_each": order.stands_for,
            "links": [
                {"from": end, "to": other, "busy": busy} for end, other, busy in busiest(comparison, order.simulated)
            ],
        }
        for order in orders
    }
