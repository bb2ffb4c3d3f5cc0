"""Tests that commands about single machines leave the records of fleets alone."""

import json
from pathlib import Path

import pytest

from banzuke.cli.history import history
from banzuke.cli.listing import list_all
from banzuke.cli.screen import tell
from banzuke.errors import BanzukeError
from banzuke.fleet.testing import MadeFleet
from banzuke.limit.elsewhere import known_ceilings
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.needs import needed
from banzuke.results.run import Run
from banzuke.results.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Return a store with a fleet, whose records must not be read one by one: there may be 200,000."""
    store = Store(tmp_path)
    MadeFleet(3, figures=2).write(store)

    def refuse(run: Run, _cases: object = None) -> None:
        raise AssertionError(f"all records of {run.name} are read")

    monkeypatch.setattr(Run, "read", refuse)
    return store


def test_the_list_of_runs_counts_them(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    list_all(results=store.folder, json=True)
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert (run["verified"], run["failed"], run["headlines"]) == (6, 0, {})


def test_nodes_of_a_fleet_are_no_history_of_a_machine(store: Store) -> None:
    with pytest.raises(BanzukeError, match="no run has triad_bandwidth of stream"):
        history("stream", results=store.folder)


def test_other_nodes_are_no_launches_of_a_case_here_and_set_no_ceilings(store: Store) -> None:
    (run,) = store.runs()
    assert run.of_fleet
    cases = {f"{benchmark}-{backend}" for benchmark, backend in (("stream", "omp"), ("dgemm", "blas"))}
    assert not store.launched(cases)
    assert not known_ceilings(needed([find("hpcg")], benchmarks()), [run], run.machine())


def refuse_report(*_: object) -> None:
    raise BanzukeError("no report is needed")


@pytest.mark.parametrize(("answer", "drain"), [("exit 1", ""), ("echo up", "scontrol update NodeName=n00003 ")])
def test_nodes_are_drained_where_a_batch_system_answers(
    answer: str, drain: str, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = store.folder / "bin"
    commands.mkdir()
    for name in ("sbatch", "sinfo"):
        (commands / name).write_text(f"#!/bin/sh\n{answer}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:/bin")
    monkeypatch.setattr("banzuke.cli.screen.write_fleet_report", refuse_report)
    slow = {at: dict.fromkeys(range(5), 0.5) for at in (3, 4)}
    facts = {at: {"state.load": 4.57 if at == 4 else 0.0} for at in range(12)}
    run = MadeFleet(12, slow=slow, facts=facts).write(store)
    assert tell(store, run, "en", json=True) == 1
    document = json.loads(capsys.readouterr().out)
    assert [node["host"] for node in document["nodes"] if node["verdict"] == "fail"] == ["n00003", "n00004"]
    assert document["drain"].startswith(drain)
    assert bool(document["drain"]) == bool(drain)


def test_a_screen_ends_with_its_verdict_and_a_page(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    run = MadeFleet(5, slow={3: {0: 0.5}}).write(store)
    assert tell(store, run, "ja", json=False) == 1
    said = capsys.readouterr()
    assert "n00003" in said.out
    assert str(run.folder / "report.html") in said.err.replace("\n", "")
    assert "ノードの健全性" in (run.folder / "report.html").read_text(encoding="utf-8")


def test_the_verdict_stands_where_no_page_can_be_written(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    run = MadeFleet(5, slow={3: {0: 0.5}}).write(store)
    (run.folder / "report.html").mkdir()
    assert tell(store, run, "en", json=True) == 1
    said = capsys.readouterr()
    assert "report.html" in said.err
    assert {node["verdict"] for node in json.loads(said.out)["nodes"]} == {"pass", "fail"}
