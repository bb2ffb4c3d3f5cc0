"""Tests that refusals of the parser say what was wrong and what to write."""

import re

import pytest
from typer.testing import CliRunner

from banzuke.cli import app


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run", "Missing argument 'BENCHMARK'. Benchmarks; banzuke list shows them."),
        ("explain", "Missing argument 'BENCHMARK'. A benchmark; "),
        ("run stream --ranks two", "'two' does not fit: write a whole number, such as 4"),
        ("run stream --threads 1/2", "'1/2' does not fit: write a whole number"),
        ("run stream --ranks 0", "'0' does not fit: it has to be greater than or equal to 1"),
        ("run stream --rank 2", "Possible options: --ranks"),
        ("run stream --ranks", "requires an argument. Write --ranks and its value"),
        ("isolate --processes foo -- true", "'--processes': 'foo' is not one of 'all', 'user', 'session'"),
        ("evaluate stream", "(stream). banzuke evaluate takes no more names; options begin with --"),
        ("ruin stream", "No such command 'ruin'. Did you mean 'run'?"),
        ("site chek", "No such command 'chek'. Did you mean 'check'?"),
        ("site foo", "No such command 'foo'. There are: init, check"),
        ("list --results /etc/passwd", "is a file. Name a folder"),
        ("predict noise --times nofile", "'nofile' does not exist. Check the name"),
        ("run --trust-group x stream", "it goes before the command"),
    ],
)
def test_what_the_parser_refuses(words: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = CliRunner().invoke(app, words.split(), prog_name="banzuke")
    assert done.exit_code == 2
    assert message in re.sub(r"\s+", " ", done.output), done.output
