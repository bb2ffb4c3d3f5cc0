"""Places that a figure would have had in the editions of a public list."""

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
    """A public list with all its editions, such as the TOP500."""

    title: str
    editions: Mapping[str, Sequence[float]]
    """Figures of each edition (`2026-06`), oldest edition first, best figure first."""

    @property
    def newest(self) -> str:
        return max(self.editions)

    @property
    def lowest(self) -> str:
        """Edition with the lowest figure of all at its last place."""
        return min(self.editions, key=lambda edition: self.editions[edition][-1])

    def place(self, edition: str, figure: float) -> int | None:
        """Return the place that the figure would have had in the edition; None: it is lower than the last figure."""
        figures = self.editions[edition]
        ahead = sum(other > figure for other in figures)
        return ahead + 1 if ahead < len(figures) else None

    def places(self, figure: float) -> dict[str, int]:
        """Return the figure's place in each edition that it would have been in."""
        by_edition = {edition: self.place(edition, figure) for edition in self.editions}
        return {edition: place for edition, place in by_edition.items() if place}

    def figure_at(self, place: int, edition: str) -> float:
        """Return the figure at this place of the edition. Raises BanzukeError if there is no such edition or place."""
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
    """Return the benchmark's list, read from `ranks.csv` in its folder, one line per edition; None: it has none."""
    if benchmark.public_list is None:
        return None
    lines = (paths.BENCHMARKS / benchmark.name / "ranks.csv").read_text(encoding="utf-8").splitlines()
    rows = (line.split(",") for line in lines if not line.startswith("#"))
    return Ranking(
        benchmark.public_list.title, {edition: [float(figure) for figure in figures] for edition, *figures in rows}
    )


def standing(ranking: Ranking, figure: float, unit: str) -> list[Message]:
    """Return the figure's history in the list as messages.

    The first has the last edition that it would have led, or its best place. The second has its place in the newest
    edition, or in the last one that it would have been in. A figure below all editions has one message, with the lowest
    figure of the list.
    """
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
    """Return the edition's name: `June 2006` for `2006-06`."""
    year, _, month = edition.partition("-")
    return message("rank-edition", month=_MONTHS.get(month, month), year=year)
