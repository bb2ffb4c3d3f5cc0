"""`banzuke predict noise`, as typed."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.errors import BanzukeError

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
    found = document(*FUGAKU, "--length", "1ms", "--ranks", "400000", "--slowdown", "1%")
    row = found["slowdowns"][0]
    assert row["formula"] == pytest.approx(0.614, rel=1e-3)
    assert row["bearable_length"] == pytest.approx(0.01 / 0.614 * 1e-3, rel=1e-3)
    assert [mark["ranks"] for mark in found["ranks_for"]] == [pytest.approx(6008, abs=1), pytest.approx(60763, abs=1)]


def test_measured_times_give_noise_distribution_and_chart(tmp_path: Path) -> None:
    times = tmp_path / "times.txt"
    times.write_text("# seconds\n" + "\n".join("0.008" if i % 100 == 3 else "0.006" for i in range(1000)))
    found = document("--period", "250us", "--times", str(times), "--ranks", "1000")
    assert found["noise"] == {"length": pytest.approx(2e-3), "interval": pytest.approx(0.6)}
    row = found["slowdowns"][0]
    assert row["measured"] == pytest.approx(row["formula"], rel=1e-6)
    assert row["simulated"] == pytest.approx(row["measured"], rel=0.1)
    for kind, begin in ((".svg", b"<svg"), (".pdf", b"%PDF")):
        chart = tmp_path / f"noise{kind}"
        typed("--period", "250us", "--times", str(times), "--chart", str(chart))
        assert chart.read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "no noise is given"),
        (["--length", "1ms"], "no noise is given"),
        (["--length", "1ms", "--interval", "1us"], "rarer than synchronisation"),
        (["--length", "1ms", "--interval", "1s", "--chart", "x.png"], "unknown kind of file"),
        (["--length", "-1ms", "--interval", "1s"], "is not a length of time"),
        (["--length", "1ms", "--interval", "1s", "--slowdown", "-1%"], "is not a slowdown"),
        (["--length", "1ms", "--times", "{times}"], "--times has the noise already"),
        (["--times", "{times}"], "line 2: 'x' is no time above 0"),
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
