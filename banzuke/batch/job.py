"""A job as it is asked for, before any batch system's own words, and what becomes of it."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from banzuke.machine.site import Batch

State: TypeAlias = Literal["queued", "running", "done", "failed", "timed-out", "cancelled", "node-failed", "vanished"]
"""`vanished`: the batch system knows the job no more, and the job did not say how it ended."""
STATES: tuple[State, ...] = get_args(State)
ENDED: frozenset[State] = frozenset(STATES) - {"queued", "running"}


@dataclass(frozen=True)
class Chunk:
    """Nodes of one partition, all used alike."""

    partition: str
    """As the site calls it."""
    batch: Batch
    nodes: int
    tasks: int
    """Ranks that may be started on each node."""
    threads: int = 1
    """Processors of each task."""
    devices: int = 0
    """Accelerators of each node."""
    memory: int | None = None
    """Bytes of each node; None: all that it has."""
    shape: str = ""
    """How the nodes lie in the network: `mesh`, `torus`, or with extents, `2x3x2:torus`; empty: any."""
    hosts: tuple[str, ...] = ()
    """Exactly these nodes; empty: any."""
    environment: str = ""
    """Around all that runs there, as the batch system calls it; empty: none."""


MOST_ELEMENTS = 1 << 18
"""One measures at least a node, and the largest machines have 160,000. Each has files that are looked for."""


@dataclass(frozen=True)
class Job:
    name: str
    """A letter, then letters, digits and `_.-`: what every batch system takes."""
    chunks: tuple[Chunk, ...]
    """More than one: a job over unlike partitions, which carries the groups of a case."""
    command: tuple[str, ...]
    """Words that run once, on the first node of the first chunk; they start whatever else is to run."""
    folder: Path
    """In which it runs."""
    output: Path
    """File of what it prints; an array's elements each have one, `OUTPUT.1`, ... Beside it lies how it ended."""
    seconds: float
    """Time limit. The command is interrupted somewhat earlier, to keep what is finished."""
    elements: Annotated[int, Field(ge=1, le=MOST_ELEMENTS)] = 1
    """Elements of a job array, each with all chunks for itself; one knows its number, from 1, by BANZUKE_ELEMENT."""
    at_once: int | None = None
    """Elements that may run at the same time, where the batch system `limits_arrays`; None: all."""
    variables: dict[str, str] = field(default_factory=dict)
    begin: datetime | None = None
    """Not before."""
    reservation: str = ""
    version: str = ""
    """How the answer of the command to `--version` begins on a node, or the job fails; empty: anyhow."""

    @property
    def batch(self) -> Batch:
        """The batch table of the first chunk, on whose first node the command runs."""
        return self.chunks[0].batch

    @property
    def notice(self) -> int:
        """Seconds before the time limit at which the command is interrupted."""
        return int(min(60, self.seconds // 10))

    @property
    def earlier(self) -> int:
        """Seconds after which it is."""
        return int(self.seconds) - self.notice


@dataclass(frozen=True)
class Submitted:
    """What has to be kept of a job to follow it."""

    id: str
    output: Path
    elements: int = 1


@dataclass(frozen=True)
class Status:
    state: State
    why: str = ""
    """As the batch system words it: why the job waits, or its exit status."""
