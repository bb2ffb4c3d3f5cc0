import json
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli.machine import machine, without_none
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine

APP = typer.Typer()
APP.command()(machine)


def test_json_reads_back_as_the_model() -> None:
    result = CliRunner().invoke(APP, ["--json", "--no-measure"])
    assert result.exit_code == 0
    found = Machine.model_validate(json.loads(result.stdout))
    assert found.cpu.vector_hz is None


def test_toml_leaves_unknown_values_out() -> None:
    result = CliRunner().invoke(APP, ["--toml", "--no-measure"])
    found = tomllib.loads(result.stdout)
    assert "vector_hz" not in found["cpu"]
    assert found["cpu"]["allowed_cores"] >= 1


def test_table_says_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    result = CliRunner().invoke(APP, ["--no-measure"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Cores per socket" in result.stdout
    assert "Peak per core" in result.stdout
    assert "unknown" in result.stdout
    assert "not probed" in result.stdout or "none found" in result.stdout


def test_two_formats_exclude_each_other() -> None:
    result = CliRunner().invoke(APP, ["--toml", "--json"])
    assert isinstance(result.exception, BanzukeError)


def test_without_none() -> None:
    assert without_none({"a": None, "b": [1, None, {"c": None}]}) == {"b": [1, {}]}
