"""Standard cases on devices: a headline on each kind of device, which is part of the case."""

from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Peak
from banzuke.plan import on_devices as planning
from banzuke.plan.benchmark import Layout
from banzuke.plan.case import Case, key
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.groups import read_groups
from banzuke.plan.on_devices import driven_kinds, on_devices, with_backends, with_devices
from banzuke.plan.request import Request
from banzuke.testing import machine

STREAM = on_devices(find("stream"), "cuda")
RATES = {"Large": 32e12, "Small": 1e12}


def having(*names: str) -> Machine:
    kinds = [
        Device(name=name, count=names.count(name), peaks={"flops.fp64": Peak(value=RATES[name], unit="flop/s")})
        for name in dict.fromkeys(names)
    ]
    devices = [
        AllottedDevice(
            identity=f"GPU-{number}",
            name=name,
            vendor="NVIDIA",
            memory=(1 << 34) if name == "Large" else (1 << 30),
            memory_available=1 << 30,
        )
        for number, name in enumerate(names)
    ]
    return machine(cores=8).changed(node={"devices": kinds}, allotment={"devices": devices})


UNLIKE = having("Large", "Large", "Small")


@pytest.mark.parametrize("name", ["geofem", "hpcg", "gups"])
def test_only_some_programs_share_a_problem_with_those_of_devices(name: str) -> None:
    groups = read_groups("0-2+3@0")
    with pytest.raises(BanzukeError, match=f"{name} has no groups with devices"):
        with_backends(find(name), UNLIKE, groups, [])
    with pytest.raises(BanzukeError, match="noise has no programs for devices"):
        with_backends(find("noise"), UNLIKE, groups, [])


def test_a_group_is_named_whose_device_no_program_drives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    here = with_devices(UNLIKE, ["2"])
    why = rf"the group 3@2 has no program of hpl \({tmp_path} has none for devices of NVIDIA, such as Small\). docs/gpu"
    with pytest.raises(BanzukeError, match=why):
        with_backends(find("hpl"), here, read_groups("0-2+3@2"), [])


def shown(cases: list[Case]) -> list[tuple[int, str]]:
    return [(case.ranks, case.variant.device) for case in cases]


def test_each_kind_has_a_headline_and_all_work_together() -> None:
    cases = plan(STREAM, UNLIKE, Request())
    assert shown(cases) == [(1, "Large"), (3, ""), (1, "Small")]
    assert len({key(case) for case in cases}) == 3
    assert [driven_kinds(case, UNLIKE) for case in cases] == [["Large"], ["Large", "Small"], ["Small"]]


def test_sizes_are_those_of_the_kind() -> None:
    (first, *_), cases = plan(STREAM, having("Large"), Request()), plan(STREAM, UNLIKE, Request())
    assert int(cases[2].parameters["n"]) * 24 <= 1 << 30
    dgemm = plan(on_devices(find("dgemm"), "cuda"), UNLIKE, Request())
    (small,) = (case for case in dgemm if case.variant.device == "Small")
    assert 2 * float(small.parameters["n"]) ** 3 <= 0.3 * RATES["Small"]
    assert int(first.parameters["n"]) * 24 > 1 << 30


def test_one_kind_is_no_part_of_a_case() -> None:
    two = having("Large", "Large")
    cases = plan(STREAM, two, Request())
    assert shown(cases) == [(1, ""), (2, "")]
    assert "device" not in cases[0].variant.values


def test_what_was_asked_for_is_one_case_of_the_kind_that_it_gets() -> None:
    assert shown(plan(STREAM, UNLIKE, Request(overrides={"rounds": ["5"]}))) == [(1, "Large")]
    chosen = with_devices(UNLIKE, ["2"])
    assert shown(plan(STREAM, chosen, Request())) == [(1, "Small")]
    assert shown(plan(STREAM, UNLIKE, Request(ranks=2))) == [(2, "Large")]


def test_a_kind_without_enough_devices_has_no_headline() -> None:
    pairs = replace(STREAM, sweep=lambda on: [(Layout(2, 1, devices=1), {})] if len(on.allotment.devices) > 1 else [])
    assert shown(plan(pairs, UNLIKE, Request())) == [(2, "Large")]
    assert shown(plan(pairs, having("Large", "Large", "Small", "Small"), Request())) == [(2, "Large"), (2, "Small")]


def test_a_collection_stays_on_the_first_device() -> None:
    spmv = on_devices(find("spmv"), "cuda")
    cases = plan(spmv, UNLIKE, Request(), families=lambda _benchmark, _backend: ["rmat"])
    assert {case.variant.device for case in cases} == {"Large"}


@pytest.mark.parametrize(
    ("installed", "planned"),
    [(["cuda"], [("cuda", True)]), (["cuda", "omp"], [("omp", False), ("cuda", True)]), ([], [("omp", False)])],
)
def test_without_programs_for_processors_it_runs_on_devices_alone(
    installed: list[str], planned: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "backends", lambda _benchmark: installed)
    monkeypatch.setattr(planning, "drives", lambda _benchmark, backend: "NVIDIA" if backend == "cuda" else "")
    chosen = planning.parts(find("fft"), having("Large"), ())
    assert [(benchmark.default_backend, benchmark.devices is None) for benchmark, _ in chosen] == planned
