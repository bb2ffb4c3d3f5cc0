"""Plans the jobs of a submission: one for each number of hosts and shape, and one for all that needs one host."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from banzuke.batch.job import Chunk, Job
from banzuke.batch.submission import ELEMENT, PREFIX, PlannedJob
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch
from banzuke.machine.hosts import expanded, folded
from banzuke.machine.partitions import TOGETHER, NodeCount
from banzuke.machine.site import Partition
from banzuke.units import duration

LONGEST = 30 * 86400.0
"""Most seconds that anybody waits for a job."""
KINDS = ("mesh", "torus", "noncont")
Kind = Literal["weak", "strong", "throughput"]
SCALING: tuple[Kind, ...] = get_args(Kind)
"""Kinds of scaling: the problem grows with the nodes; it is that of the fewest nodes; each node has a copy."""
_SHAPE = re.compile(rf"(?:(?P<extents>\d{{1,7}}(?:x\d{{1,7}})*):)?(?P<kind>{'|'.join(KINDS)})")


@dataclass(frozen=True)
class Size:
    nodes: int
    shape: str = ""
    """Shape that a job asks for: a kind, with extents `2x3x2:torus`; empty: any."""
    parts: tuple[int, ...] = ()
    """Nodes of each of several partitions; empty: there is one."""

    @property
    def name(self) -> str:
        number = "-".join(map(str, self.parts or (self.nodes,)))
        return "-".join(filter(None, (f"n{number}", self.shape.replace(":", "-"))))

    @property
    def words(self) -> list[str]:
        """Return the option by which a command uses so many nodes."""
        return ["--nodes", TOGETHER.join(map(str, self.parts or (self.nodes,)))]


@dataclass(frozen=True)
class TargetPart:
    """A partition whose nodes a job has besides those of others."""

    partition: str
    described: Partition
    batch: Batch


def sizes(nodes: Sequence[int | NodeCount], shapes: Sequence[str]) -> list[Size]:
    """Return sizes; `12:mesh` and `2x3x2:mesh` have twelve nodes, `mesh` is one for each number. Raises
    BanzukeError.
    """
    if not shapes:
        parts = [(int(number), number.parts if isinstance(number, NodeCount) else ()) for number in nodes]
        return list(dict.fromkeys(Size(number, parts=own) for number, own in parts))
    wanted: dict[Size, None] = {}
    for text in shapes:
        match = _SHAPE.fullmatch(text)
        if not match:
            raise BanzukeError(
                f"--shape '{text}' is not understood",
                remedy=f"Write {', '.join(KINDS)}, 12:mesh for twelve nodes, or 2x3x2:torus",
            )
        extents, kind = match["extents"], match["kind"]
        number = math.prod(map(int, extents.split("x"))) if extents else 0
        if extents and (number < 1 or (nodes and number not in nodes)):
            asked = f", and --nodes asks for {', '.join(map(str, nodes))}" if nodes else ""
            raise BanzukeError(
                f"--shape {text} is impossible", why=f"{extents} are {number} nodes{asked}", remedy="Make them agree"
            )
        shape = text if extents and "x" in extents else kind
        wanted |= dict.fromkeys(Size(count, shape) for count in ([number] if extents else nodes or [1]))
    if several := [number for number in nodes if isinstance(number, NodeCount) and number.parts]:
        raise BanzukeError(
            f"--shape is of the nodes of one partition, and --nodes {several[0]} of several", remedy="Leave one out"
        )
    if unshaped := [number for number in nodes if number not in {size.nodes for size in wanted}]:
        raise BanzukeError(
            f"--nodes {','.join(map(str, unshaped))} has no shape",
            why=f"--shape is {', '.join(shapes)}",
            remedy="Add a shape for it, such as mesh for all",
        )
    return list(wanted)


def cores_of(partition: Partition) -> int:
    """Return the cores of each node; 0: unknown."""
    return sum(processor.cores or 0 for processor in partition.node.processors)


@dataclass(frozen=True)
class Target:
    """Where jobs go, and what they have in common."""

    name: str
    """Name of the submission."""
    folder: Path
    """Folder of the submission."""
    directory: Path
    """Working directory of the jobs."""
    partition: str
    described: Partition
    batch: Batch
    hosts: tuple[str, ...]
    """Hosts to be used; empty: any."""
    seconds: float
    version: str
    variables: dict[str, str]
    begin: datetime | None
    reservation: str
    environment: str = ""
    """Environment that the batch system is asked for; empty: none."""
    suffix: str = ""
    """End of the jobs' names; empty: there is only one environment."""
    others: tuple[TargetPart, ...] = ()
    """Further partitions of which each job has nodes."""

    @property
    def parts(self) -> tuple[TargetPart, ...]:
        return (TargetPart(self.partition, self.described, self.batch), *self.others)

    def job(
        self,
        name: str,
        nodes: int | Sequence[int],
        benchmarks: Sequence[str],
        words: Sequence[str],
        *,
        shape: str = "",
        hosts: tuple[str, ...] = (),
        elements: int = 1,
    ) -> PlannedJob:
        """Return a job; `words` lack the name of the run. `nodes`: several numbers are those of each partition."""
        name = f"{name}{self.suffix}"
        run = f"{self.name}-{name}" + (f".{ELEMENT}" if elements > 1 else "")
        numbers = (nodes,) if isinstance(nodes, int) else nodes
        chunks = tuple(
            Chunk(
                partition=part.partition,
                batch=part.batch,
                nodes=number,
                tasks=cores_of(part.described) or 1,
                devices=sum(device.count for device in part.described.node.devices),
                shape=shape,
                hosts=hosts,
                environment=self.environment,
            )
            for part, number in zip(self.parts, numbers, strict=True)
        )
        job = Job(
            name=f"{PREFIX}{name}",
            chunks=chunks,
            command=(*words, "--run", run),
            folder=self.directory,
            output=self.folder / f"{name}.out",
            seconds=self.seconds,
            elements=elements,
            variables=self.variables,
            begin=self.begin,
            reservation=self.reservation,
            version=self.version,
        )
        return PlannedJob(job=job, run=run, benchmarks=tuple(benchmarks))


def jobs(
    target: Target,
    asked: Sequence[Size],
    spanning: Sequence[str],
    alone: Sequence[str],
    words: Callable[[Sequence[str], Sequence[str]], Sequence[str]],
) -> list[PlannedJob]:
    """Return jobs: benchmarks that span hosts at each size; all others on as many single hosts as the largest size has.

    `words`: returns the command for some benchmarks, with further options. Raises BanzukeError.
    """
    largest = max(size.nodes for size in asked)
    if target.others or any(size.parts for size in asked):
        _check_parts(target, asked)
    else:
        _check_size(target, largest)
    if not spanning and any(size.shape for size in asked):
        raise BanzukeError(
            f"--shape has no effect on {', '.join(alone)}", why="each uses one node", remedy="Leave it out"
        )
    if largest == 1 and len(target.hosts) <= 1 and not asked[0].shape:
        names = [*spanning, *alone]
        return [target.job("n1", 1, names, words(names, ()), hosts=target.hosts)]
    planned = []
    for size in asked if spanning else ():
        shape = ["--shape", size.shape] if size.shape else []
        command = words(spanning, [*size.words, *shape])
        hosts = target.hosts[: size.nodes]
        nodes = size.parts or size.nodes
        planned.append(target.job(size.name, nodes, spanning, command, shape=size.shape, hosts=hosts))
    if alone:
        name = "on" if target.hosts else "each"
        planned += _single_node_jobs(
            target, name, largest, alone, words(alone, ["--batch", f"{target.name}{target.suffix}"])
        )
    return planned


def study(
    target: Target,
    asked: Sequence[Size],
    benchmarks: Mapping[Kind, Sequence[str]],
    words: Callable[[Sequence[str], Sequence[str]], Sequence[str]],
) -> list[PlannedJob]:
    """Return jobs of a scaling study for each number of nodes and kind of `benchmarks`. Raises BanzukeError."""
    counts = sorted({size.nodes for size in asked})
    if len(counts) == 1:
        raise BanzukeError(
            f"--scaling needs more than {counts[0]} nodes to compare",
            why="a study has several numbers of nodes",
            remedy="Write --nodes 1,2,4,8",
        )
    _check_size(target, counts[-1])
    planned = []
    for size in asked:
        shape = ["--shape", size.shape] if size.shape else []
        hosts = target.hosts[: size.nodes]
        further: dict[Kind, list[str]] = {"weak": [], "strong": ["--scaling", f"strong:{counts[0]}"]}
        for kind, words_of_kind in further.items():
            if names := benchmarks.get(kind, ()):
                command = words(names, ["--nodes", str(size.nodes), *shape, *words_of_kind])
                name = size.name if kind == "weak" else f"{size.name}-{kind}"
                planned.append(target.job(name, size.nodes, names, command, shape=size.shape, hosts=hosts))
    for number in counts if benchmarks.get("throughput") else ():
        name = f"copies{number}"
        command = words(benchmarks["throughput"], ["--nodes", "1", "--batch", f"{target.name}-{name}{target.suffix}"])
        planned += _single_node_jobs(target, name, number, benchmarks["throughput"], command)
    return planned


def _single_node_jobs(
    target: Target, name: str, elements: int, benchmarks: Sequence[str], command: Sequence[str]
) -> list[PlannedJob]:
    """Return jobs of one node each, on named nodes or any."""
    if not target.hosts:
        return [target.job(name, 1, benchmarks, command, elements=elements)]
    return [target.job(f"{name}-{host}", 1, benchmarks, command, hosts=(host,)) for host in target.hosts[:elements]]


def _check_parts(target: Target, asked: Sequence[Size]) -> None:
    """Raise BanzukeError for numbers of nodes that the partitions do not have."""
    names = [part.partition for part in target.parts]
    for size in asked:
        if len(size.parts or (size.nodes,)) != len(names):
            raise BanzukeError(
                f"{' '.join(size.words)} does not give a number of nodes for each partition of a job",
                why=f"its nodes are of {' and '.join(names)}",
                remedy="Write as many numbers as names: --partition cpu+large --nodes 2+3",
            )
        for part, number in zip(target.parts, size.parts, strict=True):
            if part.described.number is not None and number > part.described.number:
                why = f"partition {part.partition} has {part.described.number}"
                raise BanzukeError(f"{' '.join(size.words)} is too many", why=why)


def _check_size(target: Target, largest: int) -> None:
    there = len(target.hosts) or target.described.number
    if there is not None and largest > there:
        what = "--hosts names" if target.hosts else f"partition {target.partition} has"
        raise BanzukeError(f"--nodes {largest} is too many", why=f"{what} {there}")
    described = set(expanded(",".join(target.described.hosts)))
    if described and (others := [host for host in target.hosts if host not in described]):
        raise BanzukeError(
            f"--hosts names {folded(others)}",
            why=f"partition {target.partition} has {folded(described)}",
            remedy="Name another --partition, or mend the site file",
        )


def time_limit(wanted: float | None, needed: float, longest: float | None, partition: str) -> float:
    """Return the time `wanted`, or else what is needed, limited by the partition. Raises BanzukeError."""
    if wanted is not None and longest is not None and wanted > longest:
        raise BanzukeError(
            f"--time is {duration(wanted)}",
            why=f"jobs of partition {partition} may take {duration(longest)}",
            remedy="Ask for less",
        )
    return min(wanted or needed, longest or LONGEST)
