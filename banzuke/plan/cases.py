"""From a request to cases: the standard sweep of a benchmark, or what the user set."""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.axes import checked, fitting, with_tuned
from banzuke.plan.benchmark import Benchmark, Case, Collection, Layout, RankGroup, Scalar, accepted
from banzuke.plan.layouts import over_hosts
from banzuke.plan.on_devices import no_device, other_kinds, parts
from banzuke.plan.placement import Placement
from banzuke.plan.problems import own_problems
from banzuke.plan.strong import check_problem, shared_out, with_problem_of
from banzuke.plan.variant import Variants
from banzuke.program.describe import CannotStartError, RefusedError, drives
from banzuke.text import nearest
from banzuke.units import count, quantity

ALL = "all"
"""Stands for every placement."""
Families = Callable[[Benchmark, str], Sequence[str]]
"""Families of a benchmark's collection, as its program for a backend offers them."""
Planner = Callable[[Benchmark], list[Case]]
"""Cases of a benchmark. Raises BanzukeError."""


def none(_benchmark: Benchmark, _backend: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class Request:
    """What the user asked for; None and empty: the standard."""

    ranks: int | None = None
    threads: int | None = None
    backend: str | None = None
    """One, or several with commas between: each case then runs with each."""
    variants: Variants = field(default_factory=Variants)
    overrides: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Parameter -> values; several values make a sweep over their product."""
    seconds: float | None = None
    """Wanted for the timed part of a case."""
    listed: Sequence[tuple[int | None, Mapping[str, Scalar]]] = ()
    """Ranks and parameters of each case, from an input file; None: as many ranks as without it."""
    placements: Sequence[str] = ()
    """Names of placements, or how they begin."""
    nodes: int | None = None
    """Hosts of each case of a benchmark that spans hosts; None: those that its policy chooses."""
    problem_of: int | None = None
    """Hosts whose problem is solved on each number of hosts; None: each has its own."""

    @property
    def standard(self) -> bool:
        return self == Request(
            backend=self.backend, variants=self.variants, nodes=self.nodes, problem_of=self.problem_of
        )

    def backends(self, benchmark: Benchmark) -> list[str]:
        return (self.backend or benchmark.default_backend).split(",")


def key(case: Case) -> str:
    """Hash of what makes two cases of a run the same measurement: how often and how long is a part of that.

    Of two runs `record.matching.identity` tells what is the same case.
    """
    parts: dict[str, object] = {
        "benchmark": case.benchmark,
        "parameters": {name: str(value) for name, value in sorted(case.parameters.items())},
        "environment": case.variant.environment,
    }
    groups = [_parts(group) for group in case.groups]
    parts |= groups[0] if len(groups) == 1 else {"groups": groups}
    parts |= case.variant.unusual  # what is usual is left out, so that keys stay those of earlier versions
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def _parts(group: RankGroup) -> dict[str, object]:
    placement = {"placement": group.placement.name} if group.placement else {}
    partition = {"partition": group.partition} if group.partition else {}
    devices = {"devices": group.devices} if group.devices else {}
    own = {"backend": group.backend, "ranks": group.ranks, "threads": group.threads}
    return {**own, **placement, **partition, **devices}


def check_all(chosen: Sequence[Benchmark], request: Request) -> list[str]:
    """See `check`. Says which of several benchmarks ignore `--seconds`, which has nothing to choose there."""
    if alone := on_one_host(chosen, request):
        raise BanzukeError(
            f"{' and '.join(alone)} cannot run on {request.nodes} hosts",
            why="each host is measured by itself",
            remedy=f"Leave out --nodes, or {' and '.join(alone)}",
        )
    if request.problem_of:
        check_problem(chosen, request.problem_of, request.nodes)
    for benchmark in chosen:
        check(benchmark, _own(benchmark, request))
    ignoring = [benchmark.name for benchmark in chosen if _own(benchmark, request) != request]
    if not ignoring:
        return []
    single = len(ignoring) == 1
    names = f"{' and '.join(ignoring)} take{'s' * single} no --seconds"
    why = f"{'its size follows' if single else 'their sizes follow'} from the machine alone"
    if len(ignoring) == len(chosen):
        raise BanzukeError(names, why=why, remedy="Set parameters with --set")
    return [f"{names} and ignore{'s' * single} it: {why}"]


def on_one_host(chosen: Iterable[Benchmark], request: Request) -> list[str]:
    """Names of benchmarks that run on one host where several are asked for."""
    return [benchmark.name for benchmark in chosen if (request.nodes or 1) > 1 and not benchmark.spans_hosts]


def _own(benchmark: Benchmark, request: Request) -> Request:
    """The request without what the benchmark ignores: a time where that chooses nothing."""
    return request if benchmark.sizing.lengths else replace(request, seconds=None)


def check(benchmark: Benchmark, request: Request) -> None:
    """Refuses what contradicts itself on any machine. Raises BanzukeError naming the options."""
    if request.placements and benchmark.placements is None:
        raise BanzukeError(f"{benchmark.name} takes no --placement", remedy="Set its layout with --ranks and --threads")
    if request.placements and (request.ranks or request.threads):
        raise BanzukeError("--placement already sets --ranks and --threads", remedy="Leave one of them out")
    if storage := benchmark.storage:
        for name in (storage.folder, storage.area):
            if name in request.overrides or any(name in parameters for _, parameters in request.listed):
                raise BanzukeError(f"--area sets {name} of {benchmark.name}", remedy="Write --area NAME=PATH")
    chosen, what = (
        ((benchmark.sizing.duration,), "time") if benchmark.sizing.duration else (benchmark.sizing.parameters, "size")
    )
    if request.seconds is not None and (request.listed or all(name in request.overrides for name in chosen)):
        source = "the input file" if request.listed else " ".join(f"--set {name}=..." for name in chosen)
        raise BanzukeError(f"--seconds has no effect: {source} sets the {what}", remedy="Leave one of them out")
    _check_library(benchmark, request)
    collection = benchmark.collection
    if request.seconds is not None and collection and collection.file in request.overrides:
        raise BanzukeError(
            f"--seconds has no effect: --set {collection.file}=... sets the size",
            remedy="Leave one of them out",
        )
    needed = [(ranks, parameters) for ranks, parameters in request.listed if ranks is not None]
    ranks, parameters = max(needed, key=lambda listed: listed[0], default=(0, {}))
    if request.ranks is not None and request.ranks < ranks:
        raise BanzukeError(
            f"the input file asks for more than {request.ranks} ranks",
            why=f"{ranks} for {' '.join(f'{name}={value}' for name, value in parameters.items())}",
            remedy="Omit --ranks to use as many as each case needs",
        )


def _check_library(benchmark: Benchmark, request: Request) -> None:
    """A library chooses the backend on processors, and a parameter of it on devices. Raises BanzukeError."""
    asked = {name.lower() for name in request.variants.libraries if name}
    own = [name for name in request.backends(benchmark) if not drives(benchmark.name, name)] if request.backend else []
    if own and benchmark.libraries.by_backend and asked & {name.lower() for name in benchmark.libraries.names}:
        raise BanzukeError(f"--library already chooses the backend of {benchmark.name}", remedy="Leave one of them out")
    name = benchmark.devices.library_parameter if benchmark.devices else ""
    if asked and name in request.overrides:
        raise BanzukeError(f"--library already sets {name} of {benchmark.name}", remedy="Leave one of them out")


def plan(benchmark: Benchmark, machine: Machine, request: Request, families: Families = none) -> list[Case]:
    """Cases in the order in which they run, headline first, without duplicates. Raises BanzukeError.

    Each case runs with one backend and one variant after the other, so that these compare in the same minutes. On each
    set of cores it is planned for these alone, and in each storage area for that.
    A benchmark whose program cannot be asked has one case, which fails for the same reason when its turn comes.
    """
    return _planned(benchmark, machine, _checked([benchmark], machine, request), families)


def planner(chosen: Sequence[Benchmark], machine: Machine, request: Request, families: Families = none) -> Planner:
    """What plans each of several benchmarks, of which one has to know what is asked for. Raises BanzukeError.

    Each of those is planned once, however often it is asked for; others, such as the same at another length, anew.
    """
    request = _checked(chosen, machine, request)
    plans: dict[int, list[Case]] = {}

    def planned(benchmark: Benchmark) -> list[Case]:
        if not any(benchmark is other for other in chosen):
            return _planned(benchmark, machine, request, families)
        if id(benchmark) not in plans:
            plans[id(benchmark)] = _planned(benchmark, machine, request, families)
        return plans[id(benchmark)]

    return planned


def _checked(chosen: Sequence[Benchmark], machine: Machine, request: Request) -> Request:
    hosts = max(1, len(machine.allotment.hosts))
    if (request.nodes or 1) > hosts:
        raise BanzukeError(
            f"--nodes {request.nodes} is more than there are",
            why=f"{count(hosts, 'host')} may be used",
            remedy="Name them with --hosts, or request more from the batch system",
        )
    _check_memory(machine)
    if request.problem_of:
        check_problem(chosen, request.problem_of, request.nodes or hosts)
    return replace(request, variants=checked(request.variants, machine, chosen))


def _check_memory(machine: Machine) -> None:
    """Sizes follow from it. Raises BanzukeError."""
    allotment = machine.allotment
    if not allotment.memory_allowed:
        raise BanzukeError(
            "how much memory this host has is not known",
            why="/proc/meminfo cannot be read or names none",
            remedy="Mount /proc, without which few programs start",
        )
    if not allotment.usable_memory:
        raise BanzukeError(
            "no memory is free on this host",
            why=f"{quantity(allotment.memory_allowed, 'B')} may be used, and all of it is in use",
            remedy="Stop other programs (see top), or request more memory from the batch system",
        )


def _planned(benchmark: Benchmark, machine: Machine, request: Request, families: Families) -> list[Case]:
    """Plan a benchmark by a request that was checked."""
    request = _own(benchmark, request)
    if request.problem_of:
        benchmark = with_problem_of(benchmark, request.problem_of)
    if request.nodes and benchmark.spans_hosts:
        benchmark, machine = benchmark.on_hosts(request.nodes), machine.on_hosts(request.nodes)
    else:
        request = replace(request, nodes=None)
    asked = request.backend.split(",") if request.backend else ()
    chosen = parts(benchmark, machine, asked, request.variants.libraries)
    try:
        sets = [
            _varied(part, in_area.keeping_to(cores), _within(request, backends, cores), families)
            for part, backends in chosen
            for in_area in _by_area(part, machine)
            for cores in request.variants.cores
        ]
    except CannotStartError:
        group = RankGroup(request.backends(chosen[0][0])[0], request.ranks or 1, request.threads or 1)
        return [Case(benchmark.name, (group,), {name: values[0] for name, values in request.overrides.items()})]
    in_turn = (case for cases in itertools.zip_longest(*sets) for case in cases if case is not None)
    return list({key(case): case for case in in_turn}.values())


def _within(request: Request, backends: Sequence[str], cores: str) -> Request:
    """The same with these backends, on these cores."""
    return replace(request, backend=",".join(backends) or None, variants=replace(request.variants, cores=(cores,)))


def _by_area(benchmark: Benchmark, machine: Machine) -> list[Machine]:
    """The machine with each storage area that may be measured, where the benchmark measures any."""
    return [machine.measuring(area) for area in machine.allotment.folders] if benchmark.storage else [machine]


def _stored(benchmark: Benchmark, machine: Machine) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    """The parameters that name the area to be measured, and the folder in it."""
    if benchmark.storage is None:
        return {}, {}
    ((area, folder),) = machine.allotment.folders.items()
    return {benchmark.storage.area: area}, {benchmark.storage.folder: folder}


def _varied(benchmark: Benchmark, machine: Machine, request: Request, families: Families) -> list[Case]:
    """Each case with each backend in each variant; of the standard ones the headline with other libraries, and on other
    kinds of devices, too.
    """
    wanted = _wanted(benchmark, machine, request, families)
    cases = _in_each(benchmark, machine, request, wanted)
    if not cases:
        return cases
    beside: list[Case] = []
    if others := _others(benchmark, machine, request):
        variants = replace(request.variants, libraries=others)
        beside += _in_each(benchmark, machine, replace(request, variants=variants), wanted[:1])
    if request.standard and wanted[0][0].devices and not benchmark.collection:
        for other in other_kinds(machine):
            beside += _in_each(benchmark, other, request, benchmark.sweep(other)[:1])
    # Not beside the headline, with which they would be launched several times; before what an evaluation may leave out.
    first = len(cases) * min(2, len(wanted)) // len(wanted)
    return [*cases[:first], *beside, *cases[first:]]


def _in_each(
    benchmark: Benchmark, machine: Machine, request: Request, wanted: Sequence[tuple[Layout, Mapping[str, Scalar]]]
) -> list[Case]:
    variants = request.variants.each()
    return [
        fitting(case, with_tuned(request.variants, variant, benchmark.tuning.variant(layout)), benchmark, machine)
        for layout, overrides in wanted
        for backend in request.backends(benchmark)
        for case in [case_at(benchmark, machine, backend, layout, overrides, request.problem_of)]
        for variant in variants
    ]


def _others(benchmark: Benchmark, machine: Machine, request: Request) -> tuple[str, ...]:
    """Libraries of this machine that the standard cases compare with the benchmark's own code; empty: none."""
    libraries = benchmark.libraries
    if not (
        libraries.compared and request.standard and request.backend is None and request.variants.libraries == ("",)
    ):
        return ()
    return tuple(name for name in libraries.names if name in machine.software.libraries)


def all_cases(chosen: Sequence[Benchmark], machine: Machine, planned: Planner) -> list[Case]:
    """Cases of several benchmarks, of which some may have none here, but not all. `planned`: by their planner for the
    machine. Raises BanzukeError.
    """
    cases = [case for benchmark in chosen for case in planned(benchmark)]
    if not cases:
        raise _nothing(chosen, machine)
    return cases


def _wanted(
    benchmark: Benchmark, machine: Machine, request: Request, families: Families
) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    if benchmark.collection:
        return _collected(benchmark, benchmark.collection, machine, request, families)
    if request.standard:
        return benchmark.sweep(machine)
    if request.placements and replace(request, placements=()).standard:
        return _standard_at(benchmark, machine, _placements(benchmark, machine, request))
    choices = [
        dict(zip(request.overrides, values, strict=True)) for values in itertools.product(*request.overrides.values())
    ]
    if not request.listed:
        layouts = [Layout.of(placement) for placement in _placements(benchmark, machine, request)]
        cases = [
            (replace(layout, seconds=request.seconds), choice)
            for layout in layouts or [_layout(benchmark, machine, request)]
            for choice in choices
        ]
        return [case for case in cases if _meant(benchmark, machine, request, *case)] or cases
    return [  # each takes the ranks that it needs of those that there are, as in the official codes
        (
            _share(benchmark, machine, request, ranks) if ranks else _layout(benchmark, machine, request),
            {**parameters, **choice},
        )
        for ranks, parameters in request.listed
        for choice in choices
    ]


def _meant(
    benchmark: Benchmark, machine: Machine, request: Request, layout: Layout, choice: Mapping[str, Scalar]
) -> bool:
    """False: it cannot be at this placement, which was not asked for by its own name."""
    if layout.placement is None or layout.placement.name in request.placements:
        return True
    return accepted(benchmark.ask, layout, {**benchmark.defaults(machine, layout), **choice})


def _placements(benchmark: Benchmark, machine: Machine, request: Request) -> list[Placement]:
    """The placements that were asked for, near to far. Raises BanzukeError naming one that this machine has not."""
    offered = benchmark.placements(machine) if benchmark.placements else ()

    def meant(name: str) -> list[Placement]:
        places = [place for place in offered if name in (ALL, place.name) or place.name.startswith(f"{name}-")]
        if not places:
            there_are = (
                ", ".join(place.name for place in offered)
                or f"none for {benchmark.name}: it has too few processors or hosts"
            )
            raise BanzukeError(
                f"there is no placement '{name}' here",
                why=f"this machine's topology has {there_are}",
                remedy="" if len(machine.allotment.hosts) > 1 else "Name other hosts with --hosts",
            )
        return places

    wanted = {place.name for name in request.placements for place in meant(name)}
    return [place for place in offered if place.name in wanted]


def _standard_at(
    benchmark: Benchmark, machine: Machine, placements: Sequence[Placement]
) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    """The standard cases of these placements; the headline's where a placement has none."""
    standard = _sweep(benchmark, machine)
    cases: list[tuple[Layout, Mapping[str, Scalar]]] = []
    for placement in placements:
        own = [(layout, overrides) for layout, overrides in standard if layout.placement == placement]
        cases += own or [(Layout.of(placement), standard[0][1])]
    return cases


def _collected(
    benchmark: Benchmark, collection: Collection, machine: Machine, request: Request, families: Families
) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    """Every problem with what is set: a family leaves the others out. A user's own files take their place."""
    layout = _layout(benchmark, machine, request)
    layout = replace(layout, seconds=request.seconds or layout.seconds)
    overrides = dict(request.overrides)
    asked = overrides.pop(collection.family, None)
    if collection.file in overrides:
        named = overrides[collection.file]
        overrides[collection.file] = [path for name in named for path in own_problems(name, collection)]
        problems: Sequence[Mapping[str, Scalar]] = [{}]
    else:
        offered = families(benchmark, request.backends(benchmark)[0])
        unknown = next((name for name in asked or () if name not in offered), None)
        if unknown:
            raise BanzukeError(f"{benchmark.name} has no family '{unknown}'", remedy=nearest(unknown, list(offered)))
        problems = collection.problems(machine, layout, asked or offered)
    return [
        (layout, {**problem, **dict(zip(overrides, values, strict=True))})
        for problem in problems
        for values in itertools.product(*overrides.values())
    ]


def _layout(benchmark: Benchmark, machine: Machine, request: Request) -> Layout:
    """Where only one of ranks and threads is asked for, the other fills the machine; without both, the headline's."""
    headline = _sweep(benchmark, machine)[0][0]
    if request.ranks is None and request.threads is None:
        return headline
    if headline.devices:
        return replace(headline, ranks=request.ranks or headline.ranks, threads=request.threads or headline.threads)
    return _share(benchmark, machine, request, request.ranks or request.nodes or 1)


def _share(benchmark: Benchmark, machine: Machine, request: Request, ranks: int) -> Layout:
    """Ranks whose threads share the cores; one thread each where it is about messages, which no other thread sends."""
    nodes = request.nodes or 1
    per_host, more = divmod(ranks, nodes)
    if more:
        raise BanzukeError(
            f"{count(ranks, 'rank')} cannot be spread evenly over {nodes} hosts",
            remedy=f"Use {' or '.join(str(nodes * number) for number in (per_host, per_host + 1) if number)} ranks",
        )
    threads = request.threads or (1 if benchmark.messages else max(1, machine.allotment.usable_cores // per_host))
    return over_hosts(machine, per_host, threads, nodes) if nodes > 1 else Layout(ranks, threads)


def _sweep(benchmark: Benchmark, machine: Machine) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    """The standard cases, of which there is one. Raises BanzukeError."""
    standard = benchmark.sweep(machine)
    if not standard:
        raise _nothing([benchmark], machine)
    return standard


def _nothing(chosen: Sequence[Benchmark], machine: Machine) -> BanzukeError:
    if chosen and not any(benchmark.of_processors for benchmark in chosen):
        return no_device(chosen[0], machine)
    names = [benchmark.name for benchmark in chosen]
    return BanzukeError(
        f"{' and '.join(names)}: nothing can be run here",
        why="this machine has too few processors or hosts, or no MPI",
        remedy="`banzuke machine` shows what it has; name other hosts with --hosts",
    )


def case_at(
    benchmark: Benchmark,
    machine: Machine,
    backend: str,
    layout: Layout,
    overrides: Mapping[str, Scalar],
    problem_of: int | None = None,
) -> Case:
    """The case of the standard variant, with the defaults of the layout and what is set instead of them.

    `problem_of`: hosts of which the size is, where it is not the layout's own.
    """
    area, folder = _stored(benchmark, machine)
    proposed = {**area, **benchmark.defaults(machine, layout)}
    parameters = _reconciled(benchmark, layout, proposed, overrides)
    if problem_of and benchmark.sizing.each_rank:
        parameters = shared_out(benchmark, parameters, problem_of, layout.hosts)
    try:
        seconds = benchmark.seconds(machine, layout, parameters)
    except (ValueError, OverflowError, ZeroDivisionError, RefusedError):
        seconds = 1.0  # a value or a call that the program will refuse, in better words
    return Case(
        benchmark=benchmark.name,
        groups=(RankGroup(backend, layout.ranks, layout.threads, layout.placement, devices=layout.devices),),
        parameters=parameters,
        seconds=seconds,
        places=folder,
    )


def _reconciled(
    benchmark: Benchmark, layout: Layout, proposed: Mapping[str, Scalar], overrides: Mapping[str, Scalar]
) -> dict[str, Scalar]:
    """What is set, and the proposals beside it; where it rules one of these out, what the program takes instead.

    A proposal that the program has no use for then is left out.
    """
    call = {**proposed, **overrides}
    if proposed and overrides:
        try:
            benchmark.ask(layout, call)
        except RefusedError as refused:
            open_ = proposed.keys() - overrides.keys()
            if refused.without in open_:
                del call[refused.without]
            else:
                call.update(next((other for other in refused.nearest if other.keys() <= open_), {}))
        except BanzukeError:
            pass  # nobody to ask
    return call
