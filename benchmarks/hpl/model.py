"""HPL's figure on a machine that is only described: its call there, and the time of all its steps."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Scalar
from banzuke.predict.constants import ASSUMED, Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.kinds import Filling, of_nodes
from banzuke.predict.model import Call, Estimate
from banzuke.words import Message, Quantity, Share, message
from banzuke.words.errors import MessageError

from .hpl_dat import BROADCASTS
from .model_call import (
    choice,
    computing,
    fraction,
    grid,
    messages,
    number,
    only_processors,
    order,
    processes,
    ranks_by_group,
    smallest_rank,
)
from .model_fill import fill
from .model_slabs import slabs_of
from .model_steps import Factorisation, Rank, RankMessages, Rates, known, seconds
from .sizes import BLOCK

PUBLIC_LIST = "top500"
"""The report that figures of the list cite, as in `public.toml`."""
DEVICE_BLOCK = 384
"""Block size if devices update: they need longer inner extents than processors."""
RECORD = 0.89
"""Share of the usable memory in record runs: 80% of all memory, as netlib.org/benchmark/hpl/faqs.html advises."""
STREAMED_BLOCKS = (DEVICE_BLOCK, 2 * DEVICE_BLOCK, 4 * DEVICE_BLOCK)
"""Block sizes if the matrix exceeds the devices' memory: the wider, the fewer times it moves there and back."""
OPEN = {"memory": ("devices", "host"), "order": ("column", "row"), "panel": ("host", "device")}
"""Choices that only the time decides: those that the call leaves open are tried, and the fastest is taken."""
CONSTANTS = {
    "hpl.panel": Constant(
        0.15,
        0.06,
        0.25,
        "rate of panel factorisation over DGEMM's on the same cores",
        "0.13 to 0.17: what the medians of benchmarks/hpl/README.md, Speed, leave for panels, with 0 to 0.15 s for all "
        "else; 0.04 for the official code there; 0.23 in a run of two threads on a shared machine",
    ),
    "hpl.inner": Constant(
        3.0, 1.0, 8.0, "inner extent at which processors' DGEMM has half its rate", f"{ASSUMED}; 128 is within 2% of it"
    ),
    "hpl.device_inner": Constant(12.0, 4.0, 30.0, "inner extent at which devices' DGEMM has half its rate", ASSUMED),
    "hpl.extent": Constant(40.0, 10.0, 100.0, "outer extent at which processors' DGEMM has half its rate", ASSUMED),
    "hpl.device_extent": Constant(
        300.0,
        190.0,
        750.0,
        "outer extent at which devices' DGEMM has half its rate",
        "median and range of what SGEMM of 1024, 2048 and 4096 gives on P100 and V100 (zzc0721/"
        "torch-performance-test-data, issues 180 and 140); a K40's DGEMM has half its rate at 330 "
        "(clMathLibraries/clBLAS)",
    ),
    "hpl.progress": Constant(0.7, 0.3, 1.0, "share of a panel's broadcast that travels while ranks compute", ASSUMED),
    "hpl.inside_latency": Constant(0.5e-6, 0.3e-6, 1e-6, "latency of the smallest message within a node", ASSUMED, "s"),
}
LEAST_FILLED = 0.15
"""Least share of the memory that HPL's matrix fills: on ARCHER2 it was 18%; matrices in device memory filled more of it
or exceeded it."""


class HplModel:
    metric = "flop_rate"
    per_kind = frozenset({"mpi_per_node"})
    constants: Mapping[str, Constant] = CONSTANTS
    settings: Mapping[str, str] = {
        "n": "order of the matrix; else as large as the memory allows",
        "nb": "block size",
        "p": "rows of the process grid",
        "q": "columns of the process grid; p x q ranks",
        "mpi_per_node": "ranks of each node, with commas for each kind of node; else one per device or NUMA node, and "
        "more on the faster ones of unlike nodes",
        "order": "row or column: ranks fill the grid's rows or its columns one after another; else the faster",
        "on": "processors, or devices and processors; else devices where there are any",
        "memory": "devices or host: whose memory n fills; else the faster",
        "fill": "share of the usable memory for the matrix, if n is not given; else 0.73 of hosts', 0.95 of devices'",
        "panel": "host or device: where panels are factorised on nodes with devices; else the faster, but host for a "
        "run's machine",
        "held": "columns that a single device holds at a time, if not all; 0: as many as fit",
        "inner": "columns that processors factorise at a time while devices update the panel's others; 0: all",
        "lookahead": "1: the next panel is made before the update of the rest; or 0",
        "broadcast": "ring, two-ring, long, each also with -modified",
        "split": "share of the columns whose row swaps hide behind the update of the others, 0 to 0.9",
        "placement": "by-number or random: how ranks are dealt to the nodes of a switch, where routing is static",
        "uplinks": "links between two switches, which the flows of a placement share",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Estimate the fastest of the ways that the call leaves open: memory of the matrix, order of ranks, panels.

        Of nodes of several kinds, as many take part as fill the grid. Raises BanzukeError.
        """
        machine = _with_engines(machine, call)
        if len(machine.groups) > 1:
            filling = fill(machine, call, _fastest)
            machine, call = of_nodes(machine, filling.nodes), filling.call
        return _fastest(machine, call)

    def ranks(self, _nodes: int, call: Call) -> int:
        return int(call["p"]) * int(call["q"])

    def fill(self, machine: Hardware, call: Call) -> Filling:
        return fill(_with_engines(machine, call), call, _fastest)

    def published(self, figure: PublishedFigure) -> Call | str:
        """Return the call that a report prints, by the official code; without n, as large as in record runs."""
        if figure.metric != self.metric:
            return f"{figure.metric} is not predicted"
        if figure.nodes is None:
            return "the number of nodes is not printed"
        names = ("n", "nb", "p", "q", "mpi_per_node", "uplinks")
        printed = {name: figure.parameters[name] for name in names if name in figure.parameters}
        call: dict[str, Scalar] = {name: value for name, value in printed.items() if isinstance(value, int)}
        call["split"] = 0.0  # the official code has none
        if figure.report != PUBLIC_LIST:
            call["panel"] = "host"  # and panels on the host; vendors' code of later lists where they are faster
        if "n" not in call:
            call["fill"] = RECORD
        if placement := str(figure.parameters.get("placement", "")):
            call["placement"] = "by-number" if "number" in placement else "random"
        return call

    def tell_unlike(self, machine: Hardware, asked: Call, chosen: Call) -> Iterator[Message]:
        """Yield that the matrix fills less of the memory than those of public figures, if its size was asked for."""
        if {"n", "fill"} & set(asked) and _small(float(chosen["n"]), machine):
            yield message("hpl-small-matrix", share=Share(LEAST_FILLED))


MODEL = HplModel()


def _small(n: float, machine: Hardware) -> bool:
    """Return whether the matrix fills less of the memory than any public figure's; False for unknown memory."""
    host = sum(group.nodes * group.host.memory for group in machine.groups)
    devices = sum(group.nodes * device.number * device.memory for group in machine.groups for device in group.devices)
    return 8 * n**2 < LEAST_FILLED * min(host + devices, devices or math.inf)


def _with_engines(machine: Hardware, call: Call) -> Hardware:
    """Return the machine with only the devices that will compute. Raises BanzukeError."""
    lacking = only_processors(machine.groups)
    on = choice(call, "on", ("processors", "devices"), "processors" if lacking else "devices")
    if on == "devices" and lacking:
        raise MessageError(message("hpl-no-devices", name=machine.name), remedy="Leave out --set on=devices")
    groups = tuple(replace(group, devices=computing(group) if on == "devices" else ()) for group in machine.groups)
    return replace(machine, groups=groups)


def _fastest(machine: Hardware, call: Call) -> Estimate:
    """Estimate the fastest of the ways that the call leaves open. Raises BanzukeError."""
    on = "devices" if any(group.devices for group in machine.groups) else "processors"
    alternatives: dict[str, tuple[Scalar, ...]] = {
        name: (call[name],) if name in call else some
        for name, some in OPEN.items()
        if name in call or (machine.nodes > 1 if name == "order" else on == "devices")
    }
    if "panel" not in call and (machine.measured or not all(group.devices for group in machine.groups)):
        alternatives.pop("panel", None)  # our program factorises them on the host, as nodes without devices must
    if on == "devices" and "n" in call and "nb" not in call and _streamed(machine, call):
        alternatives["nb"] = STREAMED_BLOCKS
    cases = [dict(zip(alternatives, case, strict=True)) for case in product(*alternatives.values())]
    estimates = [_estimate(machine, {**call, **case}) for case in cases]
    return max(estimates, key=lambda estimate: estimate.figure)


def _streamed(machine: Hardware, call: Call) -> bool:
    """Return whether the requested matrix exceeds the devices' memory."""
    held = sum(group.nodes * device.number * device.memory for group in machine.groups for device in group.devices)
    return 8.0 * number(call, "n", 0, 1, 1 << 32) ** 2 > held


def _estimate(machine: Hardware, call: Call) -> Estimate:
    """Estimate one way to call the benchmark. Raises BanzukeError."""
    counts = processes(machine, call)
    ranks = sum(group.nodes * count for group, count in zip(machine.groups, counts, strict=True))
    by_group = ranks_by_group(machine, counts)
    rank = smallest_rank(by_group)
    p, q = grid(call, ranks, max(counts), machine.nodes)
    left_out, ranks = ranks - p * q, p * q
    nb = number(call, "nb", DEVICE_BLOCK if rank.device else BLOCK, 1, 1 << 16)
    n = order(machine, call, rank, ranks, nb)
    nb = min(nb, n)
    alone = ranks == 1 and sum(device.number for group in machine.groups for device in group.devices) == 1
    held = number(call, "held", 0, 0, 1 << 32)
    run = Factorisation(
        n,
        nb,
        p,
        q,
        lookahead=number(call, "lookahead", 1, 0, 1) == 1,
        broadcast=choice(call, "broadcast", BROADCASTS, "ring-modified"),
        split=fraction(call, "split", 0.5, 0.9),
        panel_on_device=choice(call, "panel", ("host", "device"), "host" if rank.panel_host else "device") == "device",
        inner=number(call, "inner", 0, 0, 1 << 16),
        slabs=slabs_of(n, nb, known(rank.device_bytes), held) if alone else None,
    )
    timed = [_timed(machine, call, run, rank, max(counts)) for rank in by_group]
    rank, exchange, phases = max(timed, key=lambda one_group: sum(one_group[2].values()))  # all wait for the slowest
    whole = sum(phases.values())
    phases["thread_wait"] = whole * machine.delay(ranks, whole / math.ceil(n / run.nb))
    total = sum(phases.values())
    chosen: dict[str, Scalar] = {"n": n, "nb": run.nb, "p": p, "q": q, "ranks": ranks}
    chosen["mpi_per_node"] = counts[0] if len(counts) == 1 else ",".join(map(str, counts))
    return Estimate(
        (2 / 3 * n**3 + 3 / 2 * n**2) / total,
        total,
        {name: duration for name, duration in phases.items() if duration},
        _resources(phases, run, exchange, machine.slowest),
        {**call, **chosen},
        tuple(_remarks(rank, run, left_out)),
    )


def _timed(
    machine: Hardware, call: Call, run: Factorisation, rank: Rank, per_node: int
) -> tuple[Rank, RankMessages, dict[str, float]]:
    """Return a rank with its messages and the seconds of each part, as if all ranks were like it."""
    exchange = messages(machine, call, run, rank, per_node)
    return rank, exchange, seconds(run, rank, exchange, _rates(machine))


def _rates(machine: Hardware) -> Rates:
    constants = machine.constants
    return Rates(
        panel=constants["hpl.panel"],
        host_inner=constants["hpl.inner"],
        device_inner=constants["hpl.device_inner"],
        host_extent=constants["hpl.extent"],
        device_extent=constants["hpl.device_extent"],
        progress=0.0 if machine.fabric.hosted else constants["hpl.progress"],
    )


def _resources(
    phases: Mapping[str, float], run: Factorisation, exchange: RankMessages, slowest: float
) -> dict[str, float]:
    """Return the seconds by the resource that is waited for; messages about pivots by their latency and their bytes."""
    agreeing = phases["pivot_exchange"]
    latency = exchange.column_latency / (exchange.column_latency + 16 * run.nb / exchange.column)
    return {
        "flops.fp64": phases["update"] * slowest + phases["panel"],
        "spread": phases["update"] * (1 - slowest),
        "memory.bytes": phases["swap"] + phases["solve"],
        "link.bytes": phases["broadcast_wait"] + phases["swap_wait"] + agreeing * (1 - latency),
        "latency": agreeing * latency,
        "host_link": phases["transfer"],
        "noise": phases["thread_wait"],
    }


def _remarks(rank: Rank, run: Factorisation, left_out: int) -> Iterator[Message]:
    if run.slabs:
        yield message("hpl-streams", columns=run.slabs.columns, size=Quantity(run.slabs.bytes_to_device, "B"))
    elif rank.device and 8.0 * run.n**2 / (run.p * run.q) > rank.device_bytes:
        yield message("hpl-exceeds-devices")
    if rank.host_bytes > 0 and 8.0 * run.n**2 / (run.p * run.q) > max(rank.host_bytes, rank.device_bytes):
        yield message("hpl-exceeds-usual")
    if rank.device and not rank.host_link > 0:
        yield message("hpl-no-link")
    if not (rank.device_bandwidth if rank.device else rank.host_bandwidth) > 0:
        yield message("hpl-no-bandwidth")
    if left_out:
        yield message("hpl-ranks-left-out", number=str(left_out), ranks=str(run.p * run.q + left_out))
