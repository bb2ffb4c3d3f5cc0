"""Tests of reading HPL.dat as the official code does, and of its mistakes, which are named."""

import contextlib
import itertools
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases
from banzuke.testing import damaged

INPUT = find("hpl").official.input_file
ONE = """\
HPLinpack benchmark input file
A centre of ours
HPL.out      output file name (if any)
6            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
1000         Ns
1            # of NBs
64           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
3            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
8            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
2            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
60           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""


def text(changes: Mapping[int, str]) -> str:
    """Return the file with other lines, by their numbers."""
    return "\n".join(changes.get(number, line) for number, line in enumerate(ONE.split("\n"), start=1))


def read(content: str) -> InputCases:
    assert INPUT is not None
    return INPUT.read(Lines("HPL.dat", content))


def test_one_case() -> None:
    assert read(ONE) == InputCases(
        cases=(
            (
                6,
                {
                    "n": 1000,
                    "nb": 64,
                    "p": 2,
                    "q": 3,
                    "order": "row",
                    "lookahead": 1,
                    "broadcast": "ring-modified",
                    "swap": "mixed",
                    "swap_threshold": 60,
                    "nbmin": 8,
                },
            ),
        )
    )


def test_lines_after_the_last_are_not_read() -> None:
    hpcc = ONE + "##### This line (no. 32) is ignored (it serves as a separator). ######\n0  Number of additional\n"
    assert read(hpcc) == read(ONE) == read(ONE.rstrip()) == read(ONE.replace("\n", "\r\n"))


def test_hpccs_own_sizes_are_no_part_of_it() -> None:
    ptrans = ONE + "# (no. 32)\n0  additional sizes\n1200 10000\n2  additional blocks\n40 9\n"
    assert read(ONE + "-----\nwhat we ran in May\n") == read(ONE)
    asked = read(ptrans)
    assert asked.cases == read(ONE).cases
    assert asked.notes == ("lines after the 31st are HPCC's, for PTRANS, which is not run",)


def test_a_number_as_fortran_writes_it() -> None:
    assert read(text({13: "16.0D0"})) == read(ONE)
    with pytest.raises(BanzukeError, match=r"'1\.6D1'"):
        read(text({13: "1.6D1"}))


def test_the_product_is_in_the_official_order() -> None:
    changes = {5: "2", 6: "100 200 Ns", 7: "2", 8: "10 20", 10: "2", 11: "1 2", 12: "4 2", 16: "2", 17: "4 8"}
    changes |= {22: "2", 23: "0 5", 24: "2", 25: "0 1", 9: "1", 26: "0"}
    asked = read(text(changes))
    names = ("p", "n", "nb", "lookahead", "broadcast", "nbmin")
    assert [tuple(parameters[name] for name in names) for _, parameters in asked.cases] == list(
        itertools.product((1, 2), (100, 200), (10, 20), (0, 1), ("ring", "long-modified"), (4, 8))
    )
    assert [ranks for ranks, _ in asked.cases] == [4] * 64
    assert {(c["order"], c["swap"]) for _, c in asked.cases} == {("column", "binary-exchange")}
    assert not asked.notes


def test_what_chooses_nothing_here_is_run_once_and_said() -> None:
    changes = {14: "3", 15: "0 1 2", 18: "2", 19: "2 4", 20: "2", 21: "1 2", 24: "3", 25: "0 1 4", 13: "-1.0"}
    asked = read(text(changes))
    assert [parameters["lookahead"] for _, parameters in asked.cases] == [0, 1]
    notes = "; ".join(asked.notes)
    for part in ("RFACT, NDIV and PFACT have no effect", "DEPTH above 1 runs as 1", "against 16, not -1"):
        assert part in notes
    assert "36 combinations make 2 cases" in notes


def test_an_order_listed_twice_is_said() -> None:
    asked = read(text({5: "2", 6: "100 100"}))
    assert len(asked.cases) == 1
    assert asked.notes == ("2 combinations make 1 cases, because equal ones run once",)


def test_the_output_goes_where_the_official_code_writes_it() -> None:
    assert [read(text({4: f"{device} device"})).output for device in (6, 7, 8)] == [None, None, "HPL.out"]
    with pytest.raises(BanzukeError, match="line 3: the output file has no name"):
        read(text({3: "", 4: "8"}))
    assert read(text({3: ""})).output is None
    for word in ("file", "stdout", "-6"):
        assert read(text({4: f"{word} device"})).output == "HPL.out"
    assert any("device out stdout is no number" in note for note in read(text({4: "stdout"})).notes)
    assert read(text({1: "x" * 252})).cases == read(ONE).cases


@pytest.mark.parametrize(
    ("number", "line", "error"),
    [
        (1, "x" * 253, "is too long"),
        (4, "", "the device out: expected a whole number, but there is an empty line"),
        (5, "0", "the number of values of N: expected a whole number from 1 to 20, but there is '0'"),
        (5, "21", "the number of values of N: expected a whole number from 1 to 20, but there is '21'"),
        (6, "-1", "N: expected a whole number of at least 1, but there is '-1'"),
        (6, "0", "N: expected a whole number of at least 1, but there is '0'"),
        (6, "Ns", "N: expected a whole number of at least 1, but there is 'Ns'"),
        (6, "", "N: expected a whole number of at least 1, but there is an empty line"),
        (6, "99999999999", "N: expected a whole number from 1 to 2147483647, but there is '99999999999'"),
        (8, "0", "NB: expected"),
        (9, "row", "PMAP: expected a whole number, but there is 'row'"),
        (11, "0", "P: expected"),
        (12, "0", "Q: expected"),
        (13, "high", "threshold: expected a number"),
        (17, "0", "NBMIN: expected"),
        (19, "1", "NDIV: expected a whole number of at least 2"),
        (23, "ring", "BCAST: expected a whole number, but there is 'ring'"),
        (25, "-1", "DEPTH: expected"),
        (26, "mix", "SWAP: expected a whole number"),
        (31, "eight", "memory alignment: expected a whole number"),
    ],
)
def test_a_wrong_line_is_named(number: int, line: str, error: str) -> None:
    with pytest.raises(BanzukeError) as raised:
        read(text({number: line}))
    assert re.match(rf"HPL\.dat, line {number}:? {re.escape(error)}", str(raised.value))


@pytest.mark.parametrize(
    ("changes", "expected", "note"),
    [
        ({23: "6"}, {"broadcast": "ring-modified"}, "BCAST 6 is unknown to netlib's HPL, which takes it as 1, 1ringM"),
        ({23: "7"}, {"broadcast": "ring-modified"}, "BCAST 7"),
        ({23: "-1"}, {"broadcast": "ring-modified"}, "BCAST -1"),
        ({9: "2"}, {"order": "row"}, "PMAP 2 is unknown to netlib's HPL, which takes it as 0"),
        ({15: "3"}, {}, "PFACT 3 is unknown to netlib's HPL, which takes it as 2"),
        ({21: "-1"}, {}, "RFACT -1"),
        ({26: "3"}, {"swap": "spread-roll"}, "SWAP 3 is unknown to netlib's HPL, which takes it as 1"),
        ({28: "2"}, {}, "L1 2"),
        ({29: "2"}, {}, "U 2"),
        ({30: "-1"}, {}, "equilibration -1"),
        ({6: "100 200 300 Ns"}, {"n": 100}, "N: 200 300 after the first 1 of its line is not read"),
        ({5: "3", 6: "100   200 300"}, {"n": 100}, "the official code would read 100 200 0"),
        ({5: "2", 6: "  100 200 Ns"}, {"n": 100}, "the official code would read 100 0"),
    ],
)
def test_numbers_that_the_official_code_takes_for_others(
    changes: dict[int, str], expected: dict[str, str | int], note: str
) -> None:
    asked = read(text(changes))
    assert {name: asked.cases[0][1][name] for name in expected} == expected
    assert any(note in sentence for sentence in asked.notes)


def test_numbers_below_their_smallest_are_the_smallest_as_officially() -> None:
    asked = read(text({27: "-1", 31: "0"}))
    assert asked.cases[0][1]["swap_threshold"] == 0
    assert not asked.notes


@pytest.mark.parametrize("kept", range(1, 31))
def test_a_file_that_ends_too_early_is_refused(kept: int) -> None:
    with pytest.raises(BanzukeError, match=rf"HPL.dat ends too early \(line {max(kept + 1, 3)} should hold"):
        read("\n".join(ONE.split("\n")[:kept]))


def test_fewer_values_than_announced() -> None:
    with pytest.raises(BanzukeError, match=r"line 6: N: expected 3 whole numbers .* but there is 'Ns' as number 3"):
        read(text({5: "3", 6: "100 200 Ns"}))


def test_more_cases_than_anyone_can_run() -> None:
    twenty = " ".join(map(str, range(1, 21)))
    with pytest.raises(BanzukeError, match="asks for 160000 cases"):
        read(
            text(
                {number: value for line in (5, 7, 10, 16) for number, value in ((line, "20"), (line + 1, twenty))}
                | {12: twenty}
            )
        )


@given(st.integers(1, 31), st.text(max_size=20))
def test_any_line_gives_cases_or_an_error(number: int, line: str) -> None:
    with contextlib.suppress(BanzukeError):
        assert read(text({number: line.replace("\n", "")})).cases


@pytest.mark.fuzz
@given(damaged(ONE.encode()))
def test_damaged_files_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(BanzukeError):
        assert read(content.decode(errors="replace")).cases
