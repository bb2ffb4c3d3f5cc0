"""Messages between ranks of the transform: all-to-all exchanges, three of them for natural order."""

from collections.abc import Mapping, Sequence

from banzuke.placement.pattern import Grid, Laid, MessagePhase, Pattern, exchange
from banzuke.plan.benchmark import Scalar
from banzuke.words import message

EXCHANGES = 3


def phases(grid: Grid) -> Sequence[MessagePhase]:
    """Return the exchanges; amounts are shares of the data."""
    (ranks,) = grid
    return exchange(ranks, EXCHANGES / ranks**2)


def laid(ranks: int, values: Mapping[str, Scalar]) -> Laid:
    return Laid((ranks,), size=float(values["n"]))


PATTERNS = (
    Pattern(
        "fft",
        message("place-pattern-fft"),
        phases,
        assumed=message("place-assumed-exchange"),
        unit=lambda n: 16 * n,
        laid=laid,
        together=True,
    ),
)
