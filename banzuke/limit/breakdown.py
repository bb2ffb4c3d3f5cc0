"""Where the time of a run went, and what of that likely holds its figure back."""

from collections.abc import Iterator, Mapping

from banzuke.limit.evidence import Evidence
from banzuke.limit.finding import Finding
from banzuke.limit.model import Spent
from banzuke.limit.roofline import NOISE
from banzuke.plan.benchmark import Part
from banzuke.record.figures import Breakdown
from banzuke.words import Listed, Quantity, Share, message

MUCH = 0.03
"""Share of the time from which a part that is not the work itself is worth naming."""


def spent(breakdown: Breakdown | None, parts: Mapping[str, Part]) -> tuple[Spent, ...]:
    """The parts of a breakdown, the work itself first; `parts` says what they are."""
    if breakdown is None:
        return ()
    whole = sum(breakdown.walls)
    found = []
    for name, by_interval in breakdown.seconds.items():
        part = parts.get(name, Part(name.replace("_", " ")))
        seconds = sum(by_interval)
        share = seconds / whole if whole else 0.0
        found.append(Spent(name, part.title, part.useful, part.advice, seconds, share))
    return tuple(sorted(found, key=lambda part: not part.useful))


def costly_part(e: Evidence) -> Iterator[Finding]:
    for part in e.spent:
        if not part.useful and part.share > MUCH:
            yield Finding(
                part.share,
                message(
                    "limit-costly-phase",
                    phase=part.title,
                    share=Share(part.share),
                    advice=part.advice or message("limit-explain", benchmark=e.record.benchmark),
                ),
            )


def slow_work(e: Evidence) -> Iterator[Finding]:
    """The work itself below the rate that the processors allow, whatever the other parts take."""
    work = [part for part in e.spent if part.useful]
    seconds, ceiling = sum(part.seconds for part in work), e.flop_limit
    if e.record.breakdown is None or not seconds or not ceiling:
        return
    rate = sum(e.record.breakdown.flops) / seconds
    if rate < (1 - NOISE) * ceiling:
        advice = next((part.advice for part in work if part.advice), "")
        yield Finding(
            sum(part.share for part in work) * (1 - rate / ceiling),
            message(
                "limit-slow-work",
                phase=Listed(tuple(part.title for part in work)),
                rate=Quantity(rate, "flop/s"),
                share=Share(rate / ceiling),
                source=e.figure.limit_source,
                advice=advice or message("limit-slow-work-advice"),
            ),
        )
