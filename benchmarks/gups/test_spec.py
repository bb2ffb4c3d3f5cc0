"""Tests of GUPS's policy on machines of all sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.plan.benchmark import Layout
from banzuke.plan.catalogue import find
from banzuke.testing import machine

GUPS = find("gups")
GIB = 1 << 30


def size(parameters: object) -> int:
    assert isinstance(parameters, int)
    return parameters


@given(memory=st.integers(100, 1 << 45), ranks=st.integers(1, 64))
def test_tables_are_powers_of_two_in_half_of_the_memory(memory: int, ranks: int) -> None:
    n = size(GUPS.defaults(machine(memory=memory), Layout(ranks, 1))["n"])
    assert n & (n - 1) == 0
    assert n == 2 or 8 * n * ranks <= memory / 2


@pytest.mark.parametrize(
    ("cores", "memory", "words"),
    [(64, 8 * GIB, 1 << 29), (64, 1 << 40, 1 << 30), (2, 1 << 40, 1 << 26), (1, GIB // 2, 1 << 25)],
)
def test_the_table_is_by_the_rule_or_as_large_as_patience_allows(cores: int, memory: int, words: int) -> None:
    assert GUPS.defaults(machine(cores=cores, memory=memory), Layout(1, cores))["n"] == words


def test_smaller_tables_begin_in_the_caches() -> None:
    here = machine(cores=4, last_level=32 << 20, memory=64 * GIB)
    sizes = [size(overrides["n"]) for layout, overrides in GUPS.sweep(here) if "n" in overrides]
    assert sizes[0] == 1 << 21
    assert sizes == sorted(sizes)
    assert sizes[-1] < size(GUPS.defaults(here, Layout(1, 4))["n"])


def test_a_longer_case_has_more_rounds_of_the_same_table() -> None:
    usual, longer = (GUPS.defaults(machine(), Layout(1, 4, seconds=seconds)) for seconds in (None, 60.0))
    assert usual["n"] == longer["n"]
    assert size(longer["rounds"]) > size(usual["rounds"])
