"""`banzuke list`."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli.listing import list_all
from banzuke.machine import published


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_published_machines_are_listed_with_the_name_to_type(words: tuple[str, ...], tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(list_all)
    done = CliRunner().invoke(app, ["--results", str(tmp_path), *words], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    for machine in published.load():
        assert machine.id in done.stdout
        assert machine.name in (json.dumps(json.loads(done.stdout), ensure_ascii=False) if words else done.stdout)
