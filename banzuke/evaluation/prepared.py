"""Prepares what is measured: each case is planned once, checked once, and written as a command once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.evaluation.options import MissingEnvironmentError, Options, time_limit
from banzuke.launch.check import answered, check, check_values, memory
from banzuke.launch.command import Command, MissingLibraryError, render
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.budget import Budget, fit
from banzuke.plan.case import Case, key
from banzuke.plan.cases import Planner, all_cases, planner
from banzuke.plan.catalogue import families
from banzuke.plan.request import Request, as_asked
from banzuke.program.describe import Answer, RefusedError
from banzuke.program.installed import NotBuiltError


def _nothing(_benchmark: Benchmark) -> list[Case]:
    return []


@dataclass(frozen=True)
class Prepared:
    """Cases on a machine, with what has been computed of them on request."""

    machine: Machine
    specs: Mapping[str, Benchmark]
    """The benchmarks, with tuned settings as their defaults."""
    request: Request = field(default_factory=Request)
    cases: Sequence[Case] = ()
    budget: Budget | None = None
    """Time into which the cases fit; None: each is launched as often as was asked for."""
    plan: Planner = _nothing
    times: tuple[float, int | None] | None = None
    """Seconds of the budget, and launches of every case within it."""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    """Answers of the programs that would run a case, by the case's hash."""
    commands: dict[str, Command] = field(default_factory=dict)

    @classmethod
    def planned(cls, specs: Mapping[str, Benchmark], machine: Machine, request: Request) -> "Prepared":
        """Plan standard cases, or those that were asked for. Raises BanzukeError."""
        plan = planner(list(specs.values()), machine, request, families)
        return cls(machine, specs, request, all_cases(list(specs.values()), machine, plan), plan=plan)

    def fitted(self, seconds: float, repeat: int | None) -> "Prepared":
        """Plan standard cases of lengths that fit the time. Raises BanzukeError."""
        fitted = fit(self.specs, self.plan, seconds, repeat)
        return replace(self, cases=fitted.cases, budget=fitted.budget, times=(seconds, repeat))

    def on(
        self, machine: Machine, specs: Mapping[str, Benchmark] | None = None, request: Request | None = None
    ) -> "Prepared":
        """Return the same for the machine as it is now known, with other settings, or for the rest of a request.

        It is planned again only if something has changed that plans depend on. Raises BanzukeError.
        """
        specs, request = specs or self.specs, request or self.request
        alike = request == self.request and all(spec is self.specs.get(name) for name, spec in specs.items())
        if not alike or _planned_from(machine) != _planned_from(self.machine):
            again = Prepared.planned(specs, machine, request)
            return again.fitted(*self.times) if self.times else again
        commands = self.commands if machine.software == self.machine.software else {}
        return replace(self, machine=machine, commands=commands)

    def refuse(self, options: Options, may_be_tuned: Callable[[Case], bool]) -> None:
        """Raise BanzukeError for impossible cases, on a machine that has not been measured yet.

        `may_be_tuned`: a setting that was tuned for the fastest BLAS library may use another layout and less memory.
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
                    with self._in_words_of_the_request(case):
                        check_values(case)
                else:
                    self._rendered(case, answers, options)

    def largest(self, options: Options, *, strict: bool) -> float:
        """Return the bytes of memory of the largest case.

        `strict`: raise BanzukeError if a case is impossible, unless the cause affects only one of several builds,
        environments or libraries. Otherwise, impossible cases will be recorded as skipped.
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
        """Return the checked case's command. Raises BanzukeError, MissingEnvironmentError and other kinds."""
        name = key(case)
        if name not in self.answers:
            with self._in_words_of_the_request(case):
                self.answers[name] = check(case, self.machine)
        if name not in self.commands:
            self.commands[name] = self._rendered(case, self.answers[name], options)
        return self.commands[name]

    @contextmanager
    def _in_words_of_the_request(self, case: Case) -> Iterator[None]:
        try:
            yield
        except RefusedError as refused:
            spec, of_groups = self.specs[case.benchmark], len(case.groups) > 1
            raise as_asked(refused, spec, self.request, of_groups=of_groups) from refused

    def memory(self, case: Case) -> float:
        """Return the bytes of memory that a case with a command takes on a host."""
        return memory(case, self.answers[key(case)])

    def _rendered(self, case: Case, answers: Sequence[Answer], options: Options) -> Command:
        """Write the command of a case with these answers. Raises BanzukeError."""
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
    """Return cases that show whether all can run; of a collection, the longest one with each backend.

    Files are left out, since an unreadable file makes one case fail and is no mistake in the call.
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
    """Return errors that stop only their own case: one of several builds, environments or libraries may be missing."""
    several = len({case.backend for case in planned}) > 1
    return (NotBuiltError, MissingEnvironmentError, *((MissingLibraryError,) if several else ()))


def _planned_from(machine: Machine) -> tuple[Machine, set[str]]:
    """Return what plans may depend on: no measurements and, of libraries, only the names by which a user chooses."""
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
