"""Measure orders of ranks on hosts with slow cables, beside the model and the simulation of the same network.

    python -m scripts.measure_orders hpl            # the tables of docs/placement.md; needs root, SimGrid, 4 minutes
    python -m scripts.measure_orders fft halo alltoall

Eight hosts are network namespaces at two switches. Cables have 100 Mbit/s, and the one between the switches 20, so
that messages dominate on two cores; halos are small, and cables have 40 and 8 for them. The network is described by
what pt2pt measures on it, the ranks by DGEMM of all of them at once. Two things differ from hosts of their own, and
would hide what is compared:

- Ranks that wait for messages occupy the cores. Slices of 0.1 ms (Linux 6.12 and later) let the others compute soon.
- TCP fills a queue of megabytes at the slow cable, and a connection that begins behind it gets less than its share.
  Windows of 64 KiB limit what each has under way, as credits do in other networks. `--unlimited` leaves them as they
  are.

If it is killed, its ranks and hosts end as those of a run do.
"""

import argparse
import ctypes
import json
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from banzuke.launch.guard import guard
from banzuke.machine.discover import discover
from banzuke.placement.compare import SCHEDULER, compare
from banzuke.placement.pattern import Grid, Pattern
from banzuke.placement.readers.read import parse
from banzuke.placement.simulated import simulated_orders
from benchmarks.collectives.flows import PATTERNS as COLLECTIVES
from benchmarks.fft.flows import PATTERNS as TRANSFORM
from benchmarks.hpcg.flows import PATTERNS as HALO
from benchmarks.hpcg.model import EXCHANGES
from benchmarks.hpl.flows import PATTERNS as HPL
from benchmarks.hpl.sizes import BLOCK
from tests.conftest import SCRIPTS
from tests.namespaces import NETWORK, Divided, Hosts, joined_hosts, limit_windows

ONE, OTHER = ["a1", "a2", "a3", "a4"], ["b1", "b2", "b3", "b4"]
"""Hosts at each switch, unless a measurement has its own."""
BY_SWITCH = [*ONE, *OTHER]
SLICE = 100_000
"""Nanoseconds that a process computes before others do."""


@dataclass(frozen=True)
class Platform:
    """What the model and the simulation are told."""

    cable: float
    between: float
    latency: float
    rank: float
    """Rate of a rank's matrix products; 0: only messages are compared."""

    def described(self, other: Sequence[str] = OTHER) -> str:
        others = [host for host in BY_SWITCH if host not in other]
        return (
            f'name = "two switches"\nrate = {self.cable}\nlatency = {self.latency}\n[switches]\n'
            f'one = {{ hosts = "{",".join(others)}", up = [{{ to = "other", rate = {self.between} }}] }}\n'
            f'other = {{ hosts = "{",".join(other)}" }}\n'
        )


Start = Callable[..., dict[str, Any]]
"""Runs a program on the hosts of an order, with parameters."""


@dataclass(frozen=True)
class Measurement:
    pattern: Pattern
    grid: Grid
    orders: Mapping[str, Sequence[str]]
    """Hosts of ranks as the pattern numbers them."""
    sizes: Mapping[float, float]
    """How often the messages of each size are sent in the time that is measured."""
    seconds: Callable[[Start], float]
    computes: bool = False
    cables: tuple[str, str] = ("100mbit", "20mbit")
    """Rates of the hosts' cables, and of the one between the switches, in the notation of tc."""
    other: Sequence[str] = tuple(OTHER)
    """Hosts at the second switch."""


N, POINTS, EDGE, MESSAGE = 12 * BLOCK, 1 << 19, 24, 1 << 18


def factorised(start: Start) -> float:
    """Return the seconds without the solution of the triangular system, which model and simulation leave out."""
    p, q = MEASUREMENTS["hpl"].grid
    record = start("hpl-blas", n=N, nb=BLOCK, p=p, q=q, order="column")
    return value(record, "time") - float(sum(record["breakdown"]["seconds"]["solve"]))


def transformed(start: Start) -> float:
    return value(start("fft-omp", n=POINTS, rounds=1), "time")


def iterated(start: Start) -> float:
    """Return the seconds that an iteration of CG waits for halos."""
    p = dict(zip(("px", "py", "pz"), MEASUREMENTS["halo"].grid, strict=True))
    record = start("hpcg-omp", nx=EDGE, ny=EDGE, nz=EDGE, **p, seconds=1)
    iterations = record["conditions"]["sets"] * record["conditions"]["optimized_iterations"]
    return float(sum(record["breakdown"]["seconds"]["halo_wait"]) / iterations)


def exchanged(start: Start) -> float:
    """Return the seconds of the slowest rank in MPI_Alltoall; MPICH exchanges messages of this size pair by pair.

    Through UCX's TCP, which MPICH takes before libfabric's, they do not wait for receivers.
    """
    record = start("collectives-mpi", operation="alltoall", min_size=MESSAGE, max_size=MESSAGE, iterations=5)
    (point,) = record["curves"]["size"]["points"]
    return float(median(point["metrics"]["slowest_latency"]["samples"]))


MEASUREMENTS = {
    "hpl": Measurement(
        HPL[0],
        (2, 4),
        {
            "columns of the grid by switch": BY_SWITCH,
            "columns alternate": ["a1", "a2", "b1", "b2", "a3", "a4", "b3", "b4"],
            "rows by switch": ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"],
            "random": ["b1", "a4", "b4", "a1", "a3", "b2", "a2", "b3"],
        },
        {N: 1},
        factorised,
        computes=True,
    ),
    "fft": Measurement(TRANSFORM[0], (8,), {"any": BY_SWITCH}, {POINTS: 1}, transformed),
    "fft-6-2": Measurement(TRANSFORM[0], (8,), {"any": BY_SWITCH}, {POINTS: 1}, transformed, other=OTHER[2:]),
    "halo": Measurement(
        HALO[0],
        (2, 2, 2),
        {
            "planes by switch": BY_SWITCH,
            "every neighbour at the other": ["a1", "b1", "b2", "a2", "b3", "a3", "a4", "b4"],
            "random": ["b1", "a4", "b4", "a1", "a3", "b2", "a2", "b3"],
        },
        {EDGE >> level: times for level, times in enumerate(EXCHANGES) if times},
        iterated,
        cables=("40mbit", "8mbit"),
    ),
    "alltoall": Measurement(
        replace(COLLECTIVES[-1], eager=True),
        (6,),  # of a power of two, MPICH pairs ranks otherwise
        {
            "by switch": ["a1", "a2", "a3", "b1", "b2", "b3"],
            "switches alternate": ["a1", "b1", "a2", "b2", "a3", "b3"],
            "slowest": ["a1", "b1", "b2", "a2", "b3", "a3"],
        },
        {MESSAGE: 1},
        exchanged,
    ),
}
"""By name: the same orders of ranks are compared in all rounds."""


def shorten_slices() -> None:
    """Let this process and what it starts compute for shorter times. Raises OSError where the kernel cannot."""
    if platform.machine() != "x86_64":
        raise OSError("the number of the call is known for x86-64 only")
    attributes = struct.pack("IIQiIQQQII", 56, 0, 0, 0, 0, SLICE, 0, 0, 0, 0)
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(314, 0, attributes, 0):
        raise OSError(ctypes.get_errno(), "sched_setattr")


def run(hosts: Hosts, blas: str, on: Sequence[str], program: str, /, **parameters: object) -> dict[str, Any]:
    """Return the record of a program whose check passed, with one rank on each of these hosts."""
    settings = [word for name, value in parameters.items() for word in (f"--{name}", str(value))]
    launcher: list[str | Path] = [SCRIPTS / "mpiexec", "-hosts", ",".join(on), "-n", str(len(on))]
    words = hosts.on(on[0], *launcher, SCRIPTS / f"banzuke-{program}", *settings)
    environment = os.environ | hosts.variables | NETWORK | {"OMP_NUM_THREADS": "1", "BANZUKE_BLAS": blas}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    record = next((json.loads(line) for line in done.stdout.splitlines()[::-1] if line.startswith("{")), None)
    if record is None or record["status"] != "ok":
        sys.exit(f"{program} failed: {record['reason'] if record else done.stderr}")
    return dict(record)


def value(record: Mapping[str, Any], metric: str) -> float:
    return float(median(record["metrics"][metric]["samples"]))


def measured_platform(hosts: Hosts, blas: str, other: Sequence[str], *, computes: bool) -> Platform:
    """Return the rates and the latency of messages, and of matrix products of all ranks at once."""
    size = {"min_size": 1 << 20, "max_size": 1 << 20, "window": 4, "iterations": 3}
    near, far = (
        value(run(hosts, blas, pair, "pt2pt-mpi", test="bandwidth", **size), "bandwidth")
        for pair in (ONE[:2], [ONE[0], other[-1]])
    )
    small = {"min_size": 8, "max_size": 8, "iterations": 300}
    latency = value(run(hosts, blas, [ONE[0], other[-1]], "pt2pt-mpi", test="latency", **small), "latency")
    if not computes:
        return Platform(near, far, latency, 0.0)
    side = N // 4
    flops = run(hosts, blas, BY_SWITCH, "dgemm-blas", m=2 * side, n=side, k=BLOCK, repetitions=20)
    return Platform(near, far, latency, value(flops, "flop_rate") / len(BY_SWITCH))


def expected(on: Platform, measured: Measurement, order: Sequence[str]) -> tuple[float, float]:
    """Return the times of this order in the model and in the simulation."""
    network = parse(on.described(measured.other), "two.toml")
    model = simulated = 0.0
    for size, times in measured.sizes.items():
        ranks = np.array(network.find(order))
        comparison = compare(network, measured.pattern, measured.grid, ranks, seconds=0, size=size)
        (timed,) = simulated_orders(comparison, [SCHEDULER], on.rank)
        model += times * timed.model
        simulated += times * timed.simulated.seconds
    return model, simulated


def rows(hosts: Hosts, blas: str, measured: Measurement, rounds: int) -> Iterator[str]:
    """Yield what the network is described by, then the lines of the table."""
    on = measured_platform(hosts, blas, measured.other, computes=measured.computes)
    yield (
        f"Cables {on.cable / 1e6:.3g} MB/s, between switches {on.between / 1e6:.3g}; "
        f"latency {1e6 * on.latency:.0f} µs; a rank {on.rank / 1e9:.2g} Gflop/s; "
        f"size {max(measured.sizes):.8g}, {rounds} rounds\n"
    )
    yield "| order | measured | model | simulated | model / measured | simulated / measured |"
    yield "|---|---:|---:|---:|---:|---:|"
    times: dict[str, list[float]] = {name: [] for name in measured.orders}
    for _ in range(rounds):  # interleaved
        for name, order in measured.orders.items():

            def start(program: str, order: Sequence[str] = order, **parameters: object) -> dict[str, Any]:
                return run(hosts, blas, order, program, **parameters)

            times[name].append(measured.seconds(start))
    for name, order in measured.orders.items():
        real = median(times[name])
        model, simulated = expected(on, measured, order)
        span = f"{real:.3g} s ({min(times[name]):.3g} to {max(times[name]):.3g})"
        yield f"| {name} | {span} | {model:.3g} s | {simulated:.3g} s | {model / real:.2f} | {simulated / real:.2f} |"


def _only(measured: Measurement, beginnings: Sequence[str] | None) -> Measurement:
    if not beginnings:
        return measured
    return replace(measured, orders={n: o for n, o in measured.orders.items() if n.startswith(tuple(beginnings))})


def measure(measured: Measurement, blas: str, rounds: int, *, unlimited: bool) -> None:
    """Print what is measured on hosts that are made for it, and end with it."""
    cable, between = measured.cables
    with (
        TemporaryDirectory() as folder,
        joined_hosts(Path(folder), BY_SWITCH, Divided(measured.other, between)) as hosts,
        hosts.shaped(cable),
    ):
        if not unlimited:
            limit_windows(hosts)
        for row in rows(hosts, blas, measured, rounds):
            print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure orders of ranks beside model and simulation.")
    parser.add_argument("names", nargs="+", choices=list(MEASUREMENTS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--orders", nargs="+", metavar="NAME", help="only orders whose names begin so")
    parser.add_argument("--unlimited", action="store_true", help="leave TCP's windows as they are")
    asked = parser.parse_args()
    guard(Path(__file__), lambda other: print(f"waiting for process {other}, which measures", file=sys.stderr))
    shorten_slices()
    blas = discover().software.blas[0].path
    for name in asked.names:
        measure(_only(MEASUREMENTS[name], asked.orders), blas, asked.rounds, unlimited=asked.unlimited)


if __name__ == "__main__":
    main()
