"""Markdown and CSV keep their meaning, whoever wrote the text."""

import csv
import io

import pytest

from banzuke.document import Cell, Column, Details, FindingEntry, Findings, Item, Items, Paragraph, Row, Table
from banzuke.document.csv import csv_text
from banzuke.document.markdown import ITEM, Markdown, blocks_markdown, md, table_markdown


def test_what_is_put_into_markdown_is_escaped_once() -> None:
    line = Markdown("**{}**: {}").format("a*b", md("<script>"))
    assert line == r"**a\*b**: \<script\>"
    assert Markdown("\n").join([line, "# not a title", ITEM.format("[x](y) & | `z`")]).splitlines() == [
        line,
        r"\# not a title",
        r"- \[x\](y) \& \| \`z\`",
    ]


def test_cells_of_a_table_are_escaped() -> None:
    assert table_markdown(["<b>"], [["a|b"], [Markdown("**c**")], [3]], [0])[2:-1] == [
        r"| a\|b |",
        "| **c** |",
        "| 3 |",
    ]


def test_a_line_break_and_the_start_of_a_list_stay_text() -> None:
    assert [md("a\n# b"), md("- a"), md("1.5 GB/s")] == [r"a \# b", r"\- a", "1.5 GB/s"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", " =1", "\t1", "\n=1", "\N{FULLWIDTH EQUALS SIGN}1"])
def test_a_formula_in_csv_is_text(text: str) -> None:
    assert csv_text(["a"], [[text]]).splitlines()[1].lstrip('"').startswith("'")


def test_numbers_in_csv_stay_numbers() -> None:
    assert list(csv.reader(io.StringIO(csv_text(["a", "b"], [[-1.5, -2]])))) == [["a", "b"], ["-1.5", "-2"]]


def test_marks_stand_before_what_they_mark() -> None:
    marked = Items((Item("a", mark="failed"), Item("b")))
    table = Table((Column("c"),), (Row((Cell("d", mark="verified"),)),))
    lines = blocks_markdown([marked, table])
    assert [str(line) for line in lines if line] == ["- ✗ a", "- b", "| c |", "| --- |", "| ✓ d |"]


def test_beside_a_page_longer_folded_parts_are_left_to_it() -> None:
    short, long = Details("short", (Paragraph("a" * 9),)), Details("long", (Paragraph("b" * 900),))
    lines = [str(line) for line in blocks_markdown([short, long], "report.html#x") if line]
    assert lines == ["**short**", "a" * 9, "[long](report.html#x)"]
    assert "b" * 900 in [str(line) for line in blocks_markdown([long])], "without a page they are printed"


def test_beside_a_page_other_cases_of_a_cause_are_counted() -> None:
    entry = FindingEntry("cause", "seen", "check", of="one", elsewhere=("two: seen", "three: seen"), more="and 2 more")
    block = Findings((entry,), "Evidence", "To confirm")
    lines = [str(line) for line in blocks_markdown([block], "report.html") if line]
    assert lines == ["- cause", "  - one: seen", "  - and 2 more", "  - To confirm: check"]
    assert "  - three: seen" in [str(line) for line in blocks_markdown([block])]
