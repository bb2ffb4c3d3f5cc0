"""Queues and their nodes, as batch systems describe them; None: not reported."""

from dataclasses import dataclass

from banzuke.batch.commands import CommandError

_SHOWN = 300
"""Characters that are shown of an unreadable answer."""


@dataclass(frozen=True)
class NodeKind:
    """The kind of a node, as its batch system knows it."""

    sockets: int | None = None
    cores: int | None = None
    """Cores of all sockets."""
    logical: int | None = None
    memory: int | None = None
    """Bytes that jobs may use."""
    devices: tuple[tuple[str, int], ...] = ()
    """Accelerators: name and number of each kind."""
    features: tuple[str, ...] = ()
    """Features by which a job may ask for such nodes."""


@dataclass(frozen=True)
class Nodes:
    """Nodes of one queue and one kind."""

    number: int
    hosts: str
    """`n[1-4],login`; empty: not reported."""
    kind: NodeKind = NodeKind()


@dataclass(frozen=True)
class Queue:
    """A queue or partition, to which jobs are submitted."""

    name: str
    nodes: tuple[Nodes, ...] = ()
    longest: float | None = None
    """Time limit in seconds."""
    default: bool = False
    open: bool = True
    """Whether it accepts jobs now."""
    exclusive: bool = False
    """Whether each of its jobs has nodes for itself, asked for or not."""
    environments: tuple[str, ...] = ()
    """Grid Engine's parallel environments for jobs of several tasks."""

    @property
    def number(self) -> int:
        return sum(nodes.number for nodes in self.nodes)


def amount(text: str) -> int | None:
    """Return a whole number in a text; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def unreadable(command: str, said: str, why: str = "") -> CommandError:
    """Return the error for an unreadable answer; `why`: what is wrong with it."""
    shown = f"it says: {said[:_SHOWN]}" if said else "it says nothing"
    return CommandError(f"the answer of `{command}` cannot be read", why="; ".join(filter(None, (why, shown))))


def rows(command: str, said: str, columns: int) -> list[list[str]]:
    """Return lines of fields separated by bars. Raises CommandError for lines of another form."""
    fields = [line.strip().split("|") for line in said.splitlines() if line.strip()]
    if any(len(row) != columns for row in fields):
        raise unreadable(command, said)
    return [[field.strip() for field in row] for row in fields]
