"""FFT's rate on a machine that is only described: flops, passes over memory, serial loops, exchanges.

With `code=banzuke`, passes, packing and exchanges are those of this folder (README.md). `code=hpcc` is HPCC's MPIFFT
with its built-in FFTE, modelled on its source (FFT/pzfft1d.c and wrapmpifftw.c of versions 1.4 and 1.5): exchanges are
not hidden, the transposition before the first one uses at most one thread for each 16 of the ranks, and the copy of the
result uses one thread.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from banzuke.machine.published import PublishedFigure
from banzuke.predict.asked import one_of, whole
from banzuke.predict.constants import CORE, FURTHER, Constant
from banzuke.predict.hardware import EXCHANGE, Hardware, NodeGroup
from banzuke.predict.model import Call, Estimate
from banzuke.predict.undescribed import UndescribedError, peak_remedy
from banzuke.record.model import Record
from banzuke.words import Message, Quantity, message
from banzuke.words.errors import MessageError

from .hpccinf import length, smooth

POINT = 16
"""Bytes of a complex number."""
READ, STORED = 16, 32
"""Memory traffic of a number that is read, and of one that is stored through the caches, which read its line first."""
CODES, ORDERS, STORES = ("banzuke", "hpcc"), ("natural", "cyclic"), ("nontemporal", "plain")
VECTORS = 4
"""Vectors as long as the input that are kept in memory."""
SHARE = 0.8
"""Share of the memory for the HPL matrix from which HPCC's rule derives the length."""
BLOCK = 16
"""Columns that FFTE transposes together: FFTE_NBLK."""
PIECES = 4
"""Pieces in which our exchanges travel; all but one can hide behind transforms."""
PACKED = 4 * (READ + POINT)
"""Memory traffic per number of packing and unpacking for exchanges in natural order, with non-temporal stores."""
CACHED = 2 << 20
"""Bytes of a core's own caches."""
LOCAL, COPIED = READ + STORED, 2 * (READ + STORED)
"""Memory traffic of a number that an exchange leaves on its rank, and of one that goes to another rank of the node."""
HPCC_RUN = (
    "MPIFFT_time1 to MPIFFT_time5, Triad and message rates of a public hpccoutf.txt (HPCC 1.5.0, two ranks of 2^24 "
    "numbers, March 2025), whose clock is assumed to be 3 GHz"
)
CONSTANTS = {
    "fft.kernel": Constant(
        0.28,
        0.2,
        0.35,
        "most of DGEMM's rate that our transforms reach in the caches",
        "28.4 Gflop/s, 0.28 of DGEMM's, on two Zen 3 cores; less where DGEMM does more flops in a cycle (README.md)",
    ),
    "fft.cycle": Constant(
        4.5,
        3.5,
        6.0,
        "most flops that our transforms do in a cycle of a core",
        "36 Gflop/s on two Zen 5 cores, 33 on two Intel cores with AVX-512, 28.4 on two Zen 3 cores, at 3 to 4 GHz "
        "(README.md)",
    ),
    "fft.exposed": Constant(
        0.5,
        0.2,
        1.3,
        "share of the shorter of memory traffic and computation that our passes do not hide",
        "0.2 and 0.64 on two Intel cores, 0.9 to 1.3 on two Zen 3 cores: README.md",
    ),
    "fft.hpcc_kernel": Constant(2.0, 1.2, 2.4, "flops that FFTE's kernels do in a cycle of a core", HPCC_RUN),
    "fft.hpcc_passes": Constant(0.92, 0.75, 1.0, "share of Triad that FFTE's passes reach", HPCC_RUN),
    "fft.hpcc_transposed": Constant(
        0.43, 0.35, 0.92, "share of a core's rate of copying that FFTE's first transposition reaches", HPCC_RUN
    ),
    "fft.core": CORE,
    "fft.line": Constant(
        128,
        64,
        256,
        "length of a cache line",
        "64 on x86, 128 on POWER and SPARC64, 256 on A64FX: vendors' manuals",
        "B",
    ),
    "fft.message": FURTHER,
}


@dataclass(frozen=True)
class Transform:
    """One transform and its distribution over ranks."""

    n: int
    nodes: int
    ranks: int
    """Ranks per node."""
    threads: int
    order: str
    stores: str

    @property
    def all(self) -> int:
        return self.nodes * self.ranks

    @property
    def own(self) -> float:
        """Numbers per node."""
        return self.n / self.nodes

    @property
    def flops(self) -> float:
        """Flops per node."""
        return 5 * self.own * math.log2(self.n)

    @property
    def cores(self) -> int:
        """Cores that compute per node."""
        return self.ranks * self.threads


@dataclass(frozen=True)
class Parts:
    """Seconds of a transform on a node: by phase, and by the resource that is waited for."""

    phases: Mapping[str, float]
    resources: Mapping[str, float]


class FftModel:
    metric = "flop_rate"
    constants: Mapping[str, Constant] = CONSTANTS
    settings: Mapping[str, str] = {
        "n": "numbers over all ranks; else by HPCC's rule from most of the memory",
        "code": "banzuke, or hpcc: HPCC's MPIFFT with its own FFTE; else banzuke",
        "ranks": "ranks of a node; else one on each NUMA node, with a thread on each core",
        "threads": "threads of a rank",
        "order": "order of banzuke's output: natural, after three exchanges, or cyclic, after one; else natural",
        "stores": "stores of banzuke: nontemporal, past the caches, or plain; else nontemporal",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the flop/s and seconds of one transform by our code or HPCC's. Raises BanzukeError."""
        code = one_of(call, "code", CODES, CODES[0])
        asked, remarks = transform(machine, call)
        parts = (_hpcc if code == "hpcc" else _own)(machine, asked)
        work = sum(seconds for name, seconds in parts.phases.items() if name != EXCHANGE)
        waiting = work * (1 / machine.slowest - 1 + machine.delay(asked.all, work / 3))
        seconds = sum(parts.phases.values()) + waiting
        chosen: Call = {
            "n": asked.n,
            "code": code,
            "ranks": asked.ranks,
            "threads": asked.threads,
            "order": asked.order,
        }
        return Estimate(
            5 * asked.n * math.log2(asked.n) / seconds,
            seconds,
            {**parts.phases, "waiting": waiting},
            {**parts.resources, "spread": waiting},
            chosen,
            remarks,
        )

    def ranks(self, nodes: int, call: Call) -> int:
        return smooth(nodes) * int(call["ranks"])

    def recorded(self, record: Record) -> Call | Message:
        if record.backend != "omp":
            return message("fft-backend", backend=record.backend)
        ranks = math.ceil(record.ranks / record.nodes)
        parameters = {name: value for name, value in record.parameters.items() if name in ("n", "order", "stores")}
        return {**parameters, "ranks": ranks, "threads": record.threads}

    def published(self, figure: PublishedFigure) -> Call | str:
        parameters = figure.parameters
        if "n" not in parameters or "mpi_per_node" not in parameters:
            return "neither the vector's length nor the ranks of a node are printed"
        code = "hpcc" if "HPCC" in str(parameters.get("code", "")) else "banzuke"
        call: dict[str, bool | int | float | str] = {"code": code}
        for name, printed in (("n", "n"), ("ranks", "mpi_per_node"), ("threads", "threads")):
            value = parameters.get(printed)
            if isinstance(value, int):
                call[name] = value
        return call


def transform(machine: Hardware, call: Call) -> tuple[Transform, tuple[Message, ...]]:
    """Return the transform that the call asks for, and remarks for the reader. Raises BanzukeError."""
    if len(machine.groups) > 1:
        raise MessageError(message("fft-one-type"), remedy="Give the nodes of one partition")
    (group,) = machine.groups
    cores = group.known_cores
    ranks = whole(call, "ranks", smooth(max(1, group.domains)))
    threads = whole(call, "threads", max(1, cores // ranks))
    if ranks * threads > cores:
        raise MessageError(message("fft-cores", ranks=ranks, threads=threads, cores=cores))
    group.check_bandwidth(group.host)
    if not group.host.dgemm > 0:
        raise UndescribedError(
            group.name,
            "flop rate of its processors",
            remedy=peak_remedy("flops.fp64", "node.processors.0" if group.devices else "node"),
        )
    nodes = smooth(machine.nodes)
    if smooth(ranks) != ranks:
        raise MessageError(message("fft-factors", ranks=ranks), remedy=f"Give {smooth(ranks)}")
    remarks = (message("fft-nodes", all=machine.nodes, nodes=nodes),) if nodes != machine.nodes else ()
    most = group.host.memory * nodes / (VECTORS * POINT)
    n = whole(call, "n", length(SHARE * group.host.memory * nodes, nodes * ranks) if most > 0 else 2**27 * nodes)
    if n < (nodes * ranks) ** 2:
        raise MessageError(
            message("fft-short", n=f"n={n}", ranks=nodes * ranks), remedy=f"Give at least {(nodes * ranks) ** 2}"
        )
    if n > most:
        raise MessageError(
            message("fft-vectors", vectors=VECTORS, n=str(n)),
            why=message("fft-usable", size=Quantity(group.host.memory * nodes, "B")),
            remedy=f"Give n up to {most:.0f}",
        )
    order, stores = one_of(call, "order", ORDERS, ORDERS[0]), one_of(call, "stores", STORES, STORES[0])
    return Transform(n, nodes, ranks, threads, order, stores), remarks


def _links(machine: Hardware, asked: Transform, links: int) -> float:
    """Return the seconds of an exchange between nodes over `links` links of each."""
    if asked.nodes == 1:
        return 0.0
    rate = min(machine.fabric.exchange_bandwidth, links * machine.fabric.bandwidth)
    return POINT * asked.own * (1 - 1 / asked.nodes) / rate


def _copies(machine: Hardware, asked: Transform) -> float:
    """Return the seconds of an exchange for what stays in the node: each rank moves it with one core."""
    per_rank = asked.own / asked.ranks
    moved = per_rank * (LOCAL + COPIED * (asked.ranks - 1)) / asked.all
    return moved / _core(machine, asked.ranks)


def _bandwidth(machine: Hardware, asked: Transform) -> float:
    """Return the bandwidth of a node's cores that compute, in B/s."""
    (group,) = machine.groups
    rate = group.host.bandwidth
    return min(rate, asked.cores * max(machine.constants["fft.core"], rate / group.known_cores))


def _core(machine: Hardware, active: int) -> float:
    """Return the bandwidth of one core when `active` cores of the node are busy, in B/s."""
    return min(machine.constants["fft.core"], machine.groups[0].host.bandwidth / active)


def _messages(machine: Hardware, asked: Transform, many: float) -> float:
    """Return the seconds for each rank to send `many` messages at a time."""
    return (
        machine.fabric.latency * (1 + machine.constants["fft.message"] * (many - 1))
        if many >= 1 and asked.nodes > 1
        else 0.0
    )


def _kernel(machine: Hardware, group: NodeGroup) -> float:
    """Return the flop/s of our transforms in the caches of a node's cores: as a run measured, else limited by DGEMM's
    rate where vectors are short, and by loads and stores where they are long.
    """
    if measured := group.host.rates.get("flops.fft"):
        return measured
    constants = machine.constants
    hertz = group.hertz if group.hertz > 0 else math.inf
    return min(group.host.dgemm * constants["fft.kernel"], group.known_cores * hertz * constants["fft.cycle"])


def _own(machine: Hardware, asked: Transform) -> Parts:
    (group,) = machine.groups
    share = asked.cores / group.known_cores
    bandwidth = _bandwidth(machine, asked)
    stored = POINT if asked.stores == "nontemporal" else STORED
    memory, flops = asked.own * (READ + stored) / bandwidth, asked.flops / 2 / (_kernel(machine, group) * share)
    pass_seconds = max(memory, flops) + machine.constants["fft.exposed"] * min(memory, flops)
    several = asked.all > 1
    natural = several and asked.order == "natural"
    exchanges = 3 if natural else 1 if several else 0
    reorder = asked.own * PACKED / bandwidth if natural else 0.0
    short = POINT * asked.n / asked.all**2 < 16 << 10
    many = asked.nodes - 1 + asked.ranks - 1 if short else asked.all - asked.ranks
    latency = exchanges * _messages(machine, asked, PIECES * many)
    sent = exchanges * _links(machine, asked, machine.fabric.links)
    exposed = max(sent / PIECES, sent - 2 * pass_seconds * (1 - 1 / PIECES))
    # What stays on a rank is packed for the next pass anyway; only what goes to the node's other ranks is copied.
    copies = exchanges * asked.own * COPIED * (asked.ranks - 1) / asked.all / bandwidth
    return Parts(
        {"first": pass_seconds, "second": pass_seconds, "reorder": reorder, EXCHANGE: exposed + copies + latency},
        {
            "memory.bytes": (2 * pass_seconds if memory >= flops else 0.0) + reorder + copies,
            "flops.fp64": 2 * pass_seconds if flops > memory else 0.0,
            "link.bytes": exposed,
            "latency": latency,
        },
    )


def _hpcc(machine: Hardware, asked: Transform) -> Parts:
    (group,) = machine.groups
    constants, per_rank = machine.constants, asked.own / asked.ranks
    hertz = group.hertz if group.hertz > 0 else group.host.peak / group.known_cores / 8
    flops = asked.flops / (asked.cores * hertz * constants["fft.hpcc_kernel"])
    # The second factors are read with a stride of as many numbers as there are ranks. If a plane of the third dimension
    # is not cached, each number brings a cache line of its own.
    plane = POINT * asked.n ** (2 / 3)
    apart = min(asked.all, constants["fft.line"] / POINT) if plane > CACHED else 1.0
    first = READ + STORED
    second = READ + (READ + STORED) * apart + (READ + STORED) + (READ + STORED if plane > CACHED else 0)
    last = READ + STORED
    rate = _bandwidth(machine, asked) * constants["fft.hpcc_passes"]
    passes = asked.own * (first + second + last) / rate
    shared = min(asked.threads, math.ceil(asked.all / BLOCK))
    transposed = (
        per_rank * (READ + STORED) / shared / (_core(machine, asked.ranks * shared) * constants["fft.hpcc_transposed"])
    )
    copied = per_rank * (READ + STORED) / _core(machine, asked.ranks)
    sent, copies = 3 * _links(machine, asked, asked.ranks), 3 * _copies(machine, asked) if asked.all > 1 else 0.0
    latency = 3 * _messages(machine, asked, asked.all - asked.ranks)
    return Parts(
        {"transforms": flops, "passes": passes, "serial": transposed + copied, EXCHANGE: sent + copies + latency},
        {
            "flops.fp64": flops,
            "memory.bytes": passes,
            "core": transposed + copied + copies,
            "link.bytes": sent,
            "latency": latency,
        },
    )


MODEL = FftModel()
