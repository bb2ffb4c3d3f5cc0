"""Tests that nothing that is printed controls the terminal or acts as markup, by whatever way it is printed."""

import io
import re
import unicodedata
from datetime import date

import pytest
from rich.table import Table
from rich.text import Text

from banzuke.cli import console, progress
from banzuke.cli.console import Console
from banzuke.cli.progress import RunDisplay
from banzuke.launch.process import Progress
from banzuke.plan.case import Case, RankGroup

HOSTILE = "\x1b[31;5mA\x1b]52;c;aGk=\x07\x9b7m\r\b\u202e\u2066\u200b[red][link=x]B[/] [/] :bomb:"
OURS = re.compile(r"\x1b\[(\?25[hl]|[0-9;]*[mAK])|\r")
"""Rich's own control sequences: colours, and what redraws a status line."""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    shown = io.StringIO()
    to = Console(file=shown, force_terminal=True, width=100, color_system=None)
    for module in (console, progress):
        monkeypatch.setattr(module, "errors", to)
    return shown


def told(terminal: io.StringIO) -> str:
    assert "\x1b[31" not in terminal.getvalue()
    text = OURS.sub("", terminal.getvalue())
    assert not {c for c in text if c != "\n" and unicodedata.category(c)[0] == "C"}
    return text


def test_texts_tables_and_titles(terminal: io.StringIO) -> None:
    table = Table(HOSTILE, title=HOSTILE, caption=HOSTILE)
    table.add_row(HOSTILE)
    table.add_row(Text(HOSTILE))
    for renderable in (HOSTILE, Text(HOSTILE), table):
        console.errors.print(renderable)
    console.errors.print(HOSTILE, soft_wrap=True)
    console.errors.say((HOSTILE, "bold"), HOSTILE)
    console.warn(HOSTILE)
    console.crash(ValueError, ValueError(HOSTILE), None)
    text = told(terminal)
    assert "".join(text.split()).count("[red][link=x]B[/][/]:bomb:") >= 9
    assert text.count(r"\u000d") >= 9, "Rich drops some of them, but a reader should see them"


def test_lines_that_move(terminal: io.StringIO) -> None:
    with console.errors.busy(HOSTILE) as say:
        say(HOSTILE)
    case = Case("hpl", (RankGroup("blas"),), {"file": HOSTILE}, seconds=10.0)
    with RunDisplay([case]) as display:
        display.begin(case, 0, 1)
        display.progress(Progress(0.5, 1e9, f"B/s{HOSTILE}"))
    assert "[red]" in told(terminal)


def test_the_streams_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    console.write_text(f"{HOSTILE}\n")
    console.write_json({HOSTILE: [HOSTILE, float("nan"), float("inf")], date(2026, 11, 22): [(1, 2)]})
    captured = capsys.readouterr().out
    assert captured.isascii()
    assert not {c for c in captured if c != "\n" and not c.isprintable()}
    assert captured.count("null") == 2
    assert '"2026-11-22": [' in captured


def test_a_line_break_makes_no_line_of_its_own(terminal: io.StringIO) -> None:
    console.warn("a\nverified hpl")
    console.fail("b\r\nverified hpl")
    assert told(terminal).count("\n") == 2
