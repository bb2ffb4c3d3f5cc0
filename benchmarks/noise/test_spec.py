"""Tests of the standard cases and their duration."""

import pytest

from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.testing import machine, refusal

NOISE = find("noise")


def cases(request: Request | None = None, cores: int = 4) -> list[tuple[int, dict[str, Scalar]]]:
    return [(case.threads, dict(case.parameters)) for case in plan(NOISE, machine(cores=cores), request or Request())]


def test_all_cores_one_core_and_fixed_time() -> None:
    assert cases() == [(4, {"seconds": 6.13}), (1, {"seconds": 6.13}), (4, {"test": "ftq", "seconds": 3.065})]


def test_one_core_is_not_measured_twice() -> None:
    assert [threads for threads, _ in cases(cores=1)] == [1, 1]


def test_a_thread_is_on_a_core_and_not_on_each_of_its_hardware_threads() -> None:
    planned = plan(NOISE, machine(cores=4, threads_per_core=2), Request())
    assert {case.threads for case in planned} == {4, 1}


def test_the_standard_evaluation_takes_some_twenty_seconds() -> None:
    assert sum(case.seconds for case in plan(NOISE, machine(), Request())) == pytest.approx(25, rel=0.2)


def test_the_time_is_chosen_for_either_test() -> None:
    assert cases(Request(seconds=367.8, overrides={"test": ["fwq", "ftq"]})) == [
        (4, {"test": "fwq", "seconds": 367.8}),
        (4, {"test": "ftq", "seconds": 367.8}),
    ]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"seconds": 10.0}, 1.3 * 1631 * 6.13e-3 + 2.0),
        ({"seconds": 10.0, "test": "ftq"}, 13.0 + 1.0),
        ({"seconds": 10.0, "samples": 60000}, 1.3 * 367.8 + 2.0),
        ({"seconds": 10.0, "samples": 1000, "quantum": 1e-4}, 0.13 + 0.1),
    ],
)
def test_the_estimate_follows_samples_and_quantum(parameters: dict[str, Scalar], expected: float) -> None:
    assert NOISE.seconds(machine(), Layout(1, 4), parameters) == pytest.approx(expected + 0.3)


def test_a_test_that_there_is_not_is_left_to_the_program_to_refuse() -> None:
    assert cases(Request(overrides={"test": ["fwp"]})) == [(4, {"seconds": 6.13, "test": "fwp"})]
    assert refusal(NOISE, 1, test="fwp").endswith("(test: 'fwp' is none of fwq, ftq)")
