"""Reads from a record how parts of its ranks share one problem: rate, share and times of each part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.record.model import Record
from banzuke.words import Message, message

VISIBLE = 0.01
"""Part of the problem by which a share must differ from what the rates ask for to be explained."""


@dataclass(frozen=True)
class PartTerms:
    """What a benchmark calls the parts of its ranks, and how their time is spent."""

    prefix: str
    """The beginning of the names of its conditions: `PREFIX_rates`, `PREFIX_shares`, `PREFIX_seconds`."""
    parts: Message
    part: Message
    """As a heading: "Column of the grid"."""
    numbered: Callable[[int], Message]
    problem: Message
    """What they share: "the matrix"."""
    rates: Message
    """What was measured: "DGEMM rates"."""
    moves: frozenset[str]
    """Phases that move data in memory."""
    waits: frozenset[str]
    """Phases that wait; those in neither compute."""
    in_blocks: Callable[[Record], bool] = lambda _record: True
    """Whether the ranks of a part are numbered one after the other."""
    limit: Message | None = None
    """Why a part may have another share than its rate says, after a semicolon; None: only because of rounding."""

    corrected: Message | None = None
    """What else than the rates shares by rates follow, after a semicolon; None: nothing."""

    @property
    def spent(self) -> Mapping[int, Message]:
        """What a part's time is spent on, by the place in `SharingPart.seconds`."""
        moved = {1: message("views-dealt-moved")} if self.moves else {}
        return {0: message("views-dealt-computed"), **moved, 2: message("views-dealt-waited")}


@dataclass(frozen=True)
class SharingPart:
    name: Message
    rate: float
    """Rate in flop/s, measured with all ranks at once: the slowest rank's times the number of ranks."""
    share: float
    """Share of the problem that it has."""
    seconds: tuple[float, float, float]
    """Seconds spent computing, moving data in memory, and waiting; each a mean over its ranks."""
    intervals: tuple[tuple[float, float, float], ...] = ()
    """The same in each of equally long intervals of the run's steps; empty: not recorded."""


@dataclass(frozen=True)
class SharedProblem:
    parts: tuple[SharingPart, ...]
    sum_of_rates: float
    """Sum of the rates over all ranks, in flop/s."""
    rate: float
    """The benchmark's rate in flop/s."""
    by_rates: bool
    """True if the shares follow the rates; false if the user gave them."""
    limited: bool = False
    """True if other rules than the rates determined a share."""

    @property
    def alike(self) -> bool:
        return len({part.share for part in self.parts}) == 1

    @property
    def wanted(self) -> tuple[float, ...]:
        """Return the shares that the rates ask for."""
        rates = sum(part.rate for part in self.parts)
        return tuple(part.rate / rates for part in self.parts)

    @property
    def corrected(self) -> bool:
        """Return whether shares by rates are visibly others than the rates ask for."""
        others = (abs(part.share - wanted) for part, wanted in zip(self.parts, self.wanted, strict=True))
        return self.by_rates and not self.alike and max(others) > VISIBLE

    @property
    def idle(self) -> float:
        """Return the share of all parts' time that they wait for the one that has too much for its rate."""
        longest = max(part.share / rate for part, rate in zip(self.parts, self.wanted, strict=True))
        return 1.0 - 1.0 / longest if longest > 1 else 0.0

    @property
    def waited(self) -> float:
        """Return the share of all parts' time that they waited."""
        return sum(part.seconds[2] for part in self.parts) / (sum(sum(part.seconds) for part in self.parts) or 1.0)


def shared_problem(record: Record, terms: PartTerms) -> SharedProblem | None:
    """Return the shares; None if no rates were measured, or if the record lacks what our program writes."""
    conditions = record.conditions
    rates, shares = (_amounts(conditions.get(f"{terms.prefix}_{name}")) for name in ("rates", "shares"))
    total = _amounts([conditions.get("sum_of_rates")])
    figure = record.metrics.get("flop_rate")
    if (
        not rates
        or not all(rates)
        or len(shares) != len(rates)
        or not sum(total)
        or figure is None
        or not figure.samples
    ):
        return None
    phases = conditions.get(f"{terms.prefix}_seconds")
    seconds = _by_kind(phases if isinstance(phases, dict) else {}, len(rates), terms)
    names = _names(record, len(rates), terms)
    intervals = _intervals(conditions.get(f"{terms.prefix}_intervals"), len(rates), terms)
    parts = map(SharingPart, names, rates, shares, seconds, intervals)
    limited = conditions.get(f"{terms.prefix}_limited") is True
    return SharedProblem(tuple(parts), total[0], median(figure.samples), record.dealt_by_rates, limited)


def _names(record: Record, number: int, terms: PartTerms) -> Sequence[Message]:
    """Return the parts' names: the group of ranks that each belongs to, if every part is of one, else their numbers.

    A group has the name of its partition, or of its processors.
    """
    placed = (record.provenance.placement or "").split("+") if record.provenance else []
    partitions = [group.partition for group in record.groups]
    if len(partitions) != len(placed):
        partitions = [None] * len(placed)
    named = [
        message("views-partition", name=partition) if partition else _processors(cpus)
        for cpus, partition in zip(placed, partitions, strict=True)
    ]
    if len(named) == number:
        return named
    ranks = [group.ranks for group in record.groups]
    of_part, left = divmod(sum(ranks), number)
    together = len(ranks) == len(named) > 1 and terms.in_blocks(record)
    if left or not together or any(count % of_part for count in ranks):
        return [terms.numbered(place) for place in range(number)]
    return [
        message("views-dealt-one-of", group=group, number=part + 1, all=count // of_part) if count > of_part else group
        for group, count in zip(named, ranks, strict=True)
        for part in range(count // of_part)
    ]


def _processors(cpus: str) -> Message:
    return message("views-processors", cpus=cpus)


def _by_kind(phases: Mapping[str, object], number: int, terms: PartTerms) -> Sequence[tuple[float, float, float]]:
    """Return the seconds of computing, moving and waiting for each of `number` parts."""
    by_kind = [[0.0, 0.0, 0.0] for _ in range(number)]
    for name, values in phases.items():
        kind = 1 if name in terms.moves else 2 if name in terms.waits else 0
        for seconds, value in zip(by_kind, _amounts(values), strict=False):
            seconds[kind] += value
    return [(computed, moved, waited) for computed, moved, waited in by_kind]


def _intervals(phases: object, number: int, terms: PartTerms) -> Sequence[tuple[tuple[float, float, float], ...]]:
    """Return the seconds in each interval of each of `number` parts; empty ones if the record lacks them."""
    rows = {
        name: [_amounts(row) for row in values]
        for name, values in (phases.items() if isinstance(phases, dict) else ())
        if isinstance(values, list) and len(values) == number
    }
    lengths = {len(row) for values in rows.values() for row in values}
    if len(lengths) != 1 or not (count := lengths.pop()):
        return [()] * number
    by_interval = [
        _by_kind({name: [row[at] for row in values] for name, values in rows.items()}, number, terms)
        for at in range(count)
    ]
    return [tuple(interval[part] for interval in by_interval) for part in range(number)]


def _amounts(values: object) -> Sequence[float]:
    """Return the amounts; empty if any is invalid, which a record that others wrote may contain."""
    listed = values if isinstance(values, list) else []
    amounts = [float(value) for value in listed if isinstance(value, int | float) and isfinite(value) and value >= 0]
    return amounts if len(amounts) == len(listed) else []
