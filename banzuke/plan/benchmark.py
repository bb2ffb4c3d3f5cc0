"""Types for what a benchmark's `spec.py` declares: policy only, as data and pure functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, cast

from banzuke import amounts
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.aspect import Aspect
from banzuke.plan.capabilities import Libraries, Library, Messages, PublicList, Storage
from banzuke.plan.case import Case
from banzuke.plan.declared import DeclaredModel, DeclaredView
from banzuke.plan.official import Official
from banzuke.plan.placement import Placement
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Part, Screening
from banzuke.plan.suite import SuitePart
from banzuke.plan.variant import Variant
from banzuke.program.describe import Answer, RefusedError
from banzuke.words import Message

Scalar = amounts.Scalar


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str
    better: Literal["higher", "lower"]
    title: str
    headline: bool = False
    """Shown in the summary; the others appear in the benchmark's own table."""
    extreme: bool = False
    """Whether the value moves outwards the longer it is measured, as the worst of all samples does; such figures are
    only compared where the time was alike.
    """


@dataclass(frozen=True)
class Layout:
    """The ranks, threads and devices that a case may use."""

    ranks: int
    threads: int
    seconds: float | None = None
    """Time wanted for the timed part; None: the benchmark's own choice."""
    placement: Placement | None = None
    """Where the ranks are placed; None: spread over one host."""
    devices: int = 0
    """Number of devices that each rank drives."""
    groups: tuple[Placement, ...] = ()
    """Placements of ranks with different numbers of threads (`threads` is that of the first); empty: all ranks are
    alike.
    """
    drivers: tuple[str, ...] = ()
    """Backend for each of these groups that drives a device; empty for a group that computes with its processors."""
    partitions: tuple[str, ...] = ()
    """Partition of the site for each of these groups; empty: all are on this host."""

    @property
    def hosts(self) -> int:
        if self.partitions:
            return sum(place.nodes for place in self.groups)
        return self.placement.nodes if self.placement else 1

    @classmethod
    def of(cls, placement: Placement, seconds: float | None = None) -> "Layout":
        return cls(placement.ranks, len(placement.cpus[0]), seconds, placement)


Ask = Callable[[Layout, Mapping[str, Scalar]], Answer]
"""Returns the program's answer to a call with this layout and these parameters. Raises RefusedError with calls that the
program would accept, and BanzukeError where there is no program to ask.
"""
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
    """A way to solve a problem. A search compares settings; the size of the problem stays the same."""

    layout: Layout
    parameters: Mapping[str, Scalar]
    variant: Variant = field(default_factory=Variant)

    def changed(self, layout: Layout | None = None, /, **parameters: Scalar) -> "Setting":
        return replace(self, layout=layout or self.layout, parameters={**self.parameters, **parameters})


Alternatives = Callable[[Machine, Setting], Sequence[Setting]]
"""Returns settings that may be tried instead of the given one along an axis; none where the axis cannot matter."""


@dataclass(frozen=True)
class Statistic:
    """A number that characterises a problem of a collection, which its record has as a condition."""

    condition: str
    title: str
    unit: str = "1"


@dataclass(frozen=True)
class Collection:
    """Cases that are many problems in several families, judged together and against each other."""

    noun: str
    """Plural noun for the problems: `matrices`."""
    problems: Callable[[Machine, Layout, Sequence[str]], Sequence[Mapping[str, Scalar]]]
    """Returns the parameters of each problem in the given families; `Layout.seconds` is the time for all problems
    together.
    """
    family: str
    """Parameter whose choices, as the program lists them, are the families."""
    size: str
    """Parameter that sets how large a problem of a family is."""
    file: str
    """Parameter that names a user's own problem instead; in a folder, each file is one."""
    suffixes: tuple[str, ...]
    """Suffixes of such files."""
    along: Statistic
    """The x-axis of charts."""
    statistics: tuple[Statistic, ...] = ()
    """Other numbers that are published about each problem."""
    choice: str | None = None
    """Condition that says how the problem was solved where the program chose the method."""


@dataclass(frozen=True)
class Devices:
    """Cases on accelerators, beside those on processors; they are planned where there are devices and a program for
    them.
    """

    sweep: Callable[[Machine], list[tuple[Layout, dict[str, Scalar]]]]
    """Like `Benchmark.sweep`, headline first, with layouts whose ranks drive devices; `defaults` and `seconds` serve
    these cases too.
    """
    libraries: Mapping[str, Library] = field(default_factory=dict)
    """Library that the program of each backend loads; if it is not found here, the program looks for it itself."""
    library_parameter: str = ""
    """Parameter that chooses between that library, `library`, and the benchmark's own code, `own`."""
    library_always: bool = False
    """Whether every case calls the library."""
    beside_processors: bool = False
    """Whether groups of one case (`--groups 0-3+4@0`) may drive devices beside groups that compute with processors."""

    def choice(self, backend: str, *, compared: bool = False) -> Libraries:
        """Return the libraries that a case with this backend can be told to call."""
        by_backend = {backend: self.libraries[backend]} if backend in self.libraries else {}
        if not (self.library_parameter or self.library_always):
            return Libraries()
        return Libraries(
            by_backend=by_backend, parameter=self.library_parameter, own=not self.library_always, compared=compared
        )

    @property
    def selectable(self) -> Mapping[str, Library]:
        """Return the library of each backend that a user may name."""
        return self.libraries if self.library_parameter or self.library_always else {}


@dataclass(frozen=True)
class Sizing:
    """Rules by which a wanted size or duration becomes parameters."""

    parameters: tuple[str, ...] = ()
    """Parameters that set the size. If it does not fit, the error names the largest that does, with all of them scaled
    together.
    """
    lengths: tuple[float, float] | None = None
    """Shortest and longest `layout.seconds` (of the timed part) that make sense in an evaluation; `defaults` then
    chooses the size for them. None: no time can be chosen.
    """
    duration: str = ""
    """Parameter that `defaults` chooses for `layout.seconds` instead, where the size does not follow from the time."""
    method: tuple[str, ...] = ()
    """Parameters that say how long or how often something is measured, but not what. Cases that differ only in these
    are the same case, and all their figures except `extreme` ones compare. Parameters that decide how much work there
    is do not belong here.
    """
    weight: float = 1.0
    """Share of an evaluation's time, relative to other benchmarks."""
    each_rank: bool = False
    """Whether `parameters` describe a rank's part of the problem instead of the whole."""
    kept: bool = True
    """Whether the problem of a number of hosts can also be laid out over another number."""


@dataclass(frozen=True)
class Tuning:
    """Settings that may be changed to solve the same problem faster."""

    axes: Mapping[str, Alternatives] = field(default_factory=dict)
    """Axes that `--tune` searches, the most important first; requires the sizing's `parameters` and `lengths`."""
    tunable: tuple[str, ...] = ()
    """Parameters that say how a problem is solved, not which. If another value was better in the same run, that
    explains a lower figure.
    """
    loops_by_rates: bool = False
    """Whether its programs for processors can divide loops by the speeds of threads (`--shares rates`)."""
    on_fast_cores: bool = False
    """Whether its headline also runs on the fastest cores alone where cores are unlike."""
    variant: Callable[[Layout], Variant] = lambda _layout: Variant()
    """Returns the variant that a search found for this layout, used where nothing else is asked for."""


def all_cores(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return one case: one rank with a thread on every core that may be used."""
    return [(Layout(ranks=1, threads=machine.allotment.usable_cores), {})]


@dataclass(frozen=True)
class NodesTogether:
    """How nodes of several partitions work on one problem."""

    cases: Sequence[tuple[Layout, Mapping[str, Scalar]]]
    """Cases like those of `Benchmark.sweep`, headline first."""
    reasons: Sequence[Message] = ()
    """Why they are what they are."""


@dataclass(frozen=True)
class Benchmark:
    """All that Python knows about one benchmark. The first fields are those that every benchmark has, with defaults for
    the simplest; the others are capabilities, which most benchmarks leave out.
    """

    name: str
    title: str
    metrics: tuple[Metric, ...]
    defaults: Callable[[Machine, Layout], dict[str, Scalar]] = lambda _machine, _layout: {}
    """Returns the headline's parameters, sized for the machine; those left out keep the program's own defaults."""
    sweep: Callable[[Machine], list[tuple[Layout, dict[str, Scalar]]]] = all_cores
    """Returns the cases of the standard evaluation, headline first; each dict overrides `defaults`."""
    seconds: Callable[[Machine, Layout, Mapping[str, Scalar]], float] = lambda _machine, _layout, _parameters: 1.0
    """Returns the rough duration of a case, for progress and the time limit, which is at least a minute."""
    default_backend: str = "omp"
    """Empty: it has only programs for devices, and `sweep` returns no cases."""
    resources: Resources = field(default_factory=Resources)
    sizing: Sizing = field(default_factory=Sizing)
    tuning: Tuning = field(default_factory=Tuning)
    libraries: Libraries = field(default_factory=Libraries)
    official: Official = field(default_factory=Official)
    suites: Mapping[str, SuitePart] = field(default_factory=dict)
    """How it takes part in suites, by their names."""
    storage: Storage | None = None
    """None: it writes nothing."""
    messages: Messages | None = None
    """None: its figures are not about messages."""
    public_list: PublicList | None = None
    """None: no list ranks machines by it."""
    screening: Screening | None = None
    """None: a slow figure is blamed on the drives if it writes files, on the network if it sends messages, and
    otherwise on any part.
    """
    devices: Devices | None = None
    """None: it has no programs for accelerators."""
    collection: Collection | None = None
    """The problems that its cases solve; `sweep` then only gives the headline's layout."""
    aspect: Aspect | None = None
    """The aspect of a machine that it is about: its place in the report."""
    views: Sequence[DeclaredView] = ()
    """Judge and show what its records hold beside figures; set by the catalogue where there is a `view.py`."""
    model: Callable[[], DeclaredModel] | None = None
    """Imports the model that predicts its figures; set by the catalogue where there is a `model.py`. None: it has
    none, for the reason in `unpredicted`.
    """
    unpredicted: str = ""
    """Why nothing predicts its figures, as a sentence's end: `its figure is what predictions start from`."""
    placements: Callable[[Machine], Sequence[Placement]] | None = None
    """Returns the placements of its ranks that are possible on a machine, other than spread over one host; None: no
    others.
    """
    layout_of: Callable[[str, Layout], Layout] = lambda _backend, layout: layout
    """Returns the layout for a backend whose program could not use the standard one."""
    groups_share_by: str = ""
    """Parameter that says how groups of unlike processors (`--groups`) share a problem; empty: they cannot. `--set
    shares=` means it.
    """
    grid: tuple[str, ...] = ()
    """Parameters of the grid of ranks, which `--set grid=2x3` sets together."""
    ranks_of_groups: Callable[[Sequence[float], Sequence[int]], Sequence[int]] | None = None
    """Returns the number of ranks in each group, by its rate and its number of processors, with which all ranks are
    about equally fast; None: a group is always one rank.
    """
    over_partitions: Callable[[Machine], NodesTogether] | None = None
    """Returns the cases in which nodes of all partitions of the machine work together; None: they cannot."""
    tell_left_out: Callable[[Machine, Sequence[Case]], Iterable[Message]] | None = None
    """Tells which hosts its cases on this machine leave out, and why; None: they leave none out."""
    ask: Ask = nobody
    """Asks its program; set by the catalogue, also in the benchmark's own functions."""

    def at_length(self, seconds: float) -> "Benchmark":
        """Return the benchmark with standard cases of this length, except those that set their own."""

        def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
            return [
                (replace(layout, seconds=layout.seconds or seconds), overrides)
                for layout, overrides in self.sweep(machine)
            ]

        return replace(self, sweep=sweep)

    def on_all_partitions(self) -> "Benchmark":
        """Return the benchmark with its cases on nodes of several partitions as standard cases. Raises BanzukeError."""
        together = self.over_partitions
        if together is None:
            raise BanzukeError(f"{self.name} cannot run on nodes of several partitions", remedy="Name one partition")

        def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
            return [(layout, dict(overrides)) for layout, overrides in together(machine).cases]

        return replace(self, sweep=sweep, placements=None, devices=None, groups_share_by="")

    def metric_of(self, name: str) -> Metric:
        """Return the metric of this name. Raises KeyError."""
        return {metric.name: metric for metric in self.metrics}[name]

    @property
    def of_processors(self) -> bool:
        """Return whether it has programs for processors, and not only for devices."""
        return bool(self.default_backend)

    @property
    def suspected(self) -> frozenset[Part] | None:
        """Return the parts of a node that may have made its figures slow; None: any part."""
        if self.screening:
            return frozenset(self.screening.parts)
        own: dict[Part, object] = {"network": self.messages, "drives": self.storage}
        return frozenset(part for part, declared in own.items() if declared) or None

    @property
    def spans_hosts(self) -> bool:
        """Return whether a case may use several hosts; otherwise each host is measured by itself."""
        return self.placements is not None

    def on_hosts(self, nodes: int) -> "Benchmark":
        """Return the benchmark with only the standard cases and placements on this many hosts, the first ones
        available.
        """

        def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
            return [case for case in self.sweep(machine.on_hosts(nodes)) if case[0].hosts == nodes]

        def placements(machine: Machine) -> Sequence[Placement]:
            offered = self.placements(machine.on_hosts(nodes)) if self.placements else ()
            return [place for place in offered if place.nodes == nodes]

        return replace(self, sweep=sweep, placements=placements)

    def asking(self, ask: Ask) -> "Benchmark":
        """Return the benchmark with `ask` in every `Asking` function, including those of its capabilities."""
        return replace(cast(Benchmark, _asking(self, ask)), ask=ask)


def _asking(declared: Any, ask: Ask) -> Any:
    if isinstance(declared, Asking):
        return replace(declared, ask=ask)
    if not is_dataclass(declared) or isinstance(declared, type):
        return declared
    own = {member.name: getattr(declared, member.name) for member in fields(declared)}
    bound = {name: _asking(value, ask) for name, value in own.items()}
    changed = {name: value for name, value in bound.items() if value is not own[name]}
    return replace(declared, **changed) if changed else declared
