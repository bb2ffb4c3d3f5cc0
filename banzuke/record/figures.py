"""Shapes of measured figures in a record, one class for each. Units are SI.

Raw samples are kept; statistics are computed when read.
"""

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from math import isclose
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from banzuke.amounts import Amount, Count, Frozen, Index, Name, Positive, Real, Scalar

Amounts = list[Amount]
FLOPS, MOVED, LOADED = "flops.fp64", "memory.bytes", "memory.loads"
"""Resources that this package refers to itself; benchmarks declare the others."""


class Demand(Frozen):
    """The amount that one sample needs of a resource; of memory, the least that any method moves.

    Unless `group`, `busiest` or `area` say otherwise, all ranks share it over all the nodes that they run on.
    """

    resource: str = Field(
        pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$",
        description="flops.fp64, memory.bytes, link.bytes, storage.write, ...; its unit is declared with it",
    )
    amount: Amount
    group: Index | None = Field(default=None, description="only the machines of this group of ranks serve it")
    busiest: Literal["host", "device"] | None = Field(default=None, description="the amount is the busiest one's")
    area: str | None = Field(default=None, description="storage area that serves it")


class Bound(Frozen):
    """The shortest time in which one sample's work could be done, as the program itself determined."""

    kind: Literal["measured", "theoretical"]
    seconds: Positive
    source: str = Field(description="text: a direct copy between the two processors; link of ib0, 25 GB/s")


class Samples(Frozen):
    unit: str
    samples: Amounts = Field(min_length=1)
    counted: Positive | None = Field(
        default=None,
        description="amount that a rate counts in one sample, whose time is counted / value: flops for flop/s",
    )
    demand: list[Demand] = Field(default_factory=list)
    bounds: list[Bound] = Field(default_factory=list)

    @property
    def seconds(self) -> tuple[float, ...]:
        """The time of each sample that the clock could resolve; empty: unknown."""
        if self.unit == "s":
            return tuple(value for value in self.samples if value > 0)
        if self.counted is None or not self.unit.endswith("/s"):
            return ()
        return tuple(self.counted / value for value in self.samples if value > 0)

    def value_at(self, seconds: float) -> float | None:
        """Return the figure of a sample that took this long; None: the unit has no time, or nothing was counted."""
        if self.unit == "s":
            return seconds
        if self.counted is None or not (self.unit.endswith("/s") and seconds > 0):
            return None
        return self.counted / seconds

    def demanded(self, resource: str) -> float:
        """Return the amount of the resource that a sample needs."""
        return sum(demand.amount for demand in self.demand if demand.resource == resource)


class Verification(Frozen):
    quantity: str
    value: Annotated[float, Field(allow_inf_nan=False)] | None = Field(description="None: not finite")
    tolerance: float = Field(allow_inf_nan=False)
    passed: bool

    @model_validator(mode="after")
    def consistent(self) -> "Verification":
        if self.passed and (self.value is None or self.value > self.tolerance):
            raise ValueError(f"{self.quantity}: passed, but {self.value} exceeds {self.tolerance}")
        return self


class Breakdown(Frozen):
    """The time of a run by intervals of its progress. Time hidden behind other work does not count."""

    along: Name = Field(description="quantity that grows with the progress, e.g. share of the columns eliminated")
    ends: Amounts = Field(min_length=1, description="where each interval ends, increasing to 1; the first begins at 0")
    flops: Amounts
    seconds: dict[Name, Amounts] = Field(
        min_length=1,
        description="by part, means over the ranks; the parts of an interval add up to its wall time",
    )

    @model_validator(mode="after")
    def consistent(self) -> "Breakdown":
        for name, values in {"flops": self.flops, **self.seconds}.items():
            if len(values) != len(self.ends):
                raise ValueError(f"{name} has {len(values)} intervals, ends has {len(self.ends)}")
        if any(end <= begin for begin, end in zip(self.begins, self.ends, strict=True)):
            raise ValueError("ends do not increase from above 0")
        if not isclose(self.ends[-1], 1.0):
            raise ValueError(f"the last interval ends at {self.ends[-1]}, not at 1")
        return self

    @property
    def begins(self) -> list[float]:
        return [0.0, *self.ends[:-1]]

    @property
    def walls(self) -> list[float]:
        """Seconds of each interval."""
        return [sum(spent) for spent in zip(*self.seconds.values(), strict=True)]


class Point(Frozen):
    """The metrics of a case at one point of its curve."""

    at: Amount
    metrics: dict[Name, Samples] = Field(min_length=1)


class Curve(Frozen):
    """Figures of one case over a quantity that grows within it."""

    along: Name = Field(description="quantity that grows: message size")
    unit: str
    points: list[Point] = Field(min_length=1)

    @model_validator(mode="after")
    def consistent(self) -> "Curve":
        if any(after.at <= before.at for before, after in pairwise(self.points)):
            raise ValueError(f"{self.along} does not increase")
        return self


class End(Frozen):
    """One end of a transfer."""

    host: str
    device: str | None = Field(default=None, description="identity of the device; None: the host's own memory")
    node: Index | None = Field(
        default=None, description="NUMA node of processors (`from`) or memory (`to`); None: the whole host's"
    )


class Pairs(Frozen):
    """A figure for each of many pairs, for each direction or for both together."""

    unit: str
    ends: list[End] = Field(default_factory=list, description="ends to which `from` and `to` refer; empty: ranks")
    origins: list[Index] = Field(alias="from", description="sending ends")
    targets: list[Index] = Field(alias="to", description="receiving ends")
    values: Amounts

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, serialize_by_alias=True)

    @model_validator(mode="after")
    def consistent(self) -> "Pairs":
        if not len(self.origins) == len(self.targets) == len(self.values):
            raise ValueError(f"{len(self.values)} values of {len(self.origins)} x {len(self.targets)} ends")
        if self.ends and max([*self.origins, *self.targets], default=0) >= len(self.ends):
            raise ValueError(f"a pair with an end beyond the {len(self.ends)} that there are")
        return self

    @property
    def count(self) -> int:
        """Number of ends."""
        return len(self.ends) or 1 + max([*self.origins, *self.targets], default=-1)

    @property
    def of_nodes(self) -> bool:
        """Return whether these are NUMA nodes: `origins` are their processors, `targets` their memory."""
        return any(end.node is not None for end in self.ends)

    @property
    def full(self) -> bool:
        """Return whether every end has a figure with every other."""
        return len(self.worst) >= self.count * (self.count - 1) // 2

    @cached_property
    def both_ways(self) -> bool:
        """Return whether any pair was measured in each direction."""
        pairs = set(zip(self.origins, self.targets, strict=True))
        return any((b, a) in pairs for a, b in pairs)

    @cached_property
    def each(self) -> Mapping[tuple[int, int], float]:
        """Values by origin and target; one that was measured in one direction only stands for both."""
        values = {(a, b): value for a, b, value in zip(self.origins, self.targets, self.values, strict=True)}
        return {(b, a): value for (a, b), value in values.items()} | values

    @cached_property
    def worst(self) -> Mapping[tuple[int, int], float]:
        """The worse value of both directions of each pair, by its ends, the higher number first."""
        worse = min if self.unit.endswith("/s") else max
        worst_values: dict[tuple[int, int], float] = {}
        for a, b, value in zip(self.origins, self.targets, self.values, strict=True):
            pair = max(a, b), min(a, b)
            worst_values[pair] = worse(worst_values.get(pair, value), value)
        return worst_values


Steps = list[Count]


class Line(Frozen):
    """Values of a quantity in the order in which one thread or sensor took them."""

    host: str
    rank: Index | None = None
    thread: Index | None = None
    cpu: Index | None = None
    sensor: str | None = Field(default=None, description="source of the values, if not a thread: nvml, ipmi")
    device: str | None = Field(default=None, description="identity of the device; None: the whole host, or the thread")
    times: Amounts | None = Field(
        default=None, description="seconds since the record's start; None: values follow one another directly"
    )
    base: Real = 0.0
    values: Steps = Field(min_length=1, description="value i is base + values[i] * resolution")

    @model_validator(mode="after")
    def consistent(self) -> "Line":
        if self.times is not None and len(self.times) != len(self.values):
            raise ValueError(f"{len(self.values)} values were taken at {len(self.times)} times")
        return self


class Series(Frozen):
    """A quantity over time, for each thread or sensor."""

    unit: str
    resolution: Positive
    lines: list[Line] = Field(min_length=1)
    left_out: Count = Field(
        default=0, description="further lines that were measured; those with the largest values are kept"
    )


class Distribution(Frozen):
    """Histogram of a quantity over all processors."""

    unit: str
    resolution: Positive
    values: Steps = Field(min_length=1, description="ascending; value i is values[i] * resolution")
    counts: list[Annotated[Count, Field(ge=1)]]

    @model_validator(mode="after")
    def consistent(self) -> "Distribution":
        if len(self.counts) != len(self.values):
            raise ValueError(f"{len(self.values)} values have {len(self.counts)} counts")
        if any(after <= before for before, after in pairwise(self.values)):
            raise ValueError("the values do not increase")
        return self


class Area(Frozen):
    """Storage that was used."""

    path: str
    type: str = Field(description="type of the file system: lustre")
    settings: dict[str, Scalar] = Field(default_factory=dict, description="striping, pool, targets")
