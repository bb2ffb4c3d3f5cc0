"""The user's request, and checks whether it contradicts itself on any machine."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.axes import checked
from banzuke.plan.benchmark import Benchmark, Scalar
from banzuke.plan.groups import Groups, check_groups
from banzuke.plan.strong import check_problem
from banzuke.plan.suite import SuiteRequest
from banzuke.plan.variant import Variants
from banzuke.program.describe import RefusedError, drives
from banzuke.units import count, quantity


@dataclass(frozen=True)
class Request:
    """The user's request; None and empty: the standard."""

    ranks: int | None = None
    threads: int | None = None
    backend: str | None = None
    """One, or several with commas between; each case then runs with each."""
    variants: Variants = field(default_factory=Variants)
    overrides: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values by parameter; several values make a sweep over their product."""
    seconds: float | None = None
    """Time wanted for the timed part of a case."""
    listed: Sequence[tuple[int | None, Mapping[str, Scalar]]] = ()
    """Ranks and parameters of each case, from an input file; None: as many ranks as without it."""
    suite: SuiteRequest = field(default_factory=SuiteRequest)
    """What was asked for of a suite, whose benchmarks then have no other cases."""
    placements: Sequence[str] = ()
    """Names of placements, or their beginnings."""
    groups: Groups = ()
    """Groups of processors that share one problem; empty: ranks are alike."""
    group_rates: tuple[float, ...] = ()
    """Measured flop/s of each group, for benchmarks that have more ranks on faster groups; empty: not measured."""
    nodes: int | None = None
    """Hosts of each case of a benchmark that spans hosts; None: those that its policy chooses."""
    problem_of: int | None = None
    """Number of hosts whose problem is solved on every number of hosts; None: each number has its own."""

    @property
    def standard(self) -> bool:
        return self == Request(
            backend=self.backend, variants=self.variants, nodes=self.nodes, problem_of=self.problem_of
        )

    def backends(self, benchmark: Benchmark) -> list[str]:
        return (self.backend or benchmark.default_backend).split(",")


def check_all(chosen: Sequence[Benchmark], request: Request) -> list[str]:
    """Check the request for every benchmark (see `check`), and return a note about those that ignore `--seconds`.

    They ignore it because their size does not depend on a time. Raises BanzukeError.
    """
    if alone := on_one_host(chosen, request):
        raise BanzukeError(
            f"{' and '.join(alone)} cannot run on {request.nodes} hosts",
            why="each host is measured by itself",
            remedy=f"Leave out --nodes, or {' and '.join(alone)}",
        )
    if request.problem_of:
        check_problem(chosen, request.problem_of, request.nodes)
    if request.suite.name:
        return check_suite(request)
    for benchmark in chosen:
        check(benchmark, spelled_out(benchmark, without_ignored(benchmark, request)))
    ignoring = [benchmark.name for benchmark in chosen if without_ignored(benchmark, request) != request]
    if not ignoring:
        return []
    single = len(ignoring) == 1
    names = f"{' and '.join(ignoring)} take{'s' * single} no --seconds"
    why = f"{'its size follows' if single else 'their sizes follow'} only from the machine"
    if len(ignoring) == len(chosen):
        raise BanzukeError(names, why=why, remedy="Set parameters with --set")
    return [f"{names} and ignore{'s' * single} it: {why}"]


def check_suite(request: Request) -> list[str]:
    """Raise BanzukeError for options that a suite's cases leave no choice for."""
    options = {
        "--set": request.overrides,
        "--seconds": request.seconds,
        "--backend": request.backend,
        "--placement": request.placements,
        "--groups": request.groups,
        "--scaling": request.problem_of,
    }
    if without := [option for option, value in options.items() if value]:
        raise BanzukeError(
            f"{request.suite.name} takes no {' and no '.join(without)}",
            why="its input file says what to run",
            remedy="Write it: --input FILE; or run one of its benchmarks by itself",
        )
    return []


def on_one_host(chosen: Iterable[Benchmark], request: Request) -> list[str]:
    """Return the names of benchmarks that run on one host where several are asked for."""
    if request.suite.name:
        return []
    return [benchmark.name for benchmark in chosen if (request.nodes or 1) > 1 and not benchmark.spans_hosts]


def without_ignored(benchmark: Benchmark, request: Request) -> Request:
    """Return the request without what the benchmark ignores: the time, if it has no lengths to choose from."""
    return request if benchmark.sizing.lengths else replace(request, seconds=None)


def _own_names(benchmark: Benchmark) -> dict[str, tuple[str, ...]]:
    """Return the benchmark's own parameters for `shares` and `grid`, as far as it has them."""
    names = {"shares": (benchmark.groups_share_by,), "grid": benchmark.grid}
    return {name: into for name, into in names.items() if into and all(into)}


def as_asked(refused: RefusedError, benchmark: Benchmark, request: Request, *, of_groups: bool) -> RefusedError:
    """Return the refusal with `shares` and `grid` in place of the benchmark's own parameters, unless the request sets
    these; only where it sets the former, if the case is not `of_groups`.
    """
    said = refused.said
    why, remedy = said.why, said.remedy
    for name, into in _own_names(benchmark).items():
        if name not in request.overrides and (not of_groups or request.overrides.keys() & set(into)):
            continue
        if len(into) == 1:
            why, remedy = (re.sub(rf"\b{into[0]}(?=[:=]|$)", name, text) for text in (why, remedy))
        else:
            sides = r"\b" + " ".join(rf"{side}=(\d+)" for side in into)
            remedy = re.sub(sides, name + "=" + "x".join(rf"\{place}" for place, _ in enumerate(into, 1)), remedy)
    return RefusedError(refused.problem, said.having(why=why, remedy=remedy))


def spelled_out(benchmark: Benchmark, request: Request) -> Request:
    """Return the request with the benchmark's own parameters in place of `shares` and `grid`. Raises BanzukeError."""
    own = {name: into for name, into in _own_names(benchmark).items() if name in request.overrides}
    overrides = {name: values for name, values in request.overrides.items() if name not in own}
    for name, into in own.items():
        values = request.overrides[name]
        if twice := [parameter for parameter in into if parameter in request.overrides]:
            raise BanzukeError(
                f"--set {name}= also sets {twice[0]} of {benchmark.name}", remedy="Leave one of them out"
            )
        if len(into) == 1:
            overrides[into[0]] = values
            continue
        sides = values[0].split("x")
        if len(values) > 1 or len(sides) != len(into):
            raise BanzukeError(
                f"--set {name}={','.join(values)} is no single grid of {benchmark.name}",
                remedy=f"Write --set {name}={'x'.join('234'[: len(into)])}, or set {' and '.join(into)}",
            )
        overrides |= {side: [value] for side, value in zip(into, sides, strict=True)}
    return replace(request, overrides=overrides) if own else request


def check(benchmark: Benchmark, request: Request) -> None:
    """Refuse what contradicts itself on any machine. Raises BanzukeError naming the options."""
    if request.placements and benchmark.placements is None:
        raise BanzukeError(f"{benchmark.name} takes no --placement", remedy="Set its layout with --ranks and --threads")
    if request.placements and (request.ranks or request.threads):
        raise BanzukeError("--placement already sets --ranks and --threads", remedy="Leave one of them out")
    if request.groups:
        _check_layout_of_groups(benchmark, request)
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


def _check_layout_of_groups(benchmark: Benchmark, request: Request) -> None:
    """Raise BanzukeError for options that contradict `--groups`, or a benchmark that takes none."""
    if not benchmark.groups_share_by:
        raise BanzukeError(
            f"{benchmark.name} takes no --groups", why="its ranks share no problem that can be split like this"
        )
    if request.ranks or request.threads:
        raise BanzukeError("--groups already sets --ranks and --threads", remedy="Leave one of them out")
    if "none" in request.overrides.get(benchmark.groups_share_by, ()):
        option = f"--set {benchmark.groups_share_by}=none"
        raise BanzukeError(f"with {option} groups share nothing", remedy=f"Leave out --groups, or {option}")
    if any(request.variants.cores):
        raise BanzukeError("--groups already names the processors", remedy="Leave out --cores")


def _check_library(benchmark: Benchmark, request: Request) -> None:
    """Raise BanzukeError if `--library` conflicts with another option: it chooses the backend on processors, and sets a
    parameter on devices.
    """
    asked = {name.lower() for name in request.variants.libraries if name}
    own = [name for name in request.backends(benchmark) if not drives(benchmark.name, name)] if request.backend else []
    if own and benchmark.libraries.by_backend and asked & {name.lower() for name in benchmark.libraries.names}:
        raise BanzukeError(f"--library already chooses the backend of {benchmark.name}", remedy="Leave one of them out")
    name = benchmark.devices.library_parameter if benchmark.devices else ""
    if asked and name in request.overrides:
        raise BanzukeError(f"--library already sets {name} of {benchmark.name}", remedy="Leave one of them out")


def checked_here(chosen: Sequence[Benchmark], machine: Machine, request: Request) -> Request:
    """Return the request with libraries by their right names. Raises BanzukeError for what the machine cannot do of
    it.
    """
    hosts = max(1, len(machine.allotment.hosts))
    if (request.nodes or 1) > hosts:
        raise BanzukeError(
            f"--nodes {request.nodes} is more than there are",
            why=f"{count(hosts, 'host')} may be used",
            remedy="Name them with --hosts, or request more from the batch system",
        )
    _check_memory(machine)
    check_groups(request.groups, machine)
    if request.problem_of:
        check_problem(chosen, request.problem_of, request.nodes or hosts)
    return replace(request, variants=checked(request.variants, machine, chosen))


def _check_memory(machine: Machine) -> None:
    """Raise BanzukeError where the host's memory, from which sizes follow, is unknown or not free."""
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
