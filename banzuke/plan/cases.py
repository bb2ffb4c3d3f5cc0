"""From a request to cases: the standard sweep of a benchmark, or what the user set."""

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Case, Layout, Scalar


@dataclass(frozen=True)
class Request:
    """What the user asked for; None and empty: the standard."""

    ranks: int | None = None
    threads: int | None = None
    backend: str | None = None
    environment: str = "native"
    overrides: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Parameter -> values; several values make a sweep over their product."""

    @property
    def standard(self) -> bool:
        return self.ranks is None and self.threads is None and not self.overrides


def key(case: Case) -> str:
    """Hash of what makes two cases the same measurement."""
    parts = {
        "benchmark": case.benchmark,
        "backend": case.backend,
        "parameters": {name: str(value) for name, value in sorted(case.parameters.items())},
        "ranks": case.ranks,
        "threads": case.threads,
        "environment": case.environment,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def plan(benchmark: Benchmark, machine: Machine, request: Request) -> list[Case]:
    """Cases in the order in which they run, headline first, without duplicates."""
    if request.standard:
        wanted = benchmark.sweep(machine)
    else:
        ranks = request.ranks or 1
        threads = request.threads or max(1, machine.cpu.usable_cores // ranks)
        names = list(request.overrides)
        wanted = [
            (Layout(ranks, threads), dict(zip(names, values, strict=True)))
            for values in itertools.product(*request.overrides.values())
        ]
    cases: dict[str, Case] = {}
    for layout, overrides in wanted:
        case = _case(benchmark, machine, request, layout, overrides)
        cases.setdefault(key(case), case)
    return list(cases.values())


def _case(
    benchmark: Benchmark, machine: Machine, request: Request, layout: Layout, overrides: Mapping[str, Scalar]
) -> Case:
    parameters = {**benchmark.defaults(machine, layout), **overrides}
    try:
        seconds = benchmark.seconds(machine, layout, parameters)
    except (ValueError, OverflowError, ZeroDivisionError):
        seconds = 1.0  # a value that the program itself will refuse, in better words
    return Case(
        benchmark=benchmark.name,
        backend=request.backend or benchmark.default_backend,
        parameters=parameters,
        ranks=layout.ranks,
        threads=layout.threads,
        environment=request.environment,
        seconds=seconds,
    )


def parse_overrides(settings: Sequence[str]) -> dict[str, list[str]]:
    """`["n=1000,2000", "stores=plain"]` -> values by parameter. Raises BanzukeError naming the setting."""
    overrides: dict[str, list[str]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        if not (name and equals and values):
            raise BanzukeError(
                f"--set '{setting}' is not understood", remedy="Write --set name=value, or name=value,value for a sweep"
            )
        overrides.setdefault(name, []).extend(values.split(","))
    return overrides


def processors(machine: Machine, ranks: int, threads: int) -> list[list[int]]:
    """Logical processors of each rank's threads on one host: a core each, spread evenly over the NUMA nodes.

    More threads than cores use the cores' other hardware threads; more than processors raises BanzukeError.
    """
    cores, logical = machine.cpu.one_per_core, machine.cpu.allowed
    wanted = ranks * threads
    if wanted > len(logical):
        raise BanzukeError(
            f"{ranks} ranks x {threads} threads need {wanted} processors",
            why=f"{len(logical)} may be used here: {_list(logical)}",
            remedy="Ask for fewer, or add --oversubscribe to share processors (figures then mean little)",
        )
    siblings = [cpu for cpu in logical if cpu not in set(cores)]
    if wanted <= len(cores):
        taken = [cores[i * len(cores) // wanted] for i in range(wanted)]
    else:
        taken = [*cores, *siblings][:wanted]
    return [taken[rank * threads : (rank + 1) * threads] for rank in range(ranks)]


def _list(values: Sequence[int]) -> str:
    return ",".join(map(str, values)) if len(values) <= 8 else f"{values[0]}..{values[-1]}"
