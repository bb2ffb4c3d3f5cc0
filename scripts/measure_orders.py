"""Measure orders of HPL's ranks on hosts with slow cables, beside the model and the simulation of the same network.

    python -m scripts.measure_orders                # the table of docs/placement.md; needs root, SimGrid, 4 minutes

Eight hosts are network namespaces at two switches. Cables have 100 Mbit/s, and the one between the switches 20, so
that messages dominate on two cores. The network is described by what pt2pt measures on it, the ranks by DGEMM of all
of them at once. Two things differ from hosts of their own, and would hide what is compared:

- Ranks that wait for messages occupy the cores. Slices of 0.1 ms (Linux 6.12 and later) let the others compute soon.
- TCP fills a queue of megabytes at the slow cable, and a connection that begins behind it gets less than its share.
  Windows of 64 KiB limit what each has under way, as credits do in other networks. `--unlimited` leaves them as they
  are.
"""

import argparse
import ctypes
import json
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from banzuke.machine.discover import discover
from banzuke.placement.compare import SCHEDULER, compare
from banzuke.placement.readers.read import parse
from banzuke.placement.simulated import SimulatedOrder, simulated_orders
from benchmarks.hpl.flows import PATTERNS as HPL
from benchmarks.hpl.sizes import BLOCK
from tests.conftest import SCRIPTS
from tests.namespaces import NETWORK, Divided, Hosts, carry_out, joined_hosts

ONE, OTHER = ["a1", "a2", "a3", "a4"], ["b1", "b2", "b3", "b4"]
"""Hosts at each switch."""
GRID = (2, 4)
ORDERS = {
    "columns of the grid by switch": [*ONE, *OTHER],
    "columns alternate": ["a1", "a2", "b1", "b2", "a3", "a4", "b3", "b4"],
    "rows by switch": ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"],
    "random": ["b1", "a4", "b4", "a1", "a3", "b2", "a2", "b3"],
}
"""Hosts of ranks, which count down the columns of the grid."""
CABLE, BETWEEN = "100mbit", "20mbit"
N = 12 * BLOCK
WINDOW = 1 << 16
"""Bytes of a connection that may be under way."""
SLICE = 100_000
"""Nanoseconds that a process computes before others do."""


@dataclass(frozen=True)
class Platform:
    """What the model and the simulation are told."""

    cable: float
    between: float
    latency: float
    rank: float
    """Rate of a rank's matrix products."""

    def described(self) -> str:
        return (
            f'name = "two switches"\nrate = {self.cable}\nlatency = {self.latency}\n[switches]\n'
            f'one = {{ hosts = "{ONE[0]},{",".join(ONE[1:])}", up = [{{ to = "other", rate = {self.between} }}] }}\n'
            f'other = {{ hosts = "{",".join(OTHER)}" }}\n'
        )


def shorten_slices() -> None:
    """Let this process and what it starts compute for shorter times. Raises OSError where the kernel cannot."""
    if platform.machine() != "x86_64":
        raise OSError("the number of the call is known for x86-64 only")
    attributes = struct.pack("IIQiIQQQII", 56, 0, 0, 0, 0, SLICE, 0, 0, 0, 0)
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(314, 0, attributes, 0):
        raise OSError(ctypes.get_errno(), "sched_setattr")


def limit_windows(hosts: Hosts) -> None:
    for host in hosts.names:
        for buffer in ("tcp_wmem", "tcp_rmem"):
            words = hosts.on(host, "sysctl", "-qw", f"net.ipv4.{buffer}=4096 {WINDOW} {WINDOW}")
            carry_out(words)


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


def measured_platform(hosts: Hosts, blas: str) -> Platform:
    """Return the rates and the latency of messages, and of matrix products of all ranks at once."""
    size = {"min_size": 1 << 20, "max_size": 1 << 20, "window": 4, "iterations": 3}
    near, far = (
        value(run(hosts, blas, pair, "pt2pt-mpi", test="bandwidth", **size), "bandwidth")
        for pair in (ONE[:2], [ONE[0], OTHER[0]])
    )
    small = {"min_size": 8, "max_size": 8, "iterations": 300}
    latency = value(run(hosts, blas, [ONE[0], OTHER[0]], "pt2pt-mpi", test="latency", **small), "latency")
    side = N // GRID[1]
    flops = run(hosts, blas, [*ONE, *OTHER], "dgemm-blas", m=2 * side, n=side, k=BLOCK, repetitions=20)
    return Platform(near, far, latency, value(flops, "flop_rate") / len(ONE + OTHER))


def expected(on: Platform, order: Sequence[str]) -> SimulatedOrder:
    """Return the times of this order in the model and in the simulation."""
    network = parse(on.described(), "two.toml")
    comparison = compare(network, HPL[0], GRID, np.array(network.find(order)), seconds=0, size=N)
    (simulated,) = simulated_orders(comparison, [SCHEDULER], on.rank)
    return simulated


def factorised(hosts: Hosts, blas: str, order: Sequence[str]) -> float:
    """Return the measured seconds without the solution of the triangular system, which the others leave out."""
    p, q = GRID
    record = run(hosts, blas, order, "hpl-blas", n=N, nb=BLOCK, p=p, q=q, order="column")
    return value(record, "time") - float(sum(record["breakdown"]["seconds"]["solve"]))


def rows(hosts: Hosts, blas: str, rounds: int) -> Iterator[str]:
    """Yield what the network is described by, then the lines of the table."""
    on = measured_platform(hosts, blas)
    yield (
        f"Cables {on.cable / 1e6:.3g} MB/s, between switches {on.between / 1e6:.3g}; "
        f"latency {1e6 * on.latency:.0f} µs; a rank {on.rank / 1e9:.2g} Gflop/s; n = {N}, {rounds} rounds\n"
    )
    yield "| order | measured | model | simulated | model / measured | simulated / measured |"
    yield "|---|---:|---:|---:|---:|---:|"
    times: dict[str, list[float]] = {name: [] for name in ORDERS}
    for _ in range(rounds):  # interleaved
        for name, order in ORDERS.items():
            times[name].append(factorised(hosts, blas, order))
    for name, order in ORDERS.items():
        real, other = median(times[name]), expected(on, order)
        model, simulated = other.model, other.simulated.seconds
        span = f"{real:.1f} s ({min(times[name]):.1f} to {max(times[name]):.1f})"
        yield f"| {name} | {span} | {model:.1f} s | {simulated:.1f} s | {model / real:.2f} | {simulated / real:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure orders of HPL's ranks beside model and simulation.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--unlimited", action="store_true", help="leave TCP's windows as they are")
    asked = parser.parse_args()
    blas = discover().software.blas[0].path
    shorten_slices()
    with (
        TemporaryDirectory() as folder,
        joined_hosts(Path(folder), ONE + OTHER, Divided(OTHER, BETWEEN)) as hosts,
        hosts.shaped(CABLE),
    ):
        if not asked.unlimited:
            limit_windows(hosts)
        for row in rows(hosts, blas, asked.rounds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
