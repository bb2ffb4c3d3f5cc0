"""GKV end to end: every kernel in both variants, several ranks, and what is refused."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Banzuke, Result

SMALL = tuple(word for name in ("nx=7", "ny=5", "nz=4", "nv=6", "nm=4", "rounds=2") for word in ("--set", name))
SHORT = (*SMALL, "--threads", "1", "--oversubscribe")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, so that ceilings are measured once."""
    return tmp_path_factory.mktemp("gkv") / "results"


def records(done: Result) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return found


def test_both_variants_of_each_kernel_are_verified(banzuke: Banzuke) -> None:
    call = ("--set", "kernel=intgrl,diff45,diff123", "--set", "variant=default,opt", *SHORT, "--json")
    found = records(banzuke("run", "gkv", *call))
    assert len(found) == 6
    for record in found:
        assert {check["passed"] for check in record["verification"]} == {True}
        assert len(record["metrics"]["time"]["samples"]) == 2
        assert "breakdown" not in record or record["breakdown"] is None


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_bracket_tells_where_its_time_goes(banzuke: Banzuke, ranks: int) -> None:
    (record,) = records(banzuke("run", "gkv", "--set", "kernel=fft", "--ranks", str(ranks), *SHORT, "--json"))
    spent = {name: sum(seconds) for name, seconds in record["breakdown"]["seconds"].items()}
    assert set(spent) == {"fft", "alltoall", "other"}
    assert spent["fft"] > 0
    assert sum(spent.values()) <= 1.01 * sum(record["metrics"]["time"]["samples"])


@pytest.mark.parametrize("kernel", ["intgrl", "diff45", "diff123"])
def test_ranks_share_the_velocities(banzuke: Banzuke, kernel: str) -> None:
    (record,) = records(banzuke("run", "gkv", "--set", f"kernel={kernel}", "--ranks", "4", *SHORT, "--json"))
    assert record["groups"][0]["ranks"] == 4
    assert {check["passed"] for check in record["verification"]} == {True}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("--set", "kernel=fft", "--set", "nxw=8"), "nx=5"),
        (("--set", "kernel=intgrl", "--ranks", "5"), "5 ranks cannot share 12 values of v evenly"),
        (("--set", "kernel=diff45", "--set", "nv=4000", "--set", "nx=4000", "--set", "ny=4000"), "memory"),
    ],
)
def test_what_cannot_run_is_refused_with_what_can(banzuke: Banzuke, call: tuple[str, ...], said: str) -> None:
    done = banzuke("run", "gkv", *SHORT, *call)
    assert done.returncode != 0
    assert said in " ".join(done.stderr.split())


def test_the_table_has_the_ratio_of_the_variants(banzuke: Banzuke, tmp_path: Path) -> None:
    call = ("--set", "kernel=diff45", "--set", "variant=default,opt", *SHORT)
    for done in (banzuke("run", "gkv", *call), banzuke("report", "last", "--output", str(tmp_path))):
        assert done.returncode == 0, done.stderr
    with (tmp_path / "variants.csv").open(encoding="utf-8") as table:
        ((kernel, written, tuned, ratio),) = list(csv.reader(table))[1:]
    assert kernel == "diff45"
    assert float(ratio) == pytest.approx(float(tuned) / float(written))
