"""Messages between ranks of the transform: all-to-all exchanges, three of them for natural order.

A rank starts its messages to all others at once (core/all_to_all.cpp), so that all of them share the links.
"""

from collections.abc import Mapping, Sequence

from banzuke.placement.pattern import Grid, Laid, MessagePhase, Pattern, at_once, exchange
from banzuke.plan.benchmark import Scalar
from banzuke.predict.hardware import EXCHANGE
from banzuke.words import message

EXCHANGES = 3


def phases(grid: Grid) -> Sequence[MessagePhase]:
    """Return the exchanges; amounts are shares of the data."""
    (ranks,) = grid
    return [at_once(EXCHANGE, exchange(ranks, EXCHANGES / ranks**2))]


def laid(ranks: int, values: Mapping[str, Scalar]) -> Laid:
    return Laid((ranks,), size=float(values["n"]))


PATTERNS = (
    Pattern(
        "fft",
        message("fft-place-pattern"),
        phases,
        assumed=message("place-assumed-at-once"),
        unit=lambda n: 16 * n,
        laid=laid,
    ),
)
