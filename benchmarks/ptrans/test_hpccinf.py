"""Tests of reading hpccinf.txt: orders, blocks and grids as Debian's hpcc 1.5.0 ran them, and named mistakes."""

import contextlib
from collections.abc import Mapping

import pytest
from hypothesis import given

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases
from banzuke.testing import damaged

INPUT = find("ptrans").official.input_file
LINES = [f"{number} comment" for number in range(1, 33)] + ["0 N", "1200 10000", "0 NB", "40 9"]
FILE = {5: "2", 6: "200 150", 7: "2", 8: "80 16", 9: "0", 10: "1", 11: "1", 12: "2"}


def read(changes: Mapping[int, str], *, kept: int = 36) -> InputCases:
    assert INPUT is not None
    lines = [{**FILE, **changes}.get(number, line) for number, line in enumerate(LINES, start=1)]
    return INPUT.read(Lines("hpccinf.txt", "\n".join(lines[:kept])))


def sizes(asked: InputCases) -> list[tuple[object, object]]:
    return [(parameters["n"], parameters["nb"]) for _, parameters in asked.cases]


def test_sizes_and_their_order_are_those_that_debian_s_hpcc_ran() -> None:
    asked = read({33: "4 N", 34: "50 95 120 400 values", 35: "2", 36: "40 20 values"})
    assert sizes(asked) == [(n, nb) for n in (95, 120, 400, 100, 75) for nb in (40, 20, 80, 16)]
    assert {ranks for ranks, _ in asked.cases} == {2}
    assert asked.cases[0][1] == {"n": 95, "nb": 40, "p": 1, "q": 2, "rounds": 5}
    assert asked.notes == ("N 50: too small beside HPL's 200, and left out as officially",)
    assert (asked.output, asked.appends) == ("hpccoutf.txt", True)


def test_long_lines_that_the_official_code_reads_in_parts_count_only_before_further_sizes() -> None:
    long = {6: "200 150" + 74 * " "}
    assert read(long, kept=32).cases == read({6: "200 150" + 73 * " "}).cases


@pytest.mark.parametrize("kept", [12, 31, 32, 33, 34, 36])
def test_without_further_sizes_there_are_those_of_hpl(kept: int) -> None:
    assert sizes(read({}, kept=kept)) == [(n, nb) for n in (100, 75) for nb in (80, 16)]


def test_every_grid_has_its_ranks() -> None:
    several = {10: "3", 11: "1 2 1", 12: "4 3 4", 5: "1", 7: "1"}
    assert [ranks for ranks, _ in read(several).cases] == [4, 6], "equal grids run once"


@pytest.mark.parametrize("word", ["none", "²", "+-3", "-1", "9" * 5000])
def test_a_line_without_a_number_counts_as_0_with_a_note(word: str) -> None:
    asked = read({33: word, 34: "7"})
    assert len(asked.cases) == 4
    assert asked.notes == ("line 33 holds no number of further N of PTRANS, which the official code takes as 0",)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({6: "200 150" + 74 * " "}, "line 6 is too long"),
        ({33: "2", 34: "500"}, "line 34: further N of PTRANS: expected 2 whole numbers of at least 1"),
        ({35: "1", 36: "0"}, "line 36: further NB of PTRANS: expected a whole number of at least 1"),
        # A file without the separator, as some scripts write it: hpcc then reads memory that was never set.
        ({33: "1200 10000", 34: "0 NB", 35: "40 9", 36: ""}, "line 34: further N of PTRANS: expected 20 whole numbers"),
    ],
)
def test_a_wrong_line_is_named(changes: dict[int, str], error: str) -> None:
    with pytest.raises(BanzukeError, match=rf"hpccinf.txt, {error}"):
        read(changes)


@pytest.mark.fuzz
@given(damaged("\n".join({**dict(enumerate(LINES, start=1)), **FILE}.values()).encode()))
def test_damaged_files_are_read_or_refused(content: bytes) -> None:
    assert INPUT is not None
    with contextlib.suppress(BanzukeError):
        assert INPUT.read(Lines("hpccinf.txt", content.decode(errors="replace"))).cases
