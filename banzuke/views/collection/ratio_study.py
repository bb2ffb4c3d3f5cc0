"""Compares figures of two solvers or runs: what the page says about the ratios beside their table and chart."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from banzuke.compare.statistics import median
from banzuke.judge.collection import Ratio
from banzuke.judge.ratios import (
    FAR,
    NEAR,
    RatioLine,
    RatioOutliers,
    cached,
    counted,
    ratio_lines,
    ratio_outliers,
)
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Collection
from banzuke.plan.wording import state_title
from banzuke.record.state import State
from banzuke.views.collection.facts import number_of
from banzuke.words import Listed, Message, message

MOST_NAMED = 10
"""Most outliers that the chart names."""


@dataclass(frozen=True)
class RatioStudy:
    """Ratios between the same two solvers, with the machines that they ran on."""

    collection: Collection
    ratios: Sequence[Ratio]
    mine: Machine
    theirs: Machine

    @cached_property
    def _states(self) -> Counter[tuple[State, State]]:
        """States of both sides, with the number of problems solved in them."""
        return Counter(map(_states_of, self.ratios))

    @cached_property
    def _lines(self) -> Mapping[tuple[State, State], tuple[RatioLine, ...]]:
        """Lines by the states of both sides, because a solver uses the same part of its machine for all problems."""
        examples = {_states_of(ratio): ratio for ratio in reversed(self.ratios)}
        return {states: ratio_lines(ratio, self.mine, self.theirs) for states, ratio in examples.items()}

    @property
    def lines(self) -> tuple[RatioLine, ...]:
        """Lines for the states in which most problems were solved."""
        return self._lines[self._most]

    @property
    def _most(self) -> tuple[State, State]:
        return self._states.most_common(1)[0][0]

    @cached_property
    def outliers(self) -> RatioOutliers:
        placed = [(self.at(ratio), ratio) for ratio in self.ratios]
        return ratio_outliers([pair for pair in placed if pair[0] > 0])

    @property
    def named(self) -> Sequence[Ratio]:
        return self.outliers.found[:MOST_NAMED]

    def at(self, ratio: Ratio) -> float:
        """Return the problem's position along the axis; 0: it has none."""
        value = number_of(ratio.member.assessment.record, self.collection.along)
        return 0.0 if isinstance(value, str) else float(value)

    def sentences(self, noun: Message) -> Iterator[Message]:
        """Return sentences on the ratios. `noun`: for several problems."""
        middle = median([ratio.ratio for ratio in self.ratios])
        if where := counted([(ratio, self._lines[_states_of(ratio)]) for ratio in self.ratios]):
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
        if len(self._states) > 1:
            yield self._whose_lines(noun)
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

    def _whose_lines(self, noun: Message) -> Message:
        """Name the states that the lines belong to, for the sides that were in several."""
        states = [
            message("views-ratio-state", who=who, state=state_title(self._most[at]))
            for at, who in enumerate((self.ratios[0].solver, self.ratios[0].other))
            if len({met[at] for met in self._states}) > 1
        ]
        number, every = self._states[self._most], len(self.ratios)
        return message("views-ratio-states", states=Listed(tuple(states)), number=number, all=every, problems=noun)

    def _cached(self, side: str, whose: str, noun: Message) -> Iterator[Message]:
        """Report problems that only one side's caches held, and which differ for that reason."""
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


def _states_of(ratio: Ratio) -> tuple[State, State]:
    """Return the states of both sides' machines."""
    return ratio.member.assessment.state, ratio.against.assessment.state
