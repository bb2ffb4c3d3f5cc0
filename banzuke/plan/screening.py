"""How a screen of many nodes uses a benchmark."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Part: TypeAlias = Literal["processors", "memory", "modules", "pages", "network", "drives"]
"""Part of a node that may make figures slow. `modules`: figures follow the memory's bandwidth, whose fraction tells how
many memory modules are missing; `pages`: the kernel's settings of memory.
"""
PARTS: tuple[Part, ...] = get_args(Part)
Check: TypeAlias = Literal["boot", "epilog"]
"""When a node is screened by itself: before its first job, or between two jobs, where there is less time."""


@dataclass(frozen=True)
class Screening:
    """The parts that are suspected where a benchmark's figures are slow, and the checks that measure it."""

    parts: tuple[Part, ...]
    """Parts that may be the reason, beside other programs and what concerns all of a node."""
    checks: tuple[Check, ...] = ()
    """Checks that judge a node without earlier figures, by a theoretical peak of the benchmark's resource."""
