"""A finding of the judgement: something that may hold a figure back, with its evidence and its likely cost."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from banzuke.words import Message

Taker: TypeAlias = Literal["", "others", "hypervisor", "quota"]
Against: TypeAlias = Literal[
    "", "launches", "samples", "run", "setting", "library", "clock", "state", "peers", "time", "limit"
]


@dataclass(frozen=True)
class Finding:
    weight: float
    """Share of the figure that it may cost: measured if the evidence measures it, else a modest prior."""
    message: Message
    """The finding in words, with the attributes `evidence` and `confirm` (what would confirm or remove it)."""
    odd: bool = False
    """Whether it is worth reporting even if the figure is near its limit."""
    taker: Taker = ""
    """Who took processors from the case, which is no property of the machine; empty: nobody did. Findings with the same
    taker are about the same thing, whatever their words.
    """
    against: Against = ""
    """What the cost is a share of: the median of the other launches, the figure with the better setting, ... Empty: the
    figure without what was found, or without the `taker`.
    """
    cause: str = ""
    """Findings with the same value have one cause, whatever their words; empty: the message and what it names."""
    phase: str = ""
    """Phase of the breakdown whose time it is about; empty: none."""
    explains: frozenset[str] = frozenset()
    """Phases whose time it explains, so that findings about these say nothing more."""

    @property
    def compared(self) -> str:
        """What the cost is relative to."""
        return self.against or self.taker or "without"
