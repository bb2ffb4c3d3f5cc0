"""What a benchmark's `spec.py` declares: policy only, as data and pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Annotated, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar

from pydantic import Field

from banzuke import amounts
from banzuke.amounts import Amount, Several
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.site import Peak
from banzuke.plan.aspect import Aspect
from banzuke.plan.lines import Lines
from banzuke.plan.placement import Placement
from banzuke.plan.variant import Variant
from banzuke.program.describe import Answer, RefusedError

Scalar = amounts.Scalar


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    better: Literal["higher", "lower"]
    title: str
    headline: bool = False
    """Shown in the summary; the others appear in the benchmark's own table."""


@dataclass(frozen=True)
class Plot:
    """How figures are drawn: `metrics` of each case over `x`, one line or group per `series`."""

    title: str
    metrics: tuple[str, ...]
    x: str
    """A parameter's name, `threads`, `ranks` or `layout`, or that of a number among the conditions."""
    series: str | None = None
    """A parameter's name, or None for one series per metric."""
    log_x: bool = False
    alike: tuple[str, ...] = ()
    """Settings that are the same in all cases drawn: those with the most places win; empty: all cases are drawn."""


@dataclass(frozen=True)
class Part:
    """A part of a run's time that its record's breakdown names."""

    title: str
    """In the middle of a sentence: `panel factorisation`."""
    useful: bool = False
    """The work itself, which only a faster processor shortens; all else is what it costs to get there."""
    advice: str = ""
    """What to try when it takes too much of the time."""


@dataclass(frozen=True)
class Group:
    """Ranks of a case that run one program alike."""

    backend: str
    """Which of the benchmark's programs."""
    ranks: Several = 1
    threads: Several = 1
    """Of each rank."""
    placement: Placement | None = None
    """Where the ranks stand; None: spread over this host."""
    partition: str = ""
    """Of the site; empty: the one that this host is of."""

    @property
    def per_host(self) -> int:
        """Ranks on each host."""
        return self.placement.per_node if self.placement else self.ranks

    def given(self, machine: Machine) -> Machine:
        """The machine with the group's partition alone. Raises BanzukeError where nothing was given of that."""
        try:
            return machine.of(self.partition) if self.partition else machine
        except KeyError:
            names = ", ".join(allotment.partition for allotment in machine.allotments)
            raise BanzukeError(f"nothing is given of the partition {self.partition}", why=f"only of {names}") from None


@dataclass(frozen=True)
class Case:
    """One launch: programs that run together, nearly always one, and their parameters."""

    benchmark: str
    groups: Annotated[tuple[Group, ...], Field(min_length=1)]
    """In the order of their ranks. Groups of a partition share its hosts, starting with the first."""
    parameters: Mapping[str, Scalar]
    variant: Variant = field(default_factory=Variant)
    """How it is launched."""
    seconds: Amount = field(default=1.0, compare=False)
    """Estimated duration, for progress and the time limit."""

    @property
    def backend(self) -> str:
        """`cuda+blas`: what tells cases of one benchmark apart."""
        return "+".join(dict.fromkeys(group.backend for group in self.groups))

    @property
    def ranks(self) -> int:
        return sum(group.ranks for group in self.groups)

    @property
    def threads(self) -> int:
        """Of a rank; of the first group's, where they differ."""
        return self.groups[0].threads

    @property
    def placement(self) -> str:
        """Its name; empty: no group has one."""
        return "+".join(group.placement.name for group in self.groups if group.placement)

    @property
    def per_host(self) -> int:
        """Ranks on the fullest host."""
        return max(sum(group.per_host for group in together) for together in self.by_partition.values())

    @property
    def by_partition(self) -> Mapping[str, Sequence[Group]]:
        names = dict.fromkeys(group.partition for group in self.groups)
        return {name: [group for group in self.groups if group.partition == name] for name in names}

    @property
    def nodes(self) -> int:
        """Hosts that it goes to."""
        return sum(
            max(group.placement.nodes if group.placement else 1 for group in together)
            for together in self.by_partition.values()
        )


@dataclass(frozen=True)
class Layout:
    """What a case may use: ranks and threads per rank."""

    ranks: int
    threads: int
    seconds: float | None = None
    """Wanted for the timed part; None: as long as the benchmark itself thinks right."""
    placement: Placement | None = None
    """Where the ranks stand; None: spread over one host."""

    @classmethod
    def of(cls, placement: Placement, seconds: float | None = None) -> "Layout":
        return cls(placement.ranks, len(placement.cpus[0]), seconds, placement)


Ask = Callable[[Layout, Mapping[str, Scalar]], Answer]
"""What the program says of a call with this layout and these parameters. Raises RefusedError with what it would take
instead, and BanzukeError where there is no program to ask."""
P = ParamSpec("P")
T = TypeVar("T")


def nobody(_layout: Layout, _parameters: Mapping[str, Scalar]) -> Answer:
    raise BanzukeError("there is no program to ask", why="the benchmark was not taken from the catalogue")


@dataclass(frozen=True)
class Asking(Generic[P, T]):
    """A function of a spec that takes an `Ask` before its other arguments: `defaults=Asking(defaults)`."""

    function: Callable[Concatenate[Ask, P], T]
    ask: Ask = nobody

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> T:
        return self.function(self.ask, *arguments, **named)


def accepted(ask: Ask, layout: Layout, parameters: Mapping[str, Scalar]) -> bool:
    try:
        ask(layout, parameters)
    except RefusedError:
        return False
    return True


@dataclass(frozen=True)
class Setting:
    """How a problem is solved: of what a search compares, the size stays as it is."""

    layout: Layout
    parameters: Mapping[str, Scalar]
    variant: Variant = field(default_factory=Variant)

    def changed(self, layout: Layout | None = None, /, **parameters: Scalar) -> "Setting":
        return replace(self, layout=layout or self.layout, parameters={**self.parameters, **parameters})


Alternatives = Callable[[Machine, Setting], Sequence[Setting]]
"""What may be tried instead of a setting along an axis; nothing where that cannot matter."""


@dataclass(frozen=True)
class Statistic:
    """A number that tells a problem of a collection from the others: a condition of its record."""

    condition: str
    title: str
    unit: str = "1"


@dataclass(frozen=True)
class Collection:
    """Cases that are many problems of several families, judged together and against each other."""

    noun: str
    """Of several: `matrices`."""
    problems: Callable[[Machine, Layout, Sequence[str]], Sequence[Mapping[str, Scalar]]]
    """Parameters of each problem, given the families; `Layout.seconds` is wanted for all problems together."""
    family: str
    """Parameter whose choices, as the program tells them, are the families."""
    size: str
    """Parameter that sets how large a problem of a family is."""
    file: str
    """Parameter that names a user's own problem instead; of a folder each file is one."""
    suffixes: tuple[str, ...]
    """Of such files."""
    along: Statistic
    """What charts are drawn over."""
    statistics: tuple[Statistic, ...] = ()
    """What else is published of each problem."""
    choice: str | None = None
    """Condition that says how the problem was solved where the program chose."""


@dataclass(frozen=True)
class Asked:
    """What an input file asks for."""

    cases: tuple[tuple[int | None, Mapping[str, Scalar]], ...]
    """Ranks and parameters, in the order in which the official code runs them; None: as many as there shall be."""
    notes: tuple[str, ...] = ()
    """What is done otherwise than the file says."""
    output: str | None = None
    """File that the official code writes its results to; None: a stream."""


@dataclass(frozen=True)
class Point:
    """A place of a case's curve."""

    at: float
    samples: Mapping[str, Sequence[float]]
    """By metric."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case, for what the official code prints of it, and for the official rules."""

    parameters: Mapping[str, Scalar]
    status: Literal["ok", "failed", "skipped"]
    reason: str | None
    started: datetime
    values: Mapping[str, float] = field(default_factory=dict)
    """By metric."""
    points: Sequence[Point] = ()
    """Of its curve."""
    checks: Mapping[str, float | None] = field(default_factory=dict)
    """By verified quantity; None: not finite."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    hosts: int = 1
    ranks: int = 1
    threads: int = 1
    """Of a rank."""

    def number(self, condition: str) -> float | None:
        """None: it was not seen, or is no finite number."""
        value = self.conditions.get(condition)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Breach:
    """A rule for official results that a verified case did not follow."""

    rule: str
    """In the middle of a sentence, after `instead of`: `at least 1,800 s of timed sets`."""
    found: str
    """`20.3 s`"""


@dataclass(frozen=True)
class InputFile:
    """The file that steers the benchmark's official code: existing scripts keep working."""

    name: str
    read: Callable[[Lines], Asked]
    """Raises BanzukeError naming the line."""


@dataclass(frozen=True)
class Library:
    """A library that a program loads at run time, other than the fastest BLAS."""

    name: str
    """As the machine's description names it: `MKL`."""
    variable: str
    """Where the program looks for its path."""
    package: str
    """PyPI package that brings it."""


@dataclass(frozen=True)
class Known:
    """A rate of a host that is known without the benchmark that measures its resource."""

    rate: float
    title: str
    """In the middle of a sentence: `register FMA rate`."""
    source: str
    threads: int | None = None
    """That reached it; None: the whole host."""


@dataclass(frozen=True)
class Resource:
    """What a sample asks of a machine, and the machine has at a rate that some benchmark measures."""

    name: str
    """As programs name it in what they demand: `memory.bytes`."""
    unit: str
    """Of the rate."""
    title: str
    """Of the rate, in the middle of a sentence: `memory bandwidth`."""
    scope: Literal["core", "host", "device", "link", "area"]
    """How the rate grows: with what of it a case uses. One core may draw on all of what a host has."""
    cached: bool = False
    """Whether what stays in the caches asks nothing of it."""
    within: str = ""
    """The resource whose rate this one's cannot exceed: where this one's is unknown, that one's stands for it."""
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Other resource -> the least that this one's rate is, as a multiple of that one's, on any machine. An unknown rate
    is left out of a limit where even so little could not bind."""
    peak: Callable[[Machine], Peak | None] | None = None
    """The theoretical rate of a host; None: it has none."""
    above: Callable[[Machine], Known | None] | None = None
    """What the measured rate cannot exceed: the limit of the benchmark that measures it."""
    instead: Callable[[Machine], Known | None] | None = None
    """What stands in where the benchmark was not run."""


def all_cores(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """One case: one rank with a thread on every core that may be used."""
    return [(Layout(ranks=1, threads=machine.allotment.usable_cores), {})]


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    metrics: tuple[Metric, ...]
    defaults: Callable[[Machine, Layout], dict[str, Scalar]] = lambda _machine, _layout: {}
    """Parameters of the headline case, sized for the machine; those left out keep the program's own defaults."""
    sweep: Callable[[Machine], list[tuple[Layout, dict[str, Scalar]]]] = all_cores
    """Cases of the standard evaluation, headline first; each dict overrides `defaults`."""
    seconds: Callable[[Machine, Layout, Mapping[str, Scalar]], float] = lambda _machine, _layout, _parameters: 1.0
    """Rough duration of a case, for progress and the time limit: that is a minute at least."""
    default_backend: str = "omp"
    measures: tuple[Resource, ...] = ()
    """Resources whose rates are what this benchmark's verified figures reach at best."""
    tunable: tuple[str, ...] = ()
    """Parameters that say how and not what: a value of them that was better in the same run explains a lower figure."""
    needs_blas: bool = False
    plots: tuple[Plot, ...] = ()
    size: tuple[str, ...] = ()
    """Parameters that set the size: one that does not fit is answered with the largest that does, scaled together."""
    needs: tuple[str, ...] = ()
    """Resources, of those that others measure, by whose rates its standard cases are judged."""
    lengths: tuple[float, float] | None = None
    """Shortest and longest `layout.seconds`, of the timed part, that make sense in an evaluation; None: no time can be
    chosen. `defaults` then chooses the size for them."""
    weight: float = 1.0
    """Its share of an evaluation's time, beside those of the others."""
    duration: str = ""
    """The parameter that `defaults` chooses for `layout.seconds` instead, where the size does not follow from them."""
    rules: Callable[[Machine, Outcome], Sequence[Breach]] | None = None
    """What keeps a verified case from being an official result; empty: nothing does; None: there are no such rules."""
    input_file: InputFile | None = None
    official: Callable[[Sequence[Outcome]], str] | None = None
    """What the official code prints of such cases: existing parsers keep working."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """What the parts of a record's breakdown are."""
    tuning: Mapping[str, Alternatives] = field(default_factory=dict)
    """Axes of the search for a faster setting than the default, the most important first; needs `lengths` and
    `size`."""
    variant: Callable[[Layout], Variant] = lambda _layout: Variant()
    """How a case of this layout is launched where nothing else is asked for: what a search has found."""
    collection: Collection | None = None
    """The problems that its cases are; `sweep` then has the headline's layout alone."""
    aspect: Aspect | None = None
    """What of a machine it is about: its place in the report."""
    views: tuple[object, ...] = ()
    """How what its records hold beside figures is judged and shown: each a `banzuke.limit.view.View`."""
    placements: Callable[[Machine], Sequence[Placement]] | None = None
    """Where its ranks may stand on a machine; None: placement is not what it is about."""
    libraries: Mapping[str, Library] = field(default_factory=dict)
    """Backend -> the library that its program loads at run time."""
    ask: Ask = nobody
    """Set by the catalogue, for the benchmark's own functions too."""

    def at_length(self, seconds: float) -> "Benchmark":
        """The benchmark with standard cases of this length, but for those that have one of their own."""

        def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
            return [
                (replace(layout, seconds=layout.seconds or seconds), overrides)
                for layout, overrides in self.sweep(machine)
            ]

        return replace(self, sweep=sweep)

    def asking(self, ask: Ask) -> "Benchmark":
        """The benchmark with everything that asks asking there."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        bound: dict[str, Any] = {name: replace(it, ask=ask) for name, it in own.items() if isinstance(it, Asking)}
        if self.input_file and isinstance(self.input_file.read, Asking):
            bound["input_file"] = replace(self.input_file, read=replace(self.input_file.read, ask=ask))
        return replace(self, **bound, ask=ask)
