"""What a screen of many nodes makes of a benchmark."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Part: TypeAlias = Literal["processors", "memory", "modules", "pages", "network", "drives"]
"""What of a node may make figures slow. `modules`: they follow the memory's bandwidth, whose fraction tells how many
of them are missing; `pages`: the kernel's settings of memory."""
PARTS: tuple[Part, ...] = get_args(Part)
Check: TypeAlias = Literal["boot", "epilog"]
"""When a node is screened by itself: before its first job, and between two, where there is less time."""


@dataclass(frozen=True)
class Screening:
    """What is suspected where its figures are slow, and which checks measure it."""

    parts: tuple[Part, ...]
    """What may be why, beside other programs and what concerns all of a node."""
    checks: tuple[Check, ...] = ()
    """Checks of nodes of which nothing is known, by a theoretical peak of its resource."""
