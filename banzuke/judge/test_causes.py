from collections.abc import Sequence
from typing import Any

import pytest

from banzuke.judge.causes import CAUSES
from banzuke.judge.disturbance import LEAST
from banzuke.judge.finding import Finding
from banzuke.judge.test_device_causes import CASES as OF_DEVICES
from banzuke.judge.test_examples import (
    GIGA,
    MACHINE,
    START,
    codes,
    confirm,
    dgemm,
    evidence,
    judge,
    provenance,
    solver,
    triad,
)
from banzuke.judge.test_setting_causes import CASES as OF_SETTINGS
from banzuke.judge.test_situations import CASES, SLOW, Situation, kernel, seen, slow, stores, with_n
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding
from banzuke.words import Listed


def test_every_cause_is_made_to_appear() -> None:
    situations = [present for _, _, present, _ in (CASES | OF_SETTINGS | OF_DEVICES).values()]
    telling = [situation for situation in situations if situation.assess().causes]
    names = [cause.__name__ for cause in CAUSES]
    appeared = {name for name in names if any(_finds(name, situation) for situation in telling)}
    assert appeared == set(names)


def _finds(name: str, situation: Situation) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("banzuke.judge.causes.CAUSES", tuple(c for c in CAUSES if c.__name__ == name))
        return bool(situation.assess().causes)


def test_without_evidence_there_is_no_cause() -> None:
    assert slow().assess().causes == ()
    bare: dict[str, Any] = {"binding": [], "hosts": []}
    assert judge(triad(SLOW, **bare), on=kernel(governor=None, transparent_hugepages=None)).causes == ()


@pytest.mark.parametrize("value", [None, "unknown", True])
def test_a_condition_that_is_no_number_is_unknown(value: object) -> None:
    keys = ("steal_fraction", "huge_page_fraction", "clock_hz", "involuntary_switches", "load_before")
    assert slow(conditions=dict.fromkeys(keys, value)).assess().causes == ()


def test_near_its_limit_a_figure_needs_no_cause_unless_something_is_odd() -> None:
    disturbed = seen(other_busy_fraction=0.25, steal_fraction=0.12, huge_page_fraction=0.0)
    assert len(judge(triad(37 * GIGA, **disturbed)).causes) == 3
    assert judge(triad(39 * GIGA, **disturbed)).causes == ()
    odd = judge(triad(29.5 * GIGA, moved=32, **disturbed, **stores("plain"))).causes
    assert codes(odd) == ["limit-plain-stores"]


def test_the_weightiest_cause_comes_first() -> None:
    def order(**conditions: float) -> list[str]:
        return codes(slow(**seen(**conditions)).assess().causes)

    both = ["limit-busy-neighbours", "limit-stolen-time"]
    assert order(other_busy_fraction=0.3, steal_fraction=0.1) == both
    assert order(other_busy_fraction=0.1, steal_fraction=0.3) == both[::-1]


def _settings(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.message.code == "limit-setting"]


def test_threads_that_other_processes_preempted_are_no_cause_beside_these() -> None:
    preempted = {"involuntary_switches": 4000}
    assert codes(slow(**seen(**preempted)).assess().causes) == ["limit-preempted"]
    assert codes(slow(**seen(**preempted, other_busy_fraction=0.3)).assess().causes) == ["limit-busy-neighbours"]


def test_noise_is_not_taken_for_a_better_setting() -> None:
    disturbed = triad(SLOW, SLOW, 30 * GIGA, **with_n(1))
    assert codes(judge(disturbed, triad(30 * GIGA, **with_n(2))).causes) == ["limit-varying"]
    better = judge(disturbed, triad(36 * GIGA, **with_n(2))).causes
    assert [evidence(finding) for finding in _settings(better)] == ["n=2 was 1.2 times better in another run"]


def test_a_time_is_compared_in_its_median_and_in_its_best() -> None:
    slow_solver = solver(4.0, 4.0, 2.0, flops=1, moved=40e9, **with_n(1))
    same_best = solver(2.0, flops=1, moved=40e9, **with_n(2))
    faster = solver(1.0, flops=1, moved=40e9, **with_n(2))
    assert not _settings(judge(slow_solver, same_best).causes)
    assert _settings(judge(slow_solver, faster).causes)[0].message.facts["ratio"] == 2.0


def test_a_sibling_counts_by_its_best_sample() -> None:
    sibling = triad(30 * GIGA, 30 * GIGA, 10 * GIGA, **with_n(2))
    assert judge(triad(SLOW, **with_n(1)), sibling).causes[0].message.facts["ratio"] == 1.5
    times = solver(2.0, 2.0, 9.0, flops=1, moved=40e9, **with_n(2))
    slow_time = solver(4.0, flops=1, moved=40e9, **with_n(1))
    assert judge(slow_time, times).causes[0].message.facts["ratio"] == 2.0


def test_figures_from_cache_are_compared_with_larger_ones_only() -> None:
    def explains(mine: float, theirs: float) -> bool:
        subject = triad(SLOW, n=mine, **with_n(1))
        return bool(judge(subject, triad(30 * GIGA, n=theirs, **with_n(2))).causes)

    assert explains(mine=1e5, theirs=1e6)
    assert not explains(mine=1e6, theirs=1e5)


def test_cores_do_not_explain_a_flop_rate_even_where_its_limit_is_unknown() -> None:
    single, double = (dgemm(100 * GIGA * threads, threads=threads) for threads in (1, 2))
    assert judge(single, double, under=()).causes == ()


def test_only_the_best_sibling_of_each_setting_is_named() -> None:
    siblings = [triad(rate * GIGA, **with_n(rate)) for rate in (24, 30, 26)]
    causes = judge(triad(SLOW, **with_n(1)), *siblings).causes
    assert [evidence(cause) for cause in causes] == ["n=30 was 1.5 times better in another run"]


def test_a_setting_that_explains_as_much_alone_hides_the_combination() -> None:
    both, alone = (dgemm(100 * GIGA, parameters={"m": m, "n": 2}) for m in (2, 1))
    causes = judge(dgemm(50 * GIGA, parameters={"m": 1, "n": 1}), both, alone).causes
    assert [cause.message.facts["names"] for cause in causes] == [Listed(("n",))]


def test_the_remedy_for_small_pages_follows_the_setting() -> None:
    never = judge(triad(SLOW, **seen(huge_page_fraction=0.0)), on=kernel(transparent_hugepages="never"))
    assert "echo madvise" in confirm(never.causes[0])
    assert "echo madvise" not in confirm(slow(**seen(huge_page_fraction=0.0)).assess().causes[0])
    asked = judge(triad(SLOW, **seen(huge_page_fraction=0.0), provenance=provenance(variant={"pages": "base"})))
    assert asked.causes[0].message.facts["remedy"] == "ask"


def test_environment_is_a_setting_too() -> None:
    native = triad(30 * GIGA, provenance=provenance(id="2"))
    boxed = triad(SLOW, provenance=provenance(environment="container"))
    assert evidence(judge(boxed, native).causes[0]) == "environment=native was 1.5 times better in the same run"
    near = triad(SLOW, provenance=provenance(variant={"memory": "interleave"}))
    assert evidence(judge(near, native).causes[0]) == "memory=the default was 1.5 times better in the same run"


def test_a_record_without_duration_has_no_rates() -> None:
    assert slow(**seen(involuntary_switches=4000, throttled_seconds=1.0), ended=START).assess().causes == ()


def test_hosts_that_are_alike_are_one_finding() -> None:
    hosts = [Hosts(names=f"node{at}", ranks=str(at)) for at in range(1000)]
    binding = [Binding(ranks="0-998", threads=["0", "0"]), Binding(ranks="999", threads=["0-3", "1"])]
    causes = judge(triad(SLOW, ranks=1000, hosts=hosts, binding=binding)).causes
    shared, loose = (
        next(cause for cause in causes if cause.message.code == code)
        for code in ("limit-shared-processor", "limit-unbound")
    )
    assert evidence(shared).endswith("of each of 999 hosts (node0, node1 and 997 more)")
    assert loose.message.facts["host"] == "node999"
    assert len(codes(causes)) == len(set(codes(causes)))


def test_one_thread_shares_its_path_to_memory_with_none_of_the_processors_that_it_leaves_idle() -> None:
    alone: dict[str, Any] = {"threads": 1, "binding": [Binding(ranks="0", threads=["0"])]}
    virtual = MACHINE.changed(partition={"hypervisor": "KVM"})
    near, far = (seen(exchange_latency=seconds) for seconds in (45e-9, 190e-9))
    several = Situation(triad(SLOW, **near), (triad(SLOW, **far),), virtual)
    single = Situation(triad(SLOW, **alone, **near), (triad(SLOW, **alone, **far),), virtual)
    assert "limit-near-processors" in codes(several.assess().causes)
    assert "limit-near-processors" not in codes(single.assess().causes)


def test_a_single_better_sample_is_told_and_costs_nothing() -> None:
    (lone,) = judge(triad(*[20 * GIGA] * 4, 120 * GIGA)).causes
    (several,) = judge(triad(*[20 * GIGA] * 3, *[25 * GIGA] * 2)).causes
    assert lone.message.code == several.message.code == "limit-varying"
    assert lone.weight == LEAST
    assert several.weight == pytest.approx(0.2)
    (time,) = [cause for cause in judge(solver(2, 2, 2, 0.5, flops=1, moved=40e9)).causes if cause.cause == "samples"]
    assert time.weight == LEAST
