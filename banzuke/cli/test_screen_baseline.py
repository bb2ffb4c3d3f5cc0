"""Tests of nodes without others to compare with: by limits, their own earlier screens, and other load on them."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

from banzuke.cli import app, screen_baseline
from banzuke.cli.screen_baseline import check_here, judged, launch_in_time, limited
from banzuke.document import Paragraph, Table
from banzuke.errors import BanzukeError
from banzuke.fleet.launches import Launch, checked
from banzuke.fleet.load import load
from banzuke.fleet.measure import Screen
from banzuke.fleet.model import Node
from banzuke.fleet.summary import blocks
from banzuke.fleet.testing import MadeFleet, record
from banzuke.fleet.verdict import FAILED, NOTHING_JUDGED, PASSED, FleetJudgement
from banzuke.machine.site import Peak
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.screening import Check
from banzuke.results.lines import NODES
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import case, machine
from banzuke.words.language import words

PEAKS = {"flops.fp64": Peak(value=118e9, unit="flop/s"), "memory.bytes": Peak(unit="B/s")}


def screened(
    store: Store,
    rate: float,
    load: float = 0.0,
    peaks: dict[str, Peak] = PEAKS,
    host: str = "n1",
    distance: float | None = None,
) -> Run:
    """Store a node's DGEMM as `banzuke screen` does."""
    name = f"screen-{len(store.runs()):03}"  # runs of the same second would be in any order
    run = store.create(machine().changed(node={"peaks": peaks}, allotment={"peaks": {}}), None, name=name)
    launched = record("dgemm", "blas", {"n": 4000}, "flop_rate", "flop/s", [rate], host)
    run.append(launched.having(conditions={"exchange_latency": distance} if distance else {}))
    facts = {"type.processor": "P", "state.load": load}
    said = {"host": host, "state": "measured", "why": "", "place": "", "facts": facts}
    (run.folder / NODES).write_text(json.dumps(said) + "\n")
    return run


def judgement(store: Store, run: Run) -> FleetJudgement:
    return judged(store, [run], load([run]))


@pytest.mark.parametrize(
    ("rate", "loaded", "verdict", "causes", "action"),
    [
        (18.6e9, 15.0, "unknown", ["judge-load"], "judge-action-loaded"),
        (18.6e9, 0.0, "fail", [], "judge-action-again"),
        (100e9, 0.0, "pass", [], "judge-action-none"),
        (100e9, 15.0, "pass", ["judge-load"], "judge-action-load"),
    ],
)
def test_one_node_is_judged_by_its_peak_and_its_load(
    rate: float, loaded: float, verdict: str, causes: list[str], action: str, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    judged = judgement(store, screened(store, rate, loaded))
    node = judged.nodes["n1"]
    assert (node.verdict, [cause.code for cause in node.causes], node.action.code) == (verdict, causes, action)
    assert [(reason.against, reason.usual) for reason in node.reasons] == [("limit", 118e9)] * (verdict == "fail")
    assert [remark.code for remark in judged.remarks] == ["judge-limits"] * (verdict == "pass")
    assert judged.exit_status == {"pass": PASSED, "fail": FAILED, "unknown": NOTHING_JUDGED}[verdict]


def test_what_is_below_a_limit_is_told_as_share_of_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = screened(store, 28e9)
    fleet, judged = load([run]), judgement(store, run)
    (reason,) = judged.document()["nodes"][0]["reasons"]
    assert (reason["limit"], reason["against"]) == (118e9, "limit")
    assert not {"median", "sigmas"} & set(reason)
    _, failed, figures = blocks(fleet, judged, words())
    assert isinstance(failed, Table)
    assert failed.rows[0].cells[1].text == "DGEMM 28 Gflop/s, 23.7% of the theoretical peak (118 Gflop/s)"
    assert isinstance(figures, Table)
    assert [column.title for column in figures.columns] == ["Figure", "Nodes", "Value"], "nothing lies apart"


def test_a_busy_node_is_told_what_to_end(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = screened(store, 18.6e9, 4.57)
    judged = judgement(store, run)
    (paragraph,) = [block for block in blocks(load([run]), judged, words()) if "not judged" in str(block)]
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == "not judged: the load was 4.57 before the screen: end the processes on n1 and screen again"
    assert words()(judged.nodes["n1"].causes[0]).endswith("an idle node has 0: other processes run")


def test_of_a_node_of_which_no_limit_is_known_its_load_is_told(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for loaded, action in ((0.0, "judge-action-compare"), (15.0, "judge-action-load")):
        node = judgement(store, screened(store, 18.6e9, loaded, peaks={})).nodes["n1"]
        assert (node.verdict, node.action.code) == ("unknown", action)


def test_one_node_is_judged_by_its_own_earlier_screens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens of other nodes since then do not count, however many there are."""
    monkeypatch.setattr(screen_baseline, "MOST_SCREENS", 5)
    store = Store(tmp_path)
    for rate in (99e9, 100e9, 100.5e9, 99.6e9, 101e9):
        screened(store, rate, peaks={})
    for _ in range(5):
        screened(store, 20e9, peaks={}, host="n2")
    usual = judgement(store, screened(store, 99.2e9, peaks={}))
    assert (usual.nodes["n1"].verdict, [remark.code for remark in usual.remarks]) == ("pass", ["judge-own"])
    busy = judgement(store, screened(store, 60e9, 15.0)).nodes["n1"]
    assert (busy.verdict, busy.disturbed) == ("unknown", True), "although half of the peak is reached"
    assert [cause.code for cause in busy.causes] == ["judge-load"]
    slower = judgement(store, screened(store, 60e9, peaks={})).nodes["n1"]
    assert (slower.verdict, slower.reasons[0].against) == ("fail", "baseline")


def test_one_node_is_judged_by_its_own_earlier_screens_in_the_same_state(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for rate in (99e9, 100e9, 101e9):
        screened(store, rate, peaks={}, distance=150e-9)
    new = judgement(store, screened(store, 60e9, distance=38e-9))
    assert (new.nodes["n1"].verdict, new.nodes["n1"].action.code) == ("unknown", "judge-action-state-again")
    assert {remark.code for remark in new.remarks} == {"judge-state-unlearnt", "judge-own"}
    for rate in (59e9, 61e9):
        screened(store, rate, peaks={}, distance=38e-9)
    assert judgement(store, screened(store, 60.5e9, peaks={}, distance=39e-9)).nodes["n1"].verdict == "pass"
    assert judgement(store, screened(store, 80e9, peaks={}, distance=150e-9)).nodes["n1"].verdict == "fail"


def test_a_node_that_was_always_slow_is_slow(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for _ in range(4):
        screened(store, 18.6e9)
    assert judgement(store, screened(store, 18.6e9)).nodes["n1"].verdict == "fail"
    assert judgement(store, screened(store, 18.6e9, 15.0)).nodes["n1"].disturbed


@pytest.mark.parametrize("check", get_args(Check))
def test_without_a_baseline_and_a_peak_nothing_is_measured(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def survey(self: Screen) -> None:
        self.nodes.update({host: Node(host, "k") for host in self.hosts})

    monkeypatch.setattr(Screen, "survey", survey)
    unknown = machine().changed(node={"peaks": {}}, allotment={"peaks": {}})
    monkeypatch.setattr(screen_baseline, "discover", lambda **_: unknown)
    monkeypatch.setattr(Screen, "launch", None)
    with pytest.raises(BanzukeError, match="there is no baseline for its type"):
        check_here(Store(tmp_path), check)
    assert not capsys.readouterr().err, "one message"


def test_what_has_no_known_peak_is_said_to_be_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        screen_baseline, "discover", lambda **_: machine().changed(node={"peaks": PEAKS}, allotment={"peaks": {}})
    )
    _, wanted, (left_out,) = limited("n1", checked(benchmarks(), "boot"))
    assert [spec.name for spec in wanted] == ["dgemm"]
    assert words()(left_out).startswith("n1: STREAM left out")
    assert "STREAM left out" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "measured"), [(2.0, ["", "0", "1", "2"]), (12.0, ["", "0"]), (20.0, [])])
def test_what_there_is_no_time_for_is_left_out(
    seconds: float, measured: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processors come first, then as many devices as time allows."""
    clock, launched = [0.0], list[str]()
    monkeypatch.setattr(screen_baseline, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def launch(_self: Screen, call: Launch, *_: object, **_most: float) -> None:
        launched.append(call.device)
        clock[0] += call.case.seconds / 2

    monkeypatch.setattr(Screen, "launch", launch)
    current = Screen(Run(tmp_path), ["n1"], "here", nodes={"n1": Node("n1", "k")})
    planned = replace(case(), seconds=seconds)
    calls = [
        Launch(case=planned, words=("true",), variables={}, machine="m", seconds=30, device=device)
        for device in ("0", "1", "2", "")
    ]
    if not measured:
        with pytest.raises(BanzukeError, match="cannot be judged in 30 s"):
            launch_in_time(current, calls, 30.0)
        return
    remarks = [words()(remark) for remark in launch_in_time(current, calls, 30.0)]
    assert launched == measured
    left_out = "n1: STREAM, device 1 and STREAM, device 2 left out, because there is no time left for it"
    assert remarks == ([left_out] if len(measured) < len(calls) else [])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "--minutes", "x"],
        ["--json", "--nodes", "n["],
        ["--json", "--no-such-option"],
        ["--json", "run"],
        ["--json", "--learn", "no-such-run"],
        ["--learn", "--json", "--boot"],
        ["--boot", "--results", "/no/such/folder"],
        ["--epilog", "--minutes", "0"],
    ],
)
def test_programs_get_a_document_of_what_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((BanzukeError, SystemExit)):
        app(["screen", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert (document["nodes"], document["exit_status"]) == ([], 2)
    assert document["why"]


@pytest.mark.parametrize(
    ("variable", "arguments"),
    [
        ("BANZUKE_EPILOG", ["--minutes", "x"]),
        ("BANZUKE_BOOT", ["--json", "--results", "/no/such/folder"]),
        ("BANZUKE_JSON", ["--boot", "--minutes", "x"]),
        ("", ["--boot", "--json", "--results", "/no/such/folder"]),
        ("", ["--epilog", "--json", "--no-such-option"]),
    ],
)
def test_a_check_by_the_batch_system_prints_one_line(
    variable: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    with pytest.raises((BanzukeError, SystemExit)):
        app(["screen", *arguments])
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["exit_status"] == 2


def test_a_node_without_space_is_not_judged_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(BanzukeError):
        app(["screen", "--epilog", "--results", str(tmp_path)])
    (line,) = capsys.readouterr().out.splitlines()
    assert "none" in json.loads(line)["why"]


def test_a_variable_that_says_no_asks_for_no_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BANZUKE_JSON", "0")
    monkeypatch.setenv("BANZUKE_BOOT", "no")
    with pytest.raises((BanzukeError, SystemExit)):
        app(["screen", "--minutes", "x"])
    assert not capsys.readouterr().out


def test_programs_get_a_document_of_what_is_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = MadeFleet(4, figures=2).write(Store(tmp_path))
    (run.folder / "launches.json").write_text("{}")
    with pytest.raises(SystemExit, match="0"):
        app(["screen", "--json", "--learn", run.name, "--results", str(tmp_path)])
    (learnt,) = json.loads(capsys.readouterr().out)["learnt"]
    assert (learnt["figures"], learnt["nodes"]) == (2, 4)
