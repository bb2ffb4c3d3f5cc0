"""Finds hosts of one job that are in different states: the slowest one delays all and is named."""

from dataclasses import dataclass

from banzuke.record.model import LONGEST_EXCHANGE, MIGRATED, Record
from banzuke.record.state import State


@dataclass(frozen=True)
class SlowestHost:
    """The host with the farthest processors, which were nearer to each other on other hosts or in other launches."""

    host: str
    seconds: float
    """Time in which a cache line passed there."""
    nearest: str = ""
    """The host with the nearest processors; empty: not recorded, but processors were near in other launches."""
    least: float | None = None
    """Time in which a cache line passed there."""


def slowest_host(record: Record, state: State) -> SlowestHost | None:
    """Return the slowest host; None: there is one host, or all are alike. `state`: that of the launch."""
    name, farthest = record.conditions.get("exchange_host"), record.distance
    if not isinstance(name, str) or not name or farthest is None:
        return None
    nearest, least = (record.conditions.get(key) for key in ("exchange_host_nearest", "exchange_latency_nearest"))
    if isinstance(nearest, str) and nearest and isinstance(least, float) and 0 < least < LONGEST_EXCHANGE:
        return SlowestHost(name, farthest, nearest, least) if farthest > MIGRATED * least else None
    return SlowestHost(name, farthest) if state.distance == "far" else None
