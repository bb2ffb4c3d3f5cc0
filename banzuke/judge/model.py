"""A case, judged: each figure against its limits, and what likely holds it back."""

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
"""What a share is one of, where the benchmark measured its ceiling itself."""


def share_of_limit(share: float, *, own: bool) -> Message:
    """`own`: the benchmark measured the ceiling itself, so that the share only compares its figures."""
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
    """Median of the launches' medians; of one launch the median of its samples."""
    best: float
    samples: tuple[float, ...]
    """The samples of all launches."""
    limit: float | None
    """Best possible value by the measured ceilings; None: no ceiling is known."""
    limit_source: Message
    """Where the limit comes from; where there is none, why."""
    fraction_of_limit: float | None
    peak: float | None
    """Best possible value by the theoretical peaks."""
    peak_source: Message
    fraction_of_peak: float | None
    medians: tuple[float, ...] = ()
    """One of each verified launch in the order of their starts, where there are several."""
    interval: Interval | None = None
    """95%, of the launches' geometric mean by the spread between them; None: they are fewer than three, or agree."""
    spread: float | None = None
    """Between launches: standard deviation of the logarithms of their medians; None: there is one launch."""
    own_ceiling: bool = False
    """Whether its benchmark measured the ceiling itself: the share of the limit then only compares its figures."""

    @property
    def of_limit(self) -> Message | None:
        """`66.2% of its limit`; where that is no independent one, `94.0% of its own best`. None: there is no share."""
        return None if self.fraction_of_limit is None else share_of_limit(self.fraction_of_limit, own=self.own_ceiling)

    @property
    def launches(self) -> int:
        """How many verified."""
        return len(self.medians) or 1

    @cached_property
    def within(self) -> Interval | None:
        """95%, of the median of these samples, as of one launch; None: they are fewer than five."""
        return median_interval(self.samples)


@dataclass(frozen=True)
class Assessment:
    """A case, judged; one launch alone where `launches` is empty."""

    record: Record
    """The median one of several launches by the headline metric, which speaks for what is no figure."""
    figures: tuple[Figure, ...]
    causes: tuple[Finding, ...] = field(default=())
    """What likely holds its headline back, and what sets launches apart."""
    warnings: tuple[Message, ...] = field(default=())
    """Such as a figure above its limit, which is an error to explain."""
    verdict: tuple[Message, ...] = field(default=())
    """How good the headline is, and what else is to be known of the case, for the summary."""
    residence: Residence | None = None
    """Where its data lay; None: the record does not show it."""
    violations: tuple[Violation, ...] | None = None
    """Rules for official results that it did not follow; None: there are no such rules, or it did not verify."""
    seen: Mapping[str, object] = field(default_factory=dict)
    """What each view of its benchmark sees in it, by the view's name: `View.of` reads it."""
    launches: tuple["Assessment", ...] = field(default=())
    """Each launch by itself in the order of their starts, verified or not; empty: there is one."""
    no_headline: tuple[Message, ...] = field(default=())
    """Why none of its figures is a headline; empty: those that are declared as such are."""
    remark: tuple[Message, ...] = field(default=())
    """That some launches failed, or that they differ."""
    state: State = ONE_STATE
    """State of the machine during `record`."""
    ceilings: tuple[Ceiling, ...] = ()
    """What it was judged by: the ceilings of that state."""

    @property
    def crowded(self) -> bool:
        """Whether threads of it share a processor, and so it has no headline."""
        return any(why.code == "limit-no-headline" for why in self.no_headline)

    @property
    def each(self) -> tuple["Assessment", ...]:
        """Every launch, also where there is but one."""
        return self.launches or (self,)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of every launch."""
        return tuple(launch.record for launch in self.each)
