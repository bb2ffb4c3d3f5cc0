"""Tests of what is printed before anything runs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from banzuke.cli.console import errors
from banzuke.errors import BanzukeError
from banzuke.evaluation import examined
from banzuke.evaluation import reserve as reserving
from banzuke.evaluation.look import in_areas
from banzuke.evaluation.prepare import measure_here, with_rates
from banzuke.evaluation.reserve import reserve
from banzuke.evaluation.tell import tell_variables
from banzuke.launch.guard import Measuring
from banzuke.plan.capabilities import Storage
from banzuke.plan.catalogue import find
from banzuke.plan.groups import read_groups
from banzuke.plan.placement import Placement
from banzuke.plan.request import Request
from banzuke.results.store import Store
from banzuke.testing import case, machine


@pytest.mark.parametrize(
    ("hosts", "warning"),
    [
        ([], ""),
        (["here", "n1"], ""),
        ([f"n{i}" for i in range(9)], "not one of the hosts to run on (n0, n1,"),
    ],
)
def test_a_machine_that_is_none_of_the_hosts_is_said(
    hosts: list[str], warning: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "here.example.org")
    described = machine().changed(allotment={"hosts": hosts})
    monkeypatch.setattr(examined, "measure_machine", lambda *_, **__: described)
    measure_here(described, {}, errors, keep=False)
    said = capsys.readouterr().err
    assert warning in said
    assert ("warning" in said) == bool(warning)
    assert "n4" not in said


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_number_of_threads_is_held_against_each_benchmarks_first_case(
    threads: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    tell_variables([case(threads=2), case(threads=1)], errors)
    text = " ".join(capsys.readouterr().err.split())
    assert (f"OMP_NUM_THREADS={threads} is ignored" in text) == (threads != 2)


def test_own_placement_is_no_matter_where_cases_have_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OMP_PROC_BIND", "close")
    placed = case(placement=Placement("p", "P", cpus=((0,),), per_node=1))
    tell_variables([placed], errors)
    assert "OMP_PROC_BIND" not in capsys.readouterr().err
    tell_variables([placed, case()], errors)
    assert "OMP_PROC_BIND=close is set, so Banzuke leaves placing" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("name", "ranks"), [("geofem", "1 rank on each of the groups 0-2 and 3"), ("dgemm", "")])
def test_groups_that_are_one_rank_each_are_told_why(name: str, ranks: str, capsys: pytest.CaptureFixture[str]) -> None:
    request = Request(groups=read_groups("0-2+3"))
    assert with_rates({name: find(name)}, machine(), request, errors) == request
    printed = " ".join(capsys.readouterr().err.split())
    assert ranks in printed
    assert printed.count("rates that are measured at the start") == bool(ranks)


def test_what_stores_is_measured_where_it_was_asked_for_or_where_results_are(tmp_path: Path) -> None:
    stream, store = find("stream"), Store(tmp_path / "results")
    storing = replace(stream, storage=Storage())
    asked = [f"scratch={tmp_path}"]
    assert in_areas(machine(), {"s": storing}, asked, store).allotment.folders == {"scratch": str(tmp_path)}
    assert list(in_areas(machine(), {"s": storing}, None, store).allotment.folders.values()) == [str(store.folder)]
    assert in_areas(machine(), {"stream": stream}, None, store).allotment.folders == {}
    with pytest.raises(BanzukeError, match="stream uses no storage"):
        in_areas(machine(), {"stream": stream}, asked, store)


def test_the_time_that_another_run_takes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]

    def guard(_folder: Path, waiting: Callable[[int], None]) -> None:
        waiting(7)
        clock[0] += 7.5

    monkeypatch.setattr(reserving, "guard", guard)
    monkeypatch.setattr(reserving, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    assert reserve(Store(tmp_path), [tmp_path], errors) == 7.5


def test_who_else_measures_here_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reserving, "guard", lambda *_: 0)
    monkeypatch.setattr(reserving, "measuring", lambda: [Measuring(2964, "root")])
    reserve(Store(tmp_path), [tmp_path], errors)
    said = " ".join(capsys.readouterr().err.split())
    assert said == (
        "warning: another banzuke of root is measuring on this host (process 2964); each disturbs the other"
    )
