"""Content of noise: what fixed quanta show of it; and what each value of an axis does."""

from typing import Literal

from pydantic import Field

from banzuke.report.base import Model
from banzuke.report.curve_content import Value


class Quanta(Model):
    """Statistics of the noise of all quanta."""

    name: str
    count: int
    values: dict[str, Value] = Field(description="maximum, mean, share, p50 to p99.99 where the quanta are enough")
    above: dict[str, int] = Field(description="length -> quanta with more noise")


class Far(Model):
    """A quantum that stands by itself."""

    number: int
    who: str = Field(description="the processor")
    noise: float = Field(description="seconds")


class Band(Model):
    """All quanta of all processors, column by column: each lies in the band or is among the points."""

    width: int = Field(description="quanta of a column")
    low: list[float] = Field(description="seconds")
    high: list[float]
    points: list[Far]


class Square(Model):
    """A processor, or a block of them with the worst of its figures."""

    x: int = Field(description="its place within the host, or its number where there is one host")
    y: int = Field(description="its host's place")
    who: str
    maximum: float = Field(description="seconds")
    share: float = Field(description="of the time")


class Peak(Model):
    frequency: Value
    amplitude: Value = Field(description="share of the work")
    lost: Value | None = Field(
        description="seconds of each event: of the timer tick the least, or None where other noise hides it; of others "
        "the mean, if they are short and come at even intervals"
    )
    multiples: int
    name: str = Field(description="what comes so often; empty: nothing known")


class Spectrum(Model):
    """The highest amplitude of each column of frequencies."""

    frequencies: list[float]
    amplitudes: list[float]
    highest: Value
    peaks: list[Peak]


class Run(Model):
    """The noise of one case."""

    case: str = Field(description="Case.id")
    label: str = Field(description="its environment, and what was busy beside it")
    launches: int = Field(description="of the case; this is the median one of those that verified")
    quantum: Value
    quanta: int = Field(description="of each processor")
    processors: int
    left_out: int = Field(description="processors whose quanta are not in the record")
    statistics: list[Quanta]
    clock: str = Field(description="how the clock's part was told apart; empty: it was not")
    resolution: Value | None = Field(description="of the clock's part")
    worst: list[Square] = Field(description="the noisiest processors")
    cores: list[Square]
    tail: list[tuple[float, float]] = Field(
        description="length, and the share of the quanta with as much noise or more"
    )
    tail_beyond: list[tuple[float, float]] = Field(description="the same without the clock's part")
    band: Band
    spectrum: Spectrum | None = None


class NoiseGroup(Model):
    """Cases that differ in nothing but the environment."""

    title: str
    slug: str
    kind: Literal["fwq", "ftq"]
    runs: list[Run] = Field(min_length=1)
    charts: list[str] = Field(default_factory=list)


class Noise(Model):
    groups: list[NoiseGroup]
    left_out: str = Field(description="environments that are in no group, and why; empty: none")


class Mark(Model):
    """A headline figure with one value of an axis beside the one that it is held against."""

    value: str
    figure: Value
    ratio: Value | None = Field(description="above 1: better")
    low: float | None = Field(description="95% interval of the ratio; None with one launch")
    high: float | None
    said: str
    least: Value | None = Field(description="of the ratios of all cases of the benchmark")
    most: Value | None
    drawn: bool


class Headline(Model):
    """One figure of the headline case with all values of an axis."""

    title: str
    anchor: str = Field(description="of its benchmark")
    case: str = Field(description="Case.id")
    against: str = Field(description="the usual value of the axis, or the first")
    reference: Value
    cases: int
    marks: list[Mark]


class Varied(Model):
    """What each value of an axis does."""

    axis: str = Field(description="its name: environment, memory, ..., or that of a variable")
    title: str
    slug: str
    against: str = Field(description="the value that all are held against; 'the first': they differ")
    values: list[str] = Field(description="without that one")
    about: dict[str, str] = Field(description="environment -> what it was made of")
    headlines: list[Headline]
    cautions: list[str]
    charts: list[str] = Field(default_factory=list)
