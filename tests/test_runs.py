"""Tests of runs with the installed command: listed, followed, queried, reported together, removed."""

import json
from pathlib import Path

import pytest

from tests.conftest import SMALL, Banzuke


def test_runs_are_listed_followed_queried_reported_and_removed(banzuke: Banzuke, results: Path) -> None:
    for _ in range(2):
        assert banzuke("run", "stream", *SMALL).returncode == 0
    runs = json.loads(banzuke("list", "--benchmark", "stream", "--json").stdout)["runs"]
    assert [run["verified"] for run in runs] == [1, 1]
    (line,) = json.loads(banzuke("history", "stream", "--json").stdout)["lines"]
    assert [step["run"] for step in line["steps"]] == [run["run"] for run in runs]
    asked = banzuke("query", "SELECT run FROM runs ORDER BY started", "--json")
    assert not asked.stderr
    rows = json.loads(asked.stdout)
    assert [row["run"] for row in rows] == [run["run"] for run in runs]
    done = banzuke("report", "previous", "last")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.split()[-1]).is_relative_to(results / "reports")
    assert banzuke("remove", "last").returncode == 2
    assert banzuke("remove", "last", BANZUKE_YES="1").returncode == 0
    left = json.loads(banzuke("list", "--json").stdout)["runs"]
    assert [run["run"] for run in left] == [runs[0]["run"]]


@pytest.mark.parametrize(
    ("words", "variables", "complaint"),
    [
        (("list", "--since", "soon"), {}, "'soon' is not a date"),
        (("list",), {"BANZUKE_UNTIL": "13 November"}, "'13 November' is not a date"),
        (("list", "--benchmark", "strem"), {}, "Did you mean 'stream'?"),
        (("history", "strem"), {}, "Did you mean 'stream'?"),
        (("history", "stream"), {"BANZUKE_METRIC": "rate"}, "stream has no metric 'rate'"),
        (("history", "stream"), {}, "no run has triad_bandwidth of stream"),
        (("remove", "last"), {}, "there is no last run"),
        (("report", "last", "previous"), {}, "there is no last run"),
        (("query",), {}, "no query"),
        (("query", "SELECT 1"), {"BANZUKE_CSV": "1", "BANZUKE_JSON": "1"}, "exclude each other"),
        (("query", "SELECT x FROM records"), {}, "the query failed"),
    ],
)
def test_a_wrong_call_is_an_error(
    banzuke: Banzuke, words: tuple[str, ...], variables: dict[str, str], complaint: str
) -> None:
    done = banzuke(*words, **variables)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_a_run_with_a_name_goes_on_under_it(banzuke: Banzuke, results: Path) -> None:
    named = ("--run", "first-try", "--batch", "rack 1")
    assert banzuke("run", "stream", *SMALL, *named).returncode == 0
    (records,) = (results / "first-try").glob("records-*.jsonl")
    (record,) = map(json.loads, records.read_text().splitlines())
    assert record["provenance"]["batch"] == "rack 1"
    records.unlink()
    again = banzuke("run", "stream", *SMALL, *named)
    assert (again.returncode, "continuing first-try" in again.stderr) == (0, True)
    assert len(list((results / "first-try").glob("records-*.jsonl"))) == 1
    assert json.loads(banzuke("list", "--json").stdout)["runs"][0]["run"] == "first-try"
    other = banzuke("run", "stream", *SMALL, "--repeat", "2", *named)
    assert (other.returncode, "it was started with other arguments" in other.stderr) == (2, True)
    fresh = banzuke("run", "stream", *SMALL, "--fresh", *named)
    assert (fresh.returncode, "Leave --fresh out" in fresh.stderr) == (2, True)
    assert "a run cannot be called 'a/b'" in banzuke("run", "stream", "--run", "a/b").stderr
