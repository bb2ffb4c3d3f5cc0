"""Finds hosts of one job that are in different states: the slowest one delays all and is named."""

from collections.abc import Iterator
from dataclasses import dataclass

from banzuke.record.model import LONGEST_EXCHANGE, MIGRATED, Record
from banzuke.record.state import CAPPED, State


@dataclass(frozen=True)
class FarthestHost:
    """The host with the farthest processors, which were nearer to each other on other hosts or in other launches."""

    host: str
    seconds: float
    """Time in which a cache line passed there."""
    nearest: str = ""
    """The host with the nearest processors; empty: not recorded, but processors were near in other launches."""
    least: float | None = None
    """Time in which a cache line passed there."""


@dataclass(frozen=True)
class SlowestClock:
    """The host with the lowest clock, and the one with the highest."""

    host: str
    hz: float
    fastest: str
    most: float


SlowestHost = FarthestHost | SlowestClock


def slowest_hosts(record: Record, state: State) -> Iterator[SlowestHost]:
    """Yield the slowest host by distance and by clock, if it differs from the others. `state`: that of the launch."""
    if farthest := _farthest_host(record, state):
        yield farthest
    host, fastest, hz, most = (
        record.conditions.get(key) for key in ("clock_host", "clock_host_fastest", "clock_hz", "clock_fastest_hz")
    )
    if not (isinstance(host, str) and host and isinstance(fastest, str) and fastest):
        return
    if isinstance(hz, float) and isinstance(most, float) and most > CAPPED * hz > 0:
        yield SlowestClock(host, hz, fastest, most)


def _farthest_host(record: Record, state: State) -> FarthestHost | None:
    name, farthest = record.conditions.get("exchange_host"), record.distance
    if not isinstance(name, str) or not name or farthest is None:
        return None
    nearest, least = (record.conditions.get(key) for key in ("exchange_host_nearest", "exchange_latency_nearest"))
    if isinstance(nearest, str) and nearest and isinstance(least, float) and 0 < least < LONGEST_EXCHANGE:
        return FarthestHost(name, farthest, nearest, least) if farthest > MIGRATED * least else None
    return FarthestHost(name, farthest) if state.distance == "far" else None
