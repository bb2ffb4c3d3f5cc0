"""`banzuke place --simulate`: which orders are simulated, and at what rate ranks compute."""

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
    """Rate at which a rank computes; 0: it does not."""


def simulation_call(
    simulate: str | None, rank_rate: str | None, pattern: Any, size: float | None
) -> SimulationCall | None:
    """Return what --simulate asks for; None: nothing, or SimGrid is absent, which is said. Raises BanzukeError."""
    from banzuke.placement.compare import ORDERS, PROPOSED, SCHEDULER  # noqa: PLC0415  (brings scipy)
    from banzuke.placement.simulate import absent  # noqa: PLC0415  (the same)

    if simulate is None:
        if rank_rate is not None:
            raise BanzukeError("--rank-rate is for simulations", remedy=f"Add --simulate {SCHEDULER},{PROPOSED}")
        return None
    orders = ORDERS if simulate == ALL else tuple(name.strip() for name in simulate.split(","))
    if unknown := [name for name in orders if name not in ORDERS]:
        raise BanzukeError(f"--simulate: the order '{unknown[0]}' is unknown", remedy=nearest(unknown[0], list(ORDERS)))
    if size is None:
        raise BanzukeError("--simulate needs the size of the problem", remedy="Add --size, such as n of a matrix")
    rate = _rate(rank_rate, pattern)
    if reason := absent():
        warn(reason)
        return None
    return SimulationCall(orders, rate)


def _rate(text: str | None, pattern: Any) -> float:
    """Parse the rate of a rank's computation. Raises BanzukeError."""
    if not pattern.computes:
        if text is not None:
            raise BanzukeError(f"--rank-rate: only the messages of {pattern.name} are simulated", remedy="Leave it out")
        return 0.0
    if text is None:
        raise BanzukeError(
            f"--simulate: computation of {pattern.name} needs a rate",
            remedy="Add --rank-rate, what the matrix product reaches on a rank, such as 500Gflop/s",
        )
    amount = prefixed(text)
    if amount is None or math.isnan(amount[0]) or amount[1] != pattern.counted:
        raise BanzukeError(f"--rank-rate {text} is no rate in {pattern.counted}", remedy=f"Write 500G{pattern.counted}")
    return amount[0]


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
