"""Tests of places in the editions of public lists."""

import pytest

from banzuke.plan.catalogue import find
from banzuke.ranking.editions import Ranking, ranking_of, standing
from banzuke.words.language import words

LIST = Ranking("List", {"2001-06": [4.0, 2.0, 1.0], "2001-11": [8.0, 4.0, 2.0], "2002-06": [16.0, 8.0, 5.0]})


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (20.0, "place 1 in the newest edition, June 2002"),
        (8.0, "first until November 2001; place 2 in the newest edition, June 2002"),
        (4.0, "first until June 2001; on the list until November 2001, at place 2 in that edition"),
        (3.0, "best place 2, in June 2001; on the list until November 2001, at place 3 in that edition"),
        (1.5, "on the list until June 2001, at place 3 in that edition"),
        (
            0.5,
            (
                "too slow for every edition since June 2001: the slowest machine of all, place 3 of June 2001, had "
                "1 flop/s, 2 times as much"
            ),
        ),
    ],
)
def test_a_figure_is_placed_in_every_edition(figure: float, said: str) -> None:
    assert words().joined(standing(LIST, figure, "flop/s")) == said


def test_the_lowest_figure_of_all_need_not_be_of_the_oldest_edition() -> None:
    ranking = Ranking("List", {"2001-06": [4.0, 2.0], "2001-11": [8.0, 1.0]})
    (said,) = standing(ranking, 0.1, "flop/s")
    assert "place 2 of November 2001, had 1 flop/s, 10 times as much" in words()(said)
    assert "2001年11月の2位が1 flop/sで、その10分の1" in words("ja")(said)


def test_public_lists_have_their_editions_with_the_best_first() -> None:
    top500, hpcg = ranking_of(find("hpl")), ranking_of(find("hpcg"))
    assert top500
    assert hpcg
    assert ranking_of(find("stream")) is None
    assert (top500.title, len(top500.editions), {len(figures) for figures in top500.editions.values()}) == (
        "TOP500",
        67,
        {500},
    )
    for ranking in (top500, hpcg):
        assert all(list(figures) == sorted(figures, reverse=True) for figures in ranking.editions.values())
        assert {edition[4:] for edition in ranking.editions} == {"-06", "-11"}
    assert top500.figure_at(1, "2008-06") == 1.026e15, "Roadrunner"
    assert top500.place("2011-11", 10.51e15) == 1, "K computer"
