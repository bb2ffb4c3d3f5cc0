"""One solver's, or run's, figures over another's: what the page says of the ratios beside their table and chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from banzuke.compare.statistics import median
from banzuke.judge.collection import Ratio
from banzuke.judge.ratios import (
    FAR,
    NEAR,
    RatioLine,
    RatioOutliers,
    RatioSide,
    cached,
    counted,
    ratio_lines,
    ratio_outliers,
)
from banzuke.plan.benchmark import Collection
from banzuke.views.collection.facts import number_of
from banzuke.words import Listed, Message, message

MOST_NAMED = 10
"""Problems that stand out and are named in the chart."""


@dataclass(frozen=True)
class RatioStudy:
    """Ratios between the same two solvers, with what they are held against."""

    collection: Collection
    ratios: Sequence[Ratio]
    mine: RatioSide
    theirs: RatioSide

    @cached_property
    def lines(self) -> tuple[RatioLine, ...]:
        return ratio_lines(self.ratios, self.mine, self.theirs)

    @cached_property
    def outliers(self) -> RatioOutliers:
        placed = [(self.at(ratio), ratio) for ratio in self.ratios]
        return ratio_outliers([pair for pair in placed if pair[0] > 0])

    @property
    def named(self) -> Sequence[Ratio]:
        return self.outliers.found[:MOST_NAMED]

    def at(self, ratio: Ratio) -> float:
        """Where the problem stands along; 0: it has no place."""
        value = number_of(ratio.member.assessment.record, self.collection.along)
        return 0.0 if isinstance(value, str) else float(value)

    def sentences(self, noun: Message) -> Iterator[Message]:
        """`noun`: of several problems."""
        middle = median([ratio.ratio for ratio in self.ratios])
        if where := counted(self.ratios, self.lines):
            yield message(
                "views-ratios-counted",
                number=len(self.ratios),
                problems=noun,
                below=where.below,
                between=where.between,
                above=where.above,
                median=middle,
            )
        else:
            yield message("views-ratios-median", median=middle)
        yield from map(self._line, self.lines)
        if self.outliers.beyond < float("inf"):
            yield message(
                "views-ratios-named",
                times=self.outliers.beyond,
                deviations=FAR,
                near=min(NEAR, len(self.ratios)),
                problems=noun,
                number=len(self.outliers.found),
                named=len(self.named),
            )
        for side, whose in (("mine", self.ratios[0].solver), ("theirs", self.ratios[0].other)):
            yield from self._cached(side, whose, noun)

    def _line(self, line: RatioLine) -> Message:
        first = self.ratios[0]
        if line.mine and line.theirs:
            return message(
                "views-ratio-line", ratio=line.value or 0.0, mine=line.mine.source, theirs=line.theirs.source
            )
        unknown = [who for who, roof in ((first.solver, line.mine), (first.other, line.theirs)) if roof is None]
        return message("views-ratio-no-line", of=line.of, who=Listed(tuple(unknown)))

    def _cached(self, side: str, whose: str, noun: Message) -> Iterator[Message]:
        """What only one side's caches hold differs for that reason."""
        held = [ratio.ratio for ratio in self.ratios if cached(ratio) == side]
        others = [ratio.ratio for ratio in self.ratios if cached(ratio) != side]
        if held and others:
            yield message(
                "views-ratios-cached",
                number=len(held),
                problems=noun,
                solver=whose,
                outliers=sum(cached(ratio) == side for ratio in self.outliers.found),
                median=median(held),
                rest=median(others),
            )
