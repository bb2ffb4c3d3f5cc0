"""Where a figure would stand in a public list, edition by edition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke import paths
from banzuke.errors import BanzukeError


@dataclass(frozen=True)
class Ranking:
    """A list that is made anew again and again, such as the TOP500."""

    title: str
    editions: Mapping[str, Sequence[float]]
    """Figures by edition, `2026-06`, the oldest edition and the best figure first."""

    @property
    def newest(self) -> str:
        return max(self.editions)

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


def ranking_of(benchmark: str) -> Ranking | None:
    """The list in `ranks.csv` of the benchmark's folder: its title, then a line for each edition; None: it has none."""
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
    """One line for people: until when it would have led, where it is now, or until when it would have been there."""
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
