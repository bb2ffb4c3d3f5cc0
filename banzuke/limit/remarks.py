"""Says which ceilings may be wrong, and which higher or lower figures do not count."""

from collections.abc import Iterator, Sequence

from banzuke.limit.model import Ceiling
from banzuke.words import Listed, Message, Quantity, message

MOST_NAMED = 3
"""Most ceilings named for the same reason."""


def remarks(ceilings: Sequence[Ceiling]) -> Iterator[Message]:
    """Yield a line for each reason, with the ceilings that it concerns."""
    small = [ceiling for ceiling in ceilings if ceiling.doubt.cached]
    disturbed = [ceiling for ceiling in ceilings if ceiling.doubt.disturbed and not ceiling.doubt.cached]
    if small:
        yield message("limit-ceilings-small", rates=_listed(small))
    if disturbed:
        yield message("limit-ceilings-disturbed", rates=_listed(disturbed))
    for why in ("cached", "size"):
        if apart := tuple(_apart(ceiling) for ceiling in ceilings if ceiling.other and ceiling.other.why == why):
            yield message("limit-ceilings-apart", why=why, rates=Listed(apart, MOST_NAMED))


def _listed(ceilings: Sequence[Ceiling]) -> Listed:
    rates = (
        message("limit-ceiling-rate", name=ceiling.name, rate=Quantity(ceiling.value, ceiling.resource.unit))
        for ceiling in ceilings
    )
    return Listed(tuple(rates), MOST_NAMED)


def _apart(ceiling: Ceiling) -> Message:
    unit = ceiling.resource.unit
    rate, other = Quantity(ceiling.value, unit), Quantity(ceiling.other.value if ceiling.other else 0.0, unit)
    return message("limit-ceiling-apart", name=ceiling.name, rate=rate, other=other)
