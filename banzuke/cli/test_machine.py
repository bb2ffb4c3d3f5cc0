import json
import sys
import tomllib

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli.machine import machine, placements, table, without_none
from banzuke.cli.options import Command
from banzuke.errors import BanzukeError
from banzuke.machine.discover import discover
from banzuke.machine.model import Machine
from banzuke.testing import machine as example

APP = typer.Typer()
APP.command(cls=Command)(machine)


def test_json_reads_back_as_the_model() -> None:
    result = CliRunner().invoke(APP, ["--json", "--no-measure"])
    assert result.exit_code == 0
    found = Machine.model_validate(json.loads(result.stdout))
    assert found.allotment.vector_hz is None


def test_toml_leaves_unknown_values_out() -> None:
    result = CliRunner().invoke(APP, ["--toml", "--no-measure"])
    found = tomllib.loads(result.stdout)
    (allotment,) = found["allotments"]
    assert "vector_hz" not in allotment
    assert allotment["allowed_cores"] >= 1


def test_options_have_variables() -> None:
    result = CliRunner().invoke(APP, [], env={"BANZUKE_JSON": "1", "BANZUKE_MEASURE": "0"})
    assert Machine.model_validate_json(result.stdout).fingerprint == discover(measure=False).fingerprint


def test_brackets_are_text_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    described = discover(measure=False)
    odd = described.changed(processor={"model": "A [red]B[/] [1]"})
    monkeypatch.setitem(vars(sys.modules[table.__module__]), "discover", lambda **_: odd)
    result = CliRunner().invoke(APP, ["--no-measure"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "A [red]B[/] [1]" in result.stdout
    assert "unknown" in result.stdout


def test_every_row_of_the_specification_is_shown() -> None:
    assert table(discover(measure=False)).row_count > 30


def test_placements_are_shown_with_their_processors() -> None:
    described = example(cores=4, threads_per_core=2)
    siblings = [[core, core + 4] for core in range(4)]
    given = {"siblings": siblings, "complexes": [[*range(8)]], "hosts": ["a", "b"]}
    rows = placements(described.changed(allotment=given)).rows
    assert [(row.name, row.value) for row in rows] == [
        ("Hosts", "2"),
        ("same-core", "processors 0,4"),
        ("same-complex", "processors 0-1"),
        ("other-node", "processor 0"),
        ("one-node", "processors 0-3"),
        ("2-nodes-1", "processor 0"),
        ("2-nodes-all", "processors 0-3"),
    ]
    assert rows[0].note == "a, b"


def test_hosts_may_be_named() -> None:
    result = CliRunner().invoke(APP, ["--json", "--no-measure", "--hosts", "n[1-3],n2"])
    assert json.loads(result.stdout)["allotments"][0]["hosts"] == ["n1", "n2", "n3"]
    wrong = CliRunner().invoke(APP, ["--no-measure", "--hosts", "n[3-1]"])
    assert "'n[3-1]' is not a list of hosts" in str(wrong.exception)


def test_two_formats_exclude_each_other() -> None:
    result = CliRunner().invoke(APP, ["--toml", "--json"])
    assert isinstance(result.exception, BanzukeError)


def test_without_none() -> None:
    assert without_none({"a": None, "b": [1, None, {"c": None}]}) == {"b": [1, {}]}
