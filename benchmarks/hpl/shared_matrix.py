"""Reads from a record how the columns of HPL's grid share the matrix: rate, share and times of each column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.record.model import Record
from banzuke.words import Message, message

MOVES = ("swap", "transfer")
WAITS = ("pivot_exchange", "broadcast_wait", "swap_wait", "thread_wait")
"""Phases that wait; those that are neither in `MOVES` nor in `WAITS` compute."""


@dataclass(frozen=True)
class GridColumn:
    name: Message
    rate: float
    """DGEMM rate in flop/s, measured with all ranks at once: the slowest rank's times the number of ranks."""
    share: float
    """Share of the matrix's columns that it holds."""
    seconds: tuple[float, float, float]
    """Seconds spent computing, moving rows or panels in memory, and waiting; each a mean over its ranks."""


@dataclass(frozen=True)
class SharedMatrix:
    columns: tuple[GridColumn, ...]
    sum_of_rates: float
    """Sum of the rates over all ranks, in flop/s."""
    rate: float
    """HPL's rate in flop/s."""
    by_rates: bool
    """True if the shares follow the rates; false if the user gave them."""

    @property
    def alike(self) -> bool:
        return len({column.share for column in self.columns}) == 1


def shared_matrix(record: Record) -> SharedMatrix | None:
    """Return the shares; None if no rates were measured, or if the record lacks what our program writes."""
    conditions = record.conditions
    rates, shares = (_amounts(conditions.get(name)) for name in ("column_rates", "column_shares"))
    total = _amounts([conditions.get("sum_of_rates")])
    figure = record.metrics.get("flop_rate")
    if not rates or len(shares) != len(rates) or not sum(total) or figure is None or not figure.samples:
        return None
    phases = conditions.get("column_seconds")
    seconds = _by_kind(phases if isinstance(phases, dict) else {}, len(rates))
    columns = map(GridColumn, _names(record, len(rates)), rates, shares, seconds)
    by_rates = record.parameters.get("deal") == "rates"
    return SharedMatrix(tuple(columns), total[0], median(figure.samples), by_rates)


def _names(record: Record, number: int) -> Sequence[Message]:
    """Return the columns' names: the processors of each if `--groups` gave one group per column, else their numbers."""
    groups = (record.provenance.placement or "").split("+") if record.provenance else []
    if len(groups) == number:
        return [message("hpl-processors", cpus=cpus) for cpus in groups]
    return [message("hpl-column", number=place) for place in range(number)]


def _by_kind(phases: Mapping[str, object], number: int) -> Sequence[tuple[float, float, float]]:
    """Return the seconds of computing, moving and waiting for each of `number` columns."""
    by_kind = [[0.0, 0.0, 0.0] for _ in range(number)]
    for name, values in phases.items():
        kind = 1 if name in MOVES else 2 if name in WAITS else 0
        for seconds, value in zip(by_kind, _amounts(values), strict=False):
            seconds[kind] += value
    return [(computed, moved, waited) for computed, moved, waited in by_kind]


def _amounts(values: object) -> Sequence[float]:
    """Return the amounts; empty if any is invalid, which a record that others wrote may contain."""
    listed = values if isinstance(values, list) else []
    amounts = [float(value) for value in listed if isinstance(value, int | float) and isfinite(value) and value >= 0]
    return amounts if len(amounts) == len(listed) else []
