"""What is going to be measured: its cases are planned once, checked once, and written as commands once."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.evaluation.options import MissingEnvironmentError, Options, time_limit
from banzuke.launch.check import answered, check, check_values, memory
from banzuke.launch.command import Command, MissingLibraryError, render
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.budget import Budget, fit
from banzuke.plan.cases import Planner, all_cases, key, planner
from banzuke.plan.catalogue import families
from banzuke.plan.request import Request
from banzuke.program.describe import Answer, RefusedError
from banzuke.program.installed import NotBuiltError


def _nothing(_benchmark: Benchmark) -> list[Case]:
    return []


@dataclass(frozen=True)
class Prepared:
    """Cases on a machine, and what they come to as far as somebody has asked."""

    machine: Machine
    specs: Mapping[str, Benchmark]
    """The benchmarks, with settings that were tuned as their defaults."""
    request: Request = field(default_factory=Request)
    cases: Sequence[Case] = ()
    budget: Budget | None = None
    """The time that the cases fit; None: each is launched as often as was asked for."""
    plan: Planner = _nothing
    times: tuple[float, int | None] | None = None
    """Seconds of the budget, and launches of every case within it."""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    """What the programs that would run a case answered, by the case's hash."""
    commands: dict[str, Command] = field(default_factory=dict)

    @classmethod
    def planned(cls, specs: Mapping[str, Benchmark], machine: Machine, request: Request) -> "Prepared":
        """Standard cases, or what was asked for. Raises BanzukeError."""
        plan = planner(list(specs.values()), machine, request, families)
        return cls(machine, specs, request, all_cases(list(specs.values()), machine, plan), plan=plan)

    def fitted(self, seconds: float, repeat: int | None) -> "Prepared":
        """Standard cases of lengths that fit the time. Raises BanzukeError."""
        fitted = fit(self.specs, self.plan, seconds, repeat)
        return replace(self, cases=fitted.cases, budget=fitted.budget, times=(seconds, repeat))

    def on(
        self, machine: Machine, specs: Mapping[str, Benchmark] | None = None, request: Request | None = None
    ) -> "Prepared":
        """The same on the machine as it is known now, with other settings, or for what is left of a request.

        Planned again only where something has changed that a plan follows from. Raises BanzukeError.
        """
        specs, request = specs or self.specs, request or self.request
        alike = request == self.request and all(spec is self.specs.get(name) for name, spec in specs.items())
        if not alike or _planned_from(machine) != _planned_from(self.machine):
            again = Prepared.planned(specs, machine, request)
            return again.fitted(*self.times) if self.times else again
        commands = self.commands if machine.software == self.machine.software else {}
        return replace(self, machine=machine, commands=commands)

    def refuse(self, options: Options, may_be_tuned: Callable[[Case], bool]) -> None:
        """Raises BanzukeError for cases that cannot be, on a machine that was not measured yet.

        `may_be_tuned`: a setting that was found for the fastest BLAS library may take another layout and less memory.
        """
        passing = _forgiven(self.cases)
        for case in telling(self.cases, self.specs):
            with suppress(*passing):
                if not may_be_tuned(case):
                    self.command(case, options)
                    continue
                try:
                    answers = answered(case, self.machine)
                except RefusedError:
                    check_values(case)
                else:
                    self._rendered(case, answers, options)

    def largest(self, options: Options, *, strict: bool) -> float:
        """Bytes that the largest case takes.

        `strict`: raises BanzukeError where one cannot be, but for what stops one of several builds, environments or
        libraries alone. Cases that are not strict will be recorded as skipped.
        """
        largest = 0.0
        forgiven = _forgiven(self.cases)
        for case in telling(self.cases, self.specs):
            try:
                self.command(case, options)
            except forgiven:
                continue
            except BanzukeError:
                if strict:
                    raise
            else:
                largest = max(largest, self.memory(case))
        return largest

    def command(self, case: Case, options: Options) -> Command:
        """What starts the case, which was checked. Raises BanzukeError, MissingEnvironmentError and others of it."""
        name = key(case)
        if name not in self.answers:
            self.answers[name] = check(case, self.machine)
        if name not in self.commands:
            self.commands[name] = self._rendered(case, self.answers[name], options)
        return self.commands[name]

    def memory(self, case: Case) -> float:
        """Bytes that a case takes of a host that has a command."""
        return memory(case, self.answers[key(case)])

    def _rendered(self, case: Case, answers: Sequence[Answer], options: Options) -> Command:
        """Raises BanzukeError."""
        around = options.environment(case, self.machine)
        return render(
            case,
            self.machine,
            self.specs[case.benchmark],
            answers,
            limit=time_limit(case, options, around.slowness),
            folder=options.folder,
            oversubscribe=options.oversubscribe,
            around=around,
            ordered=options.orders.hosts_of_ranks,
        )


def telling(planned: Sequence[Case], specs: Mapping[str, Benchmark]) -> list[Case]:
    """Cases that tell whether all can run; of a collection the longest with each backend.

    It goes without its file: one that cannot be read is a case that fails, and no mistake in what was asked for.
    """
    longest: dict[tuple[str, str], Case] = {}
    for case in sorted(planned, key=lambda case: case.seconds):
        if specs[case.benchmark].collection:
            longest[case.benchmark, case.backend] = case
    return [case for case in planned if not specs[case.benchmark].collection] + [
        replace(case, parameters={name: value for name, value in case.parameters.items() if name != collection.file})
        for case in longest.values()
        if (collection := specs[case.benchmark].collection)
    ]


def _forgiven(planned: Sequence[Case]) -> tuple[type[BanzukeError], ...]:
    """What stops its own case alone: of several builds, environments or libraries one may be missing."""
    several = len({case.backend for case in planned}) > 1
    return (NotBuiltError, MissingEnvironmentError, *((MissingLibraryError,) if several else ()))


def _planned_from(machine: Machine) -> tuple[Machine, set[str]]:
    """What a plan may follow from: not what was measured, but of libraries their names, by which a user chooses."""
    clocks = dict.fromkeys(("scalar_hz", "single_vector_hz", "vector_hz", "fma_rate"))
    unmeasured: dict[str, Any] = {"fma_units": None, "fma_per_cycle": None, "peaks": {}}
    kinds = {name: kind.having(**unmeasured) for name, kind in machine.node.processor.kinds.items()}
    bare = machine.changed(
        site={"sources": {}},
        partition={"software": machine.software.having(blas=[], blas_choice=None)},
        node={"peaks": {}},
        processor={"simd": None, "kinds": kinds, **unmeasured},
        allotment={**clocks, "kinds": {}, "sources": {}, "peaks": {}},
    )
    return bare, {library.name for library in machine.software.blas}
