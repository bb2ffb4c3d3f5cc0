"""Simulates a skeleton on a network with SimGrid, whose SMPI replays the actions of its processes."""

import os
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banzuke.child import captured
from banzuke.errors import BanzukeError
from banzuke.placement.pattern import MessagePhase
from banzuke.placement.score import Adapters, Traffic
from banzuke.placement.skeleton import WAIT, Action, RankProcess, Skeleton
from banzuke.placement.topology import Indices, NetworkTopology, Values

LONGEST = 3600.0
"""Seconds after which a simulation is given up."""
LARGEST = 2.0**30
"""Largest size of a message that is written, as SimGrid counts with int: larger ones are written in larger units."""
MOST_BUSY = 1.01
"""Share of its rate above which a link's load shows that a result is wrong; SimGrid ends messages a little early."""
PROGRAM = "smpirun"
INSIDE = "inside"
"""Name of the link between ranks of one host, which takes no time."""
SETTINGS = (
    "network/model:CM02",  # bytes over the fair share of the rate; the default is calibrated for Gigabit Ethernet
    "network/crosstraffic:0",  # acknowledgements take nothing from the other direction
    "network/TCP-gamma:1e18",  # nor does a TCP window limit the rate
    "smpi/send-is-detached-thresh:2",  # a rank waits for what it sends, but for signals; the default is 64 KiB
    "network/optim:Full",  # in 3.32 the default updates too few flows: links carried up to 109% of their rate
)
HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="network" routing="Full">
"""
_GROUP = "group"
"""File with the number of the simulation's process group."""
_IN_FOLDER = f'cd "$1" && shift && echo $$ > {_GROUP} || exit; ulimit -n "$(ulimit -H -n)" 2>/dev/null; exec "$@"'
"""Shell command that starts smpirun in the simulation's folder: it accepts no path with a space, and lets libraries be
loaded from where it is started. Each process keeps its file of actions open, and the usual limit is 1,024 files.
"""
_WATCH = f'read -r done && exit; kill -s KILL -- "-$(cat "$1/{_GROUP}")"; rm -rf -- "$1"'
"""Shell command that ends a simulation and removes its folder if its input ends without a line: we were killed."""
_TIME = re.compile(r"Simulation time ([0-9.eE+-]+)")


@dataclass(frozen=True, eq=False)
class Replayed:
    seconds: float
    busy: Values
    """Share of the time in which each link carries messages at its full rate."""


def of_phases(phases: Sequence[MessagePhase], unit: float, ranks: int, *, eager: bool = False) -> Skeleton:
    """Return a skeleton without computation; `unit`: bytes of a unit of amount.

    A rank starts its messages of a phase at once, and begins the next phase when they are complete. `eager`: messages
    begin although their receivers are not in the phase yet, as ranks are ready to receive those of all phases.
    """
    own: list[list[list[Action]]] = [[[] for _ in range(ranks)] for _ in phases]
    for tag, (by_rank, phase) in enumerate(zip(own, phases, strict=True)):
        for source, target, amount in zip(
            phase.source.tolist(), phase.target.tolist(), (phase.amounts * unit * phase.times).tolist(), strict=True
        ):
            by_rank[target].append(Action("irecv", source, amount, tag))
            by_rank[source].append(Action("isend", target, amount, tag))

    def actions(rank: int) -> Iterator[Action]:
        return (_ready_for_all if eager else _phase_by_phase)([by_rank[rank] for by_rank in own])

    times = max((phase.times for phase in phases), default=1.0)
    processes = [RankProcess(rank, lambda rank=rank: actions(rank)) for rank in range(ranks)]  # type: ignore[misc]
    return Skeleton(processes, times)


def _phase_by_phase(own: Sequence[Sequence[Action]]) -> Iterator[Action]:
    """Yield a rank's actions, by phases: it begins all messages of a phase at once, and waits for them."""
    for begun in own:
        yield from begun
        if begun:
            yield WAIT


def _ready_for_all(own: Sequence[Sequence[Action]]) -> Iterator[Action]:
    """Yield the same of a rank that is ready to receive the messages of all phases at the beginning."""
    yield from (action for begun in own for action in begun if action.kind == "irecv")
    for begun in own:
        yield from (action for action in begun if action.kind == "isend")
        for action in begun:
            yield action._replace(kind="sent" if action.kind == "isend" else "received")


def simulate(topology: NetworkTopology, order: Indices, skeleton: Skeleton, adapters: Adapters) -> Replayed:
    """Simulate the skeleton with ranks on these hosts. Raises BanzukeError."""
    check(topology, adapters)
    try:
        with _watched_folder() as folder:
            unit = _unit(skeleton)
            pairs = _write_actions(folder, skeleton, unit)
            link_bytes = unit * _write_platform(folder, topology, order, skeleton, adapters, pairs, unit)
            seconds = _replay(folder, len(skeleton.processes))
    except OSError as error:
        raise BanzukeError(
            "the simulation did not run to its end",
            why=str(error),
            remedy="Simulate fewer ranks; TMPDIR names a folder with more space for its files",
        ) from error
    busy = link_bytes / topology.rate / max(seconds, 1e-300)
    if busy.max(initial=0.0) > MOST_BUSY:
        raise BanzukeError(f"SimGrid's result is impossible: a link carried {100 * busy.max():.0f}% of its rate")
    return Replayed(seconds, busy)


@contextmanager
def _watched_folder() -> Iterator[Path]:
    """Yield a temporary folder that does not outlive this process, nor does what is started in it, even on SIGKILL.

    Raises OSError.
    """
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with tempfile.TemporaryDirectory(prefix="banzuke-simgrid-") as name:
        words = ["sh", "-c", _WATCH, "sh", name]
        watcher = subprocess.Popen(words, stdin=pipe, stdout=null, stderr=null, start_new_session=True)
        try:
            yield Path(name)
        finally:
            with suppress(BrokenPipeError):  # it was killed
                watcher.communicate(b"done\n")


def absent() -> str | None:
    """Return why nothing can be simulated here; None: it can."""
    if shutil.which(PROGRAM):
        return None
    return (
        f"nothing is simulated: SimGrid is not installed (there is no {PROGRAM} in PATH); the times are the model's "
        "alone. Debian's package is libsimgrid-dev"
    )


def check(topology: NetworkTopology, adapters: Adapters) -> None:
    """Raise BanzukeError if the network lacks what a simulation needs."""
    if not topology.rated:
        raise BanzukeError(
            f"{topology.name} cannot be simulated: the rates of its cables are not known",
            remedy="Describe the network in TOML with rate = 12.5e9, the B/s of a cable",
        )
    if topology.routing == "adaptive":
        raise BanzukeError(
            "adaptive routing cannot be simulated: each message takes one path",
            remedy="Give --routing destination, blocks or first",
        )
    if adapters == "striped" and np.unique(topology.port_host).size < topology.port_host.size:
        raise BanzukeError(
            "messages divided among adapters cannot be simulated: each takes one path",
            remedy="Give --adapters by-rank or first",
        )


def _unit(skeleton: Skeleton) -> float:
    """Return the bytes of a unit of size, with which the largest message can be written."""
    sizes = (
        action.amount for process in skeleton.processes for action in process.actions() if action.kind != "compute"
    )
    return max(max(sizes, default=0.0) / LARGEST, 1.0)


def _write_actions(folder: Path, skeleton: Skeleton, unit: float) -> dict[tuple[int, int], float]:
    """Write a file of actions for each process, and the list of these files; return the units between ranks."""
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    ranks = [process.rank for process in skeleton.processes]
    for number, process in enumerate(skeleton.processes):
        lines = [f"{number} init\n"]
        waiting = 0
        for kind, peer, amount, tag in process.actions():
            if kind == "compute":
                lines.append(f"{number} compute {1e9 * amount:.0f}\n")
                continue
            if kind == "waitall":
                lines.append(f"{number} waitall {waiting}\n")
                waiting = 0
                continue
            if kind in ("sent", "received"):
                ends = f"{number} {peer}" if kind == "sent" else f"{peer} {number}"
                lines.append(f"{number} wait {ends} {tag}\n")
                continue
            size = max(round(amount / unit), 1)
            waiting += kind in ("isend", "irecv")
            lines.append(f"{number} {kind} {peer} {tag} {size}\n")
            if kind in ("isend", "send"):
                pairs[process.rank, ranks[peer]] += size
        lines.append(f"{number} finalize\n")
        (folder / f"actions-{number}").write_text("".join(lines), encoding="ascii")
    listed = "".join(f"actions-{number}\n" for number in range(len(ranks)))
    (folder / "actions").write_text(listed, encoding="ascii")
    (folder / "hosts").write_text("".join(f"r{rank}\n" for rank in ranks), encoding="ascii")
    return pairs


def _write_platform(
    folder: Path,
    topology: NetworkTopology,
    order: Indices,
    skeleton: Skeleton,
    adapters: Adapters,
    pairs: dict[tuple[int, int], float],
    unit: float,
) -> Values:
    """Write the network as SimGrid reads it, with a host for each rank and a route for each pair of ranks that send;
    return the units on each link.
    """
    source, target = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    amounts = np.array(list(pairs.values()), dtype=np.float64)
    traffic = Traffic(topology, (MessagePhase("all", source, target, amounts),), adapters)
    flows, sending, receiving, parts = traffic.parts(order, np.arange(source.size))
    part, link = traffic.routes.paths(sending, receiving)
    routes: list[list[int]] = [[] for _ in pairs]
    for flow, taken in zip(flows[part].tolist(), link.tolist(), strict=True):
        routes[flow].append(taken)
    rates = topology.rate / unit
    lines = _platform(topology, rates, order.size, list(pairs), routes, topology.message_seconds * skeleton.stands_for)
    (folder / "platform.xml").write_text("".join(lines), encoding="ascii")
    return np.asarray(np.bincount(link, weights=parts[part], minlength=topology.source.size), dtype=np.float64)


def _platform(
    topology: NetworkTopology,
    rates: Values,
    ranks: int,
    pairs: Sequence[tuple[int, int]],
    routes: Sequence[Sequence[int]],
    latency: float,
) -> Iterator[str]:
    yield HEAD
    for rank in range(ranks):
        yield f'<host id="r{rank}" speed="1Gf"/>\n'
    yield f'<link id="{INSIDE}" bandwidth="1e18Bps" latency="0s" sharing_policy="FATPIPE"/>\n'
    sending = set(topology.port_up.tolist())
    for link in sorted({link for route in routes for link in route}):
        yield (
            f'<link id="l{link}" bandwidth="{rates[link]:.9g}Bps" '
            f'latency="{latency if link in sending else 0.0:.9g}s"/>\n'
        )
    for (source, target), route in zip(pairs, routes, strict=True):
        links = "".join(f'<link_ctn id="l{link}"/>' for link in route) or f'<link_ctn id="{INSIDE}"/>'
        yield f'<route src="r{source}" dst="r{target}" symmetrical="NO">{links}</route>\n'
    yield "</zone>\n</platform>\n"


def _replay(folder: Path, processes: int) -> float:
    """Return the simulated seconds. Raises BanzukeError, OSError."""
    words = [PROGRAM, "-no-privatize", "-quiet", "-np", str(processes)]
    words += ["-platform", "platform.xml", "-hostfile", "hosts", "-replay", "actions"]
    words += [f"--cfg={setting}" for setting in SETTINGS]
    shell = ["sh", "-c", _IN_FOLDER, "sh", str(folder), *words]
    run = captured(shell, seconds=LONGEST, variables={**os.environ, "LC_ALL": "C", "TMPDIR": "."}, last=True)
    printed_time = _TIME.search(run.text + run.complaint)
    if run.status or not printed_time:
        said = [line for line in (run.complaint + run.text).splitlines() if "CRITICAL" in line or "rror" in line]
        raise BanzukeError(
            "SimGrid ended without a result",
            why=said[0].strip() if said else f"exit status {run.status}",
            remedy="Simulate fewer ranks, or leave out --simulate: the model needs no simulator",
        )
    return float(printed_time[1])
