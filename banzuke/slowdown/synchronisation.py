"""Computes how often the ranks of an application wait for each other, from counts in its records."""

import math
import sys
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from banzuke.amounts import Tree
from banzuke.errors import BanzukeError
from banzuke.record.model import Record
from banzuke.units import quantity


@dataclass(frozen=True)
class Synchronisation:
    """The waits of one timed part, as its algorithm has them with several ranks.

    Raises BanzukeError where no time between them follows.
    """

    seconds: float
    """Seconds of the timed part."""
    collectives: float
    """Number of operations in which each rank waits for all."""
    exchanges: float = 0.0
    """Number of operations in which a rank waits for its neighbours."""

    def __post_init__(self) -> None:
        waits = self.collectives + self.exchanges
        if not (self.seconds > 0 and 0 < waits < math.inf and 0 < self.seconds / waits < math.inf):
            raise BanzukeError(f"{waits:g} waits in {self.seconds:g} s have no time between them")

    @property
    def period(self) -> float:
        """Return Ta: seconds from one wait to the next, the waits themselves included."""
        return self.seconds / (self.collectives + self.exchanges)

    @property
    def about(self) -> str:
        """Return the counts as text for people."""
        time = quantity(self.seconds, "s")
        if not self.exchanges:
            return f"{self.collectives:,.0f} collective operations in {time}"
        alone = quantity(self.seconds / self.collectives, "s")
        return (
            f"{self.collectives:,.0f} collective operations, one every {alone}, "
            f"and {self.exchanges:,.0f} exchanges with neighbours in {time}"
        )


@runtime_checkable
class Synchronises(Protocol):
    """A view of a benchmark that reports how often its ranks wait for each other."""

    def synchronisation(self, record: Record) -> Synchronisation:
        """Return the waits of a verified record. Raises BanzukeError where it lacks a count."""


def positive_number(name: str, value: Tree) -> float:
    """Return a count or time of a record. Raises BanzukeError where it is not a positive number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < sys.float_info.max:
        raise BanzukeError(f"the record has no {name}")
    return float(value)


@dataclass(frozen=True)
class SynchronisationPeriod:
    """The synchronisation period Ta, and its application."""

    seconds: float
    application: str = ""
    """Empty: the period was given."""
    about: str = ""
    """Where it comes from."""
    benchmark: str = ""
    """The application's name in records; empty: the period was given."""

    @property
    def label(self) -> str:
        """Return `HPCG, 24 µs`."""
        return ", ".join(filter(None, (self.application, quantity(self.seconds, "s"))))
