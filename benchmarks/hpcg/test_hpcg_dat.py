"""Tests of reading hpcg.dat as the official code does, and of mistakes in it."""

import contextlib
import re

import pytest
from hypothesis import given

from banzuke.errors import BanzukeError
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases
from banzuke.plan.request import Request
from banzuke.testing import damaged, machine

HPCG = find("hpcg")
HEADING = "HPCG benchmark input file\nSandia National Laboratories\n"


def read(body: str) -> InputCases:
    assert HPCG.official.input_file is not None
    return HPCG.official.input_file.read(Lines("hpcg.dat", HEADING + body))


def test_the_official_example() -> None:
    asked = read("104 104 104\n60\n")
    assert asked.cases == ((None, {"nx": 104, "ny": 104, "nz": 104, "seconds": 60}),)
    assert asked.notes == ()
    assert re.fullmatch(r"HPCG-Benchmark_3\.1_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.txt", asked.output or "")


def test_a_process_grid_says_how_many_ranks() -> None:
    asked = read("16 24 32 local\n1800 seconds\n2 1 3 processes\n")
    ranks, parameters = asked.cases[0]
    assert ranks == 6
    assert parameters == {"nx": 16, "ny": 24, "nz": 32, "seconds": 1800, "px": 2, "py": 1, "pz": 3}
    assert read("16 24 32\n1800\n0 0 0\n").cases[0][0] is None


def test_a_process_grid_with_a_zero_is_none_as_officially() -> None:
    asked = read("16 24 32\n1800\n2 0 1\n")
    assert asked.cases == ((None, {"nx": 16, "ny": 24, "nz": 32, "seconds": 1800}),)
    (note,) = asked.notes
    assert "2 x 0 x 1" in note


@pytest.mark.parametrize(("ranks", "expected"), [(None, (4, 1)), (2, (2, 2))])
def test_ranks_are_those_asked_for_or_the_headlines(ranks: int | None, expected: tuple[int, int]) -> None:
    here = machine(cores=4)
    here = here.changed(partition={"software": here.software.model_copy(update={"mpi": {"mpiexec": "MPICH"}})})
    (case,) = plan(HPCG, here, Request(ranks=ranks, listed=read("16 16 16\n10\n").cases))
    assert (case.ranks, case.threads) == expected
    assert case.parameters == {"nx": 16, "ny": 16, "nz": 16, "seconds": 10}


@pytest.mark.parametrize(
    "body",
    ["104\n104\n104\n60\n", "104 104\n104 local\n60\n", "\n104\n\n104 104\n\n60 seconds\n", "104\r\n104\r\n104\r\n60"],
)
def test_numbers_may_be_on_lines_of_their_own(body: str) -> None:
    asked = read(body)
    assert asked.cases == ((None, {"nx": 104, "ny": 104, "nz": 104, "seconds": 60}),)
    assert asked.notes == ()
    assert read(body.rstrip() + "\n2\n1\n3\n").cases[0][0] == 6


@pytest.mark.parametrize(
    ("body", "sizes", "seconds", "note"),
    [
        ("8 8 8\n60\n", (16, 16, 16), 60, "the official code would run 16 16 16"),
        ("0 104 104\n60\n", (16, 104, 104), 60, "the official code would run 16 104 104"),
        ("-1 24 32\n60\n", (16, 24, 32), 60, "the official code would run 16 24 32"),
        ("16 16 8\n10\n", (16, 16, 16), 10, "the official code would run 16 16 16"),
        ("16 16 16\n-1\n", (16, 16, 16), 1800, "-1 s means 1800 s"),
    ],
)
def test_small_numbers_are_those_of_the_official_code(
    body: str, sizes: tuple[int, ...], seconds: int, note: str
) -> None:
    asked = read(body)
    assert asked.cases == ((None, dict(zip(("nx", "ny", "nz"), sizes, strict=True)) | {"seconds": seconds}),)
    assert any(note in sentence for sentence in asked.notes)


def test_a_negative_process_grid_is_none() -> None:
    assert read("16 24 32\n1800\n-1 2 2\n").cases[0][0] is None


@pytest.mark.parametrize(
    ("behind", "seconds", "note"),
    [
        ("60.5", 60, "'60.5' is read as 60 s"),
        ("60m # minutes", 60, "'60m' is read as 60 s"),
        ("+60", 60, ""),
        ("60\n\ntime in s\n2 2 2", 60, "'time in s' after the seconds is no process grid"),
    ],
)
def test_what_the_official_code_passes_over_is_said(behind: str, seconds: int, note: str) -> None:
    asked = read(f"16 16 16\n{behind}\n")
    assert asked.cases == ((None, {"nx": 16, "ny": 16, "nz": 16, "seconds": seconds}),)
    assert len(asked.notes) == bool(note)
    assert all(note in sentence for sentence in asked.notes)


def test_the_quick_path_is_told() -> None:
    (note,) = read("16 16 16\n0\n").notes
    assert "one set" in note


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "ends too early.*line 3 should hold nx, ny and nz"),
        ("16 16\n10\n", "ends too early.*line 5 should hold the seconds"),
        ("16 nx\n16 ny\n16\n10\n", "line 3: nx, ny and nz: expected 3 whole numbers, but there is 'nx' as number 2"),
        ("16 16 x\n10\n", "line 3.*'x' as number 3"),
        ("100 104 104\n10\n", "line 3.*Nearest: nx=96 ny=104 nz=104 or nx=104 ny=104 nz=104"),
        ("16 16 16\n", "ends too early.*line 4 should hold the seconds"),
        ("16 16 16\n10\n2 1\n", "ends too early.*line 6 should hold the process grid"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(body: str, said: str) -> None:
    with pytest.raises(BanzukeError, match=f"(?s){said}"):
        read(body)


@pytest.mark.fuzz
@given(damaged(b"104 104 104\n60\n0 0 0\n"))
def test_damaged_files_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(BanzukeError):
        assert read(content.decode(errors="replace")).cases
