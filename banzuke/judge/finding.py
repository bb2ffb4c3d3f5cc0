"""What judging a figure finds: something that may hold it back, with its evidence, and how much it may cost."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from banzuke.words import Message

Taker: TypeAlias = Literal["", "others", "hypervisor", "quota"]


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
