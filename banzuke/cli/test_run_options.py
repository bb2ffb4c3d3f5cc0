"""Tests of options that are declared once: which commands take them, their words, and which change a run's identity."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.axis_options import Axes
from banzuke.cli.declared import OptionMark, declared
from banzuke.cli.options import HostList, ProblemOf, WrittenNumber, read_time
from banzuke.cli.read_axes import variants
from banzuke.cli.run_identity import identify
from banzuke.cli.run_options import RunOptions
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.machine.partitions import NodeCount
from banzuke.plan.identity import unusual
from banzuke.plan.request import Request
from banzuke.testing import machine

GIVEN: Mapping[str, Any] = {
    "settings": ["n=1,2", "nb=3"],
    "ranks": 2,
    "seconds": read_time("1.5 min"),
    "groups": "0-1+2",
    "timeout": read_time("250us"),
    "input_path": None,
    "command_lines": {"ior": "-t 1m -b '4 m'"},
    "hosts": HostList(("n1", "n2")),
    "scaling": ProblemOf(4),
    "untuned": True,
    "axes": Axes(env=["A=x y"], launcher_options=["-genv C 2"], cores=["0", "1-2"], environment="native,vm"),
}


def parsed(command: str, words: list[str]) -> RunOptions:
    parser: Any = typer.main.get_command(app)
    return RunOptions.of(parser.get_command(None, command).make_context(command, words).params)


def test_the_words_of_options_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BANZUKE_WAIT", raising=False)  # set for all tests
    options = RunOptions(names=["ior"], **GIVEN)
    names = {option.name for option in declared(RunOptions)}
    unusual_names = {name for name in names if name in unusual(options) or name in unusual(options.axes)}
    words = options.argv(unusual_names)
    assert words[:1] == ["ior"]
    assert words[words.index("--seconds") + 1] == "1.5 min", "as it was written"
    assert parsed("run", words) == options
    assert options.argv(["untuned", "fresh"]) == ["--untuned"]
    assert options.argv(["repeat"]) == ["--repeat", "1"], "what was given is said, also where it is usual"


@pytest.mark.parametrize("command", ["run", "evaluate", "screen"])
def test_each_command_takes_its_own(command: str) -> None:
    commands: Any = typer.main.get_command(app)
    taken = {parameter.name for parameter in commands.get_command(None, command).params}
    takes = {option.name: option.taken_by(command) for option in declared(RunOptions)}
    assert taken >= {name for name, is_taken in takes.items() if is_taken and name != "command_lines"}
    assert not taken & {name for name, is_taken in takes.items() if not is_taken}
    assert ("ior_line" in taken) == takes["command_lines"]


def identity(here: Machine | None = None, **options: Any) -> str:
    run_options = RunOptions(**options)
    return identify(run_options, "run", ["stream"], run_options.request(variants(run_options.axes)), here or machine())


@pytest.mark.parametrize(
    "options",
    [
        {"settings": ["n=5"]},
        {"ranks": 2},
        {"seconds": WrittenNumber(60)},
        {"nodes": NodeCount(2)},
        {"scaling": ProblemOf(2)},
        {"axes": Axes(memory="local")},
        {"axes": Axes(env=["A=1,2"])},
        {"devices": "none"},
        {"blas": "x.so"},
        {"repeat": 2},
        {"oversubscribe": True},
        {"untuned": True},
        {"minutes": 6.0},
        {"name": "here"},
    ],
    ids=str,
)
def test_what_changes_what_is_measured_makes_another_run(options: dict[str, Any]) -> None:
    assert identity(**options) != identity()


def test_what_was_read_from_elsewhere_makes_another_run() -> None:
    options, here = RunOptions(), machine()
    usual = identify(options, "run", ["stream"], Request(), here)
    assert usual != identify(options, "evaluate", ["stream"], Request(), here)
    assert usual != identify(options, "run", ["hpl"], Request(), here)
    assert usual != identify(options, "run", ["stream"], Request(listed=((2, {"n": 5}),)), here), "of an input file"
    assert usual != identify(options, "run", ["stream"], Request(), here.changed(allotment={"hosts": ["a", "b"]}))
    assert usual != identify(options, "run", ["stream"], Request(), here.changed(allotment={"folders": {"a": "/a"}}))


def test_what_changes_nothing_makes_none() -> None:
    beside = {option.name for option in declared(RunOptions) if OptionMark.BESIDE in option.marks}
    assert {"timeout", "tune", "fresh", "results", "run_name", "json"} <= beside
    assert identity(timeout=read_time("2h"), fresh=True, run_name="a", json=True, verbose=True, tune=True) == identity()
    assert identity(settings=["n=5", "m=6"]) == identity(settings=["m=6", "n=5"])
    assert identity(seconds=read_time("2m")) == identity(seconds=read_time("120"))


def test_a_new_option_leaves_earlier_runs_what_they_are() -> None:
    """These are the texts of runs of this version, which later versions continue."""
    assert identity() == (
        '{"benchmarks": ["stream"], "command": "run", "folders": {}, "hosts": 0, "options": {}, "partition": null, '
        '"request": {}}'
    )
    assert identity(untuned=True, axes=Axes(pages="base"), ranks=2) == (
        '{"benchmarks": ["stream"], "command": "run", "folders": {}, "hosts": 0, "options": {"untuned": true}, '
        '"partition": null, "request": {"ranks": 2, "variants": {"pages": ["base"]}}}'
    )


def test_axes_are_taken_whole() -> None:
    assert {field.name for field in fields(Axes)} <= {option.name for option in declared(RunOptions)}
    assert replace(RunOptions(), axes=Axes(shape="a")) != RunOptions()


@pytest.mark.parametrize("words", [["--nodes", "n1"], ["--nodes=n1"]])
def test_the_old_spelling_of_the_nodes_to_screen_is_refused(words: list[str]) -> None:
    done = CliRunner().invoke(app, ["screen", *words, "--json"])
    assert isinstance(done.exception, BanzukeError)
    assert str(done.exception) == (
        f"screen takes no {words[0]} (the nodes to screen are named by --hosts). Write --hosts n1,n2"
    )
    assert '"exit_status": 2' in done.stdout, "as of any refusal"


def test_the_old_variable_of_the_nodes_to_screen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_NODES", "n1")
    with pytest.raises(BanzukeError, match=r"no BANZUKE_NODES .*, and unset BANZUKE_NODES"):
        CliRunner().invoke(app, ["screen"], catch_exceptions=False)
