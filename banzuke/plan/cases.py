"""Turns a request into cases: the standard sweep of a benchmark, or what the user set."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.axes import fitting, with_tuned
from banzuke.plan.benchmark import Benchmark, Collection, Layout, Scalar, accepted
from banzuke.plan.case import Case, RankGroup, key
from banzuke.plan.case_at import case_at
from banzuke.plan.groups import layouts_of
from banzuke.plan.layouts import on_all_hosts, over_hosts
from banzuke.plan.on_devices import no_device, other_kinds, parts, with_backends
from banzuke.plan.placement import Placement
from banzuke.plan.problems import own_problems
from banzuke.plan.request import Request, checked_here, spelled_out, without_ignored
from banzuke.plan.strong import with_problem_of
from banzuke.plan.suite_cases import cases_of_suite
from banzuke.plan.unlike_cores import beside_equal_shares
from banzuke.program.describe import CannotStartError
from banzuke.program.installed import backends
from banzuke.text import nearest
from banzuke.units import count

ALL = "all"
"""Stands for every placement."""
Families = Callable[[Benchmark, str], Sequence[str]]
"""Returns the families of a benchmark's collection, as its program for a backend offers them."""
Planner = Callable[[Benchmark], list[Case]]
"""Returns the cases of a benchmark. Raises BanzukeError."""


def no_families(_benchmark: Benchmark, _backend: str) -> Sequence[str]:
    return ()


def plan(benchmark: Benchmark, machine: Machine, request: Request, families: Families = no_families) -> list[Case]:
    """Return the cases in the order in which they run, headline first, without duplicates. Raises BanzukeError.

    Each case runs with one backend and one variant after the other, so that these compare in the same minutes. It is
    planned for each set of cores, and for each storage area, by itself. A benchmark whose program cannot be asked has
    one case, which fails for the same reason when its turn comes.
    """
    return _planned(benchmark, machine, checked_here([benchmark], machine, request), families)


def planner(
    chosen: Sequence[Benchmark], machine: Machine, request: Request, families: Families = no_families
) -> Planner:
    """Return a function that plans each of several benchmarks. Raises BanzukeError for something, such as a library,
    that is asked for and that none of them has.

    Each chosen benchmark is planned once, however often it is asked for; others, such as the same at another length,
    anew.
    """
    request = checked_here(chosen, machine, request)
    plans: dict[int, list[Case]] = {}

    def planned(benchmark: Benchmark) -> list[Case]:
        if not any(benchmark is other for other in chosen):
            return _planned(benchmark, machine, request, families)
        if id(benchmark) not in plans:
            plans[id(benchmark)] = _planned(benchmark, machine, request, families)
        return plans[id(benchmark)]

    return planned


def _planned(benchmark: Benchmark, machine: Machine, request: Request, families: Families) -> list[Case]:
    """Plan a benchmark for a request that was already checked."""
    if request.suite.name:
        return cases_of_suite(benchmark, machine, request)
    request = spelled_out(benchmark, without_ignored(benchmark, request))
    if request.problem_of:
        benchmark = with_problem_of(benchmark, request.problem_of)
    if len(machine.allotments) > 1:
        benchmark, request = benchmark.on_all_partitions(), replace(request, nodes=None)
    elif request.nodes and benchmark.spans_hosts:
        benchmark, machine = on_all_hosts(benchmark, request.nodes), machine.on_hosts(request.nodes)
    else:
        request = replace(request, nodes=None)
    asked = request.backend.split(",") if request.backend else []
    if request.groups:
        request = replace(request, groups=with_backends(benchmark, machine, request.groups, asked))
        driving = {group.backend for group in request.groups if group.device}
        asked = [name for name in asked if name not in driving]
    chosen = parts(benchmark, machine, asked, request.variants.libraries)
    if request.groups:
        chosen = _parts_that_share(benchmark, chosen)
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


def _parts_that_share(
    benchmark: Benchmark, chosen: Sequence[tuple[Benchmark, list[str]]]
) -> list[tuple[Benchmark, list[str]]]:
    """Return the parts of the benchmark whose ranks may be groups. Raises BanzukeError."""
    able = [(part, backends) for part, backends in chosen if part.groups_share_by]
    if not able:
        raise BanzukeError(f"{benchmark.name} takes --groups only on processors", remedy="Leave out --backend")
    return able


def _within(request: Request, backends: Sequence[str], cores: str) -> Request:
    """Return the request with these backends, on these cores."""
    return replace(request, backend=",".join(backends) or None, variants=replace(request.variants, cores=(cores,)))


def _by_area(benchmark: Benchmark, machine: Machine) -> list[Machine]:
    """Return the machine once for each storage area to be measured; unchanged if the benchmark uses no storage."""
    return [machine.measuring(area) for area in machine.allotment.folders] if benchmark.storage else [machine]


def _varied(benchmark: Benchmark, machine: Machine, request: Request, families: Families) -> list[Case]:
    """Return each case with each backend in each variant. The headline of the standard cases is also planned with other
    libraries, on other kinds of devices, and with other shares of unlike cores.
    """
    wanted = _wanted(benchmark, machine, request, families)
    cases = _in_each(benchmark, machine, request, wanted)
    if not cases:
        return cases
    beside: list[Case] = []
    if others := _others(benchmark, machine, request):
        variants = replace(request.variants, libraries=others)
        beside += _in_each(benchmark, machine, replace(request, variants=variants), wanted[:1])
    if request.standard and not wanted[0][0].devices and not wanted[0][0].partitions:
        for cores, variants in beside_equal_shares(benchmark, machine, request.variants):
            there = _wanted(benchmark, cores, request, families)
            if "rates" in variants.shares:  # shares are among the threads of a rank
                there = [layout for layout in there if layout[0].threads > 1]
            beside += _in_each(benchmark, cores, replace(request, variants=variants), there[:1])
    if request.standard and wanted[0][0].devices and not benchmark.collection:
        for other in other_kinds(machine):
            beside += _in_each(benchmark, other, request, benchmark.sweep(other)[:1])
    # Not directly beside the headline, with which they would get several launches; but before the cases that an
    # evaluation may leave out.
    first = len(cases) * min(2, len(wanted)) // len(wanted)
    return [*cases[:first], *beside, *cases[first:]]


def _in_each(
    benchmark: Benchmark, machine: Machine, request: Request, wanted: Sequence[tuple[Layout, Mapping[str, Scalar]]]
) -> list[Case]:
    variants = request.variants.each()
    standard = request.ranks is None and request.threads is None
    return [
        fitting(case, with_tuned(request.variants, variant, benchmark.tuning.variant(layout)), benchmark, machine)
        for layout, overrides in wanted
        for backend in request.backends(benchmark)
        for fit in [benchmark.layout_of(backend, layout) if standard else layout]
        for case in [case_at(benchmark, machine, backend, fit, overrides, request.problem_of)]
        for variant in variants
    ]


def _others(benchmark: Benchmark, machine: Machine, request: Request) -> tuple[str, ...]:
    """Return libraries of this machine that the standard cases compare with the benchmark's own code; empty: none."""
    libraries = benchmark.libraries
    if not (
        libraries.compared and request.standard and request.backend is None and request.variants.libraries == ("",)
    ):
        return ()
    callable_here = [None, *backends(benchmark.name)]
    return tuple(
        name
        for name in libraries.names
        if name in machine.software.libraries and libraries.backend(name) in callable_here
    )


def all_cases(chosen: Sequence[Benchmark], machine: Machine, planned: Planner) -> list[Case]:
    """Return the cases of several benchmarks; some may have none here, but not all. `planned`: a planner for this
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
    if len(machine.allotments) > 1:
        return _together(benchmark, machine, request)
    if request.placements and replace(request, placements=()).standard:
        return _standard_at(benchmark, machine, _placements(benchmark, machine, request))
    choices = [
        dict(zip(request.overrides, values, strict=True)) for values in itertools.product(*request.overrides.values())
    ]
    if not request.listed:
        layouts = [Layout.of(placement) for placement in _placements(benchmark, machine, request)]
        cases = [
            (replace(layout, seconds=request.seconds), choice)
            for layout in layouts or _layouts(benchmark, machine, request)
            for choice in choices
        ]
        return [case for case in cases if _meant(benchmark, machine, request, *case)] or cases
    return [  # each case uses as many of the ranks as it needs, as in the official codes
        (
            _share(benchmark, machine, request, ranks) if ranks else _layout(benchmark, machine, request),
            {**parameters, **choice},
        )
        for ranks, parameters in request.listed
        for choice in choices
    ]


def _together(
    benchmark: Benchmark, machine: Machine, request: Request
) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    """Return the cases on nodes of several partitions with the parameters that are set; only the headline where one of
    them, such as the process grid, belongs to the layout.
    """
    standard = _sweep(benchmark, machine)
    problem = {*benchmark.sizing.parameters, *benchmark.tuning.tunable}
    if standard[0][1].keys() & request.overrides.keys() - problem:
        standard = standard[:1]
    return [
        (replace(layout, seconds=request.seconds), {**own, **dict(zip(request.overrides, values, strict=True))})
        for layout, own in standard
        for values in itertools.product(*request.overrides.values())
    ]


def _meant(
    benchmark: Benchmark, machine: Machine, request: Request, layout: Layout, choice: Mapping[str, Scalar]
) -> bool:
    """Return False for a case that is impossible at a placement, or with numbers of ranks in groups, that the user did
    not name exactly.
    """
    chosen = layout.ranks > len(layout.groups) > 0
    if not chosen and (layout.placement is None or layout.placement.name in request.placements):
        return True
    return accepted(benchmark.ask, layout, {**benchmark.defaults(machine, layout), **choice})


def _placements(benchmark: Benchmark, machine: Machine, request: Request) -> list[Placement]:
    """Return the placements that were asked for, near to far. Raises BanzukeError naming one that this machine does not
    have.
    """
    offered = benchmark.placements(machine) if benchmark.placements else ()

    def meant(name: str) -> list[Placement]:
        """Return the placements of this name or beginning. Raises BanzukeError where there are none."""
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
    """Return the standard cases at these placements; the headline's parameters where a placement has no standard
    case.
    """
    standard = _sweep(benchmark, machine)
    cases: list[tuple[Layout, Mapping[str, Scalar]]] = []
    for placement in placements:
        own = [(layout, overrides) for layout, overrides in standard if layout.placement == placement]
        cases += own or [(Layout.of(placement), standard[0][1])]
    return cases


def _collected(
    benchmark: Benchmark, collection: Collection, machine: Machine, request: Request, families: Families
) -> Sequence[tuple[Layout, Mapping[str, Scalar]]]:
    """Return every problem with the parameters that are set. Named families leave out the others, and a user's own
    files replace all.
    """
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


def _layouts(benchmark: Benchmark, machine: Machine, request: Request) -> list[Layout]:
    """Return the layouts that were asked for; of groups there may be several."""
    if request.groups:
        return layouts_of(benchmark, request.groups, request.group_rates)
    return [_layout(benchmark, machine, request)]


def _layout(benchmark: Benchmark, machine: Machine, request: Request) -> Layout:
    """Return the layout that was asked for: with only one of ranks and threads given, the other fills the machine; with
    neither, the headline's.
    """
    if request.groups:
        return layouts_of(benchmark, request.groups)[-1]
    headline = _sweep(benchmark, machine)[0][0]
    if request.ranks is None and request.threads is None:
        return headline
    if headline.devices:
        return replace(headline, ranks=request.ranks or headline.ranks, threads=request.threads or headline.threads)
    return _share(benchmark, machine, request, request.ranks or request.nodes or 1)


def _share(benchmark: Benchmark, machine: Machine, request: Request, ranks: int) -> Layout:
    """Return a layout whose ranks share the cores. A benchmark about messages has one thread a rank, because no other
    thread sends any.
    """
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
    """Return the standard cases, at least one. Raises BanzukeError."""
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
