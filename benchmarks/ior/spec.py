"""IOR's policy: sizes by time and space, numbers of clients up to all, one file for each or one for all."""

from collections.abc import Mapping
from dataclasses import replace

from banzuke.machine.model import Machine
from banzuke.machine.mounts import is_remote
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar, Sizing
from banzuke.plan.capabilities import Storage
from banzuke.plan.layouts import client_placements, clients
from banzuke.plan.official import CommandLine, Official
from banzuke.plan.resource import Resource, Resources

from .ior_line import read
from .ior_out import results

TRANSFER = 1 << 20
"""Bytes of a transfer, as in the Oakleaf-FX report."""
ROUNDS = 3
SECONDS = 12.0
"""Seconds of the timed part: two for each phase, so that page cache and file opening do not dominate."""
LOCAL_RATE, REMOTE_RATE = 2e9, 500e6
"""Guessed B/s of a host, which determine how much is written; `most_seconds` ends slower phases."""
SHARE = 0.25
"""Largest share of the area's capacity. Free space decides only whether a case is skipped, not its size."""
WEAR_OUT = 2.0
"""Guessed duration of a phase as a multiple of its stonewall."""
PATIENCE = 3.0
"""Multiple of the wanted duration after which a phase ends early."""


def rate(machine: Machine, layout: Layout) -> float:
    """Guess the B/s of all hosts."""
    (area,) = machine.allotment.folders
    kind = machine.site.areas[area].kind if area in machine.site.areas else None
    return layout.hosts * (REMOTE_RATE if kind and is_remote(kind) else LOCAL_RATE)


def total(machine: Machine, layout: Layout) -> int:
    """Return the bytes of all files: as many as are written and read in the wanted time, within the area."""
    wanted = (layout.seconds or SECONDS) * rate(machine, layout) / (2 * ROUNDS)
    (area,) = machine.allotment.folders
    capacity = machine.site.areas[area].capacity if area in machine.site.areas else None
    return int(wanted if capacity is None else min(wanted, SHARE * capacity))


def block(machine: Machine, layout: Layout) -> int:
    """Return the bytes of a rank as if all clients ran: a power of two of transfers, so that runs of any length share
    cases.
    """
    every = max(replace(clients(machine)[0], seconds=layout.seconds), layout, key=lambda candidate: candidate.ranks)
    transfers = max(1, total(machine, every) // every.ranks // TRANSFER)
    return (1 << (transfers.bit_length() - 1)) * TRANSFER


def defaults(machine: Machine, layout: Layout) -> dict[str, Scalar]:
    return {
        "block": block(machine, layout),
        "transfer": TRANSFER,
        "files": "per-process",
        "rounds": ROUNDS,
        "most_seconds": PATIENCE * (layout.seconds or SECONDS) / (2 * ROUNDS),
    }


def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    """Return cases of all clients with own files and a shared one; of fewer, with as much each, then with as much in
    all.
    """
    every, *fewer = clients(machine)
    cases: list[tuple[Layout, dict[str, Scalar]]] = [(every, {}), (every, {"files": "shared"})]
    cases += [(layout, {}) for layout in fewer]
    dividing = [layout for layout in fewer if every.ranks % layout.ranks == 0]
    cases += [(layout, {"segments": every.ranks // layout.ranks}) for layout in dividing]
    return cases


def seconds(machine: Machine, layout: Layout, call: Mapping[str, Scalar]) -> float:
    """Estimate the case at the guessed rate or up to its limit; untimed writing and checking take as long."""
    size = float(call.get("block", TRANSFER)) * float(call.get("segments", 1)) * layout.ranks
    phase = size / rate(machine, layout)
    # After a stonewall the slower ranks write as much as the fastest, which takes as long again.
    most = float(call.get("most_seconds", 0.0)) or WEAR_OUT * float(call.get("stonewall", 0.0))
    return 3 * float(call.get("rounds", ROUNDS)) * (min(phase, most) if most else phase) + 1.0


WRITE = Resource("storage.write", unit="B/s", title="write bandwidth of a storage area", scope="area")
READ = Resource("storage.read", unit="B/s", title="read bandwidth of a storage area", scope="area")

BENCHMARK = Benchmark(
    name="ior",
    title="IOR",
    aspect="storage",
    metrics=(
        Metric("write_bandwidth", "B/s", "higher", "Write", headline=True),
        Metric("read_bandwidth", "B/s", "higher", "Read", headline=True),
        Metric("cached_write_bandwidth", "B/s", "higher", "Write to cache"),
        Metric("cached_read_bandwidth", "B/s", "higher", "Read from cache"),
    ),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="posix",
    resources=Resources(measures=(WRITE, READ)),
    sizing=Sizing(
        parameters=("block",),
        lengths=(4.0, 120.0),
        method=("rounds", "most_seconds"),  # a stonewall decides how much is written, and who waits
        weight=0.5,
        each_rank=True,
        kept=False,
    ),
    storage=Storage(),
    official=Official(command_line=CommandLine("-w -r -F -b 1g -t 1m -e", read), output=results),
    placements=client_placements,
)
