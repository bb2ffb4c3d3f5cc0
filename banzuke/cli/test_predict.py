"""Tests of `banzuke predict noise` by its command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError
from banzuke.record.figures import Samples
from banzuke.record.model import Record
from banzuke.report.testing import stream
from banzuke.report.testing.noise import fwq
from banzuke.report.testing.parts import machine, record
from banzuke.results.store import Store

FUGAKU = ("--period", "250us", "--interval", "10m")


def typed(*words: str) -> str:
    done = CliRunner().invoke(app, ["predict", "noise", *words])
    if isinstance(done.exception, BanzukeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def document(*words: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(typed(*words, "--json"))
    return read


def test_the_report_s_figures_come_out() -> None:
    assert "0.105%" in typed(*FUGAKU, "--length", "1.13us", "--ranks", "635904")
    assert "61.4%" in typed(*FUGAKU, "--length", "1ms", "--ranks", "400000")
    data = document(*FUGAKU, "--length", "1ms", "--ranks", "400000", "--slowdown", "1%")
    row = data["slowdowns"][0]
    assert row["formula"] == pytest.approx(0.614, rel=1e-3)
    assert row["bearable_length"] == pytest.approx(0.01 / 0.614 * 1e-3, rel=1e-3)
    assert [mark["ranks"] for mark in data["ranks_for"]] == [pytest.approx(6008, abs=1), pytest.approx(60763, abs=1)]


def test_measured_times_give_noise_distribution_and_chart(tmp_path: Path) -> None:
    times = tmp_path / "times.txt"
    times.write_text("# seconds\n" + "\n".join("0.008" if i % 100 == 3 else "0.006" for i in range(1000)))
    data = document("--period", "250us", "--times", str(times), "--ranks", "1000")
    assert data["noise"] == {"length": pytest.approx(2e-3), "interval": pytest.approx(0.6)}
    row = data["slowdowns"][0]
    assert row["measured"] == pytest.approx(row["formula"], rel=1e-6)
    assert row["simulated"] == pytest.approx(row["measured"], rel=0.1)
    for kind, begin in ((".svg", b"<svg"), (".pdf", b"%PDF")):
        chart = tmp_path / f"noise{kind}"
        typed("--period", "250us", "--times", str(times), "--chart", str(chart))
        assert chart.read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "no noise was given"),
        (["--length", "1ms"], "no noise was given"),
        (["--length", "5", "--interval", "1s"], r"'5' has no unit. Write 5us, 5ms"),
        (["--length", "0.5us", "--interval", "1us"], "rarer than synchronisation"),
        (["--length", "1ms", "--interval", "0.5ms"], "never end"),
        (["--length", "1ms", "--interval", "1s", "--slowdown", "5"], "Write 5% if that was meant; 500% for 5 times"),
        (["--length", "1ms", "--interval", "1s", "--chart", "x.png"], "unknown kind of file"),
        (["--length", "-1ms", "--interval", "1s"], "is not a length of time"),
        (["--length", "1ms", "--interval", "1s", "--slowdown", "-1%"], "is not a slowdown"),
        (["--length", "1ms", "--times", "{times}"], "--times already gives the noise"),
        (["--times", "{times}"], "line 2: 'x' is not a time above 0"),
    ],
    ids=str,
)
def test_absurd_calls_are_refused(tmp_path: Path, words: list[str], error: str) -> None:
    times = tmp_path / "times.txt"
    times.write_text("0.006\nx\n")
    with pytest.raises(BanzukeError, match=error.replace("(", r"\(")):
        typed("--period", "250us", *(word.format(times=times) for word in words))


def test_a_few_times_are_too_few(tmp_path: Path) -> None:
    times = tmp_path / "times.txt"
    times.write_text("0.006\n" * 5)
    with pytest.raises(BanzukeError, match="5 measured times say nothing"):
        typed("--period", "250us", "--times", str(times))


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """Return a folder with a run that measured noise natively, twice, and isolated."""
    run = Store(tmp_path).create(machine(), None)
    for index, environment in enumerate(("native", "native", "isolated")):
        case = fwq(index, environment, sick=None).record
        assert case.provenance
        again = case.provenance.model_copy(update={"repetition": int(index == 1)})
        run.append(case.model_copy(update={"provenance": again}))
    return tmp_path


def test_a_run_gives_one_prediction_an_environment(measured: Path) -> None:
    words = ("--period", "250us", "--run", "last", "--results", str(measured))
    data = document(*words, "--ranks", "1000")
    assert [curve["name"] for curve in data["curves"]] == ["native", "isolated"]
    native, isolated = data["curves"]
    assert "12,000 quanta of 6.13 ms on 4 processors, without changes of the clock" in native["about"]
    assert native["slowdowns"][0]["measured"] > 10 * isolated["slowdowns"][0]["measured"]
    assert native["slowdowns"][0]["simulated"] == pytest.approx(native["slowdowns"][0]["measured"], rel=0.1)
    clocked = document(*words, "--ranks", "1000", "--with-clock")["curves"][1]
    assert clocked["noise"]["length"] > isolated["noise"]["length"]
    text = typed(*words, "--chart", str(measured / "noise.svg"))
    assert "native: 12,000 quanta" in text
    assert "every other period meets the longest measured delay" in text.replace("\n", " ")
    assert "isolated" in (measured / "noise.svg").read_text()


def test_neighbours_are_predicted_apart_even_where_they_differ_with_the_environment(measured: Path) -> None:
    run = Store(measured).find("last")
    for environment in ("isolated", "container"):
        case = fwq(8, environment, sick=None).record
        assert case.provenance
        run.append(case.model_copy(update={"provenance": case.provenance.model_copy(update={"neighbours": 3})}))
    data = document("--period", "250us", "--run", "last", "--results", str(measured), "--ranks", "1000")
    names = ["native", "isolated", "isolated, 3 busy neighbours", "container, 3 busy neighbours"]
    assert [curve["name"] for curve in data["curves"]] == names


def test_a_period_that_the_formula_does_not_hold_for_has_no_bearable_noise(measured: Path) -> None:
    words = ("--period", "5s", "--run", "last", "--results", str(measured), "--slowdown", "1%")
    text = typed(*words)
    assert "does not hold" in text
    assert "unknown" not in text


def test_an_emulated_machine_is_left_out(measured: Path) -> None:
    Store(measured).find("last").append(fwq(7, "vm:tcg", sick=None).record)
    data = document("--period", "250us", "--run", "last", "--results", str(measured), "--ranks", "1000")
    assert [curve["name"] for curve in data["curves"]] == ["native", "isolated"]


def test_a_run_without_noise_is_refused(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), None)
    run.append(stream(1, 2, 1.0).record)
    with pytest.raises(BanzukeError, match="measured no noise by fixed work quanta"):
        typed("--period", "250us", "--run", "last", "--results", str(tmp_path))
    with pytest.raises(BanzukeError, match="--run already gives the noise"):
        typed("--period", "250us", "--run", "last", "--length", "1ms", "--results", str(tmp_path))


def solver(index: int, seconds: float) -> Record:
    """Return GeoFEM-Cube's headline; 400 waits in 200 ms make periods of 500 us."""
    metrics = {
        "flop_rate": Samples(unit="flop/s", samples=[1e9]),
        "time": Samples(unit="s", samples=[seconds]),
        "iterations": Samples(unit="count", samples=[100.0]),
    }
    return record("geofem", index, {"nx": 40, "sweeps": 1}, metrics, ranks=2)


def test_several_periods_stand_beside_each_other() -> None:
    noise = ("--interval", "10m", "--length", "1ms", "--ranks", "400000")
    data = document(*FUGAKU[:2], "--period", "10ms", "--period", "250us", *noise)
    assert [(period["period"], len(period["curves"])) for period in data["periods"]] == [(250e-6, 1), (10e-3, 1)]
    assert data["periods"][0]["curves"][0]["slowdowns"][0]["formula"] == pytest.approx(0.614, rel=1e-3)
    assert "slowdowns" not in data
    text = typed(*FUGAKU[:2], "--period", "10ms", *noise, "--slowdown", "1%")
    header, row = (line.split() for line in text.splitlines()[1:3])
    assert header == ["ranks", "250", "µs", "10", "ms"]
    assert row[:2] == ["400,000", "61.4%"]
    assert "longest noise for 1%, by the formula" in text


def test_one_period_is_written_as_it_was_before_there_were_several(measured: Path) -> None:
    alone = document(*FUGAKU, "--length", "1ms", "--ranks", "400000")
    assert alone.keys() == {"period", "noise", "slowdowns", "ranks_for", "remarks", "periods"}
    assert alone["periods"] == [
        {"period": 250e-6, "curves": [{name: alone[name] for name in alone if name[:6] != "period"}]}
    ]
    of_run = document("--period", "250us", "--run", "last", "--results", str(measured), "--ranks", "1000")
    assert of_run.keys() == {"run", "period", "curves", "periods"}
    assert of_run["curves"] == of_run["periods"][0]["curves"]


def test_periods_of_a_run_s_applications(measured: Path) -> None:
    run = Store(measured).find("last")
    run.append(solver(20, 0.2))
    words = ("--period-of", "last", "--run", "last", "--results", str(measured), "--ranks", "1000")
    data = document(*words, "--period", "250us")
    assert [(period.get("application"), period["period"]) for period in data["periods"]] == [
        (None, 250e-6),
        ("GeoFEM-Cube", pytest.approx(500e-6)),
    ]
    assert [curve["name"] for curve in data["periods"][1]["curves"]] == ["native", "isolated"]
    chart = measured / "several.svg"
    text = typed(*words, "--period", "250us", "--chart", str(chart))
    assert "GeoFEM-Cube, 500 µs: 300 collective operations, one every 667 µs, and 100 exchanges" in text
    assert "saturated from" in text
    assert "upper bounds" in text
    drawn = chart.read_text()
    assert all(name in drawn for name in ("GeoFEM-Cube, 500 µs", "250 µs", "native", "isolated"))


def test_runs_without_applications_or_noise_are_refused(measured: Path, tmp_path: Path) -> None:
    results = ("--results", str(measured))
    with pytest.raises(BanzukeError, match="last gives no time between synchronisations"):
        typed("--period-of", "last", "--run", "last", *results)
    with pytest.raises(BanzukeError, match="begins with 'nothing'"):
        typed("--period-of", "nothing", "--run", "last", *results)
    with pytest.raises(BanzukeError, match="no time between synchronisations was given"):
        typed("--run", "last", *results)
    quiet = Store(tmp_path / "quiet").create(machine(), None)
    quiet.append(solver(1, 0.2).model_copy(update={"parameters": {"nx": 40}}))
    with pytest.raises(BanzukeError, match="gives no time") as error:
        typed("--period-of", "last", "--run", "last", "--results", str(tmp_path / "quiet"))
    assert error.value.why == "GeoFEM-Cube: the record has no number of sweeps"


def test_a_period_that_nothing_can_be_said_of_leaves_the_others(measured: Path) -> None:
    words = ("--period", "1h", "--period", "250us", "--run", "last", "--results", str(measured))
    done = CliRunner().invoke(app, ["predict", "noise", *words, "--json", "--ranks", "10"])
    assert "3,600 s, native left out: too little was measured" in done.stderr
    assert [period["period"] for period in json.loads(done.stdout)["periods"]] == [250e-6]


def test_nodes_stand_beside_ranks(tmp_path: Path) -> None:
    words = (*FUGAKU, "--length", "1.13us", "--ranks-per-node", "4")
    data = document(*words, "--ranks", "635904", "--ranks", "5")
    assert data["ranks_per_node"] == 4
    assert [(row["ranks"], row["nodes"]) for row in data["slowdowns"]] == [(5, 2), (635904, 158976)]
    rows = [line.split() for line in typed(*words).splitlines()[2:9]]
    assert [row[:2] for row in rows[::6]] == [["4", "1"], ["4,000,000", "1,000,000"]]
    typed(*words, "--chart", str(tmp_path / "nodes.svg"))
    assert "nodes of 4 ranks" in (tmp_path / "nodes.svg").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ["--ranks-per-node", "0"],
        ["--ranks-per-node", "-1"],
        ["--ranks-per-node", "many"],
        ["--ranks", "0"],
        ["--ranks", f"1{'0' * 13}"],
        ["--ranks", f"1{'0' * 400}"],
        ["--ranks", f"1{'0' * 5000}"],
    ],
    ids=["none", "negative", "a word", "no ranks", "too many", "very many", "countless"],
)
def test_absurd_numbers_of_ranks_are_refused(words: list[str]) -> None:
    done = CliRunner().invoke(app, ["predict", "noise", *FUGAKU, "--length", "1ms", *words])
    assert done.exit_code == 2
    assert "Invalid value" in done.stderr


@pytest.mark.parametrize("period", ["0", "0s", "-1ms", "soon", "nan", "", "1e-3"])
def test_what_is_no_period_is_refused(period: str) -> None:
    with pytest.raises(BanzukeError, match="is not a length of time"):
        typed("--period", period, *FUGAKU[2:], "--length", "1ms")


def test_one_rank_is_one() -> None:
    assert "from 1 rank\n" in typed("--period", "1s", "--interval", "1s", "--length", "500ms", "--ranks", "1")
