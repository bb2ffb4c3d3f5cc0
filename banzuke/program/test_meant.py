"""Tests of values as people write them, and of the digits that are suggested."""

import pytest

from banzuke.program.meant import meant

ELEMENTS = "elements in each array"
BYTES = "largest message in bytes"


@pytest.mark.parametrize(
    ("text", "about", "offered"),
    [
        ("10GB", ELEMENTS, "n=1250000000 (10GB as doubles) or n=10000000000 (as many)"),
        ("10 GiB", ELEMENTS, "n=1342177280 (10 GiB as doubles) or n=10737418240 (as many)"),
        ("10GB", "order of the matrix", "n=35355 (a matrix of 10GB)"),
        ("10GB", BYTES, "n=10000000000"),
        ("1MiB", BYTES, "n=1048576"),
        ("64k", ELEMENTS, "n=64000 or n=65536 (64Ki)"),
        ("1.5M", ELEMENTS, "n=1500000 or n=1572864 (1.5Mi)"),
        ("2Gi", ELEMENTS, "n=2147483648"),
        ("2^20", ELEMENTS, "n=1048576"),
        ("10**6", ELEMENTS, "n=1000000"),
        ("1_000_000", ELEMENTS, "n=1000000"),
        ("1 000", ELEMENTS, "n=1000"),
        ("1.000.000", ELEMENTS, "n=1000000"),
        ("1.500", ELEMENTS, "n=2"),
        ("0.125", ELEMENTS, "n=0"),
        ("0x400", ELEMENTS, "n=1024"),
        ("1e6.", ELEMENTS, "a whole number in digits"),
        ("1000.7", ELEMENTS, "n=1001"),
        ("3/2", ELEMENTS, "a whole number in digits"),
        ("8/2", ELEMENTS, "n=4"),
        ("9" * 30, ELEMENTS, "a whole number in digits"),
        ("2^999", ELEMENTS, "a whole number in digits"),
        ("1/0", ELEMENTS, "a whole number in digits"),
        ("many", ELEMENTS, "a whole number in digits"),
        ("", ELEMENTS, "a whole number in digits"),
        ("0x", ELEMENTS, "a whole number in digits"),
        ("0b9", ELEMENTS, "a whole number in digits"),
    ],
)
def test_whole_numbers(text: str, about: str, offered: str) -> None:
    assert meant("n", text, about, whole=True) == f"n is '{about}', without a unit: write {offered}"


@pytest.mark.parametrize(
    ("text", "offered"), [("1/8", "x=0.125"), ("90s", "x=90"), ("15 min", "x=900"), ("nan", "a number in digits")]
)
def test_numbers(text: str, offered: str) -> None:
    assert meant("x", text, "seconds of a sample", whole=False).endswith(f"write {offered}")
