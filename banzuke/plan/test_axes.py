"""Axes on machines that have what was asked for, and on others."""

from dataclasses import replace
from typing import Any

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, NumaNode
from banzuke.plan import axes, on_devices
from banzuke.plan import request as request_module
from banzuke.plan.axes import checked, fitting, shown, without_effect
from banzuke.plan.benchmark import Benchmark, Devices, Layout, Metric
from banzuke.plan.capabilities import Libraries, Library
from banzuke.plan.case import Case, key
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.placement import Placement
from banzuke.plan.request import Request, check
from banzuke.plan.variant import Variants
from banzuke.program.describe import Refusal, RefusedError
from banzuke.testing import machine, plan_all

STREAM, DGEMM = (replace(find(name), defaults=lambda _machine, _layout: {"n": 10}) for name in ("stream", "dgemm"))


def two_nodes() -> Machine:
    nodes = [NumaNode(node=0, cpus=[0, 1]), NumaNode(node=1, cpus=[2, 3])]
    libraries = [Blas(name="MKL", path="/lib/mkl.so", flop_rate=2e9), Blas(name="OpenBLAS", path="/lib/openblas.so")]
    here = machine(cores=4).changed(node={"numa": nodes})
    return here.changed(partition={"software": here.software.model_copy(update={"blas": libraries})})


def cases(asked: Variants, benchmark: str = "stream", here: Machine | None = None, ranks: int = 1) -> list[Case]:
    wanted = Request(ranks=ranks, threads=1, overrides={"n": ["10"]}, variants=asked)
    return plan({"stream": STREAM, "dgemm": DGEMM}[benchmark], here or two_nodes(), wanted)


@pytest.mark.parametrize(
    ("asked", "matters", "useless", "why"),
    [
        (Variants(libraries=("MKL", "OpenBLAS")), "dgemm", "stream", "--library does nothing for stream: it calls no"),
        (Variants(memories=("local", "interleave")), "two nodes", "one node", "this machine has one NUMA node"),
        (Variants(launchers=("", "-genv A 1")), "two ranks", "one rank", "one rank is started without a launcher"),
    ],
)
def test_values_that_change_nothing_are_said_and_the_case_runs_once(
    asked: Variants, matters: str, useless: str, why: str
) -> None:
    def planned_with(situation: str) -> tuple[list[Case], list[str]]:
        benchmark = "dgemm" if situation == "dgemm" else "stream"
        here = two_nodes().changed(node={"numa": two_nodes().node.numa[:1]}) if situation == "one node" else two_nodes()
        planned = cases(asked, benchmark, here, ranks=2 if situation == "two ranks" else 1)
        return planned, without_effect(asked, planned, {"stream": STREAM, "dgemm": DGEMM}, here)

    planned, said = planned_with(matters)
    assert (len(planned), said) == (2, [])
    planned, said = planned_with(useless)
    assert [case.variant.unusual for case in planned] == [{}]
    assert len(said) == 1
    assert why in said[0]


def test_a_library_is_found_whatever_the_case_of_its_letters() -> None:
    planned = cases(Variants(libraries=("openblas", "OPENBLAS", "mkl")), "dgemm")
    assert [case.variant.library for case in planned] == ["OpenBLAS", "MKL"]


FFT = Benchmark(
    "fft",
    "FFT",
    (Metric("flop_rate", "flop/s", "higher", "FFT", headline=True),),
    defaults=lambda _machine, _layout: {"n": 10},
    sweep=lambda here: [(Layout(1, here.allotment.usable_cores), {}), (Layout(1, 1), {"n": 5})],
    libraries=Libraries(
        by_backend={name.lower(): Library(name, f"BANZUKE_{name}", "") for name in ("FFTW", "MKL")}, compared=True
    ),
)


@pytest.fixture
def one_rank_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make backends that call a library refuse more than one rank."""

    def ask(_benchmark: str, backend: str, ranks: int, _threads: int, _parameters: object, _build: str) -> None:
        if ranks > 1:
            raise RefusedError("fft", Refusal(why=f"{backend} takes 1 rank", remedy="", nearest=[]))

    monkeypatch.setattr(axes, "ask", ask)


@pytest.mark.usefixtures("one_rank_alone")
def test_a_benchmark_runs_with_its_own_libraries() -> None:
    asked = Variants(libraries=("Own", "fftw", "mkl"))
    planned = plan(FFT, two_nodes(), Request(ranks=1, overrides={"n": ["10"]}, variants=asked))
    assert [(case.backend, case.variant.library) for case in planned] == [("omp", ""), ("fftw", "FFTW"), ("mkl", "MKL")]
    assert {(case.ranks, case.threads, case.parameters["n"]) for case in planned} == {(1, 4, "10")}
    assert not without_effect(asked, planned, {"fft": FFT}, two_nodes())


@pytest.mark.usefixtures("one_rank_alone")
def test_a_library_that_cannot_take_a_case_is_said() -> None:
    asked = Variants(libraries=("own", "fftw"))
    planned = plan(FFT, two_nodes(), Request(ranks=2, overrides={"n": ["10"]}, variants=asked))
    assert [(case.backend, case.variant.library) for case in planned] == [("omp", "")]
    said = ["--library FFTW does nothing for fft: fftw takes 1 rank"]
    assert without_effect(asked, planned, {"fft": FFT}, two_nodes()) == said


@pytest.mark.usefixtures("one_rank_alone")
def test_each_benchmark_takes_those_libraries_that_it_can_call() -> None:
    asked = Variants(libraries=("own", "MKL", "OpenBLAS"))
    both = {"fft": FFT, "dgemm": replace(DGEMM, sweep=lambda _here: [(Layout(1, 4), {})])}
    planned = plan_all(both.values(), two_nodes(), Request(variants=asked))
    assert [(case.benchmark, case.variant.library, case.parameters["n"]) for case in planned] == [
        *(("fft", name, n) for n in (10, 5) for name in ("", "MKL")),
        *(("dgemm", name, 10) for name in ("", "MKL", "OpenBLAS")),
    ]
    assert without_effect(asked, planned, both, two_nodes()) == [
        "--library OpenBLAS does nothing for fft: its libraries are own, FFTW, MKL",
        "--library own does nothing for dgemm: its libraries are MKL, OpenBLAS",
    ]
    with pytest.raises(BanzukeError, match=r"no library 'essl' here. There are: own, FFTW, MKL$"):
        plan(FFT, two_nodes(), Request(variants=Variants(libraries=("essl",))))
    with pytest.raises(BanzukeError, match="--library already chooses the backend of fft"):
        check(FFT, Request(backend="mkl", variants=Variants(libraries=("own",))))


@pytest.mark.usefixtures("one_rank_alone")
def test_the_standard_cases_have_the_headline_with_each_library_that_is_here() -> None:
    software = two_nodes().software.model_copy(update={"libraries": {"FFTW": "/lib/libfftw3_omp.so.3"}})
    here = two_nodes().changed(partition={"software": software})

    def planned(**asked: Any) -> list[tuple[str, str, object]]:
        cases = plan(asked.pop("of", FFT), here, Request(**asked))
        return [(case.backend, case.variant.library, case.parameters["n"]) for case in cases]

    own = [("omp", "", 10), ("omp", "", 5)]
    assert planned() == [*own, ("fftw", "FFTW", 10)]
    assert planned(of=replace(FFT, libraries=replace(FFT.libraries, compared=False))) == own
    assert planned(backend="omp") == own
    assert planned(variants=Variants(libraries=("own",))) == own
    assert planned(threads=1) == own[:1]


SPARSE = Library("cuSPARSE", "BANZUKE_CUSPARSE", "pip install")
ON_DEVICES = Devices(
    lambda _here: [(Layout(1, 1, devices=1), {}), (Layout(1, 1, devices=1), {"n": 5})],
    libraries={"cuda": SPARSE, "hip": replace(SPARSE, name="rocSPARSE")},
    library_parameter="product",
)
PRODUCTS = replace(FFT, devices=ON_DEVICES)


@pytest.fixture
def with_device(monkeypatch: pytest.MonkeyPatch, one_rank_alone: None) -> Machine:  # noqa: ARG001
    """A device of NVIDIA's, and a program for it."""
    monkeypatch.setattr(on_devices, "backends", lambda _name: ["omp", "fftw", "mkl", "cuda"])
    for module in (on_devices, request_module):
        monkeypatch.setattr(module, "drives", lambda _name, backend: "NVIDIA" if backend == "cuda" else "")
    device = AllottedDevice(identity="GPU-1", name="H100", vendor="NVIDIA", memory=1 << 30, memory_available=1 << 30)
    software = two_nodes().software.model_copy(update={"libraries": {"cuSPARSE": "/lib/libcusparse.so.12"}})
    return two_nodes().changed(allotment={"devices": [device]}, partition={"software": software})


def described(planned: list[Case]) -> list[tuple[str, str, object, object]]:
    return [(case.backend, case.variant.library, case.parameters["n"], case.call.get("product")) for case in planned]


def test_a_library_of_devices_is_called_by_a_parameter(with_device: Machine) -> None:
    ours, theirs = ("cuda", "", "10", "own"), ("cuda", "cuSPARSE", "10", "library")
    for backend, names, cases in (
        (None, ("cusparse",), [theirs]),
        (None, ("own", "cuSPARSE"), [ours, theirs]),
        ("cuda", ("own", "CUSPARSE"), [ours, theirs]),
        (None, ("mkl", "cuSPARSE"), [("omp", "", "10", None), ("mkl", "MKL", "10", None), ours, theirs]),
        ("omp", ("cuSPARSE",), [("omp", "", "10", None)]),
        ("cuda", ("MKL",), [ours]),
    ):
        asked = Variants(libraries=names)
        planned = plan(PRODUCTS, with_device, Request(backend=backend, overrides={"n": ["10"]}, variants=asked))
        assert sorted(described(planned), key=str) == sorted(cases, key=str)
    own, other = plan(PRODUCTS, with_device, Request(variants=Variants(libraries=("own", "cuSPARSE"))))[:2]
    assert own.parameters == other.parameters
    assert key(own) != key(other)


def test_what_a_device_has_no_library_for_is_said(with_device: Machine) -> None:
    asked = Variants(libraries=("MKL",))
    planned = plan(PRODUCTS, with_device, Request(backend="cuda", variants=asked))
    assert without_effect(asked, planned, {"fft": PRODUCTS}, with_device) == [
        "--library does nothing for fft: on devices its libraries are own, cuSPARSE"
    ]
    always = replace(PRODUCTS, devices=replace(ON_DEVICES, library_parameter="", library_always=True))
    asked = Variants(libraries=("cuSPARSE", "own"))
    planned = plan(always, with_device, Request(backend="cuda", overrides={"n": ["10"]}, variants=asked))
    assert described(planned) == [("cuda", "cuSPARSE", "10", None), ("cuda", "", "10", None)]
    assert without_effect(asked, planned, {"fft": always}, with_device) == [
        "--library own does nothing for fft: on devices its libraries are cuSPARSE"
    ]
    never = replace(PRODUCTS, devices=replace(ON_DEVICES, library_parameter=""))
    with pytest.raises(BanzukeError, match="no library 'cuSPARSE' here"):
        plan(never, with_device, Request(backend="cuda", variants=asked))


def test_a_library_without_its_device_is_refused(with_device: Machine) -> None:
    none = with_device.changed(allotment={"devices": []})
    for here, name, backend in ((none, "cuSPARSE", "cuda"), (with_device, "rocSPARSE", "hip")):
        with pytest.raises(BanzukeError, match=f"fft cannot run with the backend {backend}"):
            plan(PRODUCTS, here, Request(variants=Variants(libraries=(name,))))


def test_a_library_is_chosen_once(with_device: Machine) -> None:
    asked = Variants(libraries=("cuSPARSE",))
    with pytest.raises(BanzukeError, match="--library already sets product of fft"):
        check(PRODUCTS, Request(backend="cuda", overrides={"product": ["own"]}, variants=asked))
    check(PRODUCTS, Request(backend="omp,cuda", variants=asked))
    with pytest.raises(BanzukeError, match="--library already chooses the backend of fft"):
        check(PRODUCTS, Request(backend="omp,cuda", variants=Variants(libraries=("mkl",))))
    (own, *_) = plan(PRODUCTS, with_device, Request(backend="cuda", overrides={"product": ["library"]}))
    assert (own.parameters["product"], own.chosen) == ("library", {})


def test_the_standard_cases_on_devices_have_the_headline_with_their_library(with_device: Machine) -> None:
    planned = [case for case in plan(PRODUCTS, with_device, Request()) if case.groups[0].devices]
    assert described(planned) == [
        ("cuda", "", 10, "own"),
        ("cuda", "", 5, "own"),
        ("cuda", "cuSPARSE", 10, "library"),
    ]
    alone = replace(PRODUCTS, libraries=replace(PRODUCTS.libraries, compared=False))
    assert not [case for case in plan(alone, with_device, Request()) if case.variant.library]


def test_each_set_of_cores_is_planned_for_itself_and_they_run_in_turn() -> None:
    standard = replace(STREAM, sweep=lambda here: [(Layout(1, here.allotment.usable_cores), {"n": n}) for n in (1, 2)])
    planned = plan(standard, two_nodes(), Request(variants=Variants(cores=("0", "2-3"))))
    assert [(case.parameters["n"], case.variant.cores, case.threads) for case in planned] == [
        (n, *where) for n in (1, 2) for where in (("0", 1), ("2-3", 2))
    ]


def test_a_machine_is_kept_to_some_of_its_processors() -> None:
    whole = machine(cores=2, threads_per_core=2)
    siblings = {"siblings": [[0, 2], [1, 3]], "complexes": [[0, 1, 2, 3]], "packages": [[0, 2], [1, 3]]}
    kept = whole.changed(allotment=siblings).keeping_to("2-3").allotment
    assert (kept.allowed, kept.one_per_core, kept.allowed_cores) == ([2, 3], [2, 3], 2)
    assert (kept.siblings, kept.complexes, kept.packages) == ([[2], [3]], [[2, 3]], [[2], [3]])
    assert whole.keeping_to("") == whole


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (Variants(libraries=("openblass",)), "no library 'openblass' here. Did you mean 'OpenBLAS'"),
        (Variants(cores=("2-5",)), r"--cores 2-5: 4-5 may not be used here \(the processors that may are 0-3\)"),
        (Variants(memories=("bind:0,7",)), "there is no NUMA node 7 here"),
        (Variants(memories=("bind:1-2",)), r"NUMA node 2 has no memory \(those that have some are 0-1\)"),
        (Variants(pages=("reserved",)), "/proc/sys/vm/nr_hugepages is 0"),
        (Variants(pages=("transparent",)), "transparent_hugepage/enabled is never"),
    ],
)
def test_what_this_machine_has_not_is_refused(asked: Variants, error: str) -> None:
    kernel = {"reserved_hugepages": "0", "transparent_hugepages": "never"}
    nodes = [*two_nodes().node.numa, NumaNode(node=2, cpus=[], bytes=0)]
    with pytest.raises(BanzukeError, match=error):
        cases(asked, here=two_nodes().changed(partition={"kernel": kernel}, node={"numa": nodes}))


def test_pages_of_this_kernel_are_no_concern_of_a_guest() -> None:
    assert checked(Variants(("vm:tcg",), pages=("reserved",)), two_nodes()).pages == ("reserved",)
    kernel = {"reserved_hugepages": "8", "transparent_hugepages": "madvise"}
    asked = Variants(pages=("base", "transparent", "reserved"))
    assert checked(asked, two_nodes().changed(partition={"kernel": kernel})) == asked


def test_a_shape_is_one_of_several_hosts() -> None:
    asked = Variants(shape="2:torus")
    (case,) = cases(asked)
    assert case.variant.shape == ""
    assert without_effect(asked, [case], {"stream": STREAM}, two_nodes()) == [
        "--shape does nothing for stream: one host has no shape"
    ]
    placement = Placement("all", "all", ((0,),), per_node=1, nodes=2)
    both = replace(case, groups=(replace(case.groups[0], ranks=2, placement=placement),))
    shaped = fitting(both, asked.each()[0], STREAM, two_nodes())
    assert (shaped.variant.shape, shown(shaped.variant.values)) == ("2:torus", ["shape 2:torus"])


def test_values_are_told_by_themselves() -> None:
    values = {"environment": "isolated", "neighbours": "1", "memory": "local", "launcher": "-x", "OMP_WAIT_POLICY": "a"}
    assert shown(values) == ["isolated", "1 busy neighbour", "memory local", "-x", "OMP_WAIT_POLICY=a"]
