"""The help of `banzuke run` with names of benchmarks."""

import pytest
from typer.testing import CliRunner

from banzuke.cli import app, run_help
from banzuke.errors import BanzukeError
from banzuke.plan import catalogue
from banzuke.program.describe import Parameter


class Described:
    """What a program says."""

    parameters = (
        Parameter(name="n", type="integer", help="elements of an array", value=5),
        Parameter(name="stores", type="string", help="how results are written", value="a", choices=["a", "b"]),
    )


def shown(*words: str) -> str:
    return " ".join(CliRunner().invoke(app, ["run", *words]).stdout.split())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What programs were asked for their parameters."""
    programs: list[tuple[str, str]] = []

    def describe(benchmark: str, backend: str) -> Described:
        programs.append((benchmark, backend))
        return Described()

    monkeypatch.setattr(run_help, "describe", describe)
    monkeypatch.setattr(catalogue, "backends", lambda _: ["cuda", "omp"])
    return programs


def test_the_parameters_of_named_benchmarks_are_listed(asked: list[tuple[str, str]]) -> None:
    text = shown("stream", "--set", "n=1", "--help")
    assert "Parameters of stream, for --set: • n: elements of an array" in text
    assert "stores: how results are written (a, b)" in text
    assert "Parameters of" not in shown("--help")
    assert asked == [("stream", "omp")]


def test_a_program_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch, asked: list[tuple[str, str]]) -> None:
    def refuse(*_: str) -> None:
        raise BanzukeError("it does not start", remedy="Build it again")

    assert not asked
    monkeypatch.setattr(run_help, "describe", refuse)
    assert "Parameters of stream, for --set: it does not start. Build it again" in shown("stream", "--help")
