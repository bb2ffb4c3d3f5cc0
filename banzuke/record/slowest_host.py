"""Hosts of one job in unlike states of the machine: the slowest sets the pace of all, and is named."""

from dataclasses import dataclass

from banzuke.record.model import LONGEST_EXCHANGE, MIGRATED, Record
from banzuke.record.state import State


@dataclass(frozen=True)
class SlowestHost:
    """The one with the farthest processors, which were nearer to each other on others, or in other launches."""

    host: str
    seconds: float
    """In which a cache line passed there."""
    nearest: str = ""
    """The one with the nearest processors; empty: it is not recorded, and they were near in other launches."""
    least: float | None = None
    """In which a cache line passed there."""


def slowest_host(record: Record, state: State) -> SlowestHost | None:
    """None: the record is of one host, or its hosts were alike. `state`: that of the launch."""
    name, farthest = record.conditions.get("exchange_host"), record.distance
    if not isinstance(name, str) or not name or farthest is None:
        return None
    nearest, least = (record.conditions.get(key) for key in ("exchange_host_nearest", "exchange_latency_nearest"))
    if isinstance(nearest, str) and nearest and isinstance(least, float) and 0 < least < LONGEST_EXCHANGE:
        return SlowestHost(name, farthest, nearest, least) if farthest > MIGRATED * least else None
    return SlowestHost(name, farthest) if state.distance == "far" else None
