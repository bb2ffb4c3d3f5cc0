"""Steps of a screen, on this host only; the same code runs on many."""

import json
import shlex
import socket
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from banzuke import paths
from banzuke.fleet import launches, measure
from banzuke.fleet.beside import ProcessorTimes
from banzuke.fleet.launches import Launch, Launches, checked, screened, selectable
from banzuke.fleet.measure import Screen, read_facts, silent_hosts, switches
from banzuke.fleet.model import Node
from banzuke.launch.command import Command
from banzuke.launch.process import ProcessResult
from banzuke.launch.ranks import RankReports
from banzuke.machine.accelerators import VISIBLE
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.probe import PROGRAM
from banzuke.plan import on_devices
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.screening import Check
from banzuke.results.lines import NODES
from banzuke.results.run import Run
from banzuke.testing import case, machine

HERE = socket.gethostname()
VERIFIED = paths.SCHEMA / "golden" / "verified.json"


@pytest.fixture
def current(tmp_path: Path) -> Screen:
    return Screen(Run(tmp_path), [HERE], "here", nodes={HERE: Node(HERE, "k")})


def launched(script: str, seconds: float = 30.0) -> Launch:
    words = ("sh", "-c", script)
    return Launch(case=case(ranks=4), words=words, variables={"A": "1", "HOME": ""}, machine="m", seconds=seconds)


def test_a_verified_record_is_kept_with_the_host_as_we_call_it(current: Screen) -> None:
    assert current.launch(launched(f"tr -d '\\n' < {shlex.quote(str(VERIFIED))}"), [HERE], 2) == 1
    (record,) = current.run.read().records
    assert record.status == "ok"
    assert [(hosts.names, hosts.ranks) for hosts in record.groups[0].hosts] == [(HERE, "0-3")]
    assert record.provenance is not None
    assert (record.provenance.batch, record.provenance.repetition) == (current.run.name, 2)
    assert json.loads((current.run.folder / NODES).read_text())["state"] == "measured"


@pytest.mark.parametrize(
    ("busy", "most", "launches"),
    [((0.4, 0.0), 60.0, 2), ((0.4, 0.4), 60.0, 2), ((0.0, 0.4), 60.0, 1), ((0.4, 0.0), 0.5, 1)],
    ids=["once", "always", "never", "no time"],
)
def test_a_launch_that_others_disturbed_is_made_once_more(
    busy: tuple[float, float], most: float, launches: int, current: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = iter(busy)
    conditions = property(lambda _: {"other_busy_fraction": next(shares)})
    monkeypatch.setattr(ProcessorTimes, "conditions", conditions)
    call = launched(f"tr -d '\\n' < {shlex.quote(str(VERIFIED))}")
    call = call.having(case=replace(call.case, seconds=1.0))
    assert current.launch(call, [HERE], 0, most) == 1
    assert [record.conditions["other_busy_fraction"] for record in current.run.read().records] == [*busy][:launches]


def test_variables_are_set_and_removed(current: Screen) -> None:
    current.launch(launched('echo "$A ${HOME-unset}" >&2; exit 3'), [HERE], 0)
    assert "1 unset" in current.nodes[HERE].why


def test_a_node_whose_program_fails_is_asked_for_more(current: Screen) -> None:
    assert current.launch(launched("echo no memory >&2; exit 3"), [HERE], 0) == 0
    assert current.nodes[HERE].state == "failed"
    assert "no memory" in current.nodes[HERE].why
    assert current.answering == [HERE]
    (record,) = current.run.read().records
    assert record.status == "failed"


def test_a_node_that_hangs_is_left_out(current: Screen) -> None:
    current.launch(launched("sleep 60", 0.1), [HERE], 0)
    assert current.nodes[HERE].state == "hung"
    assert current.nodes[HERE].why == "stream-omp did not end within 0.1 s"
    assert current.answering == []
    (record,) = current.run.read().records
    assert record.status == "failed"


def test_nodes_are_measured_with_those_of_their_kind(tmp_path: Path) -> None:
    nodes = {"a": Node("a", "1"), "b": Node("b", "2"), "c": Node("c", "1"), "d": Node("d", "1", "dead")}
    assert Screen(Run(tmp_path), list(nodes), "srun", nodes=nodes).kinds() == {"1": ["a", "c"], "2": ["b"]}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"facts": 3}', '{"facts": {"a": [1]}}', "3"])
def test_what_is_no_survey_says_nothing(text: str) -> None:
    assert read_facts(text) == {}


def test_facts_are_plain_values() -> None:
    assert read_facts('{"host": "h", "facts": {"type.cores": 8, "setting.boost": true, "x": null}}') == {
        "type.cores": 8,
        "setting.boost": True,
    }


def test_nodes_are_at_the_switch_that_has_them_itself() -> None:
    text = """SwitchName=root Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]
SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]
SwitchName=odd Level=0 LinkSpeed=1 Nodes=(null)
"""
    assert switches(text) == {"n1": "leaf1", "n2": "leaf1", "n3": "leaf2", "n4": "leaf2"}


def test_calls_are_kept_as_they_are() -> None:
    kept = {"k": [launched("true")]}
    assert Launches.validate_json(Launches.dump_json(kept)) == kept


def device(identity: str, vendor: str = "NVIDIA", slice_of: str | None = None) -> AllottedDevice:
    return AllottedDevice(identity=identity, name="A", vendor=vendor, memory=1, memory_available=1, slice_of=slice_of)


def test_each_device_is_measured_by_itself_and_by_its_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All nodes get the same launch, while identities of devices differ between nodes. A slice has no number."""
    mixed = [device("GPU-x"), device("MIG-1", slice_of="GPU-y"), device("GPU-z"), device("AMD-x", "AMD")]
    several = machine().changed(allotment={"devices": mixed})
    monkeypatch.setattr(on_devices, "backends", lambda _benchmark: ["omp", "cuda", "hip"])
    monkeypatch.setattr(on_devices, "drives", lambda _, backend: {"cuda": "NVIDIA", "hip": "AMD"}.get(backend, ""))
    monkeypatch.setattr(measure, "check", lambda *_: ())
    for name in (*VISIBLE["NVIDIA"], *VISIBLE["AMD"]):
        monkeypatch.delenv(name, raising=False)
    asked: list[list[str]] = []

    def short_case(_benchmark: Benchmark, among: Machine) -> Case:
        asked.append([device.identity for device in among.allotment.devices])
        return case()

    def render(_case: Case, among: Machine, *_: object, **_options: object) -> Command:
        names = ",".join(device.identity for device in among.allotment.devices)
        return Command(["program", "--devices", names, "--n", "1"], {"A": "1"}, placements=[None])

    monkeypatch.setattr(launches, "short_case", short_case)
    monkeypatch.setattr(launches, "render", render)
    planned = launches.planned(benchmarks()["stream"], several, tmp_path)
    assert asked == [["GPU-x", "MIG-1", "GPU-z", "AMD-x"], ["GPU-x"], ["GPU-z"], ["AMD-x"]]
    assert {launch.words for launch in planned} == {("program", "--n", "1")}
    assert [launch.device for launch in planned] == ["", "0", "2", "0"]
    assert [launch.variables for launch in planned] == [
        {"A": "1"},
        {"A": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"},
        {"A": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "2"},
        {"A": "1", "ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": ""},
    ]


@pytest.mark.parametrize(
    ("vendor", "variables", "names"),
    [
        ("NVIDIA", {}, ["0", "1"]),
        ("NVIDIA", {"CUDA_VISIBLE_DEVICES": "2, 3"}, ["2", "3"]),
        ("NVIDIA", {"CUDA_VISIBLE_DEVICES": "GPU-b,GPU-a,no,1"}, ["GPU-b", "GPU-a"]),
        ("NVIDIA", {"CUDA_VISIBLE_DEVICES": "2"}, ["0", "1"]),  # of another node
        ("NVIDIA", {"HIP_VISIBLE_DEVICES": "2,3"}, ["0", "1"]),
        ("AMD", {"ROCR_VISIBLE_DEVICES": "2,3"}, ["2", "3"]),
        ("AMD", {"HIP_VISIBLE_DEVICES": "3,2"}, ["3", "2"]),
        ("AMD", {"ROCR_VISIBLE_DEVICES": "4,5,6", "HIP_VISIBLE_DEVICES": "2,0"}, ["6", "4"]),
    ],
)
def test_devices_that_a_job_was_given_keep_their_numbers(
    vendor: str, variables: dict[str, str], names: list[str]
) -> None:
    driven = [device("GPU-1", vendor), device("GPU-2", vendor)]
    assert [name for _, name in selectable(driven, variables)] == names


def test_nodes_are_screened_by_what_each_measures_alone() -> None:
    assert {"stream", "dgemm", "noise"} <= {benchmark.name for benchmark in screened(benchmarks())}
    assert not {"hpl", "spmv", "ior"} & {benchmark.name for benchmark in screened(benchmarks())}
    catalogue = {name: find(name) for name in ("dgemm", "hpl", "noise", "stream")}
    of_check = {check: [benchmark.name for benchmark in checked(catalogue, check)] for check in get_args(Check)}
    assert of_check == {"epilog": ["stream"], "boot": ["stream", "dgemm"]}, "the quickest first"


def test_a_host_is_silent_if_only_others_say_where_they_hang() -> None:
    entries = {"n1.cluster": "0:17", "n2.cluster": "1:17", "n3.cluster": "2:17"}

    def hung(**steps: list[int]) -> ProcessResult:
        return ProcessResult("", "", -9, timed_out=True, conditions={}, ranks=RankReports(entries, steps))

    hosts = ["n1", "n2", "n3"]
    assert silent_hosts(hung(waits=[0, 2]), hosts) == ["n2"]
    assert silent_hosts(hung(), hosts) == []
    assert silent_hosts(hung(waits=[0, 1, 2]), hosts) == []
    assert silent_hosts(replace(hung(waits=[0]), timed_out=False), hosts) == []


def test_a_node_is_at_the_switch_that_it_is_said_to_be_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a topology file, without Slurm."""
    program = tmp_path / PROGRAM
    program.write_text('#!/bin/sh\necho \'{"facts": {"type.cores": 8}}\'\n')
    program.chmod(0o755)
    monkeypatch.setattr(measure, "executables", lambda: tmp_path)
    monkeypatch.setattr(Screen, "calm", lambda _screen: None)
    screen = Screen(Run(tmp_path / "run"), [HERE], "here", places={HERE: "leaf7"})
    screen.survey()
    assert screen.nodes[HERE].place == "leaf7"
