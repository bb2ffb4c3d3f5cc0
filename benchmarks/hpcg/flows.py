"""What ranks send each other before a product with a stencil's matrix: the faces of their boxes."""

from collections.abc import Sequence

from banzuke.placement.pattern import Grid, Pattern, Phase, nearly_equal, neighbours, numbered
from banzuke.words import message


def phases(grid: Grid) -> Sequence[Phase]:
    """Ranks count along the first side. Amounts are faces of a cube; edges and corners are small beside them."""
    return [neighbours(numbered(grid, last_fastest=False), [1.0] * len(grid))]


def usual_grid(ranks: int) -> Grid:
    return nearly_equal(ranks, 3)


PATTERNS = (
    Pattern(
        "halo",
        message("place-pattern-halo"),
        phases,
        usual_grid,
        3,
        message("place-assumed-halo"),
        unit=lambda edge: 8 * edge**2,
    ),
)
