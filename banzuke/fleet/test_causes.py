"""A cause is evidence that differs between nodes and explains what is slow."""

import pytest

from banzuke.amounts import Scalar
from banzuke.fleet.causes import causes, usual
from banzuke.fleet.model import Node, NodeFigure
from banzuke.fleet.verdict import SlowFigure
from banzuke.plan.screening import PARTS, Part

USUAL: dict[str, Scalar] = {
    "setting.governor": "performance",
    "setting.thp": "always",
    "setting.kernel": "6.1",
    "setting.mitigations": "off",
    "memory.modules": 16,
    "memory.speed": 4800,
    "memory.uncorrected_errors": 0,
    "link.mlx5_0.width": 16,
    "link.mlx5_0.width_max": 16,
    "link.mlx5_0.rate": 4e11,
    "link.mlx5_0.state": "ACTIVE",
    "link.nvme0.speed": 16.0,
    "state.throttled": 3,
    "state.temperature": 55.0,
    "state.power_cap": 350.0,
    "state.clock_maximum": 3.5e9,
    "state.load": 0.2,
    "state.allowed": 64,
}
MAJORITY = usual([Node(f"n{at}", "k", facts=USUAL) for at in range(5)])


def slow(part: Part | None, share: float = 0.6) -> SlowFigure:
    parts = None if part is None else frozenset({part})
    return SlowFigure(NodeFigure("f", "F", "B/s", parts=parts), share, 1.0, 40.0)


def codes(part: Part | None, **facts: Scalar) -> list[str]:
    """Return the codes of the causes if these facts differ; `__` stands for a full stop."""
    own = {**USUAL, **{name.replace("__", "."): value for name, value in facts.items()}}
    return [cause.said.code for cause in causes(Node("n9", "k", facts=own), [slow(part)], MAJORITY)]


@pytest.mark.parametrize(
    ("fact", "value", "part", "other", "code"),
    [
        ("memory__modules", 15, "memory", "processors", "judge-modules"),
        ("memory__speed", 4000, "memory", "network", "judge-memory-speed"),
        ("memory__uncorrected_errors", 2, "memory", "network", "judge-memory-errors"),
        ("link__mlx5_0__width", 8, "network", "memory", "judge-link"),
        ("link__mlx5_0__rate", 1e11, "network", "drives", "judge-link"),
        ("link__mlx5_0__state", "INIT", "network", "processors", "judge-port"),
        ("link__nvme0__speed", 8.0, "drives", "network", "judge-link"),
        ("state__throttled", 500, "processors", "network", "judge-throttled"),
        ("state__temperature", 80.0, "processors", "drives", "judge-hot"),
        ("state__power_cap", 200.0, "processors", "network", "judge-power-cap"),
        ("state__clock_maximum", 2.4e9, "processors", "drives", "judge-clock"),
        ("state__quota", 32.0, "processors", "network", "judge-fewer-processors"),
        ("setting__governor", "powersave", "processors", "drives", "judge-setting"),
        ("setting__thp", "never", "pages", "memory", "judge-setting"),
    ],
)
def test_what_differs_is_a_cause_of_what_it_can_slow_down_only(
    fact: str, value: Scalar, part: Part, other: Part, code: str
) -> None:
    assert codes(part, **{fact: value}) == [code]
    assert codes(None, **{fact: value}) == [code]
    assert codes(other, **{fact: value}) == []


def test_what_is_usual_or_little_off_causes_nothing() -> None:
    assert codes(None) == []
    assert codes(None, state__temperature=60.0, state__load=0.9, state__throttled=12, state__clock_maximum=3.49e9) == []


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400, "many"], ids=["inf", "nan", "huge", "text"])
def test_a_fact_that_is_no_amount_causes_nothing(value: Scalar) -> None:
    assert codes(None, state__throttled=value, memory__uncorrected_errors=value) == []


def test_any_figure_may_suffer_from_other_processes_and_another_kernel() -> None:
    for part in PARTS:
        assert codes(part, state__load=40.0, setting__kernel="5.4") == ["judge-load", "judge-setting"]


def test_the_action_is_that_of_the_strongest_evidence() -> None:
    own = {**USUAL, "memory.modules": 15, "setting.kernel": "5.4"}
    first, *_ = causes(Node("n9", "k", facts=own), [slow("memory")], MAJORITY)
    assert (first.action.code, first.action.facts["host"]) == ("judge-action-modules", "n9")


def test_an_exact_fraction_of_the_bandwidth_is_a_module_less_where_nothing_counts_them() -> None:
    without = {name: value for name, value in USUAL.items() if name != "memory.modules"}
    node = Node("n9", "k", facts=without)
    [cause] = causes(node, [slow("modules", 11 / 12)], MAJORITY)
    assert (cause.said.code, cause.said.facts["modules"]) == ("judge-fraction", 12)
    assert not causes(node, [slow("modules", 0.6)], MAJORITY)
    assert not causes(node, [slow("memory", 11 / 12)], MAJORITY)
    assert not causes(Node("n9", "k", facts=USUAL), [slow("modules", 11 / 12)], MAJORITY)


def test_a_link_without_usual_values_is_held_against_its_own_best() -> None:
    facts: dict[str, Scalar] = {"link.card.width": 4, "link.card.width_max": 16}
    [cause] = causes(Node("n9", "k", facts=facts), [slow("network")], {})
    assert cause.said.facts["usual"] == 16


def test_facts_that_less_than_half_have_are_not_usual() -> None:
    nodes = [Node(f"n{at}", "k", facts={"state.quota": 1.0, "setting.x": 1} if at < 2 else {}) for at in range(4)]
    assert usual(nodes) == {}
    assert usual([*nodes[:2], *nodes[:1]]) == {"state.quota": 1.0, "setting.x": 1}
