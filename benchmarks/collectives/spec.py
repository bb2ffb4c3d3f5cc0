"""The collectives' policy: which operations run where, and sizes that fit into memory."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Ask, Asking, Benchmark, Layout, Metric, Scalar, Sizing
from banzuke.plan.capabilities import Messages
from banzuke.plan.official import Official
from banzuke.plan.placement import group_placements

from .osu_out import official

ON_A_HOST = (
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "reduce",
    "allgather",
    "gather",
    "scatter",
    "reduce_scatter",
)
"""Operations on one host, in the order of the evaluation; the first is the headline."""
BETWEEN_HOSTS = ("allreduce", "alltoall", "barrier")
OVERLAPPED = ("allreduce", "alltoall")
"""Operations that are also measured non-blocking."""
SHARE = 0.5
"""Share of the memory for all ranks of a host together."""
PATIENCE = 60.0
"""Seconds that a case over several hosts may take."""
FEWER = (100, 30, 10)
"""Numbers of calls of each size to try if OSU's number would take too long."""


def defaults(_machine: Machine, _layout: Layout) -> dict[str, Scalar]:
    return {"operation": ON_A_HOST[0], "mode": "blocking"}


def sweep(ask: Ask, machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    cases: list[tuple[Layout, dict[str, Scalar]]] = []
    for placement in group_placements(machine) if machine.software.mpi else []:
        layout = Layout.of(placement)
        one_host = placement.nodes == 1
        wanted = [(operation, "blocking") for operation in (ON_A_HOST if one_host else BETWEEN_HOSTS)]
        wanted += [(operation, "non-blocking") for operation in OVERLAPPED if one_host]
        fitting = [_fitting(ask, machine, layout, {"operation": operation, "mode": mode}) for operation, mode in wanted]
        cases += [(layout, case if one_host else _shorter(ask, machine, layout, case)) for case in fitting]
    return cases


def _fitting(ask: Ask, machine: Machine, layout: Layout, case: dict[str, Scalar]) -> dict[str, Scalar]:
    """Return the case, with smaller messages if buffers for all ranks would take too much memory."""
    on_a_host = layout.placement.per_node if layout.placement else layout.ranks
    room = SHARE * machine.allotment.reference_memory / on_a_host
    answer = ask(layout, case)
    while answer.problem.number("blocks") > 1 and answer.problem.footprint > room:
        size = int(answer.values["max_size"]) // 2
        if size == 0:
            break
        case = {**case, "max_size": size}
        answer = ask(layout, case)
    return case


def _shorter(ask: Ask, machine: Machine, layout: Layout, case: dict[str, Scalar]) -> dict[str, Scalar]:
    """Return the case; if it would take too long over thousands of ranks, with fewer calls, then smaller messages."""
    if seconds(ask, machine, layout, case) <= PATIENCE:
        return case
    for iterations in FEWER:
        case = {**case, "iterations": iterations}
        if seconds(ask, machine, layout, case) <= PATIENCE:
            return case
    size = int(ask(layout, case).values["max_size"])
    while size > 1 and seconds(ask, machine, layout, case) > PATIENCE:
        size //= 2
        case = {**case, "max_size": size}
    return case


def seconds(ask: Ask, _machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Estimate seconds from messages of 2 us on a host, 20 us between hosts and 0.5 GB/s a rank: slower than most."""
    problem = ask(layout, parameters).problem
    calls, blocks, moved = (problem.number(name) for name in ("calls", "blocks", "call_bytes"))
    message = 20e-6 if layout.placement and layout.placement.nodes > 1 else 2e-6
    steps = math.log2(max(2, layout.ranks))
    messages = blocks if blocks > 1 else steps
    total = calls * (2 * steps * message + messages * 1e-6) + moved / blocks * messages / 0.5e9
    return 1.0 + total * (3.0 if parameters.get("mode") == "non-blocking" else 1.0)


BENCHMARK = Benchmark(
    name="collectives",
    title="Collectives",
    aspect="messages",
    metrics=(
        Metric("latency", "s", "lower", "Time of a call", headline=True),
        Metric("slowest_latency", "s", "lower", "Time of a call on its slowest rank"),
        Metric("fastest_rank", "s", "lower", "Fastest rank's mean"),
        Metric("slowest_rank", "s", "lower", "Slowest rank's mean"),
        Metric("pure_latency", "s", "lower", "Time of a call without computation"),
        Metric("compute_time", "s", "lower", "Computation meanwhile"),
        Metric("start_time", "s", "lower", "Time to start a call"),
        Metric("wait_time", "s", "lower", "Time to wait for its end"),
        Metric("overlap", "1", "higher", "Share hidden behind computation"),
    ),
    defaults=defaults,
    sweep=Asking(sweep),
    seconds=Asking(seconds),
    default_backend="mpi",
    sizing=Sizing(parameters=("max_size",), method=("iterations",), kept=False),
    placements=group_placements,
    official=Official(output=official),
    messages=Messages(),
)
