import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.cpu_lists import format_cpus, parse_cpus


@given(st.sets(st.integers(0, 5000)))
def test_cpu_lists_read_back(cpus: set[int]) -> None:
    assert parse_cpus(format_cpus(list(cpus))) == sorted(cpus)


@given(st.text(max_size=20))
def test_any_text_gives_ascending_processors(text: str) -> None:
    cpus = parse_cpus(text)
    assert cpus == sorted(set(cpus))


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-3,8", [0, 1, 2, 3, 8]),
        ("5\n", [5]),
        ("0-9:2/4,20", [0, 1, 4, 5, 8, 9, 20]),
        ("0-16:1/8", [0, 8, 16]),
        ("0-9:3/2", []),
        ("0-9:0/2", []),
        ("0-9:1", []),
        ("0:1/2", []),
        ("", []),
        ("3-1", []),
        ("a-b", []),
        ("0-99999999999", []),
        ("٣", []),
    ],
)
def test_cpu_lists(text: str, cpus: list[int]) -> None:
    assert parse_cpus(text) == cpus


def test_neighbours_join_into_ranges() -> None:
    assert format_cpus([9, 1, 0, 2, 7, 1]) == "0-2,7,9"
