"""A job independent of any batch system, and its states."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from banzuke.machine.cluster import Batch

State: TypeAlias = Literal["queued", "running", "done", "failed", "timed-out", "cancelled", "node-failed", "vanished"]
"""`vanished`: the batch system no longer knows the job, and the job did not write how it ended."""
STATES: tuple[State, ...] = get_args(State)
ENDED: frozenset[State] = frozenset(STATES) - {"queued", "running"}


@dataclass(frozen=True)
class Chunk:
    """Nodes of one partition, all used alike."""

    partition: str
    """The site's name of it."""
    batch: Batch
    nodes: int
    tasks: int
    """Ranks that may be started on each node."""
    threads: int = 1
    """Processors of each task."""
    devices: int = 0
    """Accelerators of each node."""
    memory: int | None = None
    """Bytes per node; None: all that it has."""
    shape: str = ""
    """Arrangement of the nodes in the network: `mesh`, `torus`, or with extents, `2x3x2:torus`; empty: any."""
    hosts: tuple[str, ...] = ()
    """Exactly these nodes; empty: any."""
    environment: str = ""
    """Environment of everything that runs there, by the batch system's name; empty: none."""


MOST_ELEMENTS = 1 << 18
"""Most elements of an array; each measures at least one node, and the largest machines have 160,000. Each has files
that are searched for.
"""


@dataclass(frozen=True)
class Job:
    name: str
    """A letter, then letters, digits and `_.-`, as every batch system accepts."""
    chunks: tuple[Chunk, ...]
    """Several chunks: a job over different partitions, for the groups of a case."""
    command: tuple[str, ...]
    """Words that run once, on the first node of the first chunk; they start everything else."""
    folder: Path
    """Working directory."""
    output: Path
    """File for its output; elements of an array have one each, `OUTPUT.1`, ... A file beside it tells how it ended."""
    seconds: float
    """Time limit. The command is interrupted a little earlier, to keep what is finished."""
    elements: Annotated[int, Field(ge=1, le=MOST_ELEMENTS)] = 1
    """Elements of a job array, each with all chunks for itself; each gets its number, from 1, as BANZUKE_ELEMENT."""
    at_once: int | None = None
    """Elements that may run at the same time, if the batch system `limits_arrays`; None: all."""
    variables: dict[str, str] = field(default_factory=dict)
    begin: datetime | None = None
    """Earliest start."""
    reservation: str = ""
    version: str = ""
    """Beginning of the command's answer to `--version` on a node, or the job fails; empty: not checked."""

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
        """Seconds after which the command is interrupted."""
        return int(self.seconds) - self.notice


@dataclass(frozen=True)
class Submitted:
    """What must be kept of a job to follow it."""

    id: str
    output: Path
    elements: int = 1


@dataclass(frozen=True)
class Status:
    state: State
    why: str = ""
    """The batch system's words: why the job waits, or its exit status."""
