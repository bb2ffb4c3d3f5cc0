"""The time of a collective on a machine that is only described, by the fastest of the known algorithms.

Ranks of a node exchange through memory, then nodes over their links. Steps and bytes are those of Thakur, Rabenseifner
and Gropp, "Optimization of Collective Communication Operations in MPICH" (2005): dissemination, recursive doubling,
reduce-scatter and allgather by halves (as many bytes as a ring, in fewer steps), Bruck's exchange, pairwise exchange.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from banzuke.machine.published import PublishedFigure
from banzuke.predict.asked import one_of, whole
from banzuke.predict.constants import CORE, FURTHER, Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.record.model import Record
from banzuke.words import Listed, Message, message
from banzuke.words.errors import MessageError

OPERATIONS = ("allreduce", "alltoall", "barrier")
HEADLINE = 8
"""Bytes of the headline's message."""
MOVED = 3
"""Bytes of memory traffic for each byte that a rank gives to another: a load, and a store with its line read first."""
COPIES = 2
"""Copies of a message within a node: into memory that both ranks share, and out of it."""
CONSTANTS = {
    "collectives.local": Constant(
        0.33e-6,
        0.18e-6,
        0.8e-6,
        "time of a message between two near ranks of a node",
        "allreduce of 8 B on two ranks: 0.19, 0.24 and 0.48 us with three libraries (README.md); osu_barrier in public "
        "repositories less 1.3 us for each step between nodes, over the steps within: 0.28 us on 32 nodes of 16 ranks, "
        "0.25 and 0.36 us on 2 and 4 nodes of 96",
        "s",
    ),
    "collectives.core": CORE,
    "collectives.message": FURTHER,
}


@dataclass(frozen=True)
class AlgorithmCost:
    """The time of an algorithm on one machine, in seconds by resource."""

    name: str
    latency: float
    memory: float = 0.0
    links: float = 0.0

    @property
    def seconds(self) -> float:
        return self.latency + self.memory + self.links


@dataclass(frozen=True)
class Wires:
    """The paths of messages for this many nodes and ranks per node."""

    nodes: int
    ranks: int
    between: float
    """Seconds of a message between nodes."""
    near: float
    """Seconds of a message between two near ranks of a node."""
    further: float
    """Time of each further message of a rank, as a multiple of the first one's."""
    core: float
    """Memory bandwidth of each rank of a node, in B/s."""
    link: float
    """Bandwidth of one rank alone to another node, in B/s."""
    node: float
    """Bandwidth of all ranks of a node to another node, in B/s."""
    exchange: float
    """Bandwidth of all ranks of a node when all nodes send to all, in B/s."""

    @property
    def all(self) -> int:
        return self.nodes * self.ranks

    @property
    def steps_within(self) -> int:
        return math.ceil(math.log2(self.ranks))

    @property
    def steps_between(self) -> int:
        return math.ceil(math.log2(self.nodes))

    @property
    def within(self) -> float:
        """Seconds of the steps within a node: step k reaches 2^k ranks and takes k times as long as the first."""
        return self.near * self.steps_within * (self.steps_within + 1) / 2

    @property
    def steps(self) -> float:
        """Seconds until all ranks are reached, if each step doubles the number of those reached."""
        return self.within + self.steps_between * self.between


def barrier(wires: Wires, _size: int) -> list[AlgorithmCost]:
    return [AlgorithmCost("dissemination", wires.steps)]


def allreduce(wires: Wires, size: int) -> list[AlgorithmCost]:
    """Return the costs with all ranks alike, with one rank a node, and with each rank making a part of the sum."""
    inside, outside = wires.steps_within * MOVED * size, wires.steps_between * size
    part, others = 1 - 1 / wires.ranks, 1 - 1 / wires.nodes
    return [
        AlgorithmCost("recursive doubling", wires.steps, inside / wires.core, outside * wires.ranks / wires.node),
        AlgorithmCost(
            "recursive doubling of one rank a node",
            wires.steps + wires.within,
            2 * inside / wires.core,
            outside / wires.link,
        ),
        AlgorithmCost(
            "reduce-scatter and allgather",
            2 * wires.steps,
            2 * MOVED * size * part / wires.core,
            2 * size * others / wires.node,
        ),
    ]


def alltoall(wires: Wires, size: int) -> list[AlgorithmCost]:
    """Return the costs of a message from each rank to each other: pairwise, or combined in fewer steps."""
    away, near = wires.all - wires.ranks, wires.ranks - 1
    copied = MOVED * size * (1 + COPIES * near) / wires.core
    sent = (wires.between if away else 0.0) * (1 + wires.further * max(0, away - 1))
    shared = (wires.within / wires.steps_within if near else 0.0) * (1 + wires.further * max(0, near - 1))
    half = size * wires.all / 2
    turned = 2 * MOVED * size * wires.all / wires.core  # reordering before the first step and after the last
    return [
        AlgorithmCost("pairwise exchange", sent + shared, copied, wires.ranks * away * size / wires.exchange),
        AlgorithmCost(
            "Bruck's exchange",
            wires.steps,
            turned + wires.steps_within * COPIES * MOVED * half / wires.core,
            wires.steps_between * wires.ranks * half / wires.exchange,
        ),
    ]


ALGORITHMS = {"allreduce": allreduce, "alltoall": alltoall, "barrier": barrier}


class CollectivesModel:
    metric = "latency"
    constants: Mapping[str, Constant] = CONSTANTS
    settings: Mapping[str, str] = {
        "operation": f"{', '.join(OPERATIONS)}; else allreduce",
        "size": f"bytes that a rank gives, in alltoall to each other one; else {HEADLINE}",
        "ranks": "ranks of a node; else one on each core",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        operation = one_of(call, "operation", OPERATIONS, OPERATIONS[0])
        size = 0 if operation == "barrier" else whole(call, "size", HEADLINE)
        wires = wires_of(machine, whole(call, "ranks", min(group.known_cores for group in machine.groups)))
        best = min(ALGORITHMS[operation](wires, size), key=lambda cost: cost.seconds)
        waiting = machine.delay(wires.all, best.seconds) * best.seconds if best.seconds > 0 else 0.0
        seconds = best.seconds + waiting
        resources = {"latency": best.latency, "memory.bytes": best.memory, "link.bytes": best.links, "noise": waiting}
        chosen: Call = {"operation": operation, "size": size, "ranks": wires.ranks, "algorithm": best.name}
        return Estimate(seconds, seconds, {operation: seconds}, resources, chosen)

    def recorded(self, record: Record) -> Call | Message:
        parameters = record.parameters
        if parameters.get("mode", "blocking") != "blocking" or parameters.get("operation") not in OPERATIONS:
            return message("collectives-blocking", names=Listed(tuple(OPERATIONS)))
        if parameters["operation"] != "barrier" and not float(parameters.get("min_size", 1)) <= HEADLINE <= float(
            parameters.get("max_size", math.inf)
        ):
            return message("collectives-size", size=f"{HEADLINE} B")
        return {"operation": parameters["operation"], "ranks": math.ceil(record.ranks / record.nodes)}

    def published(self, figure: PublishedFigure) -> Call | str:
        return f"{figure.benchmark}: the report shows a graph and no number"


def wires_of(machine: Hardware, ranks: int) -> Wires:
    """Return the paths of messages. Raises BanzukeError."""
    constants = machine.constants
    cores = min(group.known_cores for group in machine.groups)
    if ranks > cores:
        raise MessageError(message("collectives-cores", ranks=ranks, cores=cores))
    if machine.nodes * ranks < 2:
        raise MessageError(message("collectives-alone"), remedy="Give more nodes, or --set ranks=2")
    memory = min(group.host.bandwidth for group in machine.groups) / ranks
    core = min(constants["collectives.core"], memory) if memory > 0 else constants["collectives.core"]
    fabric, several = machine.fabric, machine.nodes > 1
    return Wires(
        machine.nodes,
        ranks,
        fabric.latency if several else 0.0,
        constants["collectives.local"],
        constants["collectives.message"],
        core,
        fabric.bandwidth if several else math.inf,
        min(ranks, fabric.links) * fabric.bandwidth if several else math.inf,
        fabric.exchange_bandwidth if several else math.inf,
    )


MODEL = CollectivesModel()
