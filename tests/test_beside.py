"""Tests of the programs that compare ours with other ways on a device, with the emulated one."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts.kit import goals

CALLS = {
    "dgemm": ("5", "24", "65"),
    "geofem": ("5", "6"),
    "spmv": ("5", "3200", "road"),
    "stream": ("5", "100003"),
}


@pytest.fixture
def beside(compiled: Callable[[str], Path]) -> Callable[..., tuple[int, list[dict[str, Any]], str]]:
    """Return a function that calls such a program of a benchmark: status, its lines, and its messages for people."""

    def call(benchmark: str, *words: str, **variables: str) -> tuple[int, list[dict[str, Any]], str]:
        program = compiled("mpi") / "bin" / f"bench-{benchmark}-emulated"
        environment = {**os.environ, **variables}
        done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, check=False)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    return call


@pytest.mark.parametrize("benchmark", list(CALLS))
def test_each_turn_gives_a_ratio(benchmark: str, beside: Callable[..., Any]) -> None:
    status, lines, output = beside(benchmark, *CALLS[benchmark], BANZUKE_EMULATED_RATE="1e10")
    assert status == 0, output
    assert {line["goal"] for line in lines} <= {"", goals.OF_A_MATRIX, *(goal.name for goal in goals.GOALS)}
    for line in lines:
        assert len(line["ratios"]) == int(CALLS[benchmark][0])
        assert all(ratio > 0 for ratio in line["ratios"])


def test_a_matrix_has_every_form_that_suits_it_and_the_mean_is_of_all(beside: Callable[..., Any]) -> None:
    status, lines, output = beside("spmv", *CALLS["spmv"])
    assert status == 0, output
    of_matrices = [line for line in lines if line["goal"] == goals.OF_A_MATRIX]
    assert [line["asked"] for line in of_matrices] == [1000, 3162]
    for line in of_matrices:
        assert {"auto", "csr 1", "csr 2", "their sell"} == {*line["conversions"]} < set(line["rates"])
        assert {name.replace(",", " ").split()[0] for name in line["rates"]} == {"auto", "csr", "sell", "their"}
        theirs = max(line["rates"][name] for name in ("csr 1", "csr 2", "their sell"))
        assert line["beside_rate"] == pytest.approx(theirs)
    (mean,) = (line for line in lines if line["goal"] == "spmv")
    for turn, ratio in enumerate(mean["ratios"]):
        first, second = (line["ratios"][turn] for line in of_matrices)
        assert ratio == pytest.approx((first * second) ** 0.5)


def test_the_part_of_a_rate_that_is_unknown_is_not_told(beside: Callable[..., Any]) -> None:
    _, described, _ = beside("stream", *CALLS["stream"], BANZUKE_EMULATED_RATE="1e10")
    _, unknown, _ = beside("stream", *CALLS["stream"])
    (part,) = (line for line in described if line["goal"] == "triad of peak")
    assert part["rate"] / 1e10 == pytest.approx(sorted(part["ratios"])[2])
    assert "triad of peak" not in {line["goal"] for line in unknown}


def test_a_matrix_that_fails_leaves_the_others(beside: Callable[..., Any]) -> None:
    status, lines, output = beside("spmv", "5", "32000", "road", BANZUKE_EMULATED_MEMORY="5000000")
    assert status == 1
    assert "FAILED: road of 31623: out of memory" in output
    assert [line["asked"] for line in lines if line["goal"] == goals.OF_A_MATRIX] == [1000, 3162, 10000]
    assert len([line for line in lines if line["goal"] == "spmv"]) == 1


@pytest.mark.parametrize("benchmark", list(CALLS))
def test_a_device_that_is_lost_or_not_there_is_told(benchmark: str, beside: Callable[..., Any]) -> None:
    status, _, output = beside(benchmark, *CALLS[benchmark], BANZUKE_EMULATED_FAULT="lost@9")
    assert status == 1
    assert "the device is lost" in output
    status, lines, output = beside(benchmark, *CALLS[benchmark], BANZUKE_EMULATED_FAULT="no-driver")
    assert (status, lines) == (2, [])
    assert "there is no device" in output
