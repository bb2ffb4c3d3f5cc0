"""Tests of transfers between the memories of devices, which the processor emulates, and hosts."""

import json
import os
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.conftest import Banzuke
from tests.scripted_devices import Scripted
from tests.test_devices import MIB, records, told_of, two_devices


@pytest.fixture
def script(tmp_path: Path) -> Scripted:
    return two_devices(tmp_path)


@pytest.fixture
def devices(script: Scripted, stand_in: Path, with_emulated: Path, results: Path) -> Banzuke:
    return told_of(script, stand_in, with_emulated, results)


TRANSFER = ("transfer", "--backend", "emulated", "--set", "max_size=4096", "--set", "samples=3")


def test_transfers_are_judged_by_the_link_that_the_device_reports(devices: Banzuke) -> None:
    (pinned,) = records(devices, *TRANSFER)
    bandwidth = pinned["metrics"]["bandwidth"]
    assert bandwidth["fraction_of_peak"] == pytest.approx(bandwidth["value"] / (32e9 * 128 / 130 / 8 * 16), rel=1e-6)
    assert pinned["groups"][0]["binding"][0]["devices"] == ["EMULATED-0"]
    (peer,) = records(devices, *TRANSFER, "--set", "path=peer")
    assert peer["groups"][0]["binding"][0]["devices"] == ["EMULATED-0", "EMULATED-1"]
    assert {point["at"] for point in peer["curves"]["size"]["points"]} == {2**i for i in range(13)}


@pytest.mark.parametrize(
    ("path", "direction", "fault"),
    [
        ("pageable", "to-device", "wrong-copy@5"),
        ("pinned", "to-device", "missing-copy@5"),
        ("pinned", "to-host", "missing-copy@70"),
        ("pinned", "both", "wrong-copy@75"),
        ("kernel", "to-device", "missing-launch@5"),
        ("staged", "to-device", "wrong-copy@70"),
        ("pipelined", "to-device", "missing-copy@71"),
        ("peer", "to-device", "missing-copy@70"),
        ("peer-write", "to-device", "missing-launch@7"),
        ("peer-read", "to-device", "missing-launch@7"),
        ("nccl", "to-device", "missing-message@3"),
        ("local", "to-device", "wrong-copy@70"),
    ],
)
def test_a_transfer_that_is_wrong_has_no_figure(with_emulated: Path, path: str, direction: str, fault: str) -> None:
    """The 64 copies before the fault fill the memory of the sending device."""
    size = ("--min_size", "4096", "--max_size", "4096", "--samples", "3")
    call = [str(with_emulated / "banzuke-transfer-emulated"), *size, "--path", path, "--direction", direction]

    def record(**variables: str) -> dict[str, Any]:
        environment = os.environ | {"BANZUKE_EMULATED_DEVICES": "2"} | variables
        content: dict[str, Any] = json.loads(
            subprocess.run(call, env=environment, capture_output=True, check=False).stdout
        )
        return content

    assert record()["status"] == "ok"
    assert "wrong bytes, first in transfers of 4096 B" in record(BANZUKE_EMULATED_FAULT=fault)["reason"]


@pytest.mark.parametrize(
    ("path", "variables", "reason"),
    [
        ("peer", {"BANZUKE_EMULATED_PEERS": "none"}, "do not reach each other's memory"),
        ("nccl", {"BANZUKE_EMULATED_NCCL": "none"}, "cannot load libnccl.so.2"),
    ],
)
def test_a_path_that_there_is_not_is_left_out(
    devices: Banzuke, path: str, variables: dict[str, str], reason: str
) -> None:
    (record,) = records(devices, *TRANSFER, "--set", f"path={path}", status=1, **variables)
    assert record["status"] == "skipped"
    assert reason in record["reason"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("path=peer", "other=5"), "there is no device 5, because 2 are given: 0 EMULATED-0, 1 EMULATED-1"),
        (("path=staged", "--devices", "1"), "path staged is between two devices, but 1 is given: 0 EMULATED-1"),
        (("test=pairs", "rounds=2"), "a device cannot meet 2 others"),
        (("path=peer", "chunk=4096"), "chunk: path peer has no chunks, only pipelined has"),
        (("test=pairs", "path=peer"), "path: test pairs copies one size between all memories"),
        (("test=pairs", "max_size=67108865"), "max_size: 67108865 is more than 67108864, the most of test pairs"),
    ],
)
def test_transfers_that_there_cannot_be_are_refused_before_anything_starts(
    devices: Banzuke, results: Path, words: tuple[str, ...], problem: str
) -> None:
    call = [part for word in words for part in (("--set", word) if "=" in word else (word,))]
    done = devices("run", "transfer", "--backend", "emulated", *call)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not list(results.glob("*/records*"))


def test_a_pipeline_takes_the_fastest_chunk(devices: Banzuke) -> None:
    call = ("transfer", "--backend", "emulated", "--set", "path=pipelined", "--set", "samples=3")
    (record,) = records(devices, *call, "--set", "max_size=8388608", "--set", "min_size=8388608")
    tried = {
        point["at"]: median(point["metrics"]["bandwidth"]["samples"]) for point in record["curves"]["chunk"]["points"]
    }
    assert list(tried) == [1 << 18, 1 << 20, 1 << 22]
    assert record["conditions"]["chunk"] == max(tried, key=lambda chunk: tried[chunk])
    assert record["parameters"]["chunk"] == 0
    (record,) = records(devices, *call, "--set", "chunk=65536", "--set", "max_size=4194304")
    assert record["parameters"]["chunk"] == 65536
    assert list(record["curves"]) == ["size"]
    fault = ("--set", "max_size=1048576", "--set", "min_size=1048576")
    (bad,) = records(devices, *call, *fault, status=1, BANZUKE_EMULATED_FAULT="missing-copy@100")
    assert "wrong bytes, first in transfers of 1048576 B in chunks of 262144 B" in bad["reason"]


@pytest.mark.thorough  # 50 s of copies by the processor; other tests plan and draw these cases
def test_the_standard_transfers_and_their_report(devices: Banzuke, script: Scripted, results: Path) -> None:
    for number in range(2):  # of little memory, so that the largest transfers are small
        script.change(number, MemoryInfo=f"{36 * MIB} {36 * MIB}")
    done = devices("run", "transfer", "--backend", "emulated", "--json", BANZUKE_EMULATED_MEMORY=str(36 * MIB))
    assert done.returncode == 0, done.stderr
    launches = json.loads(done.stdout)["records"]
    assert {record["status"] for record in launches} == {"ok"}
    (pairs,) = (record["pairs"]["bandwidth"] for record in launches if record["pairs"])
    assert [end["device"] for end in pairs["ends"]] == [None, "EMULATED-0", "EMULATED-1"]
    assert sorted(zip(pairs["from"], pairs["to"], strict=True)) == [
        (a, b) for a in range(3) for b in range(3) if a != b
    ]
    of_pairs = next(record for record in launches if record["pairs"])
    assert of_pairs["parameters"].keys() == {"test", "max_size", "rounds"}
    for name in ("host_bandwidth", "device_bandwidth"):
        assert of_pairs["metrics"][name]["fraction_of_peak"]
        assert of_pairs["metrics"][name]["fraction_of_limit"]
    assert devices("report", "last").returncode == 0
    (page,) = results.glob("*/report.md")
    text = page.read_text()
    assert "Bandwidth between all memories" in text
    assert "### Chunk sizes of pipelined transfers" in text
    assert "A transfer of n bytes takes" in text
    assert "pipelined, to-device" in text
    assert list(results.glob("*/figures/transfer-pairs-bandwidth.svg"))


def test_without_a_device_transfers_say_what_they_need(banzuke: Banzuke) -> None:
    done = banzuke("run", "transfer")
    assert done.returncode == 2
    assert "transfer needs a device (there is no device that it could use here)" in done.stderr
    done = banzuke("run", "transfer", "--backend", "omp")
    assert done.returncode == 2
    assert "transfer has no backend omp here (it runs only on devices)" in done.stderr
    done = banzuke("run", "transfer,stream", "--dry-run")
    assert "transfer" not in done.stdout
