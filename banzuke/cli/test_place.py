"""Tests of `banzuke place`: the study of TSUBAME's report, and refusals."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import declared_flows

TSUBAME = ("place", "hpl", "--topology", "tsubame", "--grid", "32x62", "--adapters", "by-rank")
ORDER = 1_060_000
"""Order of the matrix, which the report does not print; with it the model gives the measured rate."""


def printed(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_tsubames_two_figures_follow_from_each_other() -> None:
    """77.48 Tflop/s with random order within each switch, about 66 without; only n is fitted."""
    figures = [figure for machine in published.load() if machine.id == "tsubame" for figure in machine.figure]
    random, number = (
        next(figure.value for figure in figures if figure.parameters.get("placement") == placement)
        for placement in ("random within each switch", "by node number")
    )
    assert random
    assert number
    reached = f"strips-random={random}"
    words = (*TSUBAME, "--size", str(ORDER), "--reached", reached, "--seconds", "0", "--json")
    document = json.loads(printed(*words))
    orders = document["orders"]
    assert orders["strips"]["rate"] == pytest.approx(number, rel=0.02)
    assert orders["strips"]["messages_on_busiest"] == 12
    assert orders["strips-random"]["messages_on_busiest"] <= 6
    assert orders["place"]["time"] < orders["strips-random"]["time"] < orders["strips"]["time"]
    assert document["grid"] == [32, 62]
    assert len(document["hosts_of_ranks"]) == 32 * 62


def test_whatever_sends_is_better_off_than_at_random(tmp_path: Path) -> None:
    tree = tmp_path / "tree.toml"
    tree.write_text('name = "t"\nhosts = "n[001-064]"\nfat_tree = { down = [8, 8], up = [1, 4] }\n')
    for pattern in (declared.name for declared in declared_flows()):
        words = ("place", pattern, "--topology", str(tree), "--ranks-per-node", "2", "--seconds", "0", "--json")
        orders = json.loads(printed(*words))["orders"]
        assert orders["place"]["time"] < orders["random"]["time"], pattern


def test_the_page_and_the_files_for_launchers(tmp_path: Path) -> None:
    out, slurm, mpich = tmp_path / "out", tmp_path / "order.slurm", tmp_path / "order.mpich"
    words = (*TSUBAME, "--seconds", "0", "--output", str(out), "--language", "ja", "--order", "strips")
    text = printed(*words, "--write", f"slurm:{slurm}", "--write", f"mpich:{mpich}")
    assert str(out / "report.html") in text
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "スイッチ間リンクの負荷" in page
    assert "sw5 → core" in page
    assert len(slurm.read_text().splitlines()) == 32 * 62
    assert sum(int(line.rpartition(":")[2]) for line in mpich.read_text().splitlines()) == 32 * 62


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("stream", "--topology", "tsubame"), "the messages of 'stream' are not known"),
        (("hpl",), "no network was given"),
        (("hpl", "--topology", "nowhere"), "there is no topology 'nowhere'"),
        (("hpl", "--topology", "tsubame", "--grid", "32x63"), "the grid 32x63 has 2016 ranks, but there are 1984"),
        (("hpl", "--topology", "tsubame", "--hosts", "n001,q7"), "the topology has no host 'q7'"),
        (("hpl", "--topology", "tsubame", "--routing", "magic"), "--routing magic is unknown"),
        (("hpl", "--topology", "tsubame", "--adapters", "magic"), "--adapters magic is unknown"),
        (("hpl", "--topology", "tsubame", "--reached", "strips=fast"), "'fast' is no rate"),
        (("hpl", "--topology", "tsubame", "--reached", "strips=1.2.3"), "'1.2.3' is no rate"),
        (("hpl", "--topology", "tsubame", "--reached", "left=1"), "no order is named"),
        (("hpl", "--topology", "tsubame", "--write", "pbs:x"), "names no launcher"),
        (("hpl", "--topology", "tsubame", "--write", "slurm:/nowhere/x"), "there is no folder /nowhere"),
        (("hpl", "--topology", "tsubame", "--order", "left"), "--order left is unknown"),
        (("hpl", "--topology", "tsubame", "--size", "0"), "no size of a problem"),
        (("hpl", "--topology", "tsubame", "--seconds", "-1"), "no time to look"),
        (("hpl", "--topology", "tsubame", "--uplinks", "3"), "--uplinks is for Slurm's files"),
    ],
)
def test_wrong_calls_are_refused(words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(BanzukeError) as caught:
        CliRunner().invoke(
            app, ("place", *words, *([] if "--seconds" in words else ["--seconds", "0"])), catch_exceptions=False
        )
    assert problem in str(caught.value)
