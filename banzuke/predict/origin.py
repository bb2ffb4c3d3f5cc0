"""What a run says of the machine that is predicted: rates that it measured there, and those that it lacks."""

from dataclasses import dataclass

from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.words import Message


@dataclass(frozen=True)
class MeasuredRate:
    """A rate that takes the place of a constant."""

    ceiling: Ceiling
    caution: Message | None = None
    """That other load disturbed the launches that it is of."""

    @property
    def stands_in(self) -> bool:
        """Whether a short probe showed it, and no benchmark."""
        return self.ceiling.title is not None


@dataclass(frozen=True)
class Lacking:
    """What no benchmark of the run measured."""

    resource: str
    benchmark: str
    """That measures it."""
    device: str | None
    """The kind of device that it is a rate of; None: hosts."""
    constant: str
    """What is assumed instead, by its name."""


@dataclass(frozen=True)
class RunOrigin:
    """The run that a machine's rates are of."""

    run: str
    machine: Machine
    rates: tuple[MeasuredRate, ...]
    lacking: tuple[Lacking, ...]
