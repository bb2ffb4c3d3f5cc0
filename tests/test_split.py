"""Tests of products, systems and meshes that groups of processors share, with the installed command and its records."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from scripts.check import blas
from tests.conftest import SCRIPTS, Banzuke
from tests.patience import PATIENCE
from tests.scripted_devices import Scripted
from tests.test_devices import records, told_of, two_devices

ALLOWED = sorted(os.sched_getaffinity(0))
SMALL = ("--set", "m=200", "--set", "n=401", "--set", "k=100", "--set", "repetitions=2")
WAYS = ["equal", "rates", "adaptive", "1:3"]


def test_groups_compute_one_product(banzuke: Banzuke) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    groups = f"{ALLOWED[0]}+{ALLOWED[1]}"
    done = banzuke("run", "dgemm", *SMALL, "--groups", groups, "--set", f"split={','.join(WAYS)}", "--json")
    assert done.stdout, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [(record["status"], record["parameters"]["split"]) for record in records] == [("ok", way) for way in WAYS]
    for record in records:
        threads = [binding["threads"] for group in record["groups"] for binding in group["binding"]]
        assert threads == [[f"{ALLOWED[0]}"], [f"{ALLOWED[1]}"]]
        metrics = record["metrics"]
        parts = zip(metrics["group_0_in_product"]["samples"], metrics["group_1_in_product"]["samples"], strict=True)
        assert [sum(part) for part in parts] == pytest.approx(metrics["flop_rate"]["samples"])
        assert metrics["flop_rate"]["limit"] == pytest.approx(metrics["sum_of_parts"]["value"])
    assert records[0]["conditions"]["shares"] == pytest.approx([192 / 401, 209 / 401])


def test_groups_solve_one_system_with_the_same_pivots(banzuke: Banzuke) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    groups, ways = f"{ALLOWED[0]}+{ALLOWED[1]}", ["equal", "1:3", "rates"]
    words = ("--set", "n=400", "--set", "nb=16", "--set", f"deal={','.join(ways)}")
    done = banzuke("run", "hpl", *words, "--groups", groups, "--json")
    assert done.stdout, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [(record["status"], record["parameters"]["deal"]) for record in records] == [("ok", way) for way in ways]
    equal, chosen, by_rates = (record["conditions"] for record in records)
    assert equal["pivots"] == chosen["pivots"] == by_rates["pivots"]
    assert "column_rates" not in equal
    assert chosen["column_shares"] == [0.25, 0.75]
    assert len(by_rates["column_seconds"]["update"]) == 2
    steps = by_rates["column_intervals"]["update"]
    assert [sum(column) for column in steps] == pytest.approx(by_rates["column_seconds"]["update"], rel=0.01)
    for record in records[1:]:
        assert record["conditions"]["sum_of_rates"] == pytest.approx(sum(record["conditions"]["column_rates"]))
        assert record["metrics"]["flop_rate"]["limit"] <= 1.001 * record["conditions"]["sum_of_rates"]


def test_groups_solve_on_one_mesh(banzuke: Banzuke) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    groups, ways = f"{ALLOWED[0]}+{ALLOWED[1]}", ["equal", "1:3", "rates"]
    words = ("--set", "nx=20", "--set", "ny=5", "--set", "nz=5", "--set", f"deal={','.join(ways)}")
    done = banzuke("run", "geofem", *words, "--groups", groups, "--json")
    assert done.stdout, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [(record["status"], record["parameters"]["deal"]) for record in records] == [("ok", way) for way in ways]
    equal, chosen, by_rates = (record["conditions"] for record in records)
    assert "layer_rates" not in equal
    assert chosen["layer_shares"] == [0.25, 0.75]
    assert sum(by_rates["layer_shares"]) == pytest.approx(1)
    figures = [{name: metric["value"] for name, metric in record["metrics"].items()} for record in records]
    flops = [figure["flop_rate"] * figure["time"] / figure["iterations"] for figure in figures]
    assert flops == pytest.approx([flops[0]] * 3)
    for record in records[1:]:
        assert record["conditions"]["sum_of_rates"] == pytest.approx(sum(record["conditions"]["layer_rates"]))
        assert record["metrics"]["flop_rate"]["limit"] <= 1.001 * record["conditions"]["sum_of_rates"]


def test_groups_share_hpcgs_boxes_which_are_then_not_official(banzuke: Banzuke) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    groups, ways = f"{ALLOWED[0]}+{ALLOWED[1]}", ["equal", "1:3", "rates"]
    words = (
        "--set",
        "nx=16",
        "--set",
        "ny=16",
        "--set",
        "nz=32",
        "--set",
        "seconds=0",
        "--set",
        f"deal={','.join(ways)}",
    )
    done = banzuke("run", "hpcg", *words, "--groups", groups, "--json")
    assert done.stdout, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [(record["status"], record["parameters"]["deal"]) for record in records] == [("ok", way) for way in ways]
    equal, chosen, by_rates = (record["conditions"] for record in records)
    assert (equal["pz"], chosen["layer_axis"], chosen["layer_shares"]) == (2, "z", [0.25, 0.75])
    assert "layer_rates" not in equal
    assert equal["equations"] == chosen["equations"] == by_rates["equations"] == 2 * 16 * 16 * 32
    assert sum(by_rates["layer_shares"]) == pytest.approx(1)
    for record in records[1:]:
        assert record["conditions"]["sum_of_rates"] == pytest.approx(sum(record["conditions"]["layer_rates"]))
        assert record["metrics"]["flop_rate"]["limit"] <= 1.001 * record["conditions"]["sum_of_rates"]
        assert len(record["conditions"]["layer_seconds"]["mg"]) == 2


def test_a_record_says_who_computed_when() -> None:
    program = str(SCRIPTS / "banzuke-dgemm-blas")
    call = ["--m", "1000", "--n", "401", "--k", "100", "--split", "adaptive"]
    environment = os.environ | blas() | {"OMP_NUM_THREADS": "1"}
    words = [str(SCRIPTS / "mpiexec"), "-n", "2", program, *call]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    record = json.loads(done.stdout)
    first, second = record["series"]["updates"]["lines"]
    calls = len(record["metrics"]["flop_rate"]["samples"])
    assert sum(first["values"]) + sum(second["values"]) == 1000 * 401 * 100 * calls
    assert first["times"][-1] == second["times"][-1]
    assert len(first["times"]) < 96


@pytest.fixture
def script(tmp_path: Path) -> Scripted:
    return two_devices(tmp_path)


@pytest.fixture
def devices(script: Scripted, stand_in: Path, with_emulated: Path, results: Path) -> Banzuke:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    return told_of(script, stand_in, with_emulated, results)


def test_a_device_is_a_group_beside_processors(devices: Banzuke) -> None:
    words = ("dgemm", *SMALL, "--set", "split=equal", "--set", "overlap=no", "--backend", "emulated")
    refused = devices("run", *words, "--groups", f"{ALLOWED[0]}+{ALLOWED[1]}@7")
    assert refused.returncode == 2
    assert "--groups: there is no device 7 here (there are 0 EMULATED-0, 1 EMULATED-1)" in refused.stderr
    (record,) = records(devices, *words, "--groups", f"{ALLOWED[0]}+{ALLOWED[1]}@1")
    assert [group["program"] for group in record["groups"]] == ["dgemm-blas", "dgemm-emulated"]
    places = [place["devices"] for group in record["groups"] for place in group["binding"]]
    assert places == [[], ["EMULATED-1"]]
    assert record["conditions"]["shares"] == pytest.approx([192 / 401, 209 / 401])
    assert all(record["metrics"][f"group_{number}_alone"]["value"] > 0 for number in (0, 1))
    assert record["conditions"]["libraries"][1] == "loops of the emulated device"


def test_a_device_has_columns_of_one_system_beside_processors(devices: Banzuke) -> None:
    ways = ["1:3", "rates"]
    words = ("hpl", "--set", "n=200", "--set", "nb=16", "--set", f"deal={','.join(ways)}", "--backend", "emulated")
    launches = records(devices, *words, "--groups", f"{ALLOWED[0]}+{ALLOWED[1]}@1")
    assert [(record["status"], record["parameters"]["deal"]) for record in launches] == [("ok", way) for way in ways]
    assert [group["program"] for group in launches[0]["groups"]] == ["hpl-blas", "hpl-emulated"]
    assert len({record["conditions"]["pivots"] for record in launches}) == 1
    assert len(launches[1]["conditions"]["column_seconds"]["update"]) == 2
    # Rank 0 has no device. By rates, a device may get too few columns for an update.
    by_given_shares, _ = (record["conditions"]["device_update_seconds"] for record in launches)
    assert by_given_shares > 0


def test_none_or_two_processors_may_be_reserved_for_a_device(devices: Banzuke) -> None:
    first, second = ALLOWED[:2]
    words = ("dgemm", *SMALL, "--set", "split=equal", "--backend", "emulated")
    for driving in (f"{second}", f"{first},{second}"):
        (record,) = records(devices, *words, "--groups", f"{first}+{second}+{driving}@1")
        threads = [place["threads"] for group in record["groups"] for place in group["binding"]]
        assert threads == [[f"{first}"], [f"{second}"], driving.split(",")]
        assert record["conditions"]["shares"] == pytest.approx([144 / 401, 144 / 401, 113 / 401])
    refused = devices("run", *words, "--groups", f"{first}+{second}@0+{second}@1")
    assert refused.returncode == 2
    assert f"more than one device would be driven by the processors {second}" in refused.stderr


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("lost@10", "group_1: cannot "),
        ("missing-copy@1", "verification failed: residual"),  # a copy of A
        ("missing-copy@4", "verification failed: residual"),  # a piece on its way back
    ],
)
def test_what_a_group_loses_on_its_device_fails_the_record(with_emulated: Path, fault: str, reason: str) -> None:
    """The product is split in advance, so that it is the same each time."""
    call = ["--m", "300", "--n", "2000", "--k", "300", "--repetitions", "1", "--split", "equal"]
    words = [str(SCRIPTS / "mpiexec"), "-n", "1", str(with_emulated / "banzuke-dgemm-blas"), *call]
    words += [":", "-n", "1", str(with_emulated / "banzuke-dgemm-emulated"), *call]
    environment = os.environ | blas() | {"OMP_NUM_THREADS": "1", "BANZUKE_EMULATED_FAULT": fault}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    record = json.loads(done.stdout)
    assert record["status"] == "failed"
    assert reason in record["reason"]
