"""Strong scaling: plans the problem of one number of hosts on any number of hosts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Scalar


def keeps_problem(benchmark: Benchmark) -> bool:
    """Return whether strong scaling can be measured."""
    return benchmark.spans_hosts and benchmark.sizing.kept and bool(benchmark.sizing.parameters)


def of_any_kind(specs: Mapping[str, Benchmark]) -> str:
    """Return the name of a benchmark whose strong and weak scaling can be measured, as a short example."""
    able = [name for name, spec in specs.items() if keeps_problem(spec)]
    return min(able, key=len, default="BENCHMARK")


def check_problem(chosen: Iterable[Benchmark], problem_of: int, hosts: int | None = None) -> None:
    """Refuse benchmarks and hosts without strong scaling; `hosts`: those used, where known. Raises BanzukeError."""
    if others := [benchmark.name for benchmark in chosen if not keeps_problem(benchmark)]:
        raise BanzukeError(
            f"{' and '.join(others)} cannot solve one problem on several numbers of hosts",
            why="what is measured belongs to the hosts",
            remedy=f"Leave out --scaling strong, or {' and '.join(others)}",
        )
    if hosts is not None and problem_of > hosts:
        raise BanzukeError(
            f"--scaling strong:{problem_of} is of more hosts than are used",
            why=f"these are {hosts}",
            remedy="Name the fewest hosts of the study",
        )


def with_problem_of(benchmark: Benchmark, hosts: int) -> Benchmark:
    """Return the benchmark with the headline's problem of this many hosts, on each number of hosts from these on.

    Where sizes describe a rank's part, they are still those on `hosts` hosts, for `shared_out` to divide, and powers of
    two, which can be halved.
    """
    names, reference = benchmark.sizing.parameters, benchmark.on_hosts(hosts)

    def sizes(machine: Machine) -> dict[str, Scalar]:
        first = next(iter(reference.sweep(machine)), None)
        if first is None:  # without MPI there is nothing on several hosts
            return {}
        layout, overrides = first
        planned = {**reference.defaults(machine.on_hosts(hosts), layout), **overrides}
        problem = {name: planned[name] for name in names if name in planned}
        return (
            {name: _power_of_two(value) for name, value in problem.items()} if benchmark.sizing.each_rank else problem
        )

    def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
        return {**benchmark.defaults(machine, layout), **sizes(machine)}

    def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        by_hosts: dict[int, tuple[Layout, dict[str, Scalar]]] = {}
        for layout, overrides in benchmark.sweep(machine):
            if layout.hosts >= hosts:
                own = {name: value for name, value in overrides.items() if name not in names}
                by_hosts.setdefault(layout.hosts, (layout, own))
        return list(by_hosts.values())

    return replace(benchmark, defaults=defaults, sweep=sweep)


def _power_of_two(value: Scalar) -> Scalar:
    return 1 << (value.bit_length() - 1) if isinstance(value, int) and value > 0 else value


def shared_out(
    benchmark: Benchmark, parameters: Mapping[str, Scalar], problem_of: int, hosts: int
) -> dict[str, Scalar]:
    """Return the sizes of a rank's part, given for `problem_of` hosts, divided for more hosts with as many ranks each;
    the longest edge is divided first. Raises BanzukeError where a remainder is left.
    """
    edges = {name: int(parameters[name]) for name in benchmark.sizing.parameters}
    parts, rest = divmod(hosts, problem_of)
    for factor in _prime_factors(parts):
        divisible = [name for name, edge in edges.items() if edge % factor == 0]
        longest = max(divisible, key=lambda name: edges[name], default=None)
        if longest is None:
            rest = factor
            break
        edges[longest] //= factor
    if rest:
        raise BanzukeError(
            f"{benchmark.name}: the problem of {problem_of} hosts cannot be divided over {hosts}",
            why="every rank has a part of equal edges",
            remedy=f"Use {problem_of} times a power of two hosts",
        )
    return {**parameters, **edges}


def _prime_factors(value: int) -> list[int]:
    """Return the prime factors of a number, ascending."""
    for divisor in range(2, math.isqrt(value) + 1):
        if value % divisor == 0:
            return [divisor, *_prime_factors(value // divisor)]
    return [value] if value > 1 else []
