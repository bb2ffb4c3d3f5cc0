"""Decides which rank goes to which host if cases run in several orders: random ones by seed, or one by the network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from banzuke.errors import BanzukeError
from banzuke.plan.case import Case, key
from banzuke.plan.catalogue import flows_of
from banzuke.plan.declared import DeclaredFlows, DeclaredLayout
from banzuke.plan.variant import NODE_ORDER, PLACE_ORDER
from banzuke.program.describe import Answer
from banzuke.results.orders import KeptOrder, KeptOrders

if TYPE_CHECKING:
    from banzuke.placement.topology import NetworkTopology


@dataclass(frozen=True)
class Orders:
    """The orders of a run's cases, each made once, since a search for the same call gives the same order again."""

    topology: NetworkTopology | None = None
    file: str = ""
    """Name of the topology file; `text` is its content."""
    text: str = ""
    made: dict[str, KeptOrder] = field(default_factory=dict)

    def hosts_of_ranks(self, case: Case, hosts: Sequence[str], answer: Answer) -> Sequence[str]:
        """Return the host of each rank, for a case that is not in the scheduler's order.

        Raises BanzukeError if the topology lacks these hosts, or it is unknown what ranks send.
        """
        name = " ".join((key(case), *hosts))
        if name not in self.made:
            self.made[name] = self._made(case, hosts, answer)
        return [hosts[place] for place in self.made[name].places]

    def kept(self) -> KeptOrders | None:
        """Return what a run stores for its report; None: all cases are in the scheduler's order."""
        return KeptOrders(file=self.file, topology=self.text, orders=list(self.made.values())) if self.made else None

    def repeated(self, cases: Sequence[Case]) -> Iterator[Case]:
        """Yield cases whose ranks are on the same hosts as in another of these cases, the scheduler's order first."""
        made = {order.case: tuple(order.places) for order in self.made.values()}
        first: dict[tuple[str, tuple[int, ...]], Case] = {}
        for case in sorted(cases, key=lambda case: case.variant.rank_order != NODE_ORDER):
            places = made.get(key(case), ())
            if case.variant.rank_order == NODE_ORDER or places:
                usual = replace(case, variant=replace(case.variant, rank_order=NODE_ORDER))
                blocks = places == tuple(sorted(places))
                if first.setdefault((key(usual), () if blocks else places), case) is not case:
                    yield case

    def _made(self, case: Case, hosts: Sequence[str], answer: Answer) -> KeptOrder:
        blocks = [place for place in range(len(hosts)) for _ in range(case.per_host)]
        flows = flows_of(case.benchmark, case.ranks, answer.values) if self.topology else None
        pattern, laid = flows or (None, None)
        order = case.variant.rank_order
        return KeptOrder(
            case=key(case),
            benchmark=case.benchmark,
            order=order,
            pattern=pattern.name if pattern else "",
            grid=list(laid.grid) if laid else [],
            last_fastest=bool(laid and laid.last_fastest),
            size=laid.size if laid else None,
            hosts=list(hosts),
            places=self._proposed(case, hosts, blocks, flows) if order == PLACE_ORDER else shuffled(blocks, order),
        )

    def _proposed(
        self,
        case: Case,
        hosts: Sequence[str],
        blocks: Sequence[int],
        flows: tuple[DeclaredFlows, DeclaredLayout] | None,
    ) -> list[int]:
        """Return the host of each rank by the network. Raises BanzukeError without a network or known messages."""
        from banzuke.placement.pattern import Laid, as_pattern  # noqa: PLC0415  (brings SciPy)
        from banzuke.placement.runs import proposed  # noqa: PLC0415  (the same)

        if self.topology is None:
            raise BanzukeError("--order place needs a network", remedy="Give --topology FILE")
        if flows is None:
            raise BanzukeError(
                f"there is no order for this case of {case.benchmark}", why="the messages of its ranks are not known"
            )
        pattern, laid = flows
        layout = Laid(tuple(laid.grid), laid.last_fastest, laid.size)
        return proposed(self.topology, as_pattern(pattern), layout, hosts, blocks)


def shuffled(places: Sequence[int], order: str) -> list[int]:
    """Return the places in an order that depends only on `random:SEED`, for any version of Python or NumPy."""

    def number(at: int) -> bytes:
        return hashlib.sha256(f"{order} {at}".encode()).digest()

    return [places[at] for at in sorted(range(len(places)), key=number)]
