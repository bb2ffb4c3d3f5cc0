"""The orders of a run's ranks, which records leave out: `orders.json` in its folder."""

from banzuke.amounts import Frozen, Index, Several


class KeptOrder(Frozen):
    """The host of each rank of a case."""

    case: str
    """Hash of the case."""
    benchmark: str
    order: str
    """As in `Variant.order`."""
    pattern: str
    """Name of the ranks' communication pattern; empty: unknown."""
    grid: list[Several]
    last_fastest: bool
    """Whether ranks count along the last side of the grid first."""
    size: float | None
    """Size of the problem, as the pattern takes it."""
    hosts: list[str]
    """Hosts in the scheduler's order, in which each would have a block of ranks."""
    places: list[Index]
    """Index of each rank's host in `hosts`."""


class KeptOrders(Frozen):
    file: str
    """Name of the topology's file; empty: there was none."""
    topology: str
    """Content of that file."""
    orders: list[KeptOrder]
