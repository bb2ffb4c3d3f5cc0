"""Finds where a figure would stand in a public list, edition by edition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke import paths
from banzuke.errors import BanzukeError


@dataclass(frozen=True)
class Ranking:
    """A list with regular editions, such as the TOP500."""

    title: str
    editions: Mapping[str, Sequence[float]]
    """Figures by edition, such as `2026-06`: the oldest edition first, and in each the best figure first."""

    @property
    def newest(self) -> str:
        return max(self.editions)

    def place(self, edition: str, figure: float) -> int | None:
        """Return the place that the figure would have; None: behind the last one."""
        figures = self.editions[edition]
        ahead = sum(other > figure for other in figures)
        return ahead + 1 if ahead < len(figures) else None

    def places(self, figure: float) -> dict[str, int]:
        """Return the places by edition, where the figure has one."""
        by_edition = {edition: self.place(edition, figure) for edition in self.editions}
        return {edition: place for edition, place in by_edition.items() if place}

    def figure_at(self, place: int, edition: str) -> float:
        """Return the figure that had this place. Raises BanzukeError."""
        if edition not in self.editions:
            editions = f"{min(self.editions)} to {self.newest}"
            raise BanzukeError(
                f"the {self.title} has no edition '{edition}'", remedy=f"Write one of {editions}: 2020-06"
            )
        figures = self.editions[edition]
        if not 1 <= place <= len(figures):
            raise BanzukeError(f"the {self.title} of {edition} has {len(figures)} places, and none is {place}")
        return figures[place - 1]


def ranking_of(benchmark: str) -> Ranking | None:
    """Return the list in `ranks.csv` of the benchmark's folder; None: it has none.

    The file has the list's title, then a line for each edition.
    """
    file = paths.BENCHMARKS / benchmark / "ranks.csv"
    if not file.is_file():
        return None
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    rows = (line.split(",") for line in lines)
    return Ranking(
        first.removeprefix("# ").partition(":")[0],
        {edition: [float(figure) for figure in figures] for edition, *figures in rows},
    )


def standing(ranking: Ranking, figure: float) -> str:
    """Return one line for people: until when it would have led, and its place now or until when it had one."""
    places = ranking.places(figure)
    if not places:
        return f"on no edition since {min(ranking.editions)}"
    led = [edition for edition, place in places.items() if place == 1]
    said = [f"first until {max(led)}"] if led else []
    last = max(places)
    if last == ranking.newest and not (led and max(led) == last):
        said.append(f"place {places[last]} in {last}")
    elif last != ranking.newest:
        said += [f"place {places[min(places)]} in {min(places)}"] if not led else []
        said.append(f"on the list until {last}")
    return ", ".join(said)
