"""Tests of `banzuke rank`: places in lists, neighbours, and figures that are not ranked."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.cli.console import out
from banzuke.cli.options import OptionsCommand
from banzuke.cli.rank import rank
from banzuke.cli.rank_tables import editions_table
from banzuke.errors import BanzukeError
from banzuke.ranking.editions import Ranking
from banzuke.record.energy import Energy, SensorEnergy
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing.parts import machine, record
from banzuke.results.store import Store
from banzuke.testing import changed

app = typer.Typer()
app.command("rank", cls=OptionsCommand)(rank)
Kept = Callable[..., str]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def kept(store: Store) -> Kept:
    """A function that keeps records as a run and returns its name."""

    def keep(*records: Record) -> str:
        run = store.create(machine(), None)
        for measured in records:
            run.append(measured)
        return run.name

    return keep


def hpl(rate: float, watt: float | None = None, covers: str = "node", **more: Any) -> Record:
    measured = record("hpl", 1, {"n": 4000}, {"flop_rate": Samples(unit="flop/s", samples=[rate])}, **more)
    if watt is None:
        return measured
    sensor = {"id": "redfish/1", "hosts": "koto", "covers": covers, "kind": "power", "joule": watt, "counted": True}
    energy = Energy(joule=watt, seconds=1.0, parts=1, sensors=[SensorEnergy.model_validate(sensor)])
    return changed(measured, energy=energy)


def stream(rate: float) -> Record:
    return record("stream", 2, {"n": 10**7}, {"triad_bandwidth": Samples(unit="B/s", samples=[rate])})


def call(store: Store, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--results", str(store.folder)])


def shown(store: Store, *words: str) -> str:
    outcome = call(store, *words)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def refused(store: Store, *words: str) -> BanzukeError:
    outcome = call(store, *words)
    assert isinstance(outcome.exception, BanzukeError), outcome.output
    return outcome.exception


def test_a_figure_has_its_place_in_every_edition_and_its_neighbours(store: Store, kept: Kept) -> None:
    kept(hpl(60e9))
    data = json.loads(call(store, "--json").stdout)
    assert (data["benchmark"], data["figure"], data["list"]["title"]) == ("hpl", 60e9, "TOP500")
    places = data["list"]["places"]
    assert len(places) == 67
    assert places["1993-06"] == 1
    assert places["2026-06"] is None
    assert "first until June 1993" in data["list"]["said"]
    for around in data["nearest"]:
        assert all(peer["figure"] > around["figure"] for peer in around["above"])
        assert all(peer["figure"] <= around["figure"] for peer in around["below"])
        assert all(peer["machine"] and peer["source"] for peer in (*around["above"], *around["below"]))
    assert [around["per"] for around in data["nearest"]] == ["machine", "node", "core"]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("rate", [1e6, 60e9, 1e13, 5e18])
def test_it_fits_one_screen(store: Store, kept: Kept, rate: float, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(hpl(rate, watt=100.0))
    monkeypatch.setattr(out, "width", width)
    lines = shown(store).splitlines()
    assert len(lines) <= 40
    tables = [line for line in lines if not line.startswith(("HPL", "TOP500"))]
    assert max(map(len, tables)) <= width
    assert any("▸ this machine" in line for line in lines)


def test_what_is_below_every_list_is_said_with_small_machines_beside_it(store: Store, kept: Kept) -> None:
    kept(hpl(3e8))
    text = shown(store)
    assert "too slow for every edition since June 1993" in text
    assert "place 500 of June 1993, had 422 Mflop/s, 1.41 times as much" in text
    assert "Raspberry Pi Zero 2 W" in text


def test_streams_neighbours_are_nodes_and_it_has_no_list(store: Store, kept: Kept) -> None:
    kept(stream(100e9))
    text = shown(store)
    assert "by node" in text
    assert "whole machine" not in text
    assert "TOP500" not in text
    assert "no list is known" in str(refused(store, "--list", "any.tsv"))


def test_energy_is_ranked_by_watt_and_partial_power_is_warned_of(store: Store, kept: Kept) -> None:
    kept(hpl(60e9, watt=20.0), stream(1e10))
    text = shown(store, "--by", "energy")
    assert "3 Gflop/s/W" in text
    assert "No history of places by watt is known" in text
    assert "whole machine" not in text
    assert "Also with --by: stream" in text
    outcome = call(store, kept(hpl(60e9, watt=20.0, covers="package")), "--by", "energy")
    assert "power here is not that of the whole machine" in outcome.stderr
    assert "has no energy of hpl" in str(refused(store, kept(hpl(60e9)), "--by", "energy"))


@pytest.mark.parametrize(
    ("records", "words", "why"),
    [
        ([hpl(1e9)], ("--by", "hpcg"), "has no figure of hpcg"),
        ([hpl(1e9)], ("--by", "hpq"), "nothing is ranked by 'hpq'"),
        ([hpl(1e9)], ("last,previous",), "names several runs"),
        (
            [record("hpl", 1, {"n": 4}, status="failed", reason="residual 40 is above 16")],
            (),
            "residual 40 is above 16",
        ),
        ([record("fft", 1, {"n": 4}, status="skipped", reason="no")], (), "no figure by which machines are ranked"),
    ],
)
def test_only_verified_figures_of_one_run_are_ranked(
    store: Store, kept: Kept, records: Sequence[Record], words: Sequence[str], why: str
) -> None:
    kept(*records)
    error = refused(store, *words)
    assert why in str(error)
    assert error.remedy


def test_a_list_file_gives_exact_neighbours(store: Store, kept: Kept, tmp_path: Path) -> None:
    kept(hpl(5e12))
    lines = [f"m{place}\t{11 - place}\t{100 * place}" for place in range(1, 11)]
    file = tmp_path / "list.tsv"
    file.write_text("\n".join(["Name\tRmax [TFlop/s]\tCores", *lines]), encoding="utf-8")
    data = json.loads(call(store, "--json", "--list", str(file)).stdout)["file"]
    whole, by_core = data["nearest"]
    assert (whole["place"], whole["of"], whole["above"][0]["machine"]) == (6, 11, "m5")
    assert whole["below"][0]["machine"] == "m6", "as fast"
    assert by_core["place"] == 1
    assert "place 6 of 11" in shown(store, "--list", str(file))
    file.write_text("Name\tSpeed\na\t1", encoding="utf-8")
    assert "it lacks the column Rmax; it has Name, Speed" in str(refused(store, "--list", str(file)))


def test_editions_begin_with_the_last_that_it_would_have_led() -> None:
    editions = {f"{year}-{month}": [float(year), 1.0] for year in range(1993, 2027) for month in ("06", "11")}
    table = editions_table(Ranking("List", editions), 2000.5, 80)
    texts = [[cell.text for cell in row.cells] for row in table.rows]
    assert texts[0][:2] == ["2000-11", "1"]
    assert texts[1][:2] == ["2001-06", "2"]
    assert sum(bool(text) for row in texts for text in row[::2]) == 53
    assert all(len(row) == len(table.columns) for row in texts)
