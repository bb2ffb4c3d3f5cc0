"""Content of figures over message sizes."""

from pydantic import Field

from banzuke.report.base import Model


class Value(Model):
    value: float = Field(description="SI")
    text: str


class At(Model):
    """One size of a line."""

    at: float
    text: str
    count: int = Field(description="samples")
    values: dict[str, Value] = Field(
        description="median, average, minimum, maximum, p1 to p99.9 where samples are enough, outliers (share of the "
        "samples), outlier_time (their share of the time), farthest (the slowest over the median), limit, of_limit, "
        "peak, of_peak, message_rate"
    )


class Fit(Model):
    """Sizes over which the time of a message is alpha + size / beta."""

    first: float
    last: float
    text: str = Field(description="the sizes")
    alpha: Value | None = Field(description="None: its interval is too wide")
    alpha_absent: str = Field(description="in place of alpha: half of its 95% interval, as ±45%")
    beta: Value | None = Field(description="None: its interval is too wide, or the time does not grow with the size")
    beta_absent: str = Field(description="in place of beta: half of its 95% interval, or flat")
    half_size: Value | None = Field(description="size at which half of beta is reached; None without alpha and beta")
    of_link: Value | None = Field(description="beta over what the network's link allows, of the largest sizes")
    worst: Value = Field(description="largest relative deviation")
    odd: str = Field(description="sizes that lie off the line and were left out")


class Line(Model):
    """One metric of one case over sizes."""

    case: str = Field(description="Case.id")
    label: str
    kind: str = Field(description="what was tested, where that varies: a test, an operation")
    metric: str
    title: str
    unit: str
    better: str
    points: list[At] = Field(min_length=1)
    fits: list[Fit] = Field(default_factory=list)
    source: str = Field(description="what the limits, or else the peaks, of its points are")


class CurveSet(Model):
    """Lines that are drawn together."""

    title: str
    slug: str
    unit: str
    lines: list[Line] = Field(min_length=1)
    shown: list[float] = Field(description="sizes of the short table")
    link: Value | None = Field(description="rate of the network's link")
    charts: list[str] = Field(default_factory=list)


class Overlap(Model):
    """One size of a non-blocking operation: what of it a computation hides."""

    label: str
    case: str
    at: float
    text: str
    pure: Value = Field(description="the operation alone")
    both: Value = Field(description="with the computation")
    compute: Value
    share: Value


class Curves(Model):
    along: str
    groups: list[CurveSet]
    others: list[Line] = Field(description="metrics beside those that are drawn")
    overlaps: list[Overlap] = Field(default_factory=list)
    overlap_charts: list[str] = Field(default_factory=list)
