"""What judging a figure finds: something that may hold it back, with its evidence, and how much it may cost."""

from dataclasses import dataclass

from banzuke.words import Message


@dataclass(frozen=True)
class Finding:
    weight: float
    """Share of the figure that it may cost: measured where the evidence measures it, else a modest prior."""
    message: Message
    """What it is; its words have the attributes `evidence` and `confirm`: what would confirm or remove it."""
    odd: bool = False
    """Worth reporting even where the figure is near its limit."""
