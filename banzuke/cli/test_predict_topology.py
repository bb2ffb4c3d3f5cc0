"""Tests of `banzuke predict BENCHMARK MACHINE --topology FILE`."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError

SITE = """
name = "paper"
[partitions.thin]
nodes = 16
node.peaks."flops.fp64" = { value = 2e12, unit = "flop/s" }
node.peaks."memory.bytes" = { value = 400e9, unit = "B/s" }
node.memory.total = 64_000_000_000
network = { bandwidth = 12.5e9 }
"""
TREE = 'name = "tree"\nrate = 12.5e9\nhosts = "n[01-{hosts}]"\nfat_tree = {{ down = {down}, up = {up} }}\n'


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("site.toml").write_text(SITE)
    Path("thin.toml").write_text(TREE.format(hosts=16, down="[4, 4]", up="[1, 1]"))
    Path("switch.toml").write_text(TREE.format(hosts=16, down="[16]", up="[1]"))
    Path("small.toml").write_text(TREE.format(hosts="08", down="[8]", up="[1]"))


def predicted(*words: str) -> dict[str, Any]:
    return of("hpl", "--set", "n=30000", *words)


def of(benchmark: str, *words: str) -> dict[str, Any]:
    call = ("predict", benchmark, "site.toml", "--json", *words)
    done = CliRunner().invoke(app, call, catch_exceptions=False)
    assert done.exit_code == 0
    return dict(json.loads(done.stdout))


def test_a_thin_tree_is_slower_and_one_switch_changes_nothing() -> None:
    alone, switch, thin = predicted(), predicted("--topology", "switch.toml"), predicted("--topology", "thin.toml")
    assert "congestion" not in alone
    assert switch["estimate"]["figure"] == alone["estimate"]["figure"]
    assert thin["estimate"]["figure"] < 0.9 * alone["estimate"]["figure"]
    assert (thin["congestion"]["by"], thin["congestion"]["topology"]) == ("model", "thin.toml")
    assert "as in the model of its steps and links: panels" in thin["estimate"]["remarks"][0]
    assert thin["congestion"]["factors"]["panels"] > 1


def test_a_description_names_the_file_of_its_network(tmp_path: Path) -> None:
    """Its path is from the description's folder; more nodes than hosts do not fit, and other models ignore it."""
    thin = predicted("--topology", "thin.toml")
    folder = tmp_path / "described"
    folder.mkdir()
    Path("thin.toml").rename(folder / "thin.toml")
    text = SITE.replace("network = {", 'network = { file = "thin.toml",')
    assert text != SITE
    (folder / "site.toml").write_text(text)
    call = ("predict", "hpl", str(folder / "site.toml"), "--set", "n=30000", "--json")
    done = json.loads(CliRunner().invoke(app, call, catch_exceptions=False).stdout)
    assert done["congestion"]["topology"] == "thin.toml"
    assert done["estimate"]["figure"] == thin["estimate"]["figure"]
    (folder / "thin.toml").rename("thin.toml")
    with pytest.raises(BanzukeError, match=r"described/thin.toml, which network.file names, does not exist"):
        CliRunner().invoke(app, call, catch_exceptions=False)
    Path("thin.toml").rename(folder / "thin.toml")
    (folder / "site.toml").write_text(text.replace("nodes = 16", "nodes = 32"))
    more = CliRunner().invoke(app, call, catch_exceptions=False)
    assert more.exit_code == 0
    assert "network.file is not used" in more.stderr
    assert "congestion" not in json.loads(more.stdout)


@pytest.mark.parametrize(("benchmark", "phase"), [("fft", "exchange"), ("hpcg", "halo")])
def test_messages_alone_are_slower_on_a_thin_tree(benchmark: str, phase: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--with", "node.processors=[{ sockets = 2, cores = 64, nominal_hz = 2e9 }]", "--set", "ranks=1")
    alone, switch, thin = (
        of(benchmark, *words, *more) for more in ((), ("--topology", "switch.toml"), ("--topology", "thin.toml"))
    )
    assert switch["estimate"]["figure"] == alone["estimate"]["figure"]
    factor = thin["congestion"]["factors"][phase]
    assert thin["congestion"]["factors"] == {phase: pytest.approx(factor)}
    assert factor > 1.5
    assert thin["estimate"]["resources"]["link.bytes"] > alone["estimate"]["resources"]["link.bytes"]
    monkeypatch.setattr("banzuke.placement.simulate.absent", lambda: None)
    monkeypatch.setattr("banzuke.placement.congestion.simulated_congestion", lambda *_: 7.0)
    simulated = of(benchmark, *words, "--topology", "thin.toml", "--simulate", "16")
    assert simulated["congestion"]["factors"] == {phase: 7.0}


def test_a_described_network_replaces_the_bisection() -> None:
    words = ("--with", "node.processors=[{ sockets = 2, cores = 64, nominal_hz = 2e9 }]", "--set", "ranks=1")
    halved = (*words, "--with", "network.bisection=0.05")
    assert of("fft", *halved)["estimate"]["figure"] < of("fft", *words)["estimate"]["figure"]
    figures = {of("fft", *call, "--topology", "thin.toml")["estimate"]["figure"] for call in (words, halved)}
    assert len(figures) == 1


@pytest.mark.parametrize("longer", [1.3, 2.0])
def test_a_simulation_replaces_the_model_up_to_so_many_ranks(longer: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.placement.simulate.absent", lambda: None)
    monkeypatch.setattr("banzuke.placement.congestion.simulated_congestion", lambda *_: longer)
    words = ("--topology", "thin.toml", "--simulate")
    simulated = predicted(*words, "16")
    assert simulated["congestion"]["by"] == "simulation"
    assert simulated["estimate"]["seconds"] == pytest.approx(longer * predicted()["estimate"]["seconds"], rel=0.02)
    assert "as in the simulation" in simulated["estimate"]["remarks"][0]
    beyond = CliRunner().invoke(app, ("predict", "hpl", "site.toml", *words, "15"), catch_exceptions=False)
    assert "16 ranks are not simulated" in beyond.stderr
    assert "as in the model of its steps and links" in " ".join(beyond.stdout.split())


@pytest.mark.parametrize("longer", [None, 1.5])
def test_the_time_grows_as_in_the_model_of_the_steps_if_they_are_timed(
    longer: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("banzuke.placement.congestion.modelled_congestion", lambda *_: longer)
    estimate, alone = predicted("--topology", "thin.toml")["estimate"], predicted()["estimate"]
    assert ("by the model of its links" in estimate["remarks"][0]) is (longer is None)
    assert estimate["seconds"] > 1.05 * alone["seconds"]
    if longer:
        assert estimate["seconds"] == pytest.approx(longer * alone["seconds"], rel=0.02)


@pytest.mark.parametrize(
    ("benchmark", "words", "problem"),
    [
        ("hpl", ("--routing", "first"), "are for a network"),
        ("hpl", ("--simulate", "8"), "are for a network"),
        ("hpl", ("--topology", "thin.toml", "--target", "1PF"), "a topology has its own"),
        ("hpl", ("--topology", "small.toml"), "has 8 hosts, but 16 nodes are predicted"),
        ("hpl", ("--topology", "thin.toml", "--set", "placement=random"), "placement is a rule"),
        ("hpl", ("--topology", "thin.toml", "--routing", "magic"), "--routing magic is unknown"),
        ("stream", ("--topology", "thin.toml"), "only the models of fft, hpcg, hpl take the load"),
    ],
)
def test_wrong_calls_are_refused(benchmark: str, words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(BanzukeError, match=problem):
        CliRunner().invoke(app, ("predict", benchmark, "site.toml", *words), catch_exceptions=False)


def test_what_was_chosen_alone_holds_in_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banzuke.placement.simulate.absent", lambda: None)
    monkeypatch.setattr("banzuke.placement.congestion.simulated_congestion", lambda *_: 4.0)
    words = ("predict", "hpl", "site.toml", "--json")
    alone, slow = (
        json.loads(CliRunner().invoke(app, (*words, *more), catch_exceptions=False).stdout)["estimate"]
        for more in ((), ("--topology", "thin.toml", "--simulate", "64"))
    )
    assert {name: slow["call"][name] for name in alone["call"]} == alone["call"]
    assert slow["seconds"] == pytest.approx(4 * alone["seconds"], rel=0.02)


def test_links_of_another_rate_are_named_and_nodes_of_two_kinds_refused() -> None:
    Path("slow.toml").write_text(Path("switch.toml").read_text().replace("12.5e9", "1e9"))
    call = ("predict", "hpl", "site.toml", "--set", "n=30000", "--topology")
    done = CliRunner().invoke(app, (*call, "slow.toml"), catch_exceptions=False)
    assert "1 GB/s in the topology" in " ".join(done.stderr.split())
    assert "messages take no longer" in " ".join(done.stdout.split())
    Path("site.toml").write_text(SITE + SITE.partition('name = "paper"')[2].replace("thin", "other"))
    with pytest.raises(BanzukeError, match="several kinds take no --topology"):
        CliRunner().invoke(
            app, (*call, "switch.toml", "--nodes", "thin=4", "--nodes", "other=4"), catch_exceptions=False
        )
