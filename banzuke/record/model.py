"""The record: one JSON object per measured case. `schema/record.schema.json` is derived from this module.

The C++ programs write all but the fields of `Provenance`, which the launching side adds. Units are SI.
Raw samples are kept and statistics are computed when read.
"""

from itertools import pairwise
from math import isclose
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from banzuke.amounts import Amount, Count, Index, Name, Positive, Real, Scalar, Several, Tree

PREEMPTED = 1e-6
MOVED = 1.5
"""Ratio of two distances of the same processors from which they were moved: runs repeat to within a tenth."""


Amounts = list[Amount]


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Work(Model):
    """Work of one sample, counted as the benchmark's definition counts it."""

    flops: Amount
    bytes: Amount = Field(description="bytes as the definition counts them")
    moved: Amount = Field(description="least bytes that any method moves to and from memory; the limit uses these")


class Bound(Model):
    """The least time that one sample's work could take, as the program itself found out beside it."""

    kind: Literal["measured", "theoretical"]
    seconds: Positive
    source: str = Field(description="for people: a direct copy between the two processors; link of ib0, 25 GB/s")


class Samples(Model):
    unit: str
    samples: Amounts = Field(min_length=1)
    work: Work | None = None
    bounds: list[Bound] = Field(default_factory=list)


class Verification(Model):
    quantity: str
    value: Annotated[float, Field(allow_inf_nan=False)] | None = Field(description="None: not finite")
    tolerance: float = Field(allow_inf_nan=False)
    passed: bool

    @model_validator(mode="after")
    def consistent(self) -> "Verification":
        if self.passed and (self.value is None or self.value > self.tolerance):
            raise ValueError(f"{self.quantity}: passed, but {self.value} exceeds {self.tolerance}")
        return self


class Breakdown(Model):
    """Where the time of a run went, interval by interval of its progress."""

    along: Name = Field(description="what grows with the progress, e.g. share of the columns eliminated")
    ends: Amounts = Field(min_length=1, description="where each interval ends, increasing to 1; the first begins at 0")
    flops: Amounts
    seconds: dict[Name, Amounts] = Field(
        min_length=1,
        description="by part, means over the ranks: the parts of an interval add up to its wall time",
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


class Point(Model):
    """The metrics of a case at one place of its curve."""

    at: Amount
    metrics: dict[Name, Samples] = Field(min_length=1)


class Curve(Model):
    """Figures of one case over something that grows within it."""

    along: Name = Field(description="message size")
    unit: str
    points: list[Point] = Field(min_length=1)

    @model_validator(mode="after")
    def consistent(self) -> "Curve":
        if any(after.at <= before.at for before, after in pairwise(self.points)):
            raise ValueError(f"{self.along} does not increase")
        return self


class Matrix(Model):
    """A figure for every pair of ranks."""

    unit: str
    values: list[Amounts] = Field(description="by rank: the figures of its pairs with the ranks before it")

    @model_validator(mode="after")
    def consistent(self) -> "Matrix":
        if any(len(row) != rank for rank, row in enumerate(self.values)):
            raise ValueError("a row has not one figure for each rank before it")
        return self


Steps = list[Count]


class Line(Model):
    """A quantity on one processor, in the order in which it was taken."""

    host: str
    rank: Index
    thread: Index
    cpu: Index
    base: Real
    values: Steps = Field(min_length=1, description="value i is base + values[i] * resolution")


class Series(Model):
    """A quantity on each processor over time."""

    unit: str
    resolution: Positive
    lines: list[Line] = Field(min_length=1)
    left_out: Count = Field(default=0, description="processors measured too; those with the largest values stand")


class Distribution(Model):
    """How often each value of a quantity came on all processors together."""

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


class Binding(Model):
    """Processors read back from the threads of the ranks that share one placement."""

    ranks: str = Field(description="kernel list format, e.g. 0-3,8")
    threads: list[str] = Field(description="allowed processors of each thread, kernel list format")


class Host(Model):
    name: str
    ranks: str


class Provenance(Model):
    """What the launching side knows of a case."""

    id: str
    run: str
    case: str = Field(description="hash of benchmark, backend, parameters, layout and environment")
    repetition: Index = 0
    machine: str = Field(description="fingerprint")
    command: list[str]
    environment: str = "native"
    image: str | None = Field(default=None, description="of the container or virtual machine, as it was asked for")
    environment_details: dict[str, str] = Field(
        default_factory=dict,
        description="tool and its version, kernel of the guest, processors left to the system, ...",
    )
    neighbours: Index = Field(default=0, description="busy processes that the launch started beside the case")
    placement: str | None = Field(default=None, description="name of the placement that was asked for and took effect")
    variables: dict[str, str] = Field(default_factory=dict, description="variables that the launch set; '' = removed")
    banzuke: str = Field(description="version")
    commit: str | None = Field(default=None, description="git commit of the sources, '+' appended when modified")
    log: str | None = Field(default=None, description="end of the program's error stream, when it failed")


class Record(Model):
    schema_version: Literal[1] = 1
    benchmark: Name
    backend: str
    parameters: dict[str, Scalar]
    ranks: Several
    threads: Several
    status: Literal["ok", "failed", "skipped"]
    reason: str | None = None
    started: AwareDatetime
    ended: AwareDatetime
    metrics: dict[Name, Samples] = Field(default_factory=dict)
    breakdown: Breakdown | None = None
    curve: Curve | None = None
    matrices: dict[Name, Matrix] = Field(default_factory=dict)
    series: dict[str, Series] = Field(default_factory=dict)
    distributions: dict[str, Distribution] = Field(default_factory=dict)
    verification: list[Verification] = Field(default_factory=list)
    hosts: list[Host] = Field(default_factory=list)
    binding: list[Binding] = Field(default_factory=list)
    software: dict[str, str] = Field(default_factory=dict, description="compiler, flags, mpi, blas, ...")
    conditions: dict[str, Tree] = Field(
        default_factory=dict,
        description="evidence seen during the run: huge_page_fraction, clock_hz, steal_fraction, ...",
    )
    provenance: Provenance | None = None

    @property
    def distance(self) -> float | None:
        """Seconds in which a cache line passed between the processors of the first and the last thread.

        None: not measured, or so long that it was a thread waiting for its turn; other sockets are nearer.
        """
        seen = self.conditions.get("exchange_latency")
        return seen if isinstance(seen, float) and 0 < seen < PREEMPTED else None

    @model_validator(mode="after")
    def began_first(self) -> "Record":
        if self.ended < self.started:
            raise ValueError(f"ended {self.ended} before it started, {self.started}")
        return self

    @model_validator(mode="after")
    def no_figure_without_a_passed_check(self) -> "Record":
        if self.metrics and not (self.verification and all(v.passed for v in self.verification)):
            raise ValueError("metrics without a passed verification")
        if self.status == "ok" and not self.metrics:
            raise ValueError("status ok without metrics")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"status {self.status} without a reason")
        figures = (self.metrics, self.breakdown, self.curve, self.matrices, self.series, self.distributions)
        if self.status != "ok" and any(figures):
            raise ValueError(f"status {self.status} with figures")
        return self
