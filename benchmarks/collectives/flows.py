"""What ranks send each other in MPI_Alltoall."""

from collections.abc import Sequence

from banzuke.placement.pattern import Grid, Pattern, Phase, exchange
from banzuke.words import message


def phases(grid: Grid) -> Sequence[Phase]:
    """Amounts are messages between two ranks."""
    (ranks,) = grid
    return exchange(ranks)


PATTERNS = (
    Pattern(
        "alltoall",
        message("place-pattern-alltoall"),
        phases,
        assumed=message("place-assumed-exchange"),
        unit=lambda size: size,
    ),
)
