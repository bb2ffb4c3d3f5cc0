"""What judging a figure finds: something that may hold it back, with its evidence, and how much it may cost."""

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
    """Share of the figure that it may cost: measured where the evidence measures it, else a modest prior."""
    message: Message
    """What it is; its words have the attributes `evidence` and `confirm`: what would confirm or remove it."""
    odd: bool = False
    """Worth reporting even where the figure is near its limit."""
    taker: Taker = ""
    """Who took processors from the case, which is no property of the machine; findings of the same taker, in any words,
    are about the same thing. Empty: nobody did."""
    against: Against = ""
    """What the cost is a share of: the median of the other launches, the figure with the better setting, ...
    Empty: the figure without what was found, or without the `taker`."""
    cause: str = ""
    """Findings with the same are of one cause, whatever their words and facts; empty: the message and what it names."""

    @property
    def compared(self) -> str:
        """What the cost is told against."""
        return self.against or self.taker or "without"
