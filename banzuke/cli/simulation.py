"""`banzuke place --simulate` and `--rank-rate`: which orders are simulated, and at what rate ranks compute."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banzuke.cli.console import errors, warn
from banzuke.errors import BanzukeError
from banzuke.text import nearest
from banzuke.units import prefixed

if TYPE_CHECKING:
    from banzuke.placement.compare import OrderComparison
    from banzuke.placement.simulated import SimulatedOrder
    from banzuke.placement.topology import NetworkTopology

MOST_RANKS = 4096
ALL = "all"


@dataclass(frozen=True)
class SimulationCall:
    orders: tuple[str, ...]
    rate: float
    """Rate at which a rank computes; infinity: in no time."""


def rate_of_ranks(rank_rate: str | None, pattern: Any, size: float | None, reached: str | None) -> float:
    """Return the rate at which a rank computes; infinity: none was given. Raises BanzukeError."""
    if rank_rate is None:
        return math.inf
    if not pattern.computes:
        raise BanzukeError(f"--rank-rate: {pattern.name} is compared by its messages alone", remedy="Leave it out")
    if reached is not None:
        raise BanzukeError("--rank-rate and --reached exclude each other", remedy="Leave one of them out")
    if size is None:
        raise BanzukeError("--rank-rate needs the size of the problem", remedy="Add --size, such as n of a matrix")
    amount = prefixed(rank_rate)
    if amount is None or not 0 < amount[0] < math.inf or amount[1] != pattern.counted:
        raise BanzukeError(
            f"--rank-rate {rank_rate} is no rate in {pattern.counted}", remedy=f"Write 500G{pattern.counted}"
        )
    return amount[0]


def simulation_call(simulate: str | None, rate: float, pattern: Any, size: float | None) -> SimulationCall | None:
    """Return what --simulate asks for; None: nothing, or SimGrid is absent, which is said. Raises BanzukeError."""
    from banzuke.placement.compare import ORDERS  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.simulate import absent  # noqa: PLC0415  (the same)

    if simulate is None:
        return None
    orders = ORDERS if simulate == ALL else tuple(name.strip() for name in simulate.split(","))
    if unknown := [name for name in orders if name not in ORDERS]:
        raise BanzukeError(f"--simulate: the order '{unknown[0]}' is unknown", remedy=nearest(unknown[0], list(ORDERS)))
    if size is None:
        raise BanzukeError("--simulate needs the size of the problem", remedy="Add --size, such as n of a matrix")
    if pattern.computes and rate == math.inf:
        raise BanzukeError(
            f"--simulate: computation of {pattern.name} needs a rate",
            remedy="Add --rank-rate, what the matrix product reaches on a rank, such as 500Gflop/s",
        )
    if reason := absent():
        warn(reason)
        return None
    return SimulationCall(orders, rate)


def check_network(call: SimulationCall | None, topology: "NetworkTopology", adapters: Any, ranks: int) -> None:
    """Raise BanzukeError if the network cannot be simulated, before time is spent on orders."""
    from banzuke.placement.simulate import check  # noqa: PLC0415  (brings scipy)

    if call is None:
        return
    check(topology, adapters)
    if ranks > MOST_RANKS:
        raise BanzukeError(
            f"{ranks:,} ranks are not simulated",
            why=f"at most {MOST_RANKS:,} are",
            remedy="Give fewer --hosts or --ranks-per-node, or leave out --simulate",
        )


def simulated(call: SimulationCall | None, comparison: "OrderComparison") -> "list[SimulatedOrder]":
    """Simulate the orders that the comparison has of those asked for. Raises BanzukeError."""
    from banzuke.placement.simulated import simulated_orders  # noqa: PLC0415  (brings scipy)

    if call is None:
        return []
    names = [placed.name for placed in comparison.placed if placed.name in call.orders]
    if not names:
        raise BanzukeError(
            f"--simulate: none of {', '.join(call.orders)} is compared here",
            remedy=f"Name some of {', '.join(placed.name for placed in comparison.placed)}",
        )
    with errors.busy("simulating ..."):
        return simulated_orders(comparison, names, call.rate)
