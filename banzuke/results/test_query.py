"""Tests of SQL over records: what it finds, and that it can do nothing else."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.files import opened
from banzuke.machine.model import Machine
from banzuke.machine.site import Partition
from banzuke.record.model import Provenance, Record
from banzuke.results.columns import MEANINGS, meaning
from banzuke.results.lines import NODES
from banzuke.results.sql_views import VIEWS
from banzuke.results.store import Store
from banzuke.testing import machine

GOLDEN = paths.SCHEMA / "golden"
VERSION_1, VERSION_2 = (f'"schema_version":{version}' for version in (1, 2))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Make a store of all golden records, as we and as others write them, in a folder whose name is a pattern."""
    store = Store(tmp_path / "re[s]*lts")
    for name in ("1", "2"):
        run = store.create(machine().changed(site={"name": f"machine {name}"}), None)
        for file in sorted(GOLDEN.glob("*.json")):
            run.append(Record.model_validate_json(file.read_bytes()))
        run.folder.rename(store.folder / name)
    about = {"host": "n1", "state": "measured", "why": "", "place": "rack 1", "facts": {"type.cores": 4}}
    (store.folder / "1" / NODES).write_text(f"{json.dumps(about)}\nno node\n")
    written = store.folder / "3"
    written.mkdir()
    text = "".join(file.read_text().replace("\n", " ") + "\n" for file in sorted(GOLDEN.glob("*.json")))
    (written / "records.jsonl").write_text(f"{text}{text.replace(VERSION_2, VERSION_1)}")
    (written / "machine.json").write_text(machine().changed(site={"name": "machine 3"}).model_dump_json())
    return store


@pytest.mark.parametrize(
    ("key", "name", "shown"), [("cpu", "Sea CPU", "Sea CPU"), ("cpu", None, "Sea cpu"), ('a"./~1', "Odd", "Odd")]
)
def test_a_partition_of_several_has_its_own_name(tmp_path: Path, key: str, name: str | None, shown: str) -> None:
    described = machine()
    partitions = {key: described.partition.model_copy(update={"name": name}), "gpu": Partition(name="Sea GPU")}
    site = described.site.model_copy(update={"name": "Sea", "partitions": partitions})
    allotment = described.allotment.model_copy(update={"partition": key})
    renamed = Machine(site=site, allotments=[allotment])
    store = Store(tmp_path)
    record = next(iter(sorted(GOLDEN.glob("*.json"))))
    store.create(renamed, None).append(Record.model_validate_json(record.read_bytes()))
    assert [row["name"] for row in store.query("SELECT name FROM machines")] == [renamed.name] == [shown]


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_has_its_columns_and_rows(store: Store, name: str) -> None:
    rows = store.query(f"FROM {name}")
    assert rows
    assert list(rows[0]) == list(VIEWS[name].columns)
    assert Store(store.folder / "none").query(f"FROM {name}") == []


@pytest.mark.parametrize("view", ["metrics", "samples", "points"])
def test_records_are_seen_alike_whoever_wrote_them_and_those_of_schema_1_not_at_all(store: Store, view: str) -> None:
    columns = ", ".join(name for name in VIEWS[view].columns if name not in ("run", "id", "machine"))
    ours, others = (
        store.query(f"SELECT {columns} FROM {view} WHERE run = '{run.name}' ORDER BY ALL")  # noqa: S608
        for run in store.runs()[1:]
    )
    assert ours == others != []


def test_figures_are_medians_of_samples(tmp_path: Path) -> None:
    run = Store(tmp_path).create(machine(), None)
    run.append(Record.model_validate_json((GOLDEN / "verified.json").read_bytes()))
    triad = "metric = 'triad_bandwidth'"
    (row,) = Store(tmp_path).query(f"SELECT median, samples, unit FROM metrics WHERE {triad}")  # noqa: S608
    assert row == {"median": 11.25e9, "samples": 2, "unit": "B/s"}
    samples = Store(tmp_path).query(f"SELECT value FROM samples WHERE {triad} ORDER BY number")  # noqa: S608
    assert [row["value"] for row in samples] == [1e10, 1.25e10]


def test_figures_stand_beside_their_machine_hosts_and_share_of_the_limit(tmp_path: Path) -> None:
    golden = Record.model_validate_json((GOLDEN / "verified.json").read_bytes())
    origin = Provenance(id="i", run="r", case="h", machine="f", command=[], banzuke="1")
    run = Store(tmp_path).create(machine(), None)
    run.append(golden.model_copy(update={"provenance": origin}))
    asked = []

    def share_of(*figure: str) -> float:
        asked.append(figure)
        return 0.5

    columns = "machine, fingerprint, host, share_of_limit"
    (row,) = Store(tmp_path).select(f"SELECT {columns} FROM metrics WHERE metric = 'triad_bandwidth'", share_of).rows  # noqa: S608
    assert row == ("example", "f", "h[1-2]", 0.5)
    assert asked == [(run.name, "i", "triad_bandwidth")]
    assert Store(tmp_path).select("SELECT median FROM metrics", share_of).rows
    assert len(asked) == 1, "nothing is judged for a query that does not want it"
    assert Store(tmp_path).query("SELECT DISTINCT share_of_limit AS share FROM metrics") == [{"share": None}]


def test_hosts_are_those_of_all_groups(tmp_path: Path) -> None:
    Store(tmp_path).create(machine(), None).append(
        Record.model_validate_json((GOLDEN / "two-programs.json").read_bytes())
    )
    assert Store(tmp_path).query("SELECT host FROM records") == [{"host": "c[1-2],g1"}]


def test_every_column_is_explained() -> None:
    explained = {meaning(name, column) for name, view in VIEWS.items() for column in view.columns}
    assert all(explained)
    columns = {*(column for view in VIEWS.values() for column in view.columns)}
    assert {name.rpartition(".")[2] for name in MEANINGS} == columns


def test_runs_name_their_machines(store: Store) -> None:
    rows = store.query("SELECT machine, schemas FROM runs ORDER BY run")
    assert [row["machine"] for row in rows] == ["machine 1", "machine 2", "machine 3"]
    assert rows[2]["schemas"] == [2]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM read_csv('{results}/../secret.csv')",
        "SELECT * FROM read_text('{results}/*/link.csv')",
        "SELECT * FROM glob('/etc/*')",
        "COPY (SELECT 1) TO '{outside}'",
        "COPY (SELECT 1) TO '{inside}'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{inside}'",
        "SELECT 1; COPY (SELECT 1) TO '{inside}'",
        "ATTACH '{outside}'",
        "SET enable_external_access = true",
        "SET allowed_paths = ['{secret}']",
        "RESET lock_configuration",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPORT DATABASE '{outside}'",
        "CREATE TABLE made AS SELECT 1",
        "DROP VIEW records",
        "SELECT * FROM nowhere",
        "SELECT benchmrk FROM records",
        "SELEC",
        "SELECT '\x00",
        "",
        ";",
    ],
)
def test_nothing_but_the_records_can_be_read_and_nothing_written(store: Store, tmp_path: Path, sql: str) -> None:
    secret, outside, inside = tmp_path / "secret.csv", tmp_path / "outside.db", store.folder / "inside.csv"
    secret.write_text("a,b\n1,2\n")
    (store.runs()[0].folder / "link.csv").symlink_to(secret)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BanzukeError, match=r"the query failed|only one SELECT") as refused:
        store.query(sql.format(secret=secret, outside=outside, inside=inside, results=store.folder))
    assert "\n" not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_files_that_are_no_files_are_left_alone(store: Store) -> None:
    run = store.runs()[0].folder
    os.mkfifo(run / "records-pipe.jsonl")
    (run / "machine.json").write_text("{ damaged")
    assert store.query("SELECT count(*) > 3 AS many FROM records") == [{"many": True}]
    assert [row["name"] for row in store.query("SELECT name FROM machines ORDER BY run")][1:] == [
        "machine 2",
        "machine 3",
    ]


def test_runs_that_may_not_be_read_hide_no_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, denied, _ = (run.folder for run in store.runs())
    is_file = Path.is_file

    def of_others(path: Path) -> bool:
        if path.parent == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    @contextmanager
    def openable(path: Path) -> Iterator[BinaryIO]:
        if path.parent == denied:
            raise BanzukeError(f"cannot read {path}")
        with opened(path) as file:
            yield file

    monkeypatch.setattr("banzuke.results.query.opened", openable)
    monkeypatch.setattr(Path, "is_file", of_others)
    assert store.runs()[0].folder == denied
    assert [row["run"] for row in store.query("SELECT run FROM runs")] == ["3"]
    assert [row["run"] for row in store.query("SELECT run FROM machines")] == ["3"]


def test_what_others_exchange_meanwhile_is_not_opened(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB would wait forever for a pipe's writer, and would follow a link."""
    run = store.runs()[0].folder
    run.chmod(0o777)
    before = store.query("SELECT count(*) AS number FROM records")

    @contextmanager
    def exchanged_then(path: Path) -> Iterator[BinaryIO]:
        with opened(path) as file:
            if path.parent == run:
                path.unlink()
                os.mkfifo(path)
            yield file

    monkeypatch.setattr("banzuke.results.query.opened", exchanged_then)
    assert store.query("SELECT count(*) AS number FROM records") == before


def test_names_of_folders_are_no_columns(tmp_path: Path) -> None:
    store = Store(tmp_path / "status=unknown")
    run = store.create(machine(), None)
    run.append(Record.model_validate_json((GOLDEN / "verified.json").read_bytes()))
    run.folder.rename(store.folder / "back\\slash")
    assert store.query("SELECT status, run FROM records") == [{"status": "ok", "run": "back\\slash"}]
    assert store.query("SELECT run FROM machines") == [{"run": "back\\slash"}]


def test_a_query_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    endless = "SELECT count(*) FROM range(1000000) AS a, range(10000000) AS b WHERE a.range * b.range = 7"
    script = "import pathlib, signal, sys; from banzuke.results.store import Store; "
    script += "signal.setitimer(signal.ITIMER_REAL, 1); signal.signal(signal.SIGALRM, signal.default_int_handler); "
    script += "Store(pathlib.Path(sys.argv[1])).query(sys.argv[2])"
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path, endless], capture_output=True, text=True, timeout=600, check=False
    )
    assert "KeyboardInterrupt" in done.stderr
    assert done.returncode == -signal.SIGINT


def test_what_is_no_text_is_no_query(tmp_path: Path) -> None:
    store = Store(tmp_path / os.fsdecode(b"\xff"))
    store.create(machine(), None).append(Record.model_validate_json((GOLDEN / "verified.json").read_bytes()))
    with pytest.raises(BanzukeError, match=r"is not UTF-8 .DuckDB accepts nothing else"):
        store.query("FROM runs")
    with pytest.raises(BanzukeError, match="not UTF-8"):
        Store(tmp_path).query("SELECT '\udcff'")


def test_a_run_that_is_removed_meanwhile_is_no_crash(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def removed_then(path: Path) -> Iterator[BinaryIO]:
        with opened(path) as file:
            if path.name == "records.jsonl":
                path.unlink()
            yield file

    monkeypatch.setattr("banzuke.results.query.opened", removed_then)
    with pytest.raises(BanzukeError, match=r"the query failed .*records\.jsonl"):
        store.query("FROM runs")
    assert store.query("FROM runs")
