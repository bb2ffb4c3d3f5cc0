"""Where a figure would stand in a public list, edition by edition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.units import times
from banzuke.words import Message, Quantity, message

_MONTHS = {"06": "june", "11": "november"}


@dataclass(frozen=True)
class Ranking:
    """A list that is made anew again and again, such as the TOP500."""

    title: str
    editions: Mapping[str, Sequence[float]]
    """Figures by edition, `2026-06`, the oldest edition and the best figure first."""

    @property
    def newest(self) -> str:
        return max(self.editions)

    @property
    def lowest(self) -> str:
        """The edition whose last figure is the lowest of all."""
        return min(self.editions, key=lambda edition: self.editions[edition][-1])

    def place(self, edition: str, figure: float) -> int | None:
        """The place among those who are as fast or faster; None: behind the last of them."""
        figures = self.editions[edition]
        ahead = sum(other > figure for other in figures)
        return ahead + 1 if ahead < len(figures) else None

    def places(self, figure: float) -> dict[str, int]:
        """By edition, where there is one."""
        by_edition = {edition: self.place(edition, figure) for edition in self.editions}
        return {edition: place for edition, place in by_edition.items() if place}

    def figure_at(self, place: int, edition: str) -> float:
        """The figure that had this place. Raises BanzukeError."""
        if edition not in self.editions:
            editions = f"{min(self.editions)} to {self.newest}"
            raise BanzukeError(
                f"the {self.title} has no edition '{edition}'", remedy=f"Write one of {editions}: 2020-06"
            )
        figures = self.editions[edition]
        if not 1 <= place <= len(figures):
            raise BanzukeError(f"the {self.title} of {edition} has {len(figures)} places, and none is {place}")
        return figures[place - 1]


def ranking_of(benchmark: Benchmark) -> Ranking | None:
    """The list of the benchmark, from `ranks.csv` in its folder: a line for each edition; None: it has none."""
    if benchmark.public_list is None:
        return None
    lines = (paths.BENCHMARKS / benchmark.name / "ranks.csv").read_text(encoding="utf-8").splitlines()
    rows = (line.split(",") for line in lines if not line.startswith("#"))
    return Ranking(
        benchmark.public_list.title, {edition: [float(figure) for figure in figures] for edition, *figures in rows}
    )


def standing(ranking: Ranking, figure: float, unit: str) -> list[Message]:
    """Until when it would have led, or its best place; then where it is now, or until when it would have been there."""
    places = ranking.places(figure)
    if not places:
        lowest = ranking.editions[ranking.lowest]
        return [
            message(
                "rank-never",
                since=edition_name(min(ranking.editions)),
                edition=edition_name(ranking.lowest),
                place=len(lowest),
                figure=Quantity(lowest[-1], unit),
                times=times(lowest[-1] / figure),
            )
        ]
    last = max(places)
    best = min(places, key=lambda edition: (places[edition], edition))
    led = max((edition for edition, place in places.items() if place == 1), default="")
    said = []
    if led and led != last:
        said.append(message("rank-led", edition=edition_name(led)))
    elif not led and best != last:
        said.append(message("rank-best", place=places[best], edition=edition_name(best)))
    if last == ranking.newest:
        said.append(message("rank-newest", place=places[last], edition=edition_name(last)))
    else:
        said.append(message("rank-last", place=places[last], edition=edition_name(last)))
    return said


def edition_name(edition: str) -> Message:
    """`June 2006` of `2006-06`."""
    year, _, month = edition.partition("-")
    return message("rank-edition", month=_MONTHS.get(month, month), year=year)
