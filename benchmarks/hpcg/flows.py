"""Messages between ranks before a product with a stencil's matrix: the faces of their boxes."""

from collections.abc import Mapping, Sequence

from banzuke.placement.pattern import Grid, Laid, MessagePhase, Pattern, nearly_equal, neighbours, numbered
from banzuke.plan.benchmark import Scalar
from banzuke.predict.hardware import HALO
from banzuke.words import message


def phases(grid: Grid) -> Sequence[MessagePhase]:
    """Return messages between neighbours, with ranks counted along the first side; amounts are faces of a cube, because
    edges and corners are small in comparison.
    """
    return [neighbours(HALO, numbered(grid, last_fastest=False), [1.0] * len(grid))]


def laid(_ranks: int, values: Mapping[str, Scalar]) -> Laid:
    return Laid((int(values["px"]), int(values["py"]), int(values["pz"])), size=float(values["nx"]))


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
        laid=laid,
    ),
)
