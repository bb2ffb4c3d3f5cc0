import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke.cli.listing import list_all
from banzuke.judge.test_examples import provenance, triad
from banzuke.machine import published
from banzuke.results.store import Store
from banzuke.testing import machine


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_published_machines_are_listed_with_the_name_to_type(words: tuple[str, ...], tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(list_all)
    done = CliRunner().invoke(app, ["--results", str(tmp_path), *words], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    for site in published.load():
        assert site.id in done.stdout
        assert site.name in (json.dumps(json.loads(done.stdout), ensure_ascii=False) if words else done.stdout)


def test_states_of_a_machine_that_changes_are_named_with_how_often_they_were_met(tmp_path: Path) -> None:
    store = Store(tmp_path)
    steady, changing = (store.create(machine(), None) for _ in range(2))
    for run, distances in ((steady, (38e-9, 39e-9)), (changing, (38e-9, 150e-9, 38e-9))):
        for number, distance in enumerate(distances):
            origin = provenance(id=f"{run.name}-{number}", run=run.name, machine=machine().fingerprint)
            seen = {"exchange_latency": distance, "exchange_processors": "0,3"}
            run.append(triad(40e9).having(conditions=seen, provenance=origin))
    app = typer.Typer()
    app.command()(list_all)
    words = ["--results", str(tmp_path), "--benchmark", "stream"]
    shown = CliRunner().invoke(app, words, env={"COLUMNS": "200"}).stdout
    assert "near 2, far 1" in next(line for line in shown.splitlines() if changing.name in line)
    assert "near" not in next(line for line in shown.splitlines() if steady.name in line)
    runs = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["runs"]
    states = {run["run"]: run["states"] for run in runs}
    assert states[changing.name] == [{"levels": ["near"], "launches": 2}, {"levels": ["far"], "launches": 1}]
    assert states[steady.name] == []
