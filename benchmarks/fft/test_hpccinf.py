"""Tests of reading hpccinf.txt: HPL's lines as the official code reads them, the length, and named mistakes."""

import contextlib
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases
from banzuke.testing import damaged

INPUT = find("fft").official.input_file
ONE = """\
HPLinpack benchmark input file
A centre of ours
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
160000       Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
8            Qs
16.0         threshold
"""


def text(changes: Mapping[int, str]) -> str:
    """Return the file with other lines, by their numbers."""
    return "\n".join(changes.get(number, line) for number, line in enumerate(ONE.split("\n"), start=1))


def read(content: str) -> InputCases:
    assert INPUT is not None
    return INPUT.read(Lines("hpccinf.txt", content))


def test_the_report_s_file_gives_its_length() -> None:
    assert read(ONE) == InputCases(cases=((8, {"n": 3_200_000_000}),), output="hpccoutf.txt", appends=True)


@pytest.mark.parametrize(
    ("order", "rows", "columns", "ranks", "length"),
    [
        # Built only for powers of two, as Debian's is, the official code has 65536, 16384 and 16384 here.
        (1000, 2, 2, 4, 7776 * 16),
        (400, 1, 2, 2, 5000 * 4),
        (400, 1, 1, 1, 20000),
        (1, 1, 1, 1, 2),
        (1, 2, 4, 8, 64),
    ],
)
def test_the_length_follows_from_the_matrix(order: int, rows: int, columns: int, ranks: int, length: int) -> None:
    assert read(text({6: f"{order}", 11: f"{rows}", 12: f"{columns}"})).cases == ((ranks, {"n": length}),)


@given(st.integers(5, 30_000))
def test_the_length_is_the_largest_product_of_2_3_and_5(order: int) -> None:
    ((_, parameters),) = read(text({6: f"{order}", 12: "1"})).cases
    most = 8 * order**2 // 64
    powers = [[prime**power for power in range(27)] for prime in (2, 3, 5)]
    products = (a * b * c for a in powers[0] for b in powers[1] if a * b <= most for c in powers[2])
    assert parameters["n"] == max(2, *(n for n in products if n <= most))


def test_of_several_the_largest_matrix_on_the_most_ranks_counts() -> None:
    several = {5: "2", 6: "100 400", 10: "2", 11: "1 2", 12: "2 2"}
    assert read(text(several)).cases == ((4, {"n": 2500 * 16}),)


@pytest.mark.parametrize(
    ("lines", "ranks", "official"),
    [
        ({6: "1000", 12: "1"}, 1, 65536),
        ({6: "1000", 12: "2"}, 2, 65536),
        ({6: "1000", 8: "600", 12: "2"}, 2, 65536),
        ({6: "2000", 11: "2", 12: "2"}, 4, 262144),
        ({6: "1000", 10: "2", 11: "1 1", 12: "1 2"}, 2, 131072),
        ({5: "2", 6: "500 1000", 10: "2", 11: "1 1", 12: "2 1"}, 2, 131072),
    ],
)
def test_debian_s_hpcc_has_the_next_lower_power_of_two(lines: dict[int, str], ranks: int, official: int) -> None:
    """Debian's MPIFFT_N with these files is a power of two; our length is a square times a power of two, or more."""
    ((wanted, parameters),) = read(text(lines)).cases
    assert wanted == ranks
    assert official <= int(parameters["n"]) < 2 * official


def test_ranks_that_no_length_has_room_for_are_left_out() -> None:
    asked = read(text({12: "7"}))
    assert asked.cases[0][0] == 6
    assert asked.notes == ("6 of 7 ranks transform: ranks have only the prime factors 2, 3 and 5",)


@pytest.mark.parametrize(
    ("number", "line", "error"),
    [
        (5, "0", "the number of values of N: expected a whole number from 1 to 20, but there is '0'"),
        (6, "Ns", "N: expected a whole number of at least 1, but there is 'Ns'"),
        (6, "99999999999", "N: expected a whole number from 1 to 2147483647, but there is '99999999999'"),
        (8, "0", "NB: expected"),
        (9, "row", "PMAP: expected a whole number"),
        (10, "21", "the number of process grids: expected a whole number from 1 to 20"),
        (11, "0", "P: expected"),
        (12, "", "Q: expected a whole number of at least 1, but there is an empty line"),
    ],
)
def test_a_wrong_line_is_named(number: int, line: str, error: str) -> None:
    with pytest.raises(BanzukeError) as raised:
        read(text({number: line}))
    assert str(raised.value).startswith(f"hpccinf.txt, line {number}: {error}")


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_file_that_ends_too_early_is_refused(kept: int) -> None:
    with pytest.raises(BanzukeError, match=rf"ends too early \(line {max(kept + 1, 5)} should hold"):
        read("\n".join(ONE.split("\n")[:kept]))


@given(st.integers(1, 13), st.text(max_size=20))
def test_any_line_gives_a_case_or_an_error(number: int, line: str) -> None:
    with contextlib.suppress(BanzukeError):
        assert read(text({number: line.replace("\n", "")})).cases


@pytest.mark.fuzz
@given(damaged(ONE.encode()))
def test_damaged_files_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(BanzukeError):
        assert read(content.decode(errors="replace")).cases
