"""Tests of the effects of environments and other variants in the report."""

from functools import cache

from banzuke.charts.testing import layers, rows
from banzuke.document import Chart, Section
from banzuke.report.testing import only, stream
from banzuke.report.testing.documents import document, items, tables, texts
from banzuke.report.testing.noise import DAEMONS, KNOWN, moved, noisy


@cache
def environments() -> Section:
    return next(section for section in document(noisy()).sections if section.anchor == "axis-environment")


def test_the_costs_of_environments_stand_with_ratio_and_interval() -> None:
    (table,) = tables(environments())
    shown = texts(table)
    start = next(at for at, row in enumerate(shown) if row[0] == "STREAM: Triad")
    marks = {row[3]: row for row in shown[start : start + len(DAEMONS) - 1]}
    assert sorted(marks) == sorted(name for name in DAEMONS if name != "native")
    isolated = table.rows[start + list(marks).index("isolated")].cells
    ratio = isolated[5].value
    assert isinstance(ratio, float)
    low, high = (float(end) for end in isolated[6].text.split(" to "))
    assert low < 1.02 < high
    assert low < ratio < high
    assert "better" in isolated[8].text if low > 1 else "no difference" in isolated[8].text
    assert marks["vm:tcg"][5] == "–"
    assert "mean nothing" in marks["vm:tcg"][8]
    assert any("vm:tcg" in item.text for item in items(environments()))


def test_emulated_times_are_in_no_chart_and_large_differences_in_one_of_their_own() -> None:
    near, far = (block.spec for block in environments().blocks if isinstance(block, Chart))
    for chart in (near, far):
        (layer,) = layers(chart, "point")
        assert "vm:tcg" not in {row["series"] for row in rows(chart, layer)}
    assert {row["row"] for row in rows(far, layers(far, "point")[0])} == {
        "OS noise: Longest noise",
        "OS noise: Time lost",
    }
    assert {row["row"] for row in rows(near, layers(near, "point")[0])} == {"STREAM: Triad", "DGEMM: Rate"}


def test_one_environment_alone_is_compared_with_nothing() -> None:
    shown = document(only(moved(stream(1, 2, 1.0), "container"), benchmarks=KNOWN))
    assert not [section for section in shown.sections if "axis-" in section.anchor]
