"""Tests of every command's options: their variables, and readable help."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.options import HOW, OUTPUT, PLACEHOLDERS, TIMES, WHAT, WHERE
from banzuke.errors import BanzukeError


def commands() -> Iterator[tuple[str, Any]]:
    def within(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        if not isinstance(command, TyperGroup):
            yield name, command
            return
        for word, inner in command.commands.items():
            yield from within(f"{name} {word}".strip(), inner)

    return within("", typer.main.get_command(app))


COMMANDS = dict(commands())
OPTIONS = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, TyperOption) and not (option.is_flag and option.opts[0] in TIMES)
]


def test_all_commands_are_seen() -> None:
    assert {"run", "evaluate", "predict noise", "isolate", "list", "compare"} <= COMMANDS.keys()
    assert len(OPTIONS) > 60


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda value: getattr(value, "name", value))
def test_a_variable_of_its_name_sets_every_option(
    name: str, option: TyperOption, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command, word = COMMANDS[name], max(option.opts, key=len)
    file = tmp_path / "times"
    file.touch()
    dates = dict.fromkeys(("--since", "--until", "--new-since"), "2026-11-22")
    others = {"--processes": "user", "--language": "ja", "--power-cap": "1kW"}
    others["--chart"] = "chart.svg"
    others |= dict.fromkeys(("--begin", "--length", "--interval", "--period"), "1h")
    others["--scaling"] = "strong" if name == "submit" else "strong:1"
    value = {"--times": str(file), **others, **dates}.get(word, "1")
    monkeypatch.setenv("BANZUKE_" + word.removeprefix("--").replace("-", "_").upper(), value)
    needed = ["x" for parameter in command.params if isinstance(parameter, TyperArgument) and parameter.required]
    needed += [] if word == "--period" or name != "predict noise" else ["--period", "1s"]
    context = command.make_context(name, needed)
    source = context.get_parameter_source(option.name)
    assert source is not None
    assert source.name == "ENVIRONMENT"
    assert context.params[option.name] is not None


@pytest.mark.parametrize("name", ["jobs", "submit"])
def test_the_variable_of_a_time_sets_no_flag_of_that_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_WAIT", "5m")
    needed = ["x" for parameter in COMMANDS[name].params if isinstance(parameter, TyperArgument) and parameter.required]
    assert COMMANDS[name].make_context(name, needed).params["wait"] is False


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_short_and_gives_the_rule_for_variables_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", CliRunner().invoke(app, [*name.split(), "--help"]).stdout)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) <= 135, "few screens of 40 lines"
    assert shown.count("BANZUKE_") == 1
    assert "Options" not in shown, "every option stands in a group"
    groups = [title for title in re.findall(r"╭─ (\w+) ", shown) if title in (WHAT, WHERE, HOW, OUTPUT)]
    assert groups == [group for group in (WHAT, WHERE, HOW, OUTPUT) if group in groups], "in one order everywhere"


@pytest.mark.parametrize("name", COMMANDS)
def test_placeholders_have_one_spelling(name: str) -> None:
    """Those of a call's values: a word in capitals for each kind of value."""
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, TyperArgument) or not parameter.is_flag:
            assert set(re.findall(r"\b[A-Z]\w*", parameter.metavar)) <= {"COMMAND", *PLACEHOLDERS}, parameter


def test_a_usage_shows_what_is_required_and_what_may_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    for words in ("run [OPTIONS] BENCHMARK...", "report [OPTIONS] [RUN...]", "isolate [OPTIONS] [-- COMMAND...]"):
        shown = CliRunner().invoke(app, [words.split()[0], "--help"], prog_name="banzuke").stdout
        assert f"Usage: banzuke {words} \n" in re.sub(" +", " ", shown)
        assert "<list" not in shown, "types of arguments"


def test_commands_stand_in_groups() -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", CliRunner().invoke(app, ["--help"]).stdout)
    assert re.findall(r"╭─ ([\w ]+) ─", shown) == ["Options", "Measure", "Read", "Predict", "Run jobs"]


@pytest.mark.parametrize("name", ["", "predict"])
def test_help_of_several_commands_shows_no_types_of_flags(name: str) -> None:
    assert "bool" not in CliRunner().invoke(app, [*name.split(), "--help"]).stdout


def test_a_variable_of_texts_that_may_hold_spaces_has_one_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_ENV", "A=x y\nB=1")
    monkeypatch.setenv("BANZUKE_LAUNCHER_OPTIONS", "-genv C 2")
    monkeypatch.setenv("BANZUKE_CORES", "0 1")
    parameters = COMMANDS["run"].make_context("run", ["x"]).params
    assert (parameters["env"], parameters["launcher_options"], parameters["cores"]) == (
        ["A=x y", "B=1"],
        ["-genv C 2"],
        ["0", "1"],
    )


def test_a_text_that_no_record_could_hold_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for words in (["run", "stream", "--env", "X=\udcff"], ["evaluate", "--name", "\udcff"]):
        outcome = CliRunner().invoke(app, [*words, "--results", str(tmp_path)])
        assert isinstance(outcome.exception, BanzukeError)
        assert "is not UTF-8" in str(outcome.exception)
    monkeypatch.setenv("BANZUKE_LAUNCHER_OPTIONS", "\udcff")
    with pytest.raises(BanzukeError, match=r"--launcher-options '.udcff' is not UTF-8"):
        CliRunner().invoke(app, ["run", "stream", "--results", str(tmp_path)], catch_exceptions=False)
    assert not list(tmp_path.iterdir())
