"""Presents how much the measured noise slows down the run's applications at scale, as a table in the noise section."""

from collections.abc import Sequence

from banzuke.document import Block, Cell, Column, Heading, Paragraph, Row, Table
from banzuke.plan.wording import code
from banzuke.slowdown.prediction import NoisePrediction
from banzuke.units import percent
from banzuke.words import Quantity, declared, message
from banzuke.words.language import Words

RANKS = (1_000, 100_000)


def noise_cost_blocks(costs: Sequence[NoisePrediction], words: Words) -> list[Block]:
    """Return the blocks; none: no noise was measured, or no benchmark of the run says how often its ranks wait."""
    if not costs:
        return []
    columns = (
        Column(words(message("slowdown-application"))),
        Column(words(message("slowdown-period")), numeric=True, name="period"),
        Column(words(message("slowdown-environment"))),
        *(
            Column(words(message("slowdown-ranks", ranks=ranks)), numeric=True, name=f"slowdown_{ranks}")
            for ranks in RANKS
        ),
    )
    rows = tuple(_row(cost, words) for cost in costs)
    return [
        Heading(words(message("slowdown-heading"))),
        Paragraph(words(message("slowdown-intro")), small=True),
        Table(columns, rows, words(message("slowdown-caption"))),
    ]


def _row(cost: NoisePrediction, words: Words) -> Row:
    period = cost.period
    title = words(declared(code(period.benchmark, "title"), period.application))
    slowdowns = [cost.slowdown(ranks) for ranks in RANKS]
    return Row(
        (
            Cell(title),
            Cell(words.fact(Quantity(period.seconds, "s")), period.seconds, "s"),
            Cell(cost.source.name),
            *(Cell(percent(slowdown), slowdown, "1") for slowdown in slowdowns),
        )
    )
