"""The collectives' policy: which operations where, and sizes that fit into memory."""

import math
from collections.abc import Mapping

from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar
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
"""In the order of the evaluation; the first is the headline."""
BETWEEN_HOSTS = ("allreduce", "alltoall", "barrier")
OVERLAPPED = ("allreduce", "alltoall")
"""Also non-blocking."""
BUFFERS = {"alltoall": 2, "allgather": 1, "gather": 1, "scatter": 1}
"""How many hold a message for each rank."""
LARGEST = 1 << 20
MOST = 512 << 20
"""Bytes of a buffer with a message for each rank, as OSU has it."""
SHARE = 0.5
"""Of the memory that may be used, for all ranks of a host together."""


def defaults(_machine: Machine, _layout: Layout) -> dict[str, Scalar]:
    return {"operation": ON_A_HOST[0], "mode": "blocking"}


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    cases: list[tuple[Layout, dict[str, Scalar]]] = []
    for placement in group_placements(machine) if machine.software.mpi else []:
        layout = Layout.of(placement)
        one_host = placement.nodes == 1
        wanted = [(operation, "blocking") for operation in (ON_A_HOST if one_host else BETWEEN_HOSTS)]
        wanted += [(operation, "non-blocking") for operation in OVERLAPPED if one_host]
        for operation, mode in wanted:
            overrides: dict[str, Scalar] = {"operation": operation, "mode": mode}
            size = _fitting(machine, layout, operation)
            cases.append((layout, overrides if size >= LARGEST else overrides | {"max_size": size}))
    return cases


def _fitting(machine: Machine, layout: Layout, operation: str) -> int:
    """The largest message whose buffers leave memory to others."""
    on_a_host = layout.placement.per_node if layout.placement else layout.ranks
    room = SHARE * machine.allotment.usable_memory / on_a_host / max(1, BUFFERS.get(operation, 0))
    size = LARGEST
    while size > 1 and operation in BUFFERS and min(size * layout.ranks, MOST) > room:
        size //= 2
    return size


def conflict(ranks: int, parameters: Mapping[str, Scalar]) -> str:
    if ranks < 2:
        return "a collective operation needs at least 2 ranks"
    smallest, largest = int(parameters["min_size"]), int(parameters["max_size"])
    return f"min_size is {smallest}, more than max_size, which is {largest}" if smallest > largest else ""


def seconds(_machine: Machine, layout: Layout, parameters: Mapping[str, Scalar]) -> float:
    """Duration where messages take 2 us on a host, 20 us between hosts, and a rank moves 0.5 GB/s: slower than most."""
    operation = str(parameters.get("operation", ON_A_HOST[0]))
    message = 20e-6 if layout.placement and layout.placement.nodes > 1 else 2e-6
    steps = math.log2(max(2, layout.ranks))
    smallest, largest = (int(parameters.get(name, limit)) for name, limit in (("min_size", 1), ("max_size", LARGEST)))
    total, size = 0.0, 1
    while size <= largest and (operation not in BUFFERS or size * layout.ranks <= MOST):
        if size >= smallest:
            messages = layout.ranks if operation in BUFFERS else steps
            call = 2 * steps * message + messages * (1e-6 + size / 0.5e9)
            total += call * (int(parameters.get("iterations", 0)) or (1100 if size <= 8192 else 110))
        size *= 2
    return 1.0 + total * (3.0 if parameters.get("mode") == "non-blocking" else 1.0)


BENCHMARK = Benchmark(
    name="collectives",
    title="Collectives",
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
    sweep=sweep,
    seconds=seconds,
    default_backend="mpi",
    size=("max_size",),
    conflict=conflict,
    placements=group_placements,
    official=official,
)
