"""Tests that rounds are in turn, kept and left out, and that ratios are of the same round."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts import measure_unlike
from scripts.measure_unlike import Place, Rounds, Seen, Way, count_of, measure, table, words_of


def way(name: str, order: list[str]) -> Way:
    def run() -> Mapping[str, Any]:
        order.append(name)
        seconds = {"column_seconds": {"update": [3, 1], "panel": [1, 0], "broadcast_wait": [0, 1]}}
        return {"metrics": {"flop_rate": {"samples": [1e9]}}, "conditions": seconds}

    return Way(name, run)


def test_each_round_begins_with_another_way_also_where_earlier_ones_were_kept(tmp_path: Path) -> None:
    order: list[str] = []
    ways = [way(name, order) for name in "abc"]
    measure("1 x, 2", ways, Rounds(2, tmp_path, 1e9))
    seen = measure("1 x, 2", ways, Rounds(1, tmp_path, 1e9))
    assert "".join(order) == "abcbcacab"
    assert seen["a"].rates == [1e9] * 3
    assert [line.split("|")[-2].strip() for line in table(seen, "a")][2:] == ["0.25, 0.50"] * 3


def test_disturbed_runs_are_repeated_and_rounds_of_nothing_else_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order: list[str] = []
    disturbed, quiet = [(0.0, 0.0), (1e9, 0.0)], [(0.0, 0.0), (0.0, 0.0)]
    used = iter([*disturbed, *quiet, *(measure_unlike.TRIES * disturbed)])
    monkeypatch.setattr(measure_unlike, "used_seconds", lambda: next(used))
    assert measure("x", [way("a", order)], Rounds(2, disturbed=0.1))["a"].rates == [1e9]
    assert len(order) == 2 + measure_unlike.TRIES
    assert "x; 1 rounds, 1 disturbed ones left out" in capsys.readouterr().out


def test_ratios_are_of_pairs_of_a_round() -> None:
    seen = {
        "equal": Seen([1e9, 2e9, 4e9]),
        "rates": Seen([2e9, 2e9, 12e9]),
        "alone, first": Seen([1e9, 2e9, 8e9]),
        "alone, second": Seen([1e9, 2e9, 8e9]),
    }
    _, _, equal, rates, first, _ = table(seen, "equal")
    assert equal == "| equal | 2.0 (1.5 to 3.0) | 0.500 (0.375 to 0.500) |  |  |"
    assert rates == "| rates | 2.0 (2.0 to 7.0) | 0.750 (0.625 to 0.875) | 2.000 (1.500 to 2.500) |  |"
    assert first.split("|")[3].strip() == ""


def test_a_rank_joins_its_control_group_before_it_begins() -> None:
    assert words_of(Path("p"), Place("0-2"), {"k": 3}) == ["p", "--k", "3", "--binding", "0-2"]
    words = words_of(Path("p"), Place("1", Path("/g/cgroup.procs")), {})
    assert words[:3] == ["sh", "-c", 'echo $$ > /g/cgroup.procs && exec "$@"']
    assert words[4:] == ["p", "--binding", "1"]
    assert [count_of(processors) for processors in ("3", "0-2", "0-2,5")] == [1, 3, 4]
