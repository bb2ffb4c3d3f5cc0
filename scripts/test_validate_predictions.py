"""Tests that docs/prediction.md and its charts have what the command prints and draws of published figures."""

from pathlib import Path

from scripts.validate_predictions import CHART, PAGE, PUBLIC, list_changed, make_files


def test_the_page_and_its_charts_are_what_the_command_gives() -> None:
    files = make_files()
    assert files.keys() == {PAGE, CHART, PUBLIC}
    assert b"Each published figure" in files[PAGE]
    assert not list_changed(files), "write them again: python -m scripts.validate_predictions"


def test_a_chart_that_is_stored_otherwise_is_named(tmp_path: Path) -> None:
    page, chart = tmp_path / "page.md", tmp_path / "chart.svg"
    for file in (page, chart):
        file.write_bytes(b"<svg x=0.30000000000000004/>\n")
    assert list_changed({page: b"<svg x=0.30000000000000001/>\n", chart: b"<svg y=0.30000000000000004/>\n"}) == [
        "chart.svg"
    ]
    assert list_changed({chart: b"<svg x=0.3101/>\n"}) == ["chart.svg"]
