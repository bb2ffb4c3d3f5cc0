import csv
import io
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke.cli.options import OptionsCommand
from banzuke.cli.query import MOST_ROWS, query
from banzuke.errors import BanzukeError
from banzuke.judge.records import judge
from banzuke.plan.catalogue import benchmarks
from banzuke.report.testing import stream
from banzuke.report.testing.parts import machine as here
from banzuke.results.run import Run
from banzuke.results.sql_views import VIEWS
from banzuke.results.store import Store
from banzuke.results.test_lines import CASES, verified
from banzuke.testing import machine

app = typer.Typer()
app.command(cls=OptionsCommand)(query)
TRIAD = "SELECT benchmark, median, samples FROM metrics WHERE metric = 'triad_bandwidth'"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    Store(tmp_path).create(machine(), CASES).append(verified())
    return tmp_path


def call(results: Path, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--results", str(results)], env={"COLUMNS": "200"})


def test_rows_are_printed_three_ways(results: Path) -> None:
    assert json.loads(call(results, TRIAD, "--json").stdout) == [
        {"benchmark": "stream", "median": 11.25e9, "samples": 2}
    ]
    rows = list(csv.reader(io.StringIO(call(results, TRIAD, "--csv").stdout)))
    assert rows == [["benchmark", "median", "samples"], ["stream", "11250000000.0", "2"]]
    assert "11250000000.0" in call(results, TRIAD).stdout


@pytest.mark.catalogue
def test_the_tables_their_columns_and_the_metrics_are_documented(results: Path) -> None:
    rows = list(csv.reader(io.StringIO(call(results, "--tables", "--csv").stdout)))
    assert rows[0] == ["table", "column", "meaning"]
    assert all([name, "", view.about] in rows for name, view in VIEWS.items())
    assert ["metrics", "metric = 'triad_bandwidth'", "stream: STREAM Triad; B/s, higher is better"] in rows
    assert all(len(row) == 3 and row[2] for row in rows)
    assert "figure over limit" in call(results, "--tables").stdout
    listed = json.loads(call(results, "--tables", "--json").stdout)
    assert [row["table"] for row in listed] == list(VIEWS)
    assert all(list(row["meanings"]) == row["columns"] for row in listed)
    metrics = next(row["metrics"] for row in listed if row["table"] == "metrics")
    assert {metric["benchmark"] for metric in metrics} == set(benchmarks())


def test_the_share_of_the_limit_is_that_of_the_report(tmp_path: Path) -> None:
    judged = stream(1, 2, 0.9)
    Store(tmp_path).create(here(), CASES).append(judged.record)
    (assessment, *_), _ = judge([judged.record], here(), benchmarks())
    shares = {figure.metric: figure.fraction_of_limit for figure in assessment.figures}
    assert all(shares.values())
    rows = json.loads(call(tmp_path, "SELECT metric, share_of_limit, machine, host FROM metrics", "--json").stdout)
    assert {row["metric"]: row["share_of_limit"] for row in rows} == pytest.approx(shares)
    assert {(row["machine"], row["host"]) for row in rows} == {(here().name, judged.record.hosts[0].name)}
    (tmp_path / Store(tmp_path).runs()[0].name / "machine.json").unlink()
    assert {row["share_of_limit"] for row in json.loads(call(tmp_path, "FROM metrics", "--json").stdout)} == {None}


def test_shares_of_many_runs_read_the_results_folder_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, runs, read = stream(1, 2, 0.9), Store.runs, 0
    for _ in range(3):
        Store(tmp_path).create(here(), CASES).append(judged.record)

    def counted(store: Store) -> list[Run]:
        nonlocal read
        read += 1
        return runs(store)

    monkeypatch.setattr(Store, "runs", counted)
    rows = json.loads(call(tmp_path, "SELECT run, share_of_limit FROM metrics", "--json").stdout)
    assert len({row["run"] for row in rows}) == 3
    assert all(row["share_of_limit"] for row in rows)
    assert read == 2, "for the records, and for what runs are judged by"


def test_a_long_table_says_what_it_leaves_out(results: Path) -> None:
    many = f"SELECT * FROM range({MOST_ROWS + 1})"  # noqa: S608
    assert f"{MOST_ROWS + 1:,} rows; the first {MOST_ROWS} are shown" in call(results, many).stdout
    assert len(call(results, many, "--csv").stdout.splitlines()) == MOST_ROWS + 2


def test_what_a_cell_holds_steers_no_terminal(results: Path) -> None:
    assert "\x1b" not in call(results, "SELECT chr(27) || '[31m[bold]' AS text").stdout
    assert "'=1" in call(results, "SELECT '=1+1' AS text", "--csv").stdout


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"sql": ""}, "no query.*--tables"),
        ({"sql": "SELECT 1", "tables": True}, "--tables and a query exclude each other"),
        ({"sql": "SELECT 1", "csv": True, "json": True}, "exclude each other"),
        ({"sql": "SELECT 1 AS a, 2 AS b, 3 AS a", "json": True}, "two columns are called 'a'.*AS"),
        ({"sql": "SELECT nothing FROM records"}, "the query failed .*nothing.*--tables"),
        ({"sql": "SELECT * FROM read_text('/etc/passwd')"}, "the query failed .*disabled by configuration"),
        ({"sql": "DELETE FROM records"}, "only one SELECT"),
    ],
)
def test_a_wrong_query_is_an_error(results: Path, words: dict[str, object], error: str) -> None:
    with pytest.raises(BanzukeError, match=error):
        query(**words, results=results)  # type: ignore[arg-type]


def test_a_folder_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"there is no results folder .*missing. Name it with --results"):
        query("SELECT run FROM records", results=tmp_path / "missing")
    with pytest.raises(BanzukeError, match=r"the query failed .*nothing"):
        query("SELECT nothing FROM records", results=tmp_path / "missing")
