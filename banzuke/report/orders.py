"""The section on orders of ranks: the grid by switch and the expected load of links for each order."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from banzuke.document import Block, Heading, Paragraph, Section
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import declared_flows
from banzuke.report.model import Evaluation
from banzuke.results.orders import KeptOrder
from banzuke.words import message
from banzuke.words.language import Words

if TYPE_CHECKING:
    from banzuke.placement.topology import NetworkTopology

MOST_DRAWN = 3
"""Most cases drawn, those of most ranks first; further ones are similar."""


def order_sections(evaluation: Evaluation, words: Words, prefix: str) -> Iterator[Section]:
    """Return the section; none where no topology was given, or the ranks' messages are unknown."""
    kept = evaluation.orders
    cases = _cases(kept.orders) if kept and kept.topology else []
    if kept is None or not cases:
        return
    from banzuke.placement.readers.read import parse  # noqa: PLC0415  (brings SciPy, for the few runs with orders)

    blocks: list[Block] = [Paragraph(words(message("report-orders-intro", file=kept.file)))]
    try:
        topology = parse(kept.topology, kept.file)
        for number, same in enumerate(cases[:MOST_DRAWN], start=1):
            blocks += _drawn(topology, same, evaluation, words, f"{prefix}orders-{number}")
    except BanzukeError as error:
        blocks.append(Paragraph(words(message("report-orders-undrawn", why=str(error)))))
    yield Section(f"{prefix}orders", words(message("report-orders")), tuple(blocks), "variants")


def _cases(orders: Sequence[KeptOrder]) -> list[list[KeptOrder]]:
    """Return the orders of each case whose messages are known."""
    same: dict[tuple[object, ...], list[KeptOrder]] = {}
    for order in orders:
        if order.pattern:
            case = (order.benchmark, order.pattern, *order.grid, order.size, order.last_fastest, *order.hosts)
            same.setdefault(case, []).append(order)
    return sorted(same.values(), key=lambda listed: -len(listed[0].places))


def _drawn(
    topology: "NetworkTopology", same: Sequence[KeptOrder], evaluation: Evaluation, words: Words, name: str
) -> Iterator[Block]:
    """Return the drawing of a case. Raises BanzukeError where the topology lacks its hosts."""
    from banzuke.placement import blocks  # noqa: PLC0415  (brings SciPy, for the few runs with orders)
    from banzuke.placement.compare import SCHEDULER  # noqa: PLC0415  (the same)
    from banzuke.placement.pattern import Laid, as_pattern  # noqa: PLC0415  (the same)
    from banzuke.placement.runs import drawn  # noqa: PLC0415  (the same)

    first = same[0]
    declared = next((pattern for pattern in declared_flows() if pattern.name == first.pattern), None)
    if declared is None:
        return
    per_host = len(first.places) // len(first.hosts)
    places = {SCHEDULER: [place for place in range(len(first.hosts)) for _ in range(per_host)]}
    places |= {order.order: order.places for order in same}
    laid = Laid(tuple(first.grid), first.last_fastest, first.size)
    comparison = drawn(topology, as_pattern(declared), laid, first.hosts, places)
    title = evaluation.title_of(first.benchmark)
    yield Heading(title if isinstance(title, str) else words(title), blocks.network(comparison, words))
    yield blocks.table(comparison, words, name)
    yield from blocks.grid_blocks(comparison, words, f"{name}-grid")
    yield from blocks.link_blocks(comparison, words, f"{name}-links")
    for note in blocks.notes(comparison, words):
        yield Paragraph(note, small=True)
