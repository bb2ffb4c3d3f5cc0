"""The orders of a run's ranks, which its records leave out: `orders.json` in its folder."""

from banzuke.amounts import Frozen, Index, Several


class KeptOrder(Frozen):
    """Which rank of a case was on which host."""

    case: str
    """Its hash."""
    benchmark: str
    order: str
    """As `Variant.order`."""
    pattern: str
    """Name of what its ranks send; empty: nothing tells it."""
    grid: list[Several]
    last_fastest: bool
    """Whether ranks count along the last side of the grid first."""
    size: float | None
    """Of the problem, as the pattern takes it."""
    hosts: list[str]
    """In the scheduler's order, in which each would have a block of ranks."""
    places: list[Index]
    """Of each rank its host among these."""


class KeptOrders(Frozen):
    file: str
    """Name of the topology's; empty: there was none."""
    topology: str
    """What it held."""
    orders: list[KeptOrder]
