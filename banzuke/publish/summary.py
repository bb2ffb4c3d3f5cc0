"""The summary of a publication: what a reader of a ranking needs, computed from the published records alone."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field, model_validator
from pydantic_core import PydanticCustomError

from banzuke import __version__
from banzuke.amounts import Amount, Count, Frozen, Index, Name, Positive, Real, Scalar, Several
from banzuke.judge.energy import energies, per_watt
from banzuke.judge.headline import headlines_first
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.records import judge
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.publish import editions
from banzuke.publish import grade as grades
from banzuke.record.model import Record
from banzuke.report.first.headlines import HeadlineLine, headline_lines
from banzuke.report.model import Evaluation
from banzuke.text import printable
from banzuke.words.language import words

KIND: Literal["banzuke-publication"] = "banzuke-publication"
VERSION: Literal[1] = 1
LONGEST_NAME = 100
"""Most letters of a machine's public name, which is part of the name of a file."""


def readable_name(text: str) -> str:
    """Return a machine's name as people can read it, which may contain that of any partition."""
    return " ".join(printable(text).split())[:LONGEST_NAME].strip()


def public_name(text: str) -> str:
    """Return a machine's public name. Raises ValueError where people could not read it."""
    if not text or readable_name(text) != text:
        raise ValueError(f"a public name has at most {LONGEST_NAME} readable characters")
    return text


class PublishedProcessor(Frozen):
    model: str | None
    architecture: str | None
    sockets: Index | None
    cores: Index | None
    logical: Index | None
    simd: str | None


class PublishedDevice(Frozen):
    name: str
    count: Several
    memory: Count | None


class MachineSummary(Frozen):
    """What the machine is: one of its nodes, and how many were measured."""

    name: Annotated[Name, AfterValidator(public_name)] = Field(description="public name, or a pseudonym")
    processors: list[PublishedProcessor]
    devices: list[PublishedDevice]
    memory: Count | None = Field(description="bytes")
    memory_kind: str | None
    memory_bandwidth: Amount | None = Field(description="B/s, theoretical")
    network: str | None = Field(description="interconnect, or kind and rate of its interfaces")
    hypervisor: str | None
    system: str | None = Field(description="distribution")
    nodes: Several = Field(description="most nodes that a case ran on")


class EnergySummary(Frozen):
    joule: Positive
    seconds: Positive
    watt: Positive
    covers: list[str]
    per_watt: Amount | None = Field(default=None, description="the figure by the mean power")
    per_watt_unit: str = ""


class FigureSummary(Frozen):
    """A benchmark's headline, or that it has none."""

    benchmark: Name
    title: str
    aspect: str | None = None
    metric: str | None = Field(default=None, description="None: the mean of a collection, or no figure")
    unit: str = ""
    better: Literal["higher", "lower"] = "higher"
    value: Amount | None = Field(default=None, description="median of the launches; None: no verified figure")
    low: Amount | None = Field(default=None, description="95% interval by the differences between launches")
    high: Amount | None = None
    spread: Amount | None = Field(default=None, description="standard deviation of the launches' logarithms")
    launches: Index = Field(default=0, description="verified")
    of_limit: Real | None = Field(default=None, description="share of the measured limit")
    own_ceiling: bool = Field(default=False, description="whether the limit is the best of its own figures")
    of_peak: Real | None = Field(default=None, description="share of the theoretical peak")
    nodes: Several = 1
    cores: Count = 0
    devices: Count = 0
    backend: str = ""
    parameters: dict[str, Scalar] = Field(default_factory=dict)
    verdict: str = Field(default="", description="how good it is and what holds it back, in English")
    energy: EnergySummary | None = None
    editions: dict[str, list[Name]] = Field(
        default_factory=dict, description="by edition, codes of its rules that are not kept; none: it belongs to it"
    )
    classes: dict[str, Name] = Field(default_factory=dict, description="by edition, the size class of the problem")


class RuleSummary(Frozen):
    code: Name
    asked: str
    points: Amount
    most: Count
    missing: list[str] = Field(description="benchmarks that do not meet it")
    mend: str


class GradeSummary(Frozen):
    version: Count = Field(description="number of the set of rules")
    letter: Literal["A", "B", "C", "D"]
    points: Count = Field(description="of 100")
    rules: list[RuleSummary]


class RunSummary(Frozen):
    """The first file of a publication."""

    kind: Literal["banzuke-publication"] = KIND
    schema_version: Literal[1] = VERSION
    banzuke: str = Field(description="version that wrote it")
    machine: MachineSummary
    started: AwareDatetime
    ended: AwareDatetime
    cases: Count
    launches: Count
    figures: list[FigureSummary]
    grade: GradeSummary
    removed: dict[str, Count] = Field(description="what was taken out or replaced, by kind")
    files: dict[str, str] = Field(description="SHA-256 of every other file")

    @model_validator(mode="before")
    @classmethod
    def of_this_version(cls, data: Any) -> Any:
        """Refuse a summary of another version for this reason alone."""
        if isinstance(data, dict) and (version := data.get("schema_version", VERSION)) != VERSION:
            raise PydanticCustomError(
                "version",
                "its schema is {version}, and this version of Banzuke reads {known}",
                {"version": str(version)[:20], "known": VERSION},
            )
        return data


def evaluation(
    records: Sequence[Record], machine: Machine, ceilings: Sequence[Record], benchmarks: Mapping[str, Benchmark]
) -> Evaluation:
    """Judge the records as a report does."""
    assessments, measured = judge(records, machine, benchmarks, ceilings)
    return Evaluation(
        run="",
        machine=machine,
        assessments=headlines_first(assessments, benchmarks),
        ceilings=measured,
        benchmarks=benchmarks,
        started=min(record.started for record in records),
        ended=max(record.ended for record in records),
        planned=len(assessments),
    )


def summary(evaluated: Evaluation, removed: Mapping[str, int], files: Mapping[str, str]) -> RunSummary:
    """Return the summary of judged records."""
    first = headline_cases(evaluated)
    lines = headline_lines(evaluated, (), words())
    measured = {line.benchmark: first[line.benchmark] for line in lines if line.value is not None}
    return RunSummary(
        banzuke=__version__,
        machine=_machine(evaluated),
        started=evaluated.started,
        ended=evaluated.ended,
        cases=len(evaluated.assessments),
        launches=sum(len(case.records) for case in evaluated.assessments),
        figures=[_figure(line, first[line.benchmark], evaluated) for line in lines],
        grade=_grade(grades.grade(measured)),
        removed=dict(sorted(removed.items())),
        files=dict(files),
    )


def headline_cases(evaluated: Evaluation) -> dict[str, Assessment]:
    """Return each benchmark's headline case."""
    first: dict[str, Assessment] = {}
    for case in evaluated.assessments:
        first.setdefault(case.record.benchmark, case)
    return first


def _machine(evaluated: Evaluation) -> MachineSummary:
    machine = evaluated.machine
    node, partition = machine.node, machine.partition
    fields = ("model", "architecture", "sockets", "cores", "logical", "simd")
    return MachineSummary(
        name=readable_name(machine.name),
        processors=[
            PublishedProcessor(**{name: getattr(processor, name) for name in fields}) for processor in node.processors
        ],
        devices=[
            PublishedDevice(name=device.name, count=device.count, memory=device.memory) for device in node.devices
        ],
        memory=node.memory.total,
        memory_kind=node.memory.kind,
        memory_bandwidth=node.memory.peak_bandwidth,
        network=partition.interconnect or _interfaces(machine),
        hypervisor=partition.hypervisor,
        system=partition.kernel.get("distribution"),
        nodes=max(case.record.nodes for case in evaluated.assessments),
    )


def _interfaces(machine: Machine) -> str | None:
    """Return `infiniband 200 Gbit/s`, of each kind of interface with a known rate."""
    rates = {
        f"{interface.kind} {interface.bits_per_second / 1e9:g} Gbit/s"
        for interface in machine.node.interfaces
        if interface.bits_per_second
    }
    return ", ".join(sorted(rates)) or None


def _figure(line: HeadlineLine, case: Assessment, evaluated: Evaluation) -> FigureSummary:
    record = case.record
    judged = editions.EditionCase(case, evaluated.machine, evaluated.benchmarks.get(record.benchmark))
    missed = editions.missed(judged) if line.value is not None else {}
    figure = next((own for own in case.figures if (own.value, own.unit) == (line.value, line.unit)), None)
    interval = line.interval or (None, None)
    return FigureSummary.of_known(
        benchmark=line.benchmark,
        title=line.title,
        aspect=line.aspect,
        metric=figure.metric if figure else None,
        unit=line.unit,
        better="lower" if line.better == "lower" else "higher",
        value=line.value,
        low=interval[0],
        high=interval[1],
        spread=figure.spread if figure else None,
        launches=sum(launch.status == "ok" for launch in case.records),
        of_limit=line.of_limit,
        own_ceiling=line.own_ceiling,
        of_peak=line.of_peak,
        nodes=record.nodes,
        cores=record.cores,
        devices=len(record.devices),
        backend=record.backend,
        parameters=record.parameters,
        verdict=words().joined(case.verdict),
        energy=_energy(case, figure) if figure else None,
        editions={edition: list(codes) for edition, codes in missed.items()},
        classes=editions.classes(judged) if line.value is not None else {},
    )


def _energy(case: Assessment, figure: Figure) -> EnergySummary | None:
    measured = energies(case)
    if measured is None:
        return None
    by_watt = per_watt(case, figure)
    return EnergySummary.of_known(
        joule=measured.joule,
        seconds=measured.seconds,
        watt=measured.watt,
        covers=list(measured.launches[0][1].covers),
        per_watt=by_watt.value if by_watt else None,
        per_watt_unit=by_watt.unit if by_watt else "",
    )


def _grade(graded: grades.Grade) -> GradeSummary:
    say = words()
    return GradeSummary.model_validate(
        {
            "version": grades.VERSION,
            "letter": graded.letter,
            "points": graded.points,
            "rules": [
                {
                    "code": own.rule.code,
                    "asked": say(own.rule.asked),
                    "points": own.points,
                    "most": own.rule.points,
                    "missing": list(own.missing),
                    "mend": say(own.rule.remedy(" ".join(own.missing))) if own.missing else "",
                }
                for own in graded.rules
            ],
        }
    )


def figures_of(evaluated: Evaluation) -> list[object]:
    """Return every figure with its limits and interval, by case, to see whether two evaluations say the same."""
    return [
        (
            case.record.benchmark,
            case.record.status,
            case.record.started.isoformat(),
            [said.code for said in case.verdict],
            [
                (own.metric, own.unit, own.value, own.limit, own.peak, own.interval, own.spread, own.headline)
                for own in case.figures
            ],
        )
        for case in evaluated.assessments
    ]
