"""What a simulator replays of a benchmark: for each process, when it sends, receives, waits and computes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["isend", "irecv", "send", "recv", "waitall", "sent", "received", "compute"]
"""`sent` and `received` wait for one message, `waitall` for all that were begun."""
SIGNAL = 1.0
"""Bytes of a message between processes of one rank."""


class Action(NamedTuple):
    kind: Kind
    peer: int = 0
    """Number of the other process."""
    amount: float = 0.0
    """Bytes, or seconds of computation."""
    tag: int = 0
    """Number that tells messages between two processes apart."""


WAIT = Action("waitall")


@dataclass(frozen=True)
class RankProcess:
    rank: int
    """Rank whose host and adapter it uses. Messages between processes of one rank take no time."""
    actions: Callable[[], Iterator[Action]]


@dataclass(frozen=True)
class Skeleton:
    processes: Sequence[RankProcess]
    stands_for: float = 1.0
    """Number of the benchmark's messages for which each message stands: its latency is as many times longer."""
    computing: float = 0.0
    """Seconds that the busiest rank computes."""
