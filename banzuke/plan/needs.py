"""Finds the ceilings that a run needs but does not measure, and the short cases that measure them."""

from collections.abc import Collection, Iterable, Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.request import Request
from banzuke.plan.resource import Resource

Measured = Mapping[str, tuple[Resource, str]]
"""Resources by name, each with the benchmark that measures it."""


def needed(chosen: Iterable[Benchmark], benchmarks: Mapping[str, Benchmark], hosts: int = 1) -> Measured:
    """Return the resources that can bound the chosen benchmarks' figures on this many hosts and that none of them
    measures by its headline, because time may run out before other cases.
    """
    chosen = list(chosen)
    own = {
        resource.name
        for benchmark in chosen
        for resource in benchmark.resources.measures
        if not resource.case or resource.scope == "link"
    }
    wanted = {name for benchmark in chosen for name in benchmark.resources.needs} - own
    return {
        resource.name: (resource, benchmark.name)
        for benchmark in benchmarks.values()
        for resource in benchmark.resources.measures
        if resource.name in wanted and (resource.scope != "link" or hosts > 1)
    }


def also_known(chosen: Iterable[Benchmark], benchmarks: Mapping[str, Benchmark]) -> Measured:
    """Return the rates of caches that stand for what the chosen benchmarks need where their data lie in them, and other
    rates of the same benchmarks; they are used where they are known, but not measured for this.
    """
    chosen = list(chosen)
    names = {benchmark.name for benchmark in chosen}
    wanted = {name for benchmark in chosen for name in benchmark.resources.needs}
    return {
        resource.name: (resource, benchmark.name)
        for benchmark in benchmarks.values()
        if benchmark.name not in names and any(rate.instead_of in wanted for rate in benchmark.resources.measures)
        for resource in benchmark.resources.measures
        if resource.name not in wanted
    }


def short_case(benchmark: Benchmark, machine: Machine, wanted: Collection[str] = ()) -> Case | None:
    """Return the headline at its shortest length, or the case that measures a link or a `wanted` resource; None:
    nothing can be run. Raises BanzukeError.
    """
    shortest = benchmark.at_length(benchmark.sizing.lengths[0]) if benchmark.sizing.lengths else benchmark
    measured = benchmark.resources.measures
    special = next((rate for rate in measured if rate.scope == "link" or (rate.case and rate.name in wanted)), None)
    cases = plan(shortest, machine, Request())
    if special:
        cases = [case for case in cases if special.case.items() <= case.parameters.items()]
        cases = [case for case in cases if case.nodes > 1 or special.scope != "link"]
    return next(iter(cases), None)
