"""What `limit` says of a record: each figure against its limits, and what likely holds it back."""

from dataclasses import dataclass, field

from banzuke.record.model import Record


@dataclass(frozen=True)
class Ceiling:
    """A rate that nothing on this machine can exceed."""

    name: str
    """`flop_rate`, `fma_rate` (register-only, which bounds the flop rate itself) or `memory_bandwidth`."""
    value: float
    """flop/s or B/s."""
    kind: str
    """`measured` or `theoretical`."""
    source: str
    """Where it comes from, for people."""
    threads: int | None = None
    """Threads that reached it; None: the whole machine."""


@dataclass(frozen=True)
class Figure:
    """One metric of one record, judged. Value, best and limits are in the metric's unit."""

    metric: str
    title: str
    unit: str
    better: str
    headline: bool
    value: float
    """Median of the samples."""
    best: float
    samples: tuple[float, ...]
    limit: float | None
    """Best possible value by the measured ceilings; None: no ceiling is known."""
    limit_source: str
    fraction_of_limit: float | None
    peak: float | None
    """Best possible value by the theoretical peaks."""
    peak_source: str
    fraction_of_peak: float | None


@dataclass(frozen=True)
class Cause:
    """Something that likely holds a figure back."""

    what: str
    evidence: str
    confirm: str
    """What would confirm or remove it."""


@dataclass(frozen=True)
class Spent:
    """A part of a run's time."""

    part: str
    """Its name in the record's breakdown."""
    title: str
    useful: bool
    """The work itself."""
    advice: str
    """What to try when it takes too much."""
    seconds: float
    share: float
    """Of the time that the breakdown covers."""


@dataclass(frozen=True)
class Assessment:
    record: Record
    figures: tuple[Figure, ...]
    causes: tuple[Cause, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())
    """Such as a figure above its limit, which is an error to explain."""
    verdict: str = ""
    """One sentence for the summary."""
    spent: tuple[Spent, ...] = field(default=())
    """Where the time went, the work itself first; empty: the record has no breakdown."""
