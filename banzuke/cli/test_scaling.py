"""Tests of `banzuke scaling` with a results folder."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.record.model import Record
from banzuke.scaling.testing import scaled


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for run, counts in (("20260301T090000-a", [1]), ("20260301T100000-b", [2, 4])):
        keep(folder / run, scaled(counts, lambda p: 1 / (0.95 + 0.05 * p), noise=0.001))
    return folder


def keep(run: Path, records: Sequence[Record]) -> None:
    run.mkdir(parents=True)
    (run / "records-here-1.jsonl").write_text("".join(record.model_dump_json() + "\n" for record in records))


def called(results: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["scaling", *words, "--results", str(results)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_study_over_several_runs_is_shown(results: Path) -> None:
    shown = called(results)
    assert "HPL: strong scaling" in shown
    assert "serial share 5" in shown
    assert "Next: measure on" in shown


def test_as_data_for_programs(results: Path) -> None:
    (study,) = json.loads(called(results, "--json"))["studies"]
    assert (study["kind"], study["benchmark"], study["unit"]) == ("strong", "hpl", "flop/s")
    assert [point["nodes"] for point in study["counts"]] == [1, 2, 4]
    low, high = study["counts"][2]["efficiency_interval"]
    assert low < study["counts"][2]["efficiency"] < high
    (amdahl,) = (model for model in study["models"] if model["name"] == "amdahl")
    assert amdahl["serial"] == pytest.approx(0.05, abs=0.01)
    assert study["next"]["node_seconds"] > 0


def test_where_there_is_none_it_says_why(results: Path) -> None:
    with pytest.raises(BanzukeError, match="nothing was measured on several numbers of nodes"):
        called(results, "20260301T090000-a")
    with pytest.raises(BanzukeError, match="no benchmark has a rate 'flops'"):
        called(results, "--metric", "flops")
