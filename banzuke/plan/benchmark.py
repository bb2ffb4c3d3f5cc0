"""What a benchmark's `spec.py` declares: policy only, as data and pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, cast

from pydantic import Field

from banzuke import amounts
from banzuke.amounts import Amount, Index, Several
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.aspect import Aspect
from banzuke.plan.capabilities import Libraries, Library, Messages, PublicList, Storage
from banzuke.plan.declared import DeclaredModel, DeclaredView
from banzuke.plan.official import Official
from banzuke.plan.placement import Placement
from banzuke.plan.resource import Resources
from banzuke.plan.screening import Part, Screening
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
    extreme: bool = False
    """Lies the farther out the longer is measured, as the worst of all samples does: compared where that was alike."""


@dataclass(frozen=True)
class RankGroup:
    """Ranks of a case that run one program alike."""

    backend: str
    """Which of the benchmark's programs."""
    ranks: Several = 1
    threads: Several = 1
    """For each rank."""
    placement: Placement | None = None
    """Where the ranks stand; None: spread over this host."""
    partition: str = ""
    """Name of one of the site's; empty: the one that this host is of."""
    devices: Index = 0
    """How many each rank drives."""

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
            raise BanzukeError(
                f"this job has nothing of the partition {self.partition}", why=f"only of {names}"
            ) from None


@dataclass(frozen=True)
class Case:
    """One launch: programs that run together, nearly always one, and their parameters."""

    benchmark: str
    groups: Annotated[tuple[RankGroup, ...], Field(min_length=1)]
    """In the order of their ranks. Groups of a partition share its hosts, starting with the first."""
    parameters: Mapping[str, Scalar]
    variant: Variant = field(default_factory=Variant)
    """How it is launched."""
    seconds: Amount = field(default=1.0, compare=False)
    """Estimated duration, for progress and the time limit."""
    places: Mapping[str, Scalar] = field(default_factory=dict, compare=False)
    """Parameters that say where it writes: no part of what is measured, which is the storage area."""
    chosen: Mapping[str, Scalar] = field(default_factory=dict, compare=False)
    """Parameters that say which library is called: no part of the problem, but of the variant."""

    @property
    def call(self) -> Mapping[str, Scalar]:
        """All that its programs are told."""
        return {**self.places, **self.chosen, **self.parameters}

    @property
    def backend(self) -> str:
        """`cuda+blas`: what distinguishes cases of one benchmark."""
        return "+".join(dict.fromkeys(group.backend for group in self.groups))

    @property
    def ranks(self) -> int:
        return sum(group.ranks for group in self.groups)

    @property
    def threads(self) -> int:
        """Threads of a rank; of the first group's, where they differ."""
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
    def by_partition(self) -> Mapping[str, Sequence[RankGroup]]:
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
    devices: int = 0
    """How many each rank drives."""
    groups: tuple[Placement, ...] = ()
    """Where ranks with unlike numbers of threads stand, one each (`threads`: the first's); empty: all are alike."""
    drivers: tuple[str, ...] = ()
    """Backend of each of these groups that drives a device; an empty one computes with its processors."""

    @property
    def hosts(self) -> int:
        return self.placement.nodes if self.placement else 1

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
    """A number that characterises a problem of a collection: a condition of its record."""

    condition: str
    title: str
    unit: str = "1"


@dataclass(frozen=True)
class Collection:
    """Cases that are many problems of several families, judged together and against each other."""

    noun: str
    """What several are called: `matrices`."""
    problems: Callable[[Machine, Layout, Sequence[str]], Sequence[Mapping[str, Scalar]]]
    """Parameters of each problem, given the families; `Layout.seconds` is wanted for all problems together."""
    family: str
    """Parameter whose choices, as the program lists them, are the families."""
    size: str
    """Parameter that sets how large a problem of a family is."""
    file: str
    """Parameter that names a user's own problem instead; of a folder each file is one."""
    suffixes: tuple[str, ...]
    """Endings of such files."""
    along: Statistic
    """What charts are drawn over."""
    statistics: tuple[Statistic, ...] = ()
    """What else is published of each problem."""
    choice: str | None = None
    """Condition that says how the problem was solved where the program chose."""


@dataclass(frozen=True)
class Devices:
    """Cases on accelerators, beside those on processors: they are planned where there are devices and a program."""

    sweep: Callable[[Machine], list[tuple[Layout, dict[str, Scalar]]]]
    """As that of the benchmark, headline first, with layouts whose ranks drive devices; `defaults` and `seconds` are
    asked for these, too."""
    libraries: Mapping[str, Library] = field(default_factory=dict)
    """What the program of a backend loads; it looks for it itself where it is not found here."""
    library_parameter: str = ""
    """The parameter by which it calls that, `library`, or the benchmark's own code, `own`."""
    library_always: bool = False
    """Whether every case calls it."""

    def choice(self, backend: str, *, compared: bool = False) -> Libraries:
        """What a case with this backend can be told to call."""
        by_backend = {backend: self.libraries[backend]} if backend in self.libraries else {}
        if not (self.library_parameter or self.library_always):
            return Libraries()
        return Libraries(
            by_backend=by_backend, parameter=self.library_parameter, own=not self.library_always, compared=compared
        )

    @property
    def selectable(self) -> Mapping[str, Library]:
        """The library of each backend that a user may name."""
        return self.libraries if self.library_parameter or self.library_always else {}


@dataclass(frozen=True)
class Sizing:
    """How a size and a duration that are asked for become parameters."""

    parameters: tuple[str, ...] = ()
    """They set the size: one that does not fit is answered with the largest that does, scaled together."""
    lengths: tuple[float, float] | None = None
    """Shortest and longest `layout.seconds`, of the timed part, that make sense in an evaluation; None: no time can be
    chosen. `defaults` then chooses the size for them."""
    duration: str = ""
    """The parameter that `defaults` chooses for `layout.seconds` instead, where the size does not follow from them."""
    method: tuple[str, ...] = ()
    """Parameters that say how long or how often it is measured, and nothing of what: cases that differ in these alone
    are one case, whose figures, but `extreme` ones, compare. Not those that decide how much work there is."""
    weight: float = 1.0
    """Share of an evaluation's time, relative to other benchmarks."""
    each_rank: bool = False
    """Whether `parameters` are of a rank's part of the problem instead of the whole."""
    kept: bool = True
    """Whether the problem of some hosts can be laid out over others."""


@dataclass(frozen=True)
class Tuning:
    """What may be changed to solve the same problem faster."""

    axes: Mapping[str, Alternatives] = field(default_factory=dict)
    """What `--tune` searches, the most important first; it needs the sizing's `parameters` and `lengths`."""
    tunable: tuple[str, ...] = ()
    """Parameters that say how and not what: a value of them that was better in the same run explains a lower figure."""
    loops_by_rates: bool = False
    """Whether its programs for processors can divide loops by the rates of threads (`--shares rates`)."""
    on_fast_cores: bool = False
    """Whether its headline runs on the fastest cores alone, too, where cores are unlike."""
    variant: Callable[[Layout], Variant] = lambda _layout: Variant()
    """How a case of this layout is launched where nothing else is asked for: what a search has found."""


def all_cores(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """One case: one rank with a thread on every core that may be used."""
    return [(Layout(ranks=1, threads=machine.allotment.usable_cores), {})]


@dataclass(frozen=True)
class Benchmark:
    """All that Python knows about one benchmark. The first fields are those of every benchmark, with defaults for the
    simplest; the others are capabilities, which most benchmarks leave out.
    """

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
    """Empty: it has programs for devices alone, and `sweep` no cases."""
    resources: Resources = field(default_factory=Resources)
    sizing: Sizing = field(default_factory=Sizing)
    tuning: Tuning = field(default_factory=Tuning)
    libraries: Libraries = field(default_factory=Libraries)
    official: Official = field(default_factory=Official)
    storage: Storage | None = None
    """None: it writes nothing."""
    messages: Messages | None = None
    """None: its figures are of no messages."""
    public_list: PublicList | None = None
    """None: no list ranks machines by it."""
    screening: Screening | None = None
    """None: its drives or its network are suspected, where it is about files or messages, or else anything."""
    devices: Devices | None = None
    """None: it has no programs for accelerators."""
    collection: Collection | None = None
    """The problems that its cases are; `sweep` then has the headline's layout alone."""
    aspect: Aspect | None = None
    """What of a machine it is about: its place in the report."""
    views: tuple[DeclaredView, ...] = ()
    """How what its records hold beside figures is judged and shown. The catalogue takes those of a `view.py`."""
    model: Callable[[], DeclaredModel] | None = None
    """Imports what predicts its figures: set by the catalogue where there is a `model.py`. None: nothing does."""
    placements: Callable[[Machine], Sequence[Placement]] | None = None
    """Where its ranks may stand on a machine, if not spread over one host; None: nowhere else."""
    layout_of: Callable[[str, Layout], Layout] = lambda _backend, layout: layout
    """The layout that a backend has in place of a standard one that its program could not use."""
    groups_share_by: str = ""
    """The parameter that says how groups of unlike processors (`--groups`) share a problem; empty: they cannot."""
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

    def metric_of(self, name: str) -> Metric:
        """The metric that it has by this name. Raises KeyError."""
        return {metric.name: metric for metric in self.metrics}[name]

    @property
    def of_processors(self) -> bool:
        """Whether it has programs for them, and not for devices alone."""
        return bool(self.default_backend)

    @property
    def suspected(self) -> frozenset[Part] | None:
        """What of a node may have made its figures slow; None: anything."""
        if self.screening:
            return frozenset(self.screening.parts)
        own: dict[Part, object] = {"network": self.messages, "drives": self.storage}
        return frozenset(part for part, declared in own.items() if declared) or None

    @property
    def spans_hosts(self) -> bool:
        """Whether a case may go to several hosts; where not, each host is measured by itself."""
        return self.placements is not None

    def on_hosts(self, nodes: int) -> "Benchmark":
        """The benchmark with the standard cases and placements of so many hosts alone, the first of those there are."""

        def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
            return [case for case in self.sweep(machine.on_hosts(nodes)) if case[0].hosts == nodes]

        def placements(machine: Machine) -> Sequence[Placement]:
            offered = self.placements(machine.on_hosts(nodes)) if self.placements else ()
            return [place for place in offered if place.nodes == nodes]

        return replace(self, sweep=sweep, placements=placements)

    def asking(self, ask: Ask) -> "Benchmark":
        """The benchmark with everything that asks asking there, its capabilities included."""
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
