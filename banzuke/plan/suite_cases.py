"""Plans the cases of a suite: those of each benchmark, for the input file or for one that the suite chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.axes import fitting, with_tuned
from banzuke.plan.benchmark import Benchmark, Layout
from banzuke.plan.case import Case, key
from banzuke.plan.case_at import case_at
from banzuke.plan.catalogue import chosen, suites
from banzuke.plan.layouts import over_hosts
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.request import Request
from banzuke.plan.suite import PartCase, PartLines, SuiteProblem, SuiteRequest, SuiteResults
from banzuke.units import count


def asked(suite: str, file: str, text: str, ranks: int | None, threads: int | None) -> tuple[SuiteRequest, list[str]]:
    """Return the request for a suite with this input file, and notes about what is done differently. Raises
    BanzukeError naming the line.
    """
    request = SuiteRequest(suite, file, text, ranks, threads)
    if not file:
        return request, []
    suites()[suite].read(Lines(file, text), ranks, 1)
    notes = []
    for benchmark in chosen([suite])[0].values():
        if read := benchmark.suites[suite].read:
            notes += [f"{benchmark.title}: {note}" for note in read(Lines(file, text)).notes]
    return request, notes


@dataclass(frozen=True)
class SuitePlan:
    """The problem of a suite on a machine, and the text of the input file that says it."""

    problem: SuiteProblem
    file: str
    text: str
    read: Mapping[str, InputCases] = field(default_factory=dict)

    def cases(self, suite: str, benchmark: Benchmark) -> Sequence[PartCase]:
        """Return the cases of one of the suite's benchmarks. Raises BanzukeError."""
        part = benchmark.suites[suite]
        return part.cases(self.problem, part.read(Lines(self.file, self.text)) if part.read else None)


def plan_of(request: SuiteRequest, machine: Machine, hosts: int = 1) -> SuitePlan:
    """Return the problem of a suite on this machine. Raises BanzukeError."""
    suite = suites()[request.name]
    cores = machine.allotment.usable_cores
    if not machine.software.mpi:
        raise BanzukeError(f"{suite.title} needs MPI", why="none was found here", remedy="`banzuke machine` shows it")
    file = request.file or suite.input_name
    text = request.text or suite.choose(machine, request.ranks or hosts * cores // (request.threads or 1) or 1)
    ranks = suite.read(Lines(file, text), request.ranks, 1).ranks
    threads = request.threads or max(1, hosts * cores // ranks)
    return SuitePlan(suite.read(Lines(file, text), request.ranks, threads), file, text)


def cases_of_suite(benchmark: Benchmark, machine: Machine, request: Request) -> list[Case]:
    """Plan what a suite asks of a benchmark, in each variant. Cases of several of the suite's parts that are the same
    run once.
    """
    nodes = request.nodes or 1
    cases = [
        fitting(
            case_at(benchmark, machine, part.backend or benchmark.default_backend, layout, part.parameters),
            with_tuned(request.variants, variant, benchmark.tuning.variant(layout)),
            benchmark,
            machine,
        )
        for part in plan_of(request.suite, machine, nodes).cases(request.suite.name, benchmark)
        for layout in [_suite_layout(machine, part, nodes)]
        for variant in request.variants.each()
    ]
    return list({key(case): case for case in cases}.values())


def _suite_layout(machine: Machine, part: PartCase, nodes: int) -> Layout:
    """Return the layout of a part: one rank on one host, several spread evenly."""
    if nodes == 1 or part.ranks == 1:
        return Layout(part.ranks, part.threads)
    per_host, more = divmod(part.ranks, nodes)
    if more:
        raise BanzukeError(
            f"{count(part.ranks, 'rank')} of {part.role} cannot be spread evenly over {nodes} hosts",
            remedy="Choose a process grid that can, or another --nodes",
        )
    return over_hosts(machine, per_host, part.threads, nodes)


def results_of(
    request: SuiteRequest, machine: Machine, outcomes: Mapping[str, Sequence[Outcome]], hosts: int = 1
) -> str:
    """Return the suite's output for the outcomes of each benchmark."""
    plan = plan_of(request, machine, hosts)
    lines: list[PartLines] = []
    for name, benchmark in chosen([request.name])[0].items():
        by_role: dict[str, list[Outcome]] = {}
        for case in plan.cases(request.name, benchmark):
            of_case = [outcome for outcome in outcomes.get(name, ()) if case.is_of(outcome)]
            by_role.setdefault(case.role, []).extend(of_case)
        lines.append(benchmark.suites[request.name].lines({k: v for k, v in by_role.items() if v}))
    every = [outcome for of_benchmark in outcomes.values() for outcome in of_benchmark]
    return suites()[request.name].write(SuiteResults(plan.problem, lines, every, machine.name))
