"""The content of a report of one run or several: what sets them side by side, and the content of each."""

from typing import Literal

from pydantic import Field

from banzuke.report.base import Model, Number
from banzuke.report.content import ChartFile, Content, Mean, State, Versus


class Column(Model):
    """A run, as one of several."""

    name: str = Field(description="what tells it from the others: its site, partition, date")
    run: str
    machine: str
    fingerprint: str
    partition: str
    started: str
    banzuke: list[str] = Field(description="versions that measured it")
    anchor: str = Field(description="of its own part")


class Cell(Model):
    """A headline figure of one run."""

    figure: Number | None = Field(description="None: its case gave none, or it is a mean")
    mean: Mean | None = Field(description="instead of a figure, of a collection")
    of_limit: Number | None
    mean_of_limit: Mean | None
    state: State
    settings: str = Field(description="those of its case that differ between the runs")
    ratio: float | None = Field(
        description="how many times as good as in the first run that has it; None: they cannot be compared"
    )
    ratio_text: str


class Headline(Model):
    title: str
    unit: str
    better: str
    cells: list[Cell | None] = Field(description="in the order of the columns; None: the run has no such figure")


class Fact(Model):
    name: str
    values: list[str] = Field(description="in the order of the columns")


class Facts(Model):
    title: str
    rows: list[Fact]


class Problems(Model):
    """A collection, problem by problem: the first run that has it over another one."""

    title: str
    noun: str
    slug: str
    versus: Versus


class SideBySide(Model):
    columns: list[Column]
    cautions: list[str] = Field(description="what is unlike, beside the machines")
    headlines: list[Headline]
    differing: list[Facts] = Field(description="of the machines, what is not the same for all")
    alike: list[Facts]
    problems: list[Problems]
    charts: list[str] = Field(default_factory=list, description="identifiers of its charts")


class Study(Model):
    schema_version: Literal[1] = 1
    title: str
    date: str
    banzuke: str
    side_by_side: SideBySide | None = Field(description="None: there is one run")
    runs: list[Content]
    charts: list[ChartFile] = Field(default_factory=list, description="those that show several runs")
