"""The part of a predicted machine that a run measured: the rates that it has, and those that it lacks."""

from dataclasses import dataclass

from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.words import Message


@dataclass(frozen=True)
class MeasuredRate:
    """A measured rate that replaces a constant."""

    ceiling: Ceiling
    caution: Message | None = None
    """Disturbance of the launches that measured it by other load."""

    @property
    def stands_in(self) -> bool:
        """Return whether it comes from a short probe rather than a benchmark."""
        return self.ceiling.title is not None


@dataclass(frozen=True)
class Lacking:
    """A rate that no benchmark of the run measured."""

    resource: str
    benchmark: str
    """Benchmark that measures it."""
    device: str | None
    """Kind of device that it belongs to; None: hosts."""
    constant: str
    """Name of the constant that is assumed instead."""


@dataclass(frozen=True)
class RunOrigin:
    """The run that a machine's rates come from."""

    run: str
    machine: Machine
    rates: tuple[MeasuredRate, ...]
    lacking: tuple[Lacking, ...]
