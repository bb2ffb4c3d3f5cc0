"""The contract: figures, requirements and rules that a centre and a vendor have agreed on, as a TOML file."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from banzuke.amounts import Frozen, Name, Positive, Scalar, Several
from banzuke.compare.verdict import Confidence
from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.files.refusals import refusals
from banzuke.machine.lines import Key, line_of
from banzuke.machine.mistakes import no_toml
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.text import nearest
from banzuke.units import spellings

MOST_BYTES = 1 << 20
"""Most bytes of a file; more is no contract."""
_REMEDY = "docs/accept.md has an example"
Part = Annotated[float, Field(gt=0, le=1)]
Requirement = Positive | dict[Name, Positive]
"""One requirement, or one for each system or partition: `ishikari:cpu`, `ishikari`, `*`."""


class Waiver(Frozen):
    reason: Name
    name: Name = Field(description="who agreed to it")
    agreed: date | None = None


class Rules(Frozen):
    """How a figure has to be measured, and what has to reach its requirement."""

    launches: Several = Field(default=3, description="fewest launches of a case that count on each node")
    runs: Several = Field(default=1, description="fewest runs, half an hour or more apart")
    confidence: Confidence = Field(default="interval", description="what must reach the requirement")
    share: Part = Field(default=1.0, description="share of the nodes that must reach it")
    nodes: Several | None = Field(default=None, description="how many nodes it is asked of; None: those measured")
    verified: bool = Field(default=True, description="whether a launch that did not verify fails the figure")
    undisturbed: bool = Field(default=True, description="whether launches that others disturbed do not count")
    official: bool = Field(default=False, description="whether only official results by the benchmark's rules count")


class AgreedFigure(Frozen):
    """A figure of the contract."""

    benchmark: Name
    metric: Name | None = Field(default=None, description="None: the benchmark's headline")
    name: str = Field(default="", description="how the sheet calls it")
    case: dict[Name, Scalar] = Field(
        default_factory=dict, description="what chooses the case: backend, hosts, ranks, threads, parameters"
    )
    unit: Name
    minimum: Requirement | None = None
    maximum: Requirement | None = None
    reference: Requirement | None = None
    tolerance: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=0.0, description="share by which it may be worse than the reference"
    )
    rules: dict[str, bool | int | float | str] = Field(default_factory=dict, description="instead of the contract's")
    waiver: Waiver | None = None
    improvement: bool = Field(default=True, description="whether the improvement over the predecessor counts it")


class Improvement(Frozen):
    predecessor: Name = Field(description="a run or a published machine")
    minimum: Positive | None = Field(default=None, description="of the geometric mean; None: it is only shown")
    confidence: Confidence = "interval"


class ContractFile(Frozen):
    title: Name
    customer: str = ""
    vendor: str = ""
    agreed: date | None = None
    note: str = ""
    rules: Rules = Rules()
    figure: list[AgreedFigure] = Field(min_length=1)
    improvement: Improvement | None = None

    @model_validator(mode="after")
    def with_rules(self) -> Self:
        """Check the rules of each figure. Raises ValueError."""
        for number, asked in enumerate(self.figure):
            for name in asked.rules:
                if name not in Rules.model_fields:
                    near = nearest(name, list(Rules.model_fields))
                    raise ValueError(f"figure.{number}.rules.{name}: there is no such rule. {near}")
            try:
                Rules.model_validate({**self.rules.model_dump(), **asked.rules}, strict=True)
            except ValidationError as error:
                (first, *_) = error.errors()
                said = first["msg"].replace("Input should be", "should be")
                raise ValueError(f"figure.{number}.rules.{first['loc'][0]}: {said}") from error
        return self


@dataclass(frozen=True)
class Term:
    """A figure of the contract with the metric that it names, in SI units."""

    asked: AgreedFigure
    metric: Metric
    rules: Rules
    factor: float
    """How many SI units one of the contract's unit is."""

    @property
    def name(self) -> str:
        """As the sheet calls it; empty: by the benchmark's and metric's titles."""
        return self.asked.name

    @property
    def agreed(self) -> Mapping[str, float]:
        """The numbers that were agreed on, by system or partition; one for all under `*`."""
        numbers = self.asked.minimum or self.asked.maximum or self.asked.reference or {}
        by_system = numbers if isinstance(numbers, Mapping) else {"*": numbers}
        return {name: number * self.factor for name, number in by_system.items()}

    @property
    def requirements(self) -> list[float]:
        """What has to be reached, in ascending order, each requirement once."""
        return sorted({requirement for name in self.agreed if (requirement := self.requirement([name])) is not None})

    def requirement(self, systems: list[str]) -> float | None:
        """Return what a figure of the first of these systems must reach, with the tolerance of a reference.

        None: nothing was agreed on for any of them.
        """
        agreed = next((self.agreed[name] for name in systems if name in self.agreed), None)
        if agreed is None or self.asked.reference is None:
            return agreed
        better, tolerance = self.metric.better, self.asked.tolerance
        return agreed * (1 - tolerance if better == "higher" else 1 + tolerance)


@dataclass(frozen=True)
class Contract:
    file: ContractFile
    terms: tuple[Term, ...]
    digest: str
    """SHA-256 of the file, which tells whether somebody changed it."""
    path: Path
    predecessor_line: int | None = None


def read_contract(path: Path, benchmarks: Mapping[str, Benchmark]) -> Contract:
    """Read a contract. Raises BanzukeError, which names the lines that are wrong."""
    content, text = read_named(path, MOST_BYTES), ""
    try:
        text = content.decode("utf-8-sig")
        file = ContractFile.model_validate(tomllib.loads(text), strict=True)
    except ValidationError as error:
        mistakes = refusals(error, ContractFile, lambda key: line_of(text, key))
        raise BanzukeError(str(path), details=mistakes, remedy=_REMEDY) from error
    except (ValueError, RecursionError) as error:
        raise BanzukeError(f"{path} cannot be read", why=no_toml(text, error), remedy=_REMEDY) from error
    wrong = sorted(
        (line_of(text, ("figure", number, *key)) or 0, f"figure {number + 1}: {said}")
        for number, asked in enumerate(file.figure)
        for key, said in _mistakes(asked, file.rules, benchmarks)
    )
    if wrong:
        details = [f"line {line}: {said}" if line else said for line, said in wrong]
        raise BanzukeError(str(path), details=details, remedy=_REMEDY)
    return Contract(
        file,
        tuple(_term(asked, file.rules, benchmarks[asked.benchmark]) for asked in file.figure),
        hashlib.sha256(content).hexdigest(),
        path,
        line_of(text, ("improvement", "predecessor")) if file.improvement else None,
    )


def _rules(asked: AgreedFigure, rules: Rules) -> Rules:
    return Rules.model_validate({**rules.model_dump(), **asked.rules}, strict=True)


def _metric(asked: AgreedFigure, benchmark: Benchmark) -> Metric | None:
    if asked.metric is None:
        return next((metric for metric in benchmark.metrics if metric.headline), benchmark.metrics[0])
    return next((metric for metric in benchmark.metrics if metric.name == asked.metric), None)


def _term(asked: AgreedFigure, rules: Rules, benchmark: Benchmark) -> Term:
    """Return the figure's term; `_mistakes` has found nothing in it."""
    metric = _metric(asked, benchmark)
    if metric is None:
        raise ValueError("a metric that is not declared")
    return Term(asked, metric, _rules(asked, rules), spellings(metric.unit)[asked.unit])


def _mistakes(asked: AgreedFigure, rules: Rules, benchmarks: Mapping[str, Benchmark]) -> Iterator[tuple[Key, str]]:
    """Yield what is wrong with a figure that no type tells, with its key."""
    benchmark = benchmarks.get(asked.benchmark)
    if benchmark is None:
        yield ("benchmark",), f"there is no benchmark '{asked.benchmark}'. {nearest(asked.benchmark, list(benchmarks))}"
        return
    if benchmark.collection and not asked.case:
        noun = benchmark.collection.noun
        yield ("benchmark",), f"{benchmark.name} measures many {noun}: choose one by its parameters in `case`"
    if _rules(asked, rules).official and benchmark.official.rules is None:
        yield ("rules", "official"), f"{benchmark.name} has no rules for official results: leave out `official`"
    yield from _wrong_requirements(asked)
    metric = _metric(asked, benchmark)
    if metric is None:
        names = [metric.name for metric in benchmark.metrics]
        yield ("metric",), f"{benchmark.name} has no metric '{asked.metric}'. {nearest(asked.metric or '', names)}"
        return
    units = spellings(metric.unit)
    if asked.unit not in units:
        why = f"'{asked.unit}' is no unit of {metric.name}"
        yield ("unit",), f"{why}, which is in {metric.unit}. {nearest(asked.unit, list(units))}"
    wrong = "maximum" if metric.better == "higher" else "minimum"
    if getattr(asked, wrong) is not None:
        other = "minimum" if wrong == "maximum" else "maximum"
        more = "more" if metric.better == "higher" else "less"
        yield (wrong,), f"of {metric.name} {more} is better: write {other}"


def _wrong_requirements(asked: AgreedFigure) -> Iterator[tuple[Key, str]]:
    written = [name for name in ("minimum", "maximum", "reference") if getattr(asked, name) is not None]
    if not written:
        yield (), "nothing is asked of it: write minimum, maximum, or reference with tolerance"
    if len(written) > 1:
        yield (written[1],), f"{' and '.join(written)} exclude each other: write one"
    if asked.tolerance and "reference" not in written:
        yield ("tolerance",), "tolerance needs a reference"
    for name in written:
        if getattr(asked, name) == {}:
            yield (name,), f"{name} names no system"
