"""Columns of HPL's grid that share the matrix unequally, read from records: rates, shares and times of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.record.model import Record
from banzuke.words import Message, message

MOVES = ("swap", "transfer")
WAITS = ("pivot_exchange", "broadcast_wait", "swap_wait", "thread_wait")
"""Phases that are moves and waits; all others are work."""


@dataclass(frozen=True)
class GridColumn:
    name: Message
    rate: float
    """DGEMM rate of its ranks in flop/s, measured while all ranks measured."""
    share: float
    """Its share of the matrix's columns."""
    seconds: tuple[float, float, float]
    """Seconds spent computing, moving rows or panels in memory, and waiting: means over its ranks."""


@dataclass(frozen=True)
class SharedMatrix:
    columns: tuple[GridColumn, ...]
    sum_of_rates: float
    """Sum of the rates over all ranks, in flop/s."""
    rate: float
    """HPL's rate in flop/s."""
    by_rates: bool
    """True if shares follow the rates; else they were given."""

    @property
    def alike(self) -> bool:
        return len({column.share for column in self.columns}) == 1


def shared_matrix(record: Record) -> SharedMatrix | None:
    """Return the shares; None if no rates were measured, or if our program did not write the record."""
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
    """Return the columns' names: their processors if each is a group named by `--groups`."""
    groups = (record.provenance.placement or "").split("+") if record.provenance else []
    if len(groups) == number:
        return [message("hpl-processors", cpus=cpus) for cpus in groups]
    return [message("hpl-column", number=place) for place in range(number)]


def _by_kind(phases: Mapping[str, object], number: int) -> Sequence[tuple[float, float, float]]:
    """Add up the phases of each column of the grid by kind."""
    by_kind = [[0.0, 0.0, 0.0] for _ in range(number)]
    for name, values in phases.items():
        kind = 1 if name in MOVES else 2 if name in WAITS else 0
        for seconds, value in zip(by_kind, _amounts(values), strict=False):
            seconds[kind] += value
    return [(computed, moved, waited) for computed, moved, waited in by_kind]


def _amounts(values: object) -> Sequence[float]:
    """Return the amounts; empty if some are invalid, as in a record that others wrote."""
    listed = values if isinstance(values, list) else []
    amounts = [float(value) for value in listed if isinstance(value, int | float) and isfinite(value) and value >= 0]
    return amounts if len(amounts) == len(listed) else []
