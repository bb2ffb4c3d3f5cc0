import pytest

from banzuke.machine.conftest import Plant
from banzuke.machine.tree import parse_size, selected


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
