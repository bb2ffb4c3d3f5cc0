"""Tests of PTRANS's policy on machines of all sizes, and of refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.plan.benchmark import Layout, Scalar
from banzuke.plan.catalogue import find
from banzuke.testing import machine, refusal, with_hosts

PTRANS = find("ptrans")


def number(value: Scalar) -> int:
    assert isinstance(value, int)
    return value


@given(memory=st.integers(1 << 20, 1 << 45), cores=st.integers(1, 512))
def test_both_matrices_fit_in_memory_with_their_messages(memory: int, cores: int) -> None:
    n = number(PTRANS.defaults(machine(memory=memory, cores=cores), Layout(cores, 1))["n"])
    assert n >= 1
    assert 4 * 8 * n * n <= 0.9 * memory


def test_the_order_is_half_of_that_of_hpl_unless_it_takes_too_long() -> None:
    assert PTRANS.defaults(machine(memory=1 << 30, cores=8), Layout(1, 8))["n"] == 5120
    assert number(PTRANS.defaults(machine(memory=1 << 42, cores=8), Layout(1, 8))["n"]) < 60000


def test_layouts_of_a_host_transpose_the_same_matrix() -> None:
    here = with_hosts(machine(cores=8), 1)
    cases = [(layout, {**PTRANS.defaults(here, layout), **changes}) for layout, changes in PTRANS.sweep(here)]
    assert [(layout.ranks, layout.threads) for layout, _ in cases] == [(1, 8), (8, 1)]
    assert len({case["n"] for _, case in cases}) == 1
    assert [(layout.ranks, layout.threads) for layout, _ in PTRANS.sweep(machine(cores=8))] == [(1, 8)]


@pytest.mark.parametrize("cores", [1, 2, 7, 64])
def test_every_case_can_run(cores: int) -> None:
    here = with_hosts(machine(cores=cores), 1)
    for layout, changes in PTRANS.sweep(here):
        case = {**PTRANS.defaults(here, layout), **changes}
        assert not refusal(PTRANS, layout.ranks, **case)
        assert 0 < PTRANS.seconds(here, layout, case) < 600


@pytest.mark.parametrize(
    ("ranks", "case", "why"),
    [
        (6, {"p": 4}, "p=2 q=3"),
        (6, {"p": 2, "q": 2}, "4 ranks"),
        (1, {"n": 0}, "n"),
        (1, {"nb": 0}, "nb"),
    ],
)
def test_what_cannot_be_transposed_is_refused(ranks: int, case: dict[str, Scalar], why: str) -> None:
    assert why in refusal(PTRANS, ranks, **case)
