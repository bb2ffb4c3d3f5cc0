"""Messages between HPL's ranks: panels along the rows of the grid, swapped rows along its columns."""

from collections.abc import Mapping, Sequence

from banzuke.placement.pattern import Grid, Laid, MessagePhase, Pattern, nearly_equal, numbered, ring
from banzuke.plan.benchmark import Scalar
from banzuke.words import message

from .model_steps import PANELS, ROWS
from .skeleton import HplInTime

SWAPPED = 2.4
"""Times that a row block passes a link of its column: the spread-roll exchange."""


def phases(grid: Grid) -> Sequence[MessagePhase]:
    """Return the messages, with ranks counted down the columns of the grid; amounts are shares of the matrix over all
    steps.

    Panels: each rank receives a panel and passes it on to the next column; of its 1/P of the rows, on average half are
    left. Rows: each rank passes on the columns that it has, 1/Q, down the column, K times.
    """
    p, q = grid
    ranks = numbered(grid, last_fastest=False)
    panels = [ring(PANELS, ranks, 1, 0.5 / p, 2.0 if q > 2 else 1.0)] if q > 1 else []
    return [*panels, *([ring(ROWS, ranks, 0, 0.5 * SWAPPED / q)] if p > 1 else [])]


def laid(_ranks: int, values: Mapping[str, Scalar]) -> Laid:
    """Return the grid of a call; ranks count along rows unless the call says otherwise."""
    return Laid((int(values["p"]), int(values["q"])), values.get("order") != "column", float(values["n"]))


def usual_grid(ranks: int) -> Grid:
    """Return the grid that is nearest to a square, with fewer rows than columns."""
    return nearly_equal(ranks, 2)


PATTERNS = (
    Pattern(
        "hpl",
        message("hpl-place-pattern"),
        phases,
        usual_grid,
        2,
        message("hpl-place-assumed"),
        unit=lambda n: 8 * n * n,
        laid=laid,
        layout=("order",),
        work=lambda n: 2 / 3 * n**3 + 3 / 2 * n**2,
        counted="flop/s",
        computes=HplInTime(),
    ),
)
