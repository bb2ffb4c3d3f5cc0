"""Runs of fleets beside others: commands about single machines leave their records alone."""

import json
from pathlib import Path

import pytest

from banzuke.cli.history import history
from banzuke.cli.listing import list_all
from banzuke.cli.screen import tell
from banzuke.errors import BanzukeError
from banzuke.fleet.testing import MadeFleet
from banzuke.limit.elsewhere import known
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.needs import needed
from banzuke.record.run import Run
from banzuke.record.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """With a fleet, whose records nobody may read one by one: there may be 200,000."""
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
    assert not known(needed([find("hpcg")], benchmarks()), [run], run.machine())


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
