"""The aspect of a machine that a benchmark is about, which also gives its place in a report."""

from typing import Literal, TypeAlias, get_args

Aspect: TypeAlias = Literal["compute", "memory", "sparse", "messages", "noise", "storage"]
"""In the order of a report, from the processors outwards: arithmetic, the memory behind it, work that needs both, then
what is shared.
"""
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


def rank(aspect: Aspect | None) -> int:
    """Return the place of an aspect in a report, from 0; None comes last."""
    return len(ASPECTS) if aspect is None else ASPECTS.index(aspect)
