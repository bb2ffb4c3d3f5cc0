"""Tests that rounds are in turn, and that ratios are of the same round."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.measure_unlike import Place, Seen, Way, count_of, measure, table, words_of


def test_each_round_begins_with_another_way() -> None:
    order: list[str] = []

    def way(name: str) -> Way:
        def run() -> Mapping[str, Any]:
            order.append(name)
            return {"metrics": {"flop_rate": {"samples": [1e9]}}}

        return Way(name, run)

    measure([way("a"), way("b"), way("c")], 3)
    assert "".join(order) == "abcbcacab"


def test_ratios_are_of_pairs_of_a_round() -> None:
    seen = {
        "equal": Seen([1e9, 2e9, 4e9]),
        "rates": Seen([2e9, 2e9, 12e9]),
        "alone, first": Seen([1e9, 2e9, 8e9]),
        "alone, second": Seen([1e9, 2e9, 8e9]),
    }
    _, _, equal, rates, first, _ = table(seen, "equal")
    assert equal == "| equal | 2.0 (1.5 to 3.0) | 0.500 (0.375 to 0.500) |  |"
    assert rates == "| rates | 2.0 (2.0 to 7.0) | 0.750 (0.625 to 0.875) | 2.000 (1.500 to 2.500) |"
    assert first.split("|")[3].strip() == ""


def test_a_rank_joins_its_control_group_before_it_begins() -> None:
    assert words_of(Path("p"), Place("0-2"), {"k": 3}) == ["p", "--k", "3", "--binding", "0-2"]
    words = words_of(Path("p"), Place("1", Path("/g/cgroup.procs")), {})
    assert words[:3] == ["sh", "-c", 'echo $$ > /g/cgroup.procs && exec "$@"']
    assert words[4:] == ["p", "--binding", "1"]
    assert [count_of(processors) for processors in ("3", "0-2", "0-2,5")] == [1, 3, 4]
