"""Content of what each value of an axis does."""

from pydantic import Field

from banzuke.report.base import Model, Value


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
