"""Slow nodes, links and racks are distinguished from healthy ones."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.fleet.baseline import learn
from banzuke.fleet.judge import FLOOR, judge
from banzuke.fleet.model import Fleet, Node, NodeFigure, Pair, State
from banzuke.fleet.slowness import Values
from banzuke.fleet.verdict import FAILED, NOTHING_JUDGED, PASSED
from banzuke.record.state import Taken
from banzuke.words.language import words
from scripts.simulate_screens import FIGURES, HEALTHY, RACK, beside, detections, false_alarms, fleet, racks

LINK = NodeFigure("link", "Link", "B/s", parts=frozenset({"network"}))


def healthy(nodes: int, seed: int = 1, figures: int = FIGURES) -> Values:
    return 0.01 * np.random.default_rng(seed).standard_normal((nodes, figures))


def failed(measured: Fleet) -> list[str]:
    return [verdict.host for verdict in judge(measured).of("fail")]


def with_nodes(measured: Fleet, changed: Mapping[str, Node]) -> Fleet:
    return replace(measured, nodes={**measured.nodes, **changed})


def linked(nodes: int, slow: Mapping[tuple[int, int], float], slow_nodes: Mapping[int, float]) -> Fleet:
    """Return all pairs of these nodes, each slowed by its slower end and by itself."""
    rng = np.random.default_rng(3)
    pairs = []
    for a, b in combinations(range(nodes), 2):
        lost = 1 + max(slow_nodes.get(a, 0), slow_nodes.get(b, 0)) + slow.get((a, b), 0)
        pairs.append(Pair((f"n{a}", f"n{b}"), {"link": 1e10 / lost * (1 + 0.01 * float(rng.standard_normal()))}))
    base = fleet(healthy(nodes, figures=1))
    return replace(base, figures={**base.figures, "link": LINK}, pairs=tuple(pairs))


def test_a_node_slow_in_one_figure_is_named_and_no_other() -> None:
    slowness = healthy(1000)
    assert judge(fleet(slowness)).exit_status == PASSED
    slowness[7, 3] += 0.1
    judgement = judge(fleet(slowness))
    [slow] = judgement.of("fail")
    [reason] = [figure for figure in slow.reasons if figure.alone]
    assert (slow.host, reason.figure.name, judgement.exit_status) == ("n7", "f3", FAILED)
    assert reason.percent == pytest.approx(9.5, abs=2)
    assert reason.usual == pytest.approx(1, abs=0.01)
    assert reason.sigmas == pytest.approx(10, abs=3)


def test_a_node_moderately_slow_in_many_figures_is_named() -> None:
    slowness = healthy(1000)
    slowness[5] += 0.035
    [slow] = judge(fleet(slowness)).of("fail")
    assert slow.host == "n5"
    assert len(slow.reasons) > 10
    assert not any(figure.alone for figure in slow.reasons)


def test_the_floor_is_that_of_all_figures_of_a_node_together() -> None:
    slowness = healthy(10_000)
    slowness[:100] += 0.02
    assert failed(fleet(slowness)) == []


@pytest.mark.parametrize(
    ("distribution", "nodes", "screens"),
    [
        ("Student's t, 3 degrees", 100, 12),
        ("lognormal lost time", 100, 12),
        ("lognormal lost time", 16, 20),
        ("Laplace", 16, 20),
        ("normal", 10_000, 1),
        ("Student's t, 3 degrees", 10_000, 1),
    ],
)
def test_healthy_fleets_pass_whatever_their_tails(distribution: str, nodes: int, screens: int) -> None:
    """A small part of what scripts/simulate_screens.py simulates."""
    assert false_alarms(HEALTHY[distribution], nodes, screens) == 0


def test_of_a_hundred_nodes_one_8_percent_slow_in_one_figure_is_named() -> None:
    assert detections(HEALTHY["normal"], 100, 12) >= 10


def test_a_figure_whose_tail_was_learnt_is_judged_by_that() -> None:
    """Sixteen nodes are as healthy as the thousands before."""
    heavy = HEALTHY["lognormal in one figure"]
    before = learn(fleet(heavy(np.random.default_rng(1), 2000)))
    rng = np.random.default_rng(9)
    screens = [fleet(heavy(rng, 16)) for _ in range(25)]
    assert any(judge(screen).of("fail") for screen in screens)
    assert not any(judge(screen, before).of("fail") for screen in screens)


def test_few_nodes_are_said_to_be_too_few_for_the_tail_of_one_figure() -> None:
    """Both here and, if there is a baseline, where it was learnt."""
    for nodes, learnt, codes in (
        (30, 0, ["judge-tail"]),
        (100, 0, []),
        (30, 40, ["judge-tail"]),
        (30, 200, []),
    ):
        baselines = learn(fleet(healthy(learnt, seed=2))) if learnt else {}
        slowness = healthy(nodes)
        assert not judge(fleet(slowness), baselines).remarks
        slowness[7, 3] += 0.5
        judgement = judge(fleet(slowness), baselines)
        assert [verdict.host for verdict in judgement.of("fail")] == ["n7"]
        assert [remark.code for remark in judgement.remarks] == codes


def test_what_is_less_than_some_per_cent_slow_is_not_slow() -> None:
    baselines = learn(fleet(healthy(2000, figures=1) / 20))
    checked = [judge(fleet(np.array([[share * FLOOR]])), baselines).exit_status for share in (0.9, 1.1)]
    assert checked == [PASSED, FAILED]


def test_where_lower_is_better_a_longer_time_is_slower() -> None:
    measured = fleet(healthy(200, figures=1))
    shorter, longer = ({"f0": value} for value in (0.5, 2.0))
    times = replace(measured, figures={"f0": NodeFigure("f0", "F", "s", better="lower")})
    odd = with_nodes(times, {"n3": Node("n3", "k", values=shorter), "n4": Node("n4", "k", values=longer)})
    [slow] = judge(odd).of("fail")
    assert slow.host == "n4"
    assert slow.reasons[0].percent == pytest.approx(50, abs=1)


def test_a_slow_device_is_named() -> None:
    slowness = healthy(60, figures=2)
    slowness[4, 1] += 0.3
    measured = fleet(slowness)
    several = {host: replace(node, devices={"f1": f"GPU-{host}-3"}) for host, node in measured.nodes.items()}
    [slow] = judge(with_nodes(measured, several)).of("fail")
    assert (slow.causes[0].code, slow.causes[0].facts["device"]) == ("judge-device", "GPU-n4-3")


def test_kinds_are_judged_apart() -> None:
    measured = fleet(healthy(60, figures=2))
    half = {
        host: replace(node, kind="half", values={name: value / 2 for name, value in node.values.items()})
        for host, node in list(measured.nodes.items())[:20]
    }
    assert failed(with_nodes(measured, half)) == []
    alike = {host: replace(node, kind="k") for host, node in list(half.items())[:2]}
    assert failed(with_nodes(measured, alike)) == ["n0", "n1"]


def test_of_two_nodes_none_is_judged() -> None:
    judgement = judge(fleet(healthy(2)))
    assert judgement.exit_status == NOTHING_JUDGED
    assert [remark.code for remark in judgement.remarks] == ["judge-too-few"]
    assert {verdict.action.code for verdict in judgement.nodes.values()} == {"judge-action-compare"}


def test_nodes_that_did_not_measure_are_named_and_the_rest_is_judged() -> None:
    measured = fleet(healthy(20))
    states = {"n1": Node("n1", "k", "hung", "no answer in 60 s"), "n2": Node("n2", "", "dead")}
    judgement = judge(with_nodes(measured, states))
    assert [(verdict.host, verdict.action.facts["state"]) for verdict in judgement.of("fail")] == [
        ("n1", "hung"),
        ("n2", "dead"),
    ]
    assert len(judgement.of("pass")) == 18


def test_a_node_without_a_figure_that_others_have_does_not_pass() -> None:
    measured = fleet(healthy(20, figures=2))
    judgement = judge(with_nodes(measured, {"n1": Node("n1", "k", values={"f0": 1.0, "f1": float("nan")})}))
    [unknown] = judgement.of("unknown")
    assert (unknown.host, unknown.action.code) == ("n1", "judge-action-missing")


def test_a_slow_link_is_told_from_a_slow_node() -> None:
    link = judge(linked(12, {(2, 5): 0.5}, {}))
    assert ([slow_link.hosts for slow_link in link.links], link.of("fail")) == ([("n2", "n5")], [])
    assert link.links[0].slow.percent == pytest.approx(33, abs=3)
    node = judge(linked(12, {}, {4: 0.5}))
    assert ([verdict.host for verdict in node.of("fail")], node.links) == (["n4"], ())
    assert judge(linked(12, {}, {})).exit_status == PASSED


def test_a_rack_whose_nodes_are_slow_together_is_named() -> None:
    slowness = healthy(200)
    slowness[:20, 3] += 0.05
    measured = fleet(slowness)
    placed = {host: replace(node, place=f"r{int(host[1:]) // 20}") for host, node in measured.nodes.items()}
    [place] = judge(with_nodes(measured, placed)).places
    assert (place.place, place.slow.figure.name, len(place.hosts)) == ("r0", "f3", 20)
    assert place.slow.percent == pytest.approx(4.9, abs=1)


def test_a_rack_a_little_slow_is_named_once_and_slow_nodes_elsewhere_are_named_singly() -> None:
    rack, alarms, nodes = beside(HEALTHY["normal"], 1000, 2)
    assert (rack, alarms) == (2, 0)
    assert nodes >= 13


def test_racks_that_differ_anyway_are_not_slow_and_a_node_is_compared_with_its_own() -> None:
    slowness = healthy(1000)
    slowness += np.repeat(0.007 * np.random.default_rng(4).standard_normal((10, FIGURES)), RACK, axis=0)
    assert judge(fleet(slowness, racks(1000))).exit_status == PASSED
    slowness[123, 5] += 0.09
    assert failed(fleet(slowness, racks(1000))) == ["n123"]


def test_nodes_of_a_rack_that_is_slow_indeed_fail_with_what_they_share() -> None:
    slowness = healthy(400)
    slowness[:RACK, 3] += 0.3
    judged = judge(fleet(slowness, racks(400)))
    assert [place.place for place in judged.places] == ["r0"]
    assert len(judged.of("fail")) == RACK
    assert {(verdict.causes[0].code, verdict.action.code) for verdict in judged.of("fail")} == {
        ("judge-place", "judge-action-place")
    }


def test_beside_a_baseline_a_single_node_is_judged() -> None:
    baselines = learn(fleet(healthy(100)))
    slowness = healthy(1, seed=2)
    assert judge(fleet(slowness), baselines).exit_status == PASSED
    slowness[0, 4] += 0.1
    [slow] = judge(fleet(slowness), baselines).of("fail")
    assert (slow.reasons[0].figure.name, slow.reasons[0].against) == ("f4", "baseline")


def test_a_node_far_slower_than_a_baseline_of_four_nodes_is_named() -> None:
    """The baseline of a small cluster."""
    nodes = 0.001 * healthy(4, figures=2)
    baselines = learn(fleet(nodes))
    assert judge(fleet(nodes[:1]), baselines).exit_status == PASSED
    assert failed(fleet(nodes[:1] - np.log(0.7))) == []
    assert judge(fleet(nodes[:1] - np.log(0.7)), baselines).exit_status == FAILED


def test_healthy_nodes_that_are_checked_often_each_by_itself_pass() -> None:
    baselines = learn(fleet(3 * healthy(2000, figures=1)))
    checks = 3 * healthy(300, seed=5, figures=1)
    assert {judge(fleet(checks[[at]]), baselines).exit_status for at in range(len(checks))} == {PASSED}


def test_a_node_without_a_figure_of_its_baseline_is_not_judged() -> None:
    baselines = learn(fleet(healthy(100, figures=1)))
    alone = with_nodes(fleet(healthy(1)), {"n0": Node("n0", "k", values={"f5": 1.0})})
    assert judge(alone, baselines).exit_status == NOTHING_JUDGED


def test_a_fleet_that_became_slow_altogether_is_told_beside_a_baseline() -> None:
    baselines = learn(fleet(healthy(100)))
    later = healthy(100, seed=2)
    later[:, 4] += 0.04
    assert judge(fleet(later)).exit_status == PASSED
    judgement = judge(fleet(later), baselines)
    [shifted] = judgement.shifts["k"]
    assert (shifted.figure.name, judgement.exit_status) == ("f4", FAILED)
    assert shifted.percent == pytest.approx(3.9, abs=0.5)


def test_a_baseline_of_other_settings_is_refused() -> None:
    measured = fleet(healthy(10, figures=1))
    changed = replace(measured, figures={"f0": replace(measured.figures["f0"], setting="threads=4")})
    with pytest.raises(BanzukeError, match="does not apply"):
        judge(changed, learn(measured))
    old = {kind: baseline.model_copy(update={"version": "0.0.1"}) for kind, baseline in learn(measured).items()}
    with pytest.raises(BanzukeError, match=r"0\.0\.1"):
        judge(measured, old)


BUSY = {"state.load": 4.57}


def test_a_lone_node_that_was_busy_is_not_judged_slow_by_a_baseline() -> None:
    """By `--epilog` and `--boot`."""
    baselines, slow = learn(fleet(healthy(100))), fleet(healthy(1) + 0.5)
    lone = slow.nodes["n0"]
    for facts, verdict, status in (({}, "fail", FAILED), (BUSY, "unknown", NOTHING_JUDGED)):
        judgement = judge(with_nodes(slow, {"n0": replace(lone, facts=facts)}), baselines)
        assert (judgement.nodes["n0"].verdict, judgement.exit_status) == (verdict, status)
    usual = with_nodes(
        fleet(healthy(1)), {"n0": replace(lone, values=fleet(healthy(1)).nodes["n0"].values, facts=BUSY)}
    )
    assert judge(usual, baselines).exit_status == PASSED, "whatever ran"


@pytest.mark.parametrize(("state", "verdict"), [("hung", "unknown"), ("failed", "fail"), ("dead", "fail")])
def test_a_lone_node_that_was_busy_may_be_late_and_not_wrong(state: State, verdict: str) -> None:
    for facts, said in ((BUSY, verdict), ({}, "fail")):
        judgement = judge(Fleet({}, {"n0": Node("n0", "k", state=state, facts=facts)}))
        assert judgement.nodes["n0"].verdict == said


def test_a_node_that_others_disturbed_is_named_as_that_and_not_as_slow() -> None:
    slowness = healthy(20, figures=3)
    slowness[[3, 4, 5], 1] += 0.5
    slowness[5, 2] += 0.5
    measured = fleet(slowness)
    disturbed = {"f1": Taken(0.4, 0.02)}
    nodes = {host: replace(measured.nodes[host], disturbed=disturbed) for host in ("n4", "n5", "n6")}
    judgement = judge(with_nodes(measured, nodes))
    assert {verdict.host: [reason.figure.name for reason in verdict.reasons] for verdict in judgement.of("fail")} == {
        "n3": ["f1"],
        "n5": ["f2"],
    }
    (not_judged,) = judgement.of("unknown")
    assert (not_judged.host, not_judged.disturbed, judgement.nodes["n6"].verdict) == ("n4", True, "pass")
    assert words()(not_judged.action) == (
        "not judged: while n4 was measured, other processes took 40% of its processors' time and the hypervisor 2%: "
        "end what runs there and screen again"
    )


def test_what_disturbs_nearly_all_nodes_is_their_usual_state() -> None:
    slowness = healthy(20, figures=2)
    slowness[5, 1] += 0.5
    measured = fleet(slowness)
    disturbed = {host: replace(node, disturbed={"f1": Taken(0.4, None)}) for host, node in measured.nodes.items()}
    quiet = {host: measured.nodes[host] for host in ("n1", "n2")}
    judgement = judge(with_nodes(measured, disturbed | quiet))
    assert [verdict.host for verdict in judgement.of("fail")] == ["n5"]
    assert not judgement.of("unknown")


def test_nothing_is_learnt_from_what_others_disturbed() -> None:
    slowness = healthy(20, figures=1)
    slowness[:8, 0] += 0.5
    measured = fleet(slowness)
    hosts = list(measured.nodes)[:8]
    nodes = {host: replace(measured.nodes[host], disturbed={"f0": Taken(0.4, None)}) for host in hosts}
    (learnt,) = learn(with_nodes(measured, nodes)).values()
    assert learnt.figures["f0"].n <= 12
    assert learnt.figures["f0"].centre == pytest.approx(0.0, abs=0.02)
    judgement = judge(with_nodes(measured, nodes), {learnt.kind: learnt})
    assert not judgement.of("fail")
    assert not judgement.shifts


def test_of_several_nodes_a_busy_one_is_slow_by_its_load_alone() -> None:
    slowness = healthy(10)
    slowness[7] += 0.5
    measured = fleet(slowness)
    idle = {host: replace(node, facts={"state.load": 0.0}) for host, node in measured.nodes.items()}
    busy = {"n7": replace(measured.nodes["n7"], facts=BUSY)}
    for changed, alone in ((idle, False), (idle | busy, True)):
        [slow] = judge(with_nodes(measured, changed)).of("fail")
        assert (slow.host, slow.by_load_alone) == ("n7", alone)


def test_the_document_says_all_that_a_health_check_needs() -> None:
    slowness = healthy(50)
    slowness[7, 3] += 0.3
    document = judge(fleet(slowness)).document()
    [slow] = [node for node in document["nodes"] if node["verdict"] == "fail"]
    assert slow["host"] == "n7"
    assert slow["action"]["text"].startswith("measure n7 again")
    assert slow["reasons"][0].items() >= {"figure": "f3", "against": "fleet", "alone": True}.items()
    assert document["exit_status"] == FAILED


ANY_VALUE = st.floats() | st.sampled_from([0.0, 1.0, -1.0, 1e-320, 1e308])
ANY_FACT = st.floats(allow_nan=False) | st.text(max_size=3) | st.booleans() | st.integers(-(2**70), 2**70)
FACTS = ["memory.modules", "link.a.width", "link.a.width_max", "state.throttled", "setting.thp", "state.load", "x"]
ANY_NODE = st.builds(
    Node,
    host=st.just(""),
    kind=st.sampled_from(["", "k"]),
    state=st.sampled_from(["measured", "failed", "hung", "dead"]),
    why=st.text(max_size=3),
    values=st.dictionaries(st.sampled_from(["rate", "time", "link"]), ANY_VALUE),
    facts=st.dictionaries(st.sampled_from(FACTS), ANY_FACT),
    place=st.sampled_from(["", "r0", "r1"]),
)


@settings(deadline=None)
@given(
    st.lists(ANY_NODE, max_size=8),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), ANY_VALUE), max_size=8),
)
def test_any_fleet_has_a_verdict_for_each_node(nodes: list[Node], links: list[tuple[int, int, float]]) -> None:
    figures = {
        "rate": NodeFigure("rate", "R", "B/s"),
        "time": NodeFigure("time", "T", "s", better="lower"),
        "link": LINK,
    }
    by_host = {f"n{at}": replace(node, host=f"n{at}") for at, node in enumerate(nodes)}
    pairs = tuple(Pair((f"n{a}", f"n{b}"), {"link": value}) for a, b, value in links)
    measured = Fleet(figures, by_host, pairs)
    for baselines in ({}, learn(measured)):
        judgement = judge(measured, baselines)
        assert set(judgement.nodes) == set(by_host)
        silent = [verdict for verdict in judgement.nodes.values() if by_host[verdict.host].state != "measured"]
        assert all(verdict.verdict == "fail" or verdict.disturbed for verdict in silent)
        judgement.document()
