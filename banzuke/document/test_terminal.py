"""Tables on a terminal; text from outside can neither control nor style it."""

import io

from rich.console import Console

from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table


def shown(width: int) -> list[str]:
    """Return the words of a case and its figures on a terminal of this width."""
    named = Column("case"), Column("figure")
    numbers = [Column(title, numeric=True) for title in ("median", "best", "of limit", "of peak")]
    case = Cell("transfer, 1 thread on 1 device, test bandwidth, path pinned"), Cell("Bandwidth at 4 KiB")
    figures = [Cell(text) for text in ("95.5 GB/s", "100 GB/s", "95.2%", "152%")]
    out = io.StringIO()
    Console(file=out, width=width).print(terminal_table(Table((*named, *numbers), (Row((*case, *figures)),))))
    lines = out.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    return " ".join(lines).split()


def test_on_a_narrow_terminal_the_last_numbers_go_first() -> None:
    assert "152%" in shown(160)
    for width in (40, 50, 60):
        words = shown(width)
        assert {"transfer,", "pinned", "Bandwidth", "95.5"} <= set(words), width
        assert words[-4:] == ["on", "a", "wider", "terminal"]
    assert "100" in shown(60)
    assert {"100", "95.2%", "152%"}.isdisjoint(shown(40))
    assert "95.5" in shown(20)


def test_text_of_a_table_is_shown_as_it_is() -> None:
    hostile = "[/x]\x1b[31m"
    out = io.StringIO()
    Console(file=out, width=100).print(terminal_table(Table((Column(hostile),), (Row((Cell(hostile),)),), hostile)))
    assert [line.strip() for line in out.getvalue().splitlines()] == ["[/x]\\u001b[31m"] * 3


def printed(table: Table, width: int = 100) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, color_system="standard").print(terminal_table(table))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_tone_colours_the_text_and_not_the_note() -> None:
    cell = Cell("1.50", note="100 GB/s", tone="better")
    assert printed(Table((Column(""),), (Row((cell,)),))) == ["\x1b[32m1.50\x1b[0m", "100 GB/s"]


def test_a_table_without_titles_has_no_line_for_them() -> None:
    assert printed(Table.of_texts((Column(""), Column("")), [("time", "2 s")])) == ["time  2 s"]


def test_numbers_that_may_be_folded_are_not_left_out() -> None:
    columns = [Column("ranks", right=True), Column("slowdown by the formula", right=True)]
    lines = printed(Table.of_texts(columns, [("1", "0.333%"), ("1,000", "83%")]), width=20)
    assert [line.split() for line in lines[-2:]] == [["1", "0.333%"], ["1,000", "83%"]]
    assert [len(line) for line in lines[-2:]] == [len(lines[-1])] * 2


def test_names_to_copy_are_folded_only_if_they_are_long() -> None:
    columns = [Column("run", whole=True), Column("headline")]
    name, text = "20260101T000000-aaaa", "STREAM Triad 45.8 GB/s of one node"
    assert name in " ".join(printed(Table.of_texts(columns, [(name, text)]), width=40)).split()
    long = printed(Table.of_texts(columns, [(2 * name, text)]), width=40)[1:]
    assert all(len(line) <= 40 for line in long)
    assert 2 * name not in " ".join(long)
