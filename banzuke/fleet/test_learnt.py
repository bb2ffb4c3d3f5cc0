"""A node compared with what was learnt about its state."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from banzuke.fleet.baseline import learn, read, write
from banzuke.fleet.judge import judge
from banzuke.fleet.model import FigureLaunch, Fleet, Node, NodeFigure
from banzuke.fleet.verdict import FleetJudgement
from banzuke.record.state import Signs
from banzuke.words.language import words

NEAR, FAR = Signs(38e-9, 3e9), Signs(150e-9, 3e9)
CAPPED = Signs(150e-9, 2.2e9)
RATES = {NEAR: 45e9, FAR: 80e9, CAPPED: 50e9}
"""Memory bandwidth in each state."""
FIGURE = NodeFigure("f", "Triad", "B/s")


def nodes(*states: Sequence[Signs], rates: Mapping[Signs, float] = RATES, seed: int = 1) -> Fleet:
    """Return a node for each element, with a launch in each of its states."""
    rng = np.random.default_rng(seed)
    measured = {}
    for number, signs in enumerate(states):
        launches = [FigureLaunch(rates[own] * float(rng.normal(1, 0.01)), own) for own in signs]
        median = float(np.median([launch.value for launch in launches]))
        measured[f"n{number}"] = Node(f"n{number}", "k", values={"f": median}, launches={"f": launches})
    return Fleet({"f": FIGURE}, measured)


def verdicts(judgement: FleetJudgement) -> list[str]:
    return [verdict.verdict for verdict in judgement.nodes.values()]


BOTH = [[NEAR]] * 200 + [[FAR]] * 200


@pytest.mark.parametrize(
    ("states", "speed", "verdict", "usual"),
    [
        ([NEAR], 1.0, "pass", None),
        ([NEAR], 0.7, "fail", 45e9),
        ([FAR], 0.7, "fail", 80e9),
        ([NEAR, FAR, FAR], 0.7, "fail", 80e9),
        ([NEAR, FAR], 1.0, "pass", None),
    ],
    ids=["healthy", "slow while near", "slow while far", "slow in both", "healthy in both"],
)
def test_a_node_is_judged_by_its_own_state(
    states: list[Signs], speed: float, verdict: str, usual: float | None, tmp_path: Path
) -> None:
    """56 GB/s is slow with far processors, although near ones reach 45; also after the baseline is read from
    its file.
    """
    write(tmp_path, learn(nodes(*BOTH))["k"])
    learnt = read(tmp_path, "k")
    assert learnt
    node = nodes(states, rates={signs: speed * rate for signs, rate in RATES.items()}, seed=2)
    judgement = judge(node, {"k": learnt})
    assert (verdicts(judgement), judgement.remarks) == ([verdict], ())
    reasons = judgement.nodes["n0"].reasons
    assert [reason.usual for reason in reasons] == ([pytest.approx(usual, rel=0.02)] if usual else [])


@pytest.mark.parametrize(("signs", "state"), [(NEAR, "near processors"), (CAPPED, "slow clock")])
def test_a_state_of_which_nothing_was_learnt_is_told(signs: Signs, state: str) -> None:
    """A capped processor is slow, whatever caps it."""
    judgement = judge(nodes([signs]), learn(nodes(*[[FAR]] * 200)))
    assert verdicts(judgement) == ["fail"]
    (remark,) = judgement.remarks
    assert words()(remark).startswith(f"n0: there is no baseline for this state ({state})")


def test_a_state_of_few_nodes_may_be_what_makes_them_slow() -> None:
    learnt = learn(nodes(*[[FAR]] * 195, *[[CAPPED]] * 5))
    assert not learnt["k"].figures["f"].states[1:]
    assert verdicts(judge(nodes([CAPPED]), learnt)) == ["fail"]


def test_of_earlier_screens_of_the_same_node_a_new_state_is_not_judged() -> None:
    screens = [nodes([FAR], seed=seed) for seed in range(4)]
    of_both = learn(*screens, *(nodes([NEAR], seed=seed) for seed in range(4)), few=True)
    assert verdicts(judge(nodes([NEAR], seed=9), of_both, own=["k"])) == ["pass"]
    slow = nodes([NEAR], rates={NEAR: 0.8 * RATES[NEAR]}, seed=9)
    assert verdicts(judge(slow, of_both, own=["k"])) == ["fail"]
    new = judge(nodes([NEAR], seed=9), learn(*screens, few=True), own=["k"])
    assert (verdicts(new), new.nodes["n0"].disturbed) == (["unknown"], True)
    assert "screen it 3 times in this state" in words()(new.nodes["n0"].action)


def test_nodes_that_are_all_in_one_of_two_states_are_not_slower_than_before() -> None:
    learnt = learn(nodes(*BOTH))
    assert not judge(nodes(*[[NEAR]] * 20, seed=2), learnt).shifts
    slow = {signs: 0.9 * rate for signs, rate in RATES.items()}
    (shift,) = judge(nodes(*[[NEAR]] * 20, rates=slow, seed=2), learnt).shifts["k"]
    assert shift.usual == pytest.approx(RATES[NEAR], rel=0.02)


@pytest.mark.parametrize("signs", [Signs(), Signs(clock=3e9, moved=True)], ids=["not recorded", "moved"])
def test_what_shows_no_state_is_compared_with_all_that_was_learnt(signs: Signs) -> None:
    judgement = judge(nodes([signs], rates={signs: 60e9}), learn(nodes(*BOTH)))
    assert verdicts(judgement) == ["pass"]
    assert [remark.code for remark in judgement.remarks] == ["judge-state-unlearnt"]
