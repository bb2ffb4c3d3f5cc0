import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.conftest import Plant
from banzuke.machine.tree import format_cpus, parse_cpus, parse_size, selected


@given(st.sets(st.integers(0, 5000)))
def test_cpu_lists_read_back(cpus: set[int]) -> None:
    assert parse_cpus(format_cpus(list(cpus))) == sorted(cpus)


@given(st.text(max_size=20))
def test_any_text_gives_ascending_processors(text: str) -> None:
    found = parse_cpus(text)
    assert found == sorted(set(found))


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


@pytest.mark.parametrize(
    ("text", "size"), [("32768K", 32 << 20), ("8MB", 8 << 20), ("512", 512), ("1 GiB", 1 << 30), ("x", None)]
)
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size


def test_selected_choice() -> None:
    assert selected("always [madvise] never") == "madvise"
    assert selected("tsc") == "tsc"
    assert selected(None) is None


def test_garbage_and_absence_are_none(plant: Plant) -> None:
    tree = plant({"a": "many", "b": b"\xff\xfe", "c": b""})
    assert tree.integer("a") is None
    assert tree.integer("b") is None
    assert tree.text("c") is None
    assert tree.text("nowhere/x") is None
    assert tree.names("nowhere") == []
    assert tree.text("a/b") is None


def test_names_in_numeric_order(plant: Plant) -> None:
    tree = plant({f"d/cpu{i}": "x" for i in (10, 9, 1)} | {"d/cpufreq": "x"})
    assert tree.names("d", r"cpu\d+") == ["cpu1", "cpu9", "cpu10"]
