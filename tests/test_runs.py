"""Runs by the installed command: listed, followed, queried, reported together, removed."""

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
    rows = json.loads(banzuke("query", "SELECT run FROM runs ORDER BY started", "--json").stdout)
    assert [row["run"] for row in rows] == [run["run"] for run in runs]
    done = banzuke("report", "previous", "last")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.split()[-1]).is_relative_to(results / "reports")
    assert banzuke("remove", "last").returncode == 2
    assert banzuke("remove", "last", BANZUKE_YES="1").returncode == 0
    left = json.loads(banzuke("list", "--json").stdout)["runs"]
    assert [run["run"] for run in left] == [runs[0]["run"]]


@pytest.mark.parametrize(
    ("words", "variables", "told"),
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
    banzuke: Banzuke, words: tuple[str, ...], variables: dict[str, str], told: str
) -> None:
    done = banzuke(*words, **variables)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
