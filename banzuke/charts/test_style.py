"""The style of all charts."""

import pytest

from banzuke.charts.style import limit_line


@pytest.mark.parametrize(("first", "last", "side"), [(1.0, 9.0, "left"), (9.0, 1.0, "right")])
def test_the_text_at_a_limit_stands_where_the_figures_are_far_from_it(first: float, last: float, side: str) -> None:
    _, text = limit_line(10.0, "limit 10 Gflop/s", first, last)
    assert text.to_dict()["mark"]["align"] == side
