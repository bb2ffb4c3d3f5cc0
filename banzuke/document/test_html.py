"""Tables as HTML: where a number comes from, and cells over several rows and columns."""

from banzuke.document import Cell, Column, Origin, Row, Section, Table
from banzuke.document.html import section_html


def number(case: str, stat: str = "median") -> Cell:
    return Cell("1", 1.0, "s", Origin(case, "time", stat))


def html(*rows: Row) -> str:
    return str(section_html(Section("of", "Of", (Table(tuple(map(Column, "abc")), rows),))))


def test_the_case_of_a_number_stands_at_its_row_or_where_these_differ_at_the_number() -> None:
    shared = html(Row((Cell("x"), number("one"), number("one", "best"))))
    assert shared.count('data-case="one"') == 1
    assert '<tr data-case="one" data-metric="time">' in shared
    apart = html(Row((Cell("x"), number("one"), number("two"))))
    assert '<data value="1.0" data-case="one"' in apart
    assert '<data value="1.0" data-case="two"' in apart
    assert "<tr data-case" not in apart


def test_a_cell_over_rows_or_over_the_rest_of_its_row() -> None:
    above, wide = Cell(above=True), Cell("failed", wide=True)
    page = html(Row((Cell("x"), Cell("1"), Cell("2"))), Row((above, wide, Cell())))
    assert '<th scope="row" rowspan="2">x</th>' in page
    assert '<td colspan="2">failed</td>' in page
    assert page.count("<td") == 3


def test_a_command_in_a_note_is_code_whose_options_stay_whole() -> None:
    page = html(Row((Cell("x", note="`banzuke run hpl --nodes 64` <measures> it"), Cell(), Cell())))
    assert '<code>banzuke run hpl <span class="option">--nodes</span> 64</code> &lt;measures&gt; it' in page
