"""Tests of runs as files, with real files that are truncated or belong to others."""

import contextlib
import json
import math
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.isolation.processes import start_of
from banzuke.launch.complete import CaseOrigin, unmeasured
from banzuke.machine.tree import Tree
from banzuke.plan.case import key
from banzuke.plan.placement import pair_placements
from banzuke.record.model import Provenance, Record
from banzuke.results.lines import read
from banzuke.results.run import OWNER, Owner, Run
from banzuke.results.store import Store, check_name, new_name
from banzuke.testing import case, machine

CASES = [case(), case(threads=1)]


def verified(run: Run, number: int = 0, repetition: int = 0) -> Record:
    golden = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())
    provenance = Provenance(
        id="1", run=run.name, case=key(CASES[number]), repetition=repetition, machine="m", command=[], banzuke="0"
    )
    return golden.model_copy(update={"provenance": provenance})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def run(store: Store) -> Run:
    return store.create(machine(), CASES, 1, "run")


def test_records_come_back_as_they_were(run: Run) -> None:
    records = [verified(run), unmeasured(CASES[1], CaseOrigin(run=run.name, machine="m"), "no memory")]
    for record in records:
        run.append(record)
    assert run.read().records == records
    assert run.read().unreadable == []
    assert run.machine() == machine()


def test_truncated_and_foreign_lines_are_named_and_passed_over(run: Run) -> None:
    run.append(verified(run))
    (file,) = run.files()
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"some": "other file"}\n' + b"\xff\xfe\n\n" + whole[:100] + b"\n")
    run.append(verified(run))
    reading = run.read()
    assert len(reading.records) == 2
    assert [problem.split(": ")[0] for problem in reading.unreadable] == [f"{file}, line {n}" for n in (2, 3, 5)]


def test_a_missing_file_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    reading = read(tmp_path / "none.jsonl")
    assert not reading.records
    assert "none.jsonl" in reading.unreadable[0]


def test_an_interrupted_run_is_continued(store: Store, run: Run) -> None:
    assert run.missing() == [(CASES[0], 0), (CASES[1], 0)]
    run.append(verified(run, 0))
    continued = store.unfinished(machine(), "run")
    assert continued is not None
    assert continued.missing() == [(CASES[1], 0)]
    run.append(verified(run, 1))
    assert run.missing() == []
    assert store.unfinished(machine(), "run") is None


def test_a_run_that_is_being_worked_on_is_not_continued(store: Store, run: Run) -> None:
    with run.owned():
        assert run.busy()
        assert store.unfinished(machine(), "run") is None
    assert not run.busy()
    assert store.unfinished(machine(), "run") is not None


def test_a_mark_of_a_dead_process_means_nothing(store: Store, run: Run) -> None:
    (run.folder / OWNER).write_text(Owner(host=socket.gethostname(), pid=1 << 22, started=5).model_dump_json())
    assert not run.busy()
    assert store.unfinished(machine(), "run") is not None


def test_a_zombie_works_on_nothing(run: Run) -> None:
    """In many containers, nothing waits for a killed process."""
    with subprocess.Popen(["sleep", "60"]) as process:
        owner = Owner(host=socket.gethostname(), pid=process.pid, started=start_of(Tree(), process.pid))
        (run.folder / OWNER).write_text(owner.model_dump_json())
        assert run.busy()
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not run.busy()


def test_of_a_run_that_is_worked_on_nothing_of_others_is_read_back(run: Run) -> None:
    """If others can write there, its plan could start anything, and forged records would count as measured."""
    plan = run.plan()
    (run.folder / "plan.json").write_text("{}")
    assert run.plan() == plan
    (run.folder / "machine.json").write_text("{}")
    assert run.machine().name == machine().name
    forged = run.folder / "records-elsewhere-1.jsonl"
    forged.write_text(verified(run, 0, 0).model_dump_json() + "\n")
    missing = len(run.missing())
    forged.chmod(0o666)
    assert len(run.missing()) == missing + 1
    assert len(Run(run.folder).read().records) == 1  # files of others are only data


def test_a_run_that_was_exchanged_is_not_taken_for_done(run: Run) -> None:
    run.check_there()
    run.folder.rename(run.folder.with_name("moved"))
    run.folder.mkdir()
    with pytest.raises(BanzukeError, match="is no longer there"):
        run.check_there()


def test_a_named_folder_that_others_made_is_not_used(store: Store) -> None:
    folder = store.folder / "nightly"
    folder.mkdir(parents=True)
    assert store.named("nightly", machine(), "run") is None
    folder.chmod(0o777)
    with pytest.raises(BanzukeError, match=r"run nightly is not yours .*can be written by everybody"):
        store.named("nightly", machine(), "run")


def test_files_may_have_any_time(store: Store, run: Run) -> None:
    named = run.folder.rename(store.folder / "named")
    for seconds in (-(1 << 40), 1 << 40):
        with contextlib.suppress(OSError):  # not every file system can store it
            os.utime(named / "machine.json", (seconds, seconds))
        assert [listed.name for listed in store.runs()] == ["named"]


def test_a_mark_of_another_host_counts_for_an_hour(run: Run) -> None:
    file = run.folder / OWNER
    file.write_text(Owner(host="elsewhere", pid=1, started=5).model_dump_json())
    assert run.busy()
    os.utime(file, (0, 0))
    assert not run.busy()


def test_repetitions_go_round(store: Store) -> None:
    run = store.create(machine(), CASES, 2)
    run.append(verified(run, 0, 0))
    assert run.missing() == [(CASES[1], 0), (CASES[0], 1), (CASES[1], 1)]


@pytest.mark.usefixtures("run")
def test_another_request_or_machine_is_not_continued(store: Store) -> None:
    assert store.unfinished(machine(), "run") is not None
    assert store.unfinished(machine(), "another") is None
    other = machine().changed(allotment={"fingerprint": "other"})
    assert store.unfinished(other, "run") is None


def test_runs_are_found_by_name(store: Store, run: Run) -> None:
    second = store.create(machine(), CASES)
    newest, older = sorted([run.name, second.name], reverse=True)
    assert store.find("last").name == newest
    assert store.find("previous").name == older
    assert store.find(run.name).name == run.name
    with pytest.raises(BanzukeError, match=r"^2 runs in .* begin with"):
        store.find("20")
    with pytest.raises(BanzukeError, match=r"^no run in .* begins with"):
        store.find("nothing")


def test_records_are_resolved_from_runs_folders_and_files(store: Store, run: Run, tmp_path: Path) -> None:
    run.append(verified(run))
    for name in ("last", str(run.folder), str(run.files()[0])):
        assert len(store.resolve(name).records) == 1
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text("not a record\n")
    with pytest.raises(BanzukeError, match="holds no records"):
        store.resolve(str(foreign))


def test_launches_of_a_case_are_found_in_all_runs(store: Store, run: Run) -> None:
    other = store.create(machine(), CASES, 1, "run")
    wanted = [verified(run), verified(other, repetition=1)]
    for folder, record in ((run, wanted[0]), (run, verified(run, 1)), (other, wanted[1])):
        folder.append(record)
    launches = store.launched({key(CASES[0])})
    assert sorted(launches, key=wanted.index) == wanted
    assert store.launched({"none"}) == []


def test_records_with_the_series_of_many_processors_are_queried(store: Store, run: Run) -> None:
    line = {"host": "n1", "rank": 0, "thread": 0, "cpu": 0, "base": 0.006, "values": 3_500_000 * [123_456_789]}
    record = verified(run)
    series = {"time": {"unit": "s", "resolution": 1e-9, "lines": [line]}}
    run.append(Record.model_validate({**record.model_dump(), "series": series}))
    assert run.files()[0].stat().st_size > 33 << 20
    assert store.query("SELECT count(*) AS n FROM records") == [{"n": 1}]


def test_an_empty_store_says_what_to_do(store: Store) -> None:
    with pytest.raises(BanzukeError, match="there is no last run"):
        store.find("last")
    assert store.runs() == []
    assert store.query("SELECT * FROM records") == []


def test_queries_see_every_record_and_survive_broken_lines(store: Store, run: Run) -> None:
    run.append(verified(run))
    with run.files()[0].open("ab") as file:
        file.write(b'{"half": \n')
        file.write(json.dumps({"schema_version": 3, "benchmark": "stream", "status": "ok"}).encode() + b"\n")
    run.append(unmeasured(CASES[1], CaseOrigin(run=run.name, machine="m"), "no memory"))
    rows = store.query(
        "SELECT run, status, metrics->'triad_bandwidth'->'samples' AS samples FROM records ORDER BY status"
    )
    assert [(row["run"], row["status"]) for row in rows] == [(run.name, "failed"), (run.name, "ok")]
    assert rows[1]["samples"] == "[10000000000.0,12500000000.0]"


def test_placements_are_planned_and_continued(store: Store) -> None:
    described = machine(cores=2).changed(allotment={"hosts": ["a", "b"]})
    cases = [case(ranks=2, threads=1, placement=place) for place in pair_placements(described)]
    run = store.create(described, cases, 1, "run")
    run.append(unmeasured(cases[0], CaseOrigin(run=run.name, machine="m"), "no memory"))
    assert run.missing() == [(cases[1], 0)]


def test_a_plan_whose_cases_say_more_or_less_than_ours_is_none(run: Run) -> None:
    file = run.folder / "plan.json"
    written = json.loads(file.read_bytes())
    (first, *others) = written["cases"]
    without = {name: value for name, value in first.items() if name != "groups"}
    for other in (first | {"environment": "isolated"}, without):
        file.write_text(json.dumps(written | {"cases": [other, *others]}))
        assert Run(run.folder).plan() is None


def test_a_plan_of_endless_launches_is_none(run: Run, store: Store) -> None:
    file = run.folder / "plan.json"
    written = json.loads(file.read_bytes())
    file.write_text(json.dumps(written | {"repetitions": 2**30}))
    assert Run(run.folder).plan() is None
    assert Run(run.folder).missing() == []
    assert store.unfinished(machine(), "run") is None
    with pytest.raises(BanzukeError, match="2 cases, 1000000 times each, are over 1,000,000 launches"):
        store.create(machine(), CASES, 1_000_000)


def test_a_name_that_is_empty_is_not_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BanzukeError, match="begins with ''"):
        Store(tmp_path).locate("")


def test_a_named_run_is_created_and_goes_on_whoever_worked_on_it(store: Store) -> None:
    assert store.named("n4-torus", machine(), "run") is None
    run = store.create(machine(), CASES, 1, "run", name="n4-torus")
    run.append(verified(run, 0))
    (run.folder / OWNER).write_text(Owner(host="elsewhere", pid=1, started=5).model_dump_json())
    assert run.busy()
    continued = store.named("n4-torus", machine(), "run")
    assert continued is not None
    assert continued.missing() == [(CASES[1], 0)]
    continued.append(verified(continued, 1))
    assert store.named("n4-torus", machine(), "run") is not None, "a complete one is shown again"


def test_a_named_run_whose_process_was_killed_at_once_is_created(store: Store) -> None:
    run = store.create(machine(), CASES, 1, "run", name="a")
    (run.folder / "plan.json").unlink()
    assert store.named("a", machine(), "run") is None
    assert store.create(machine(), CASES, 1, "run", name="a").plan() is not None


def test_a_named_run_of_something_else_is_refused(store: Store) -> None:
    run = store.create(machine(), CASES, 1, "run", name="a")
    with pytest.raises(BanzukeError, match="it was started with other arguments"):
        store.named("a", machine(), "another")
    with pytest.raises(BanzukeError, match="other hardware"):
        store.named("a", machine().changed(allotment={"fingerprint": "other"}), "run")
    with run.owned(), pytest.raises(BanzukeError, match=f"process {os.getpid()} is at work on it"):
        store.named("a", machine(), "run")
    (run.folder / "plan.json").write_text("{")
    with pytest.raises(BanzukeError, match="it has no plan"):
        store.named("a", machine(), "run")


@pytest.mark.parametrize("name", ["", "a/b", "..", ".a", "-n", "a b", "a\nb", "last", "reports", "ü", "x" * 129])
def test_a_run_has_a_name_that_is_a_folder_and_a_word(name: str) -> None:
    with pytest.raises(BanzukeError, match="a run cannot be called"):
        check_name(name)


def test_runs_are_in_the_order_in_which_they_began_also_with_names_of_their_own(store: Store, run: Run) -> None:
    early, late = (store.create(machine(), CASES, 1, "run", name=name) for name in ("z", "a"))
    os.utime(early.folder / "machine.json", (0, 0))
    os.utime(late.folder / "machine.json", (2**32, 2**32))
    assert [listed.name for listed in store.runs()] == ["z", run.name, "a"]


WRITERS = """
import os, sys
from pathlib import Path
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.results.test_store import verified
from banzuke.testing import machine

store, shared = Store(Path(sys.argv[1])), Run(Path(sys.argv[2]))
begin, go = os.pipe()
for number in range(64):
    if os.fork() == 0:
        os.close(go)
        if number % 2:
            os.getpid = lambda: 1  # as in containers with the name of their host
        os.read(begin, 1)  # its end is the start of all
        own = store.create(machine(), None)
        for repetition in range(2):
            own.append(verified(own, repetition=repetition))
            shared.append(verified(shared, repetition=2 * number + repetition))
        os._exit(0)
os.close(go)
while True:
    try:
        _, status = os.wait()
    except ChildProcessError:
        break
    assert status == 0
"""


def test_jobs_that_finish_at_once_lose_no_record(store: Store) -> None:
    """64 processes write into runs of their own and into a shared one, as the elements of an array job may."""
    shared = store.create(machine(), None, name="shared")
    subprocess.run([sys.executable, "-c", WRITERS, str(store.folder), str(shared.folder)], check=True)
    kept = shared.read()
    assert not kept.unreadable
    assert sorted(record.provenance.repetition for record in kept.records if record.provenance) == list(range(128))
    assert len(shared.files()) == 64
    others = [run for run in store.runs() if run.name != shared.name]
    assert len(others) == 64
    assert all(len(run.read().records) == 2 for run in others)
    (counts,) = store.query("SELECT count(*) AS records, count(DISTINCT run) AS runs FROM records")
    assert counts == {"records": 2 * 128, "runs": 65}


def test_a_plan_that_could_not_be_read_again_is_refused(store: Store) -> None:
    with pytest.raises(BanzukeError, match=r"cases\.0\.seconds"):
        store.create(machine(), [replace(case(), seconds=math.nan)])
    assert store.runs() == []


def test_names_of_runs_within_a_second_sort_as_they_began() -> None:
    moments = [datetime(2026, 1, 1, 12, 0, 5, micro, UTC) for micro in (0, 16, 400, 999_999)]
    names = [new_name(moment) for moment in moments]
    assert names == sorted(set(names))
    assert names[0] == "20260101T120005-0000"
    assert names[-1] == "20260101T120005-ffff"


def test_a_run_that_begins_with_another_takes_the_next_name(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["20260101T120005-0000", "20260101T120005-0000", "20260101T120005-0001"])
    monkeypatch.setattr("banzuke.results.store.new_name", lambda _now: next(times))
    assert [store.create(machine(), None).name for _ in range(2)] == ["20260101T120005-0000", "20260101T120005-0001"]


def test_results_that_are_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(BanzukeError, match="cannot write"):
        Store(tmp_path / "results").create(machine(), None)
