"""Messages between ranks in MPI_Alltoall, and in MPI_Allgather of large messages."""

from collections.abc import Callable, Mapping, Sequence

from banzuke.placement.pattern import Grid, Laid, MessagePhase, Pattern, exchange, numbered, ring
from banzuke.plan.benchmark import Scalar
from banzuke.words import message


def phases(grid: Grid) -> Sequence[MessagePhase]:
    """Return an exchange between all pairs; amounts count messages between two ranks."""
    (ranks,) = grid
    return exchange(ranks)


def around(grid: Grid) -> Sequence[MessagePhase]:
    """Return steps of a ring: every rank passes what it received to the next one, as NCCL's rings also do."""
    return [ring("step", numbered(grid, last_fastest=True), 0, 1.0, grid[0] - 1.0)]


def laid(operation: str) -> Callable[[int, Mapping[str, Scalar]], Laid | None]:
    """Return a function that lays out calls of this operation only; the largest message counts."""

    def layout(ranks: int, values: Mapping[str, Scalar]) -> Laid | None:
        return Laid((ranks,), size=float(values["max_size"])) if values.get("operation") == operation else None

    return layout


PATTERNS = (
    Pattern(
        "allgather",
        message("place-pattern-allgather"),
        around,
        assumed=message("place-assumed-ring"),
        unit=lambda size: size,
        laid=laid("allgather"),
    ),
    Pattern(
        "alltoall",
        message("place-pattern-alltoall"),
        phases,
        assumed=message("place-assumed-exchange"),
        unit=lambda size: size,
        laid=laid("alltoall"),
        in_turn=True,
    ),
)
