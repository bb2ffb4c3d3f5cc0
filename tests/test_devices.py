"""Tests of cases on devices from request to verdict: the processor emulates devices, a stand-in reports them."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Banzuke, installed
from tests.scripted_devices import Scripted

CALL = ("--backend", "emulated", "--set", "n=100000", "--set", "rounds=3")
MIB = 1 << 20
PIVOTS = "60619ddd6b4c7d60"
"""Digest of HPL's pivots with n = 300, as chosen by the program for processors."""


def two_devices(folder: Path) -> Scripted:
    """Return two devices of 64 MiB, whose memory has a peak of 3.35 TB/s."""
    script = Scripted(folder / "nvml", 2)
    for number in range(2):
        script.change(
            number,
            UUID=f"EMULATED-{number}",
            MemoryInfo=f"{64 * MIB} {60 * MIB}",
            CudaComputeCapability="9 0",
            NumGpuCores=16896,
            MemoryBusWidth=5120,
            MaxClockInfo__2=2619,
        )
    return script


def told_of(script: Scripted, stand_in: Path, with_emulated: Path, results: Path) -> Banzuke:
    """Return the command, to which a stand-in for the driver's library reports these devices."""
    call = installed(results, with_emulated)
    variables = {
        "BANZUKE_NVML": str(script.file),
        "LD_LIBRARY_PATH": str(stand_in),
        "BANZUKE_EMULATED_DEVICES": "2",
        "BANZUKE_EMULATED_MEMORY": str(64 * MIB),
    }
    return lambda *words, **more: call(*words, **(variables | more))


@pytest.fixture
def script(tmp_path: Path) -> Scripted:
    return two_devices(tmp_path)


@pytest.fixture
def devices(script: Scripted, stand_in: Path, with_emulated: Path, results: Path) -> Banzuke:
    return told_of(script, stand_in, with_emulated, results)


SLOW = 1e9 / 8 * 256 * 2
"""Bandwidth in B/s of the slow device."""


@pytest.fixture
def unlike(script: Scripted, devices: Banzuke) -> Banzuke:
    """Return the command with a second device of another kind."""
    script.change(1, Name="Slow accelerator", MemoryBusWidth=256, MaxClockInfo__2=1000)
    return devices


def records(devices: Banzuke, *words: str, status: int = 0, **variables: str) -> list[dict[str, Any]]:
    done = devices("run", *words, "--json", **variables)
    assert done.returncode == status, done.stderr
    launches: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return launches


def test_a_figure_of_a_device_is_judged_by_the_devices_peak(devices: Banzuke) -> None:
    (record,) = records(devices, "stream", "--backend", "emulated", "--set", "n=2000000", "--set", "rounds=3")
    triad = record["metrics"]["triad_bandwidth"]
    assert triad["fraction_of_peak"] == pytest.approx(triad["value"] / (5120 / 8 * 2619e6 * 2), rel=1e-6)
    assert record["groups"][0]["binding"][0]["devices"] == ["EMULATED-0"]
    assert all(check["passed"] for check in record["verification"])


def test_devices_of_each_kind_have_a_headline_and_limits_of_their_own(unlike: Banzuke, results: Path) -> None:
    launches = records(unlike, "stream", "--backend", "emulated", "--seconds", "2")
    assert len(launches) == 1  # cases that are not standard run only on the first device
    launches = records(unlike, "stream", "--backend", "emulated")
    driven = [
        [device for place in launch["groups"][0]["binding"] for device in place["devices"]] for launch in launches
    ]
    assert driven == [["EMULATED-0"], ["EMULATED-0", "EMULATED-1"], ["EMULATED-1"]]
    kinds = [launch["provenance"]["variant"].get("device") for launch in launches]
    assert kinds == ["Accelerator", None, "Slow accelerator"]
    fast, every, slow = (launch["metrics"]["triad_bandwidth"] for launch in launches)
    rate = 5120 / 8 * 2619e6 * 2
    assert fast["fraction_of_peak"] == pytest.approx(fast["value"] / rate, rel=1e-6)
    assert slow["fraction_of_peak"] == pytest.approx(slow["value"] / SLOW, rel=1e-6)
    assert every["fraction_of_peak"] == pytest.approx(every["value"] / (rate + SLOW), rel=1e-6)
    assert every["limit"] == pytest.approx(fast["limit"] + slow["limit"], rel=1e-6)
    assert unlike("report", "last").returncode == 0
    page = (max(results.glob("*/report.md"), key=lambda file: file.stat().st_mtime)).read_text()
    summary = page.split("## Machine")[0]
    assert "STREAM Triad, 1 × Accelerator" in summary
    assert "STREAM Triad, 1 × Slow accelerator" in summary
    assert "memory bandwidth, one Slow accelerator" in page


def test_what_limits_a_device_is_measured_on_one_of_its_kind(unlike: Banzuke, results: Path) -> None:
    call = ("dgemm", "--backend", "emulated", *(f"--set={name}=64" for name in "mnk"), "--set", "repetitions=1")
    for device in ("EMULATED-0", "EMULATED-1"):
        (record,) = records(unlike, *call, "--devices", device)
        assert record["metrics"]["flop_rate"]["limit"] is not None
    first = [
        json.loads(line)["groups"][0]["binding"][0]["devices"]
        for run in sorted(results.glob("*/ceilings.jsonl"))
        for line in run.read_text().splitlines()
    ]
    assert first == [["EMULATED-0"], ["EMULATED-1"]]


def test_devices_are_chosen(devices: Banzuke) -> None:
    (record,) = records(devices, "stream", *CALL, "--devices", "EMULATED-1")
    assert record["groups"][0]["binding"][0]["devices"] == ["EMULATED-1"]
    (record,) = records(devices, "stream", *CALL, "--devices", "1,0")
    assert record["groups"][0]["binding"][0]["devices"] == ["EMULATED-1"]
    (record,) = records(devices, "stream", *CALL, CUDA_VISIBLE_DEVICES="EMULATED-1")
    assert record["groups"][0]["binding"][0]["devices"] == ["EMULATED-1"]


def test_each_rank_drives_a_device_of_its_own(devices: Banzuke) -> None:
    (record,) = records(devices, "stream", *CALL, "--ranks", "2")
    driven = [device for place in record["groups"][0]["binding"] for device in place["devices"]]
    assert driven == ["EMULATED-0", "EMULATED-1"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--devices", "2"), "--devices: there is no device 2 here (there are 0 EMULATED-0, 1 EMULATED-1)"),
        (("--devices", "0,EMULATED-0"), "--devices names EMULATED-0 twice"),
        (("--devices", "EMULATED"), "--devices EMULATED means several devices (EMULATED-0, EMULATED-1)"),
        (("--devices", "GPU"), "--devices: there is no device GPU here"),
        (("--devices", ""), "--devices has an empty name"),
        (("--devices", "0,"), "--devices has an empty name"),
        (("--devices", "none"), "there is no device that it could use here"),
        (("--ranks", "2", "--devices", "0"), "stream needs 2 devices (1 may be used here)"),
    ],
)
def test_devices_that_there_are_not_are_refused(devices: Banzuke, words: tuple[str, ...], problem: str) -> None:
    done = devices("run", "stream", *CALL, *words)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not done.stdout


def test_a_device_that_is_named_twice_leaves_none(devices: Banzuke) -> None:
    done = devices("run", "stream", *CALL, CUDA_VISIBLE_DEVICES="1,EMULATED-1")
    assert done.returncode == 2
    assert "CUDA_VISIBLE_DEVICES names EMULATED-1 twice" in done.stderr


def test_a_variable_that_leaves_no_device_is_named(devices: Banzuke) -> None:
    for visible in ("", "-1", "MIG-5"):
        done = devices("run", "stream", *CALL, CUDA_VISIBLE_DEVICES=visible)
        assert done.returncode == 2
        assert f"CUDA_VISIBLE_DEVICES is '{visible}', which leaves none of 2 devices" in done.stderr


def test_a_size_beyond_the_devices_memory_is_refused_with_the_largest_that_fits(devices: Banzuke) -> None:
    done = devices("run", "stream", "--backend", "emulated", "--set", "n=3000000")
    assert done.returncode == 2
    assert "needs 68.66 MiB of device memory (60 MiB of 64 MiB are free on Accelerator (EMULATED-0))" in done.stderr
    largest = int(done.stderr.split("n=")[-1].split(" ")[0])
    assert 2_300_000 < largest < 2_621_440
    assert devices("run", "stream", "--backend", "emulated", "--set", f"n={largest}").returncode == 0


@pytest.mark.parametrize(
    ("variable", "fault", "reason"),
    [
        ("FAULT", "no-driver", "no driver is installed"),
        pytest.param("FAULT", "old-driver", "the driver is older than the toolkit", marks=pytest.mark.thorough),
        pytest.param("FAULT", "in-use", "is in use by another process", marks=pytest.mark.thorough),
        pytest.param("FAULT", "launch@9", "an illegal memory access was encountered", marks=pytest.mark.thorough),
        ("FAULT", "lost@40", "the device is lost"),
        # Another process takes memory that the plan saw free.
        ("MEMORY", "1000000", "800000 bytes were asked for, 200000 of 1000000 are free"),
    ],
)
def test_a_device_that_fails_is_told_and_takes_nothing_along(
    devices: Banzuke, variable: str, fault: str, reason: str
) -> None:
    backends = ("--backend", "omp,emulated", *CALL[2:])
    own, failed = records(devices, "stream", *backends, status=1, **{f"BANZUKE_EMULATED_{variable}": fault})
    assert own["status"] == "ok"
    assert failed["status"] == "failed"
    assert reason in failed["reason"]
    assert failed["metrics"] == {}


def test_the_report_shows_the_headline_of_devices_beside_that_of_processors(devices: Banzuke, results: Path) -> None:
    assert devices("run", "stream", "--backend", "omp,emulated", *CALL[2:]).returncode == 0
    assert devices("report", "last").returncode == 0
    (page,) = results.glob("*/report.md")
    summary = page.read_text().split("## Machine")[0]
    assert "STREAM Triad, 1 device" in summary
    assert "2 × Accelerator" in page.read_text()


def test_what_a_device_limits_is_measured_on_it_first(devices: Banzuke) -> None:
    call = ("--set", "m=64", "--set", "n=64", "--set", "k=64", "--set", "repetitions=1")
    (record,) = records(devices, "dgemm", "--backend", "emulated", *call)
    assert record["metrics"]["flop_rate"]["limit"] is not None
    assert record["groups"][0]["binding"][0]["devices"] == ["EMULATED-0"]


@pytest.mark.parametrize(
    ("ranks", "parts"),
    [(1, 0), (2, 16), *(pytest.param(*other, marks=pytest.mark.thorough) for other in ((1, 16), (2, 0)))],
)
def test_hpl_has_its_matrix_on_devices(devices: Banzuke, ranks: int, parts: int) -> None:
    call = ("--set", "n=300", "--set", "nb=48", "--set", f"inner={parts}", "--ranks", str(ranks), "--threads", "1")
    (record,) = records(devices, "hpl", "--backend", "emulated", *call, "--oversubscribe")
    assert record["status"] == "ok"
    assert record["conditions"]["pivots"] == PIVOTS
    used = [rank["devices"] for rank in record["groups"][0]["binding"]]
    assert used == [["EMULATED-0"], ["EMULATED-1"]][:ranks]


BEYOND = (
    "hpl",
    "--backend",
    "emulated",
    "--threads",
    "1",
    *(word for value in ("n=300", "nb=24", "inner=8", "panel=host") for word in ("--set", value)),
)
LITTLE = "800000"
"""Bytes of device memory: two thirds of what the matrix and its panels take."""


def test_hpl_streams_a_matrix_beyond_the_devices_memory(devices: Banzuke) -> None:
    (record,) = records(devices, *BEYOND, BANZUKE_EMULATED_MEMORY=LITTLE)
    assert record["status"] == "ok"
    conditions = record["conditions"]
    assert conditions["pivots"] == PIVOTS
    assert conditions["slabs"] > 2
    assert conditions["streamed_to_host"] > 8 * 150 * conditions["columns_in_host_memory"]
    assert 0.8 * 800000 < conditions["device_footprint"] < 800000


@pytest.mark.parametrize("fault", ["missing-copy@112", "missing-copy@151"], ids=["factors", "U"])
def test_what_hpl_loses_between_host_and_device_is_noticed(devices: Banzuke, fault: str) -> None:
    (record,) = records(devices, *BEYOND, status=1, BANZUKE_EMULATED_FAULT=fault, BANZUKE_EMULATED_MEMORY=LITTLE)
    assert record["status"] == "failed"


def test_a_matrix_beyond_the_memories_of_device_and_host_is_refused(script: Scripted, devices: Banzuke) -> None:
    script.change(0, MemoryInfo="8000000000 8000000000")
    call = ("run", "hpl", "--backend", "emulated", "--dry-run", "--threads", "1", "--set", "nb=64", "--set")
    done = devices(*call, "n=1000000", BANZUKE_EMULATED_MEMORY="8000000000")
    assert done.returncode == 2
    assert " of memory (" in done.stderr
    assert "is the largest that fits" in done.stderr
    done = devices(*call, "n=100000000", BANZUKE_EMULATED_MEMORY="8000000000")
    assert done.returncode == 2
    assert " of device memory (" in done.stderr


@pytest.mark.parametrize(
    "fault", ["missing-launch@5", pytest.param("missing-launch@20", marks=pytest.mark.thorough), "missing-copy@4"]
)
def test_what_hpl_loses_on_a_device_is_noticed(devices: Banzuke, fault: str) -> None:
    call = ("--set", "n=300", "--set", "nb=48", "--set", "inner=16", "--set", "panel=host", "--threads", "1")
    words = ("hpl", "--backend", "emulated", *call)
    (record,) = records(devices, *words, status=1, BANZUKE_EMULATED_FAULT=fault)
    assert record["status"] == "failed"


@pytest.mark.parametrize("test", ["latency", "bandwidth"])
def test_what_a_memory_test_loses_on_a_device_is_noticed(with_emulated: Path, test: str) -> None:
    """Faults are in the kernels that write and read the data; or the device fails or is too small."""
    sizes = ("--min_size", "4096", "--max_size", "8192", "--rounds", "3", "--sample_us", "100")
    call = [str(with_emulated / "banzuke-memory-emulated"), "--test", test, *sizes]

    def record(**variables: str) -> dict[str, Any]:
        environment = os.environ | {f"BANZUKE_EMULATED_{name}": value for name, value in variables.items()}
        done = subprocess.run(call, env=environment, capture_output=True, check=False)
        content: dict[str, Any] = json.loads(done.stdout)
        return content

    whole = record()
    assert whole["status"] == "ok"
    assert [point["at"] for point in whole["curves"]["size"]["points"]] == [4096, 6144, 8192]
    for variables, reason in (
        ({"FAULT": "missing-launch@1"}, "verification failed"),
        ({"FAULT": "missing-launch@4"}, "verification failed"),
        ({"FAULT": "missing-launch@5"}, "verification failed"),
        ({"FAULT": "launch@3"}, "an illegal memory access"),
        ({"FAULT": "lost@20"}, "the device is lost"),
        ({"MEMORY": "4000"}, "out of memory"),
    ):
        lost = record(**variables)
        assert lost["status"] == "failed"
        assert reason in lost["reason"]
        assert not any(metric["samples"] for metric in lost["metrics"].values())


def test_what_geofem_loses_on_a_device_is_noticed(with_emulated: Path) -> None:
    """Faults are in kernels of the matrix, of the first product and of the first step; or a device fails or is too
    small.

    The faulty device is the one that was given.
    """
    call = [str(with_emulated / "banzuke-geofem-emulated"), *["--nx", "3", "--ny", "4", "--nz", "5", "--colours", "8"]]

    def record(*words: str, **variables: str) -> dict[str, Any]:
        environment = os.environ | {f"BANZUKE_EMULATED_{name}": value for name, value in variables.items()}
        done = subprocess.run([*call, *words], env=environment, capture_output=True, check=False)
        content: dict[str, Any] = json.loads(done.stdout)
        return content

    assert record()["status"] == "ok"
    second = record("--devices", "EMULATED-1", DEVICES="2")
    assert second["status"] == "ok"
    assert second["groups"][0]["binding"][0]["devices"] == ["EMULATED-1"]
    for variables, reason in (
        ({"FAULT": "missing-launch@2"}, "no solution"),
        ({"FAULT": "missing-launch@46"}, "no solution"),
        ({"FAULT": "missing-launch@47"}, "verification failed"),
        ({"FAULT": "launch@20"}, "an illegal memory access"),
        ({"FAULT": "lost@30"}, "the device is lost"),
        ({"MEMORY": "100000"}, "out of memory"),
    ):
        lost = record(**variables)
        assert lost["status"] == "failed"
        assert reason in lost["reason"]


def test_a_collection_on_a_device_is_set_beside_the_processors(devices: Banzuke) -> None:
    call = ("--set", "family=stencil-27,rmat,circuit", "--set", "nonzeros=2000", "--set", "rounds=2")
    done = devices("run", "spmv", "--backend", "emulated,omp", *call)
    assert done.returncode == 0, done.stderr
    assert "geometric mean" in done.stdout
    assert "emulated" in done.stdout


def test_a_library_of_devices_is_asked_for_by_its_name(devices: Banzuke, tmp_path: Path) -> None:
    library = tmp_path / "libcusparse.so.12"
    library.touch()
    call = ("run", "spmv", "--set", "family=rmat", "--set", "nonzeros=2000", "--dry-run")
    for words, products in (
        (("--library", "cusparse"), ["library"]),
        (("--backend", "cuda", "--library", "own,cuSPARSE"), ["own", "library"]),
        (("--backend", "cuda"), ["own"]),
    ):
        done = devices(*call, *words, BANZUKE_CUSPARSE=str(library))
        assert done.returncode == 0, done.stderr
        commands = [line for line in done.stdout.splitlines() if "banzuke-spmv-cuda" in line]
        assert [line.partition("--product ")[2].split()[0] for line in commands] == products
        assert "spmv-omp" not in done.stdout
        assert all(f"BANZUKE_CUSPARSE={library}" in line for line in commands)
    done = devices(*call, "--library", "rocSPARSE")
    assert done.returncode == 2
    done = devices(*call, "--backend", "emulated", "--library", "cuSPARSE")
    assert "--library does nothing for spmv: on devices it calls no library that could be chosen" in done.stderr


def test_a_program_for_devices_calls_the_library_where_it_is_told(devices: Banzuke) -> None:
    call = ("--set", "family=rmat", "--set", "nonzeros=2000", "--set", "rounds=2", "--set", "product=own,library")
    own, theirs = records(devices, "spmv", "--backend", "emulated", *call)
    assert theirs["conditions"]["method"] == "loops of the emulated device"
    assert own["conditions"]["method"] != theirs["conditions"]["method"]
    assert [launch["parameters"]["product"] for launch in (own, theirs)] == ["own", "library"]


def test_without_a_stand_in_for_the_driver_nothing_is_planned_on_devices(with_emulated: Path, results: Path) -> None:
    done = installed(results, with_emulated)("run", "stream", *CALL)
    assert done.returncode == 2
    assert "there is no device that it could use here" in done.stderr


def test_kernels_and_directives_are_compared(devices: Banzuke) -> None:
    backends = ("--backend", "emulated,omptarget-emulated", "--repeat", "3")
    done = devices("run", "stream", *backends, *CALL[2:])
    assert done.returncode == 0, done.stderr
    assert "omptarget-emulated" in done.stdout.partition("Backend:")[2], done.stdout


def test_programs_by_directives_are_linked_in_any_folder(compiled: Callable[[str], Path], tmp_path: Path) -> None:
    """The link script passes each word on unchanged, except the OpenMP library that CMake found."""
    compiler = tmp_path / "a compiler"
    compiler.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    compiler.chmod(0o755)
    words = [
        str(compiler),
        "-O3",
        "--",
        "/usr/bin/c++",
        "-o",
        "/a b/program",
        "-L/a b",
        "/usr/lib/libgomp.so",
        "--",
        "",
    ]
    said = subprocess.check_output(["sh", str(compiled("mpi") / "offload" / "link.sh"), *words], text=True)
    assert said.split("\n")[:-1] == ["-O3", "-o", "/a b/program", "-L/a b", "--", ""]


@pytest.mark.parametrize("model", ["omptarget", "openacc"])
def test_a_loop_of_directives_that_is_lost_has_no_figure(with_emulated: Path, model: str) -> None:
    """There are three rounds of five loops, each between two recordings of an event."""
    call = [str(with_emulated / f"banzuke-stream-{model}-emulated"), "--n", "1000", "--rounds", "3"]

    def record(fault: str) -> dict[str, Any]:
        environment = os.environ | {"BANZUKE_EMULATED_FAULT": fault}
        content: dict[str, Any] = json.loads(
            subprocess.run(call, env=environment, capture_output=True, check=False).stdout
        )
        return content

    assert record("missing-loop@0")["status"] == "ok"
    for loop in range(1, 30, 2):
        lost = record(f"missing-loop@{loop}")
        assert lost["status"] == "failed"
        assert "verification failed: " in lost["reason"]
        assert "relative error" in lost["reason"]
