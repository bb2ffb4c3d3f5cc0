"""The content of a report as data: the page, the Markdown, the CSV and the JSON are written from it alone."""

import math
from typing import Literal

from pydantic import Field

from banzuke.report.base import Model, Number

Scalar = bool | int | float | str
State = Literal["verified", "did not verify", "failed", "skipped"]


class Check(Model):
    quantity: str
    value: Number | None = Field(description="None: not finite")
    tolerance: float
    tolerance_text: str
    passed: bool


class Measurement(Model):
    """One metric of one case: of one launch, or of several together."""

    metric: str
    title: str
    unit: str
    better: str
    headline: bool
    median: Number = Field(description="of the launches' medians; of one launch, of its samples")
    medians: list[float] = Field(default_factory=list, description="of each verified launch, where there are several")
    between_low: Number | None = Field(
        default=None, description="95% interval by the spread between launches; None: there is one, or they agree"
    )
    between_high: Number | None = None
    between_spread: Number | None = Field(
        default=None, description="between launches: standard deviation of the logarithms of their medians"
    )
    low: Number | None = Field(
        description="95% interval of the median within the one launch; None with one sample, or several launches"
    )
    high: Number | None
    best: Number
    spread: Number | None = Field(
        description="interquartile range over the median of the one launch; None with one sample, or several launches"
    )
    count: Number = Field(description="of samples in all launches")
    limit: Number | None
    limit_source: str
    of_limit: Number | None
    peak: Number | None
    peak_source: str
    of_peak: Number | None
    flops: float | None = Field(description="work of one sample")
    bytes: float | None
    samples: list[float]

    @property
    def interval(self) -> tuple[float, float] | None:
        """That between launches, or within the one that there is."""
        low, high = (self.between_low, self.between_high) if self.medians else (self.low, self.high)
        return (low.value, high.value) if low and high else None

    @property
    def drawable(self) -> bool:
        return all(math.isfinite(sample) for sample in self.samples)


class Reproduction(Model):
    """What has to be typed and set to get the figures again."""

    command: str
    variables: dict[str, str]
    removed: list[str] = Field(description="variables that the launch removed")
    software: dict[str, str]
    banzuke: str
    commit: str | None
    environment: str
    programs: list[str] = Field(description="with their ranks and threads, one for each group")
    hosts: list[str]
    areas: list[str] = Field(description="storage that was used, and how it was set")
    binding: list[str] = Field(description="as read back from the running threads")
    conditions: dict[str, str]
    started: str
    ended: str


class Launch(Model):
    """One of the launches of a case."""

    id: str = Field(description="provenance.id of its record")
    name: str = Field(description="launch 2 of 3")
    state: State
    reason: str
    log: str
    medians: dict[str, Number] = Field(description="by metric")
    checks: list[Check]
    conditions: dict[str, str]
    started: str
    ended: str
    shown: bool = Field(description="the median one, whose curves, series, breakdown and binding are those of the case")


class CaseData(Model):
    id: str = Field(description="of the record of its median launch")
    anchor: str
    label: str = Field(description="the settings that tell this case from the others of its benchmark")
    settings: dict[str, Scalar]
    cells: list[str] = Field(description="texts of the varying settings, in the order of Section.columns")
    state: State
    reason: str
    log: str
    measurements: list[Measurement]
    checks: list[Check]
    conditions: dict[str, float] = Field(default_factory=dict, description="numbers among what was seen in the run")
    amounts: list[Number] = Field(default_factory=list)
    reproduction: Reproduction
    launches: list[Launch] = Field(
        default_factory=list, description="in the order of their starts; empty: there is one"
    )

    @property
    def verified(self) -> int:
        """Launches that were verified, of several."""
        return sum(launch.state == "verified" for launch in self.launches)


class BenchmarkData(Model):
    """One benchmark."""

    name: str
    title: str
    anchor: str
    slug: str = Field(description="distinct among the sections; part of anchors and file names")
    common: dict[str, str] = Field(description="settings that all cases share")
    columns: list[str]
    cases: list[CaseData]
    charts: list[str] = Field(default_factory=list, description="identifiers of its charts")
    breakdown_charts: list[str] = Field(default_factory=list, description="where the time of its first case went")


class ChartFile(Model):
    """A chart: what it shows, and its files beside the report."""

    id: str
    title: str
    description: str
    caption: str
    files: list[str] = Field(default_factory=list)


class Content(Model):
    prefix: str = Field(default="", description="of anchors and names of files, where a report has several runs")
    sections: list[BenchmarkData]
    charts: list[ChartFile] = Field(default_factory=list)
