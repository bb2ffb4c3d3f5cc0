"""The judgement of a case: each figure against its limits, and what likely holds it back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from banzuke.compare.statistics import Interval, median_interval
from banzuke.judge.finding import Finding
from banzuke.limit.model import Ceiling, Residence
from banzuke.plan.official import Violation
from banzuke.record.model import Record
from banzuke.record.state import ONE_STATE, State
from banzuke.words import Message, Share, message

OWN_BEST = message("limit-own-best")
"""What a share refers to if the benchmark measured its ceiling itself."""


def share_of_limit(share: float, *, own: bool) -> Message:
    """Return the share in words; `own`: of the benchmark's own ceiling, so that it only compares its figures."""
    return message("limit-share", share=Share(share), of=OWN_BEST if own else message("limit-of-its-limit"))


@dataclass(frozen=True)
class Figure:
    """One metric of a case, judged. Value, best and limits are in the metric's unit."""

    metric: str
    title: str
    unit: str
    better: str
    headline: bool
    value: float
    """Median of the launches' medians; of one launch, the median of its samples."""
    best: float
    samples: tuple[float, ...]
    """The samples of all launches."""
    limit: float | None
    """Best possible value by the measured ceilings; None: no ceiling is known."""
    limit_source: Message
    """Source of the limit, or why there is none."""
    fraction_of_limit: float | None
    peak: float | None
    """Best possible value by the theoretical peaks."""
    peak_source: Message
    fraction_of_peak: float | None
    medians: tuple[float, ...] = ()
    """Median of each verified launch, in the order of their starts; empty: there is only one."""
    interval: Interval | None = None
    """95% interval of the launches' geometric mean by the spread between them; None: fewer than three, or all agree."""
    spread: float | None = None
    """Standard deviation of the logarithms of the launches' medians; None: there is one launch."""
    own_ceiling: bool = False
    """Whether its benchmark measured the ceiling itself; then the share of the limit only compares its figures."""

    @property
    def of_limit(self) -> Message | None:
        """`66.2% of its limit`; without an independent limit, `94.0% of its own best`. None: there is no share."""
        return None if self.fraction_of_limit is None else share_of_limit(self.fraction_of_limit, own=self.own_ceiling)

    @property
    def launches(self) -> int:
        """Number of verified launches."""
        return len(self.medians) or 1

    @cached_property
    def within(self) -> Interval | None:
        """95% interval of the median of these samples, as of one launch; None: there are fewer than five."""
        return median_interval(self.samples)


@dataclass(frozen=True)
class Assessment:
    """A case, judged; a single launch if `launches` is empty."""

    record: Record
    """The record; of several launches, the median one by the headline metric, which stands for all that is not a
    figure.
    """
    figures: tuple[Figure, ...]
    causes: tuple[Finding, ...] = field(default=())
    """What likely holds its headline back, and what sets launches apart."""
    warnings: tuple[Message, ...] = field(default=())
    """Warnings such as a figure above its limit, which is an error to explain."""
    verdict: tuple[Message, ...] = field(default=())
    """How good the headline is, and what else a reader should know of the case, for the summary."""
    residence: Residence | None = None
    """Where its data were (memory or caches); None: the record does not show it."""
    violations: tuple[Violation, ...] | None = None
    """Rules for official results that it did not follow; None: there are no such rules, or it was not verified."""
    seen: Mapping[str, object] = field(default_factory=dict)
    """What each view of its benchmark sees in it, by the view's name; `View.of` reads it."""
    launches: tuple["Assessment", ...] = field(default=())
    """Each launch by itself in the order of their starts, verified or not; empty: there is only one."""
    no_headline: tuple[Message, ...] = field(default=())
    """Why none of its figures is a headline; empty: the declared ones are."""
    remark: tuple[Message, ...] = field(default=())
    """Whether launches failed or differ, in words."""
    state: State = ONE_STATE
    """State of the machine during `record`."""
    ceilings: tuple[Ceiling, ...] = ()
    """The ceilings of that state, by which it was judged."""

    @property
    def crowded(self) -> bool:
        """Whether some of its threads share a processor, so that it has no headline."""
        return any(why.code == "limit-no-headline" for why in self.no_headline)

    @property
    def each(self) -> tuple["Assessment", ...]:
        """Every launch, even if there is only one."""
        return self.launches or (self,)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of every launch."""
        return tuple(launch.record for launch in self.each)
