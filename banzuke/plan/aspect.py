"""What of a machine a benchmark is about, and so its place in a report."""

from typing import Literal, TypeAlias, get_args

Aspect: TypeAlias = Literal["compute", "memory", "sparse", "messages", "noise", "storage"]
"""From the processors outwards: arithmetic, the memory behind it, work that needs both, then what is shared."""
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


def rank(aspect: Aspect | None) -> int:
    """Place of an aspect in a report, from 0; what declares none comes last."""
    return len(ASPECTS) if aspect is None else ASPECTS.index(aspect)
