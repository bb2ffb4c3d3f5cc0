"""Each cause in the run of a case appears, and disappears by one change."""

from dataclasses import dataclass
from typing import Any

import pytest

from banzuke.judge.model import Assessment
from banzuke.judge.test_examples import (
    ENGLISH,
    GIGA,
    MACHINE,
    broken_down,
    codes,
    confirm,
    dgemm,
    evidence,
    judge,
    machine,
    triad,
)
from banzuke.machine.allotment import CoreRates
from banzuke.machine.model import Machine
from banzuke.machine.site import CoreKind, NumaNode
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record

SLOW = 20 * GIGA
"""Half of what memory permits."""


def kernel(**settings: str | None) -> Machine:
    """Return the machine with these settings of the kernel; None: unknown."""
    recorded = {name: value for name, value in (MACHINE.partition.kernel | settings).items() if value is not None}
    return MACHINE.changed(partition={"kernel": recorded})


def clocked(nominal: float) -> Machine:
    return MACHINE.changed(processor={"nominal_hz": nominal})


def nodes(count: int, **settings: str | None) -> Machine:
    domains = [NumaNode(node=node, cpus=[node]) for node in range(count)]
    return kernel(**settings).changed(node={"numa": domains})


def unlike(performance: float | None = None, efficiency: float | None = None) -> Machine:
    """Return a machine with two cores of each kind, each with this measured flop/s."""
    kinds = {
        "performance": CoreKind(cores=2, cpus=[0, 1, 4, 5], fma_units=2, nominal_hz=3e9),
        "efficiency": CoreKind(cores=2, cpus=[2, 3, 6, 7], fma_units=1, nominal_hz=2e9),
    }
    rates = {"performance": CoreRates(fma_rate=performance), "efficiency": CoreRates(fma_rate=efficiency)}
    siblings = [[core, core + 4] for core in range(4)]
    return MACHINE.changed(processor={"kinds": kinds}, allotment={"kinds": rates, "siblings": siblings})


def loaded(efficiency: float) -> Machine:
    """Return a machine whose performance cores run above their nominal clock."""
    rates = {"performance": CoreRates(vector_hz=4e9), "efficiency": CoreRates(vector_hz=efficiency)}
    return unlike().changed(allotment={"kinds": rates})


def bound_to(*threads: str) -> dict[str, Any]:
    return {"threads": len(threads), "binding": [Binding(ranks="0", threads=list(threads))]}


def seen(**conditions: object) -> dict[str, Any]:
    return {"conditions": conditions}


def with_n(n: int) -> dict[str, Any]:
    return {"parameters": {"n": n}}


def stores(kind: str) -> dict[str, Any]:
    return {"parameters": {"n": 1, "stores": kind}}


@dataclass(frozen=True)
class Situation:
    record: Record
    siblings: tuple[Record, ...] = ()
    machine: Machine = MACHINE

    def assess(self) -> Assessment:
        return judge(self.record, *self.siblings, on=self.machine)


def slow(**changes: Any) -> Situation:
    return Situation(triad(SLOW, **changes))


CASES = {
    "costly part": (
        "views-costly-phase",
        "It took 12% of the time",
        Situation(broken_down(2880 * GIGA, 10.0, update=[5.0, 3.8], panel=[0.5, 0.7])),
        Situation(broken_down(2880 * GIGA, 10.0, update=[5.0, 4.8], panel=[0.1, 0.1])),
    ),
    "slow work": (
        "views-slow-work",
        "update ran at 300 Gflop/s, 83.3% of the limit: flop rate 360 Gflop/s, measured by dgemm",
        Situation(broken_down(2400 * GIGA, 10.0, update=[4.0, 4.0], panel=[1.0, 1.0])),
        Situation(broken_down(2400 * GIGA, 10.0, update=[3.3, 3.4], panel=[1.0, 2.3])),
    ),
    "shared processor": (
        "limit-shared-processor",
        "2 threads are bound to processor 1 of node1",
        slow(**bound_to("0", "1", "1", "2")),
        slow(**bound_to("0", "1", "3", "2")),
    ),
    "shared core, and no processor that threads are bound to": (
        "limit-shared-processor",
        "3 threads are bound to processors 0 and 4 of node1",
        slow(**bound_to("0,4", "0,4", "0,4", "1")),
        slow(**bound_to(*["0-7"] * 9)),
    ),
    "shared processor of two ranks": (
        "limit-shared-processor",
        "2 threads are bound to processor 0 of node1",
        slow(
            ranks=2,
            threads=1,
            binding=[Binding(ranks="0-1", threads=["0"])],
            hosts=[Hosts(names="node1", ranks="0-1")],
        ),
        slow(
            ranks=2,
            threads=1,
            binding=[Binding(ranks="0-1", threads=["0"])],
            hosts=[Hosts(names="node1", ranks="0"), Hosts(names="node2", ranks="1")],
        ),
    ),
    "unbound": (
        "limit-unbound",
        "2 of 4 threads on node1 may run on several processors, one of them on 8",
        slow(**bound_to("0", "1", "0-7", "0-7")),
        slow(**bound_to("0", "1", "2", "3")),
    ),
    "too many threads": (
        "limit-too-many-threads",
        "9 threads share 8 processors",
        slow(threads=9, binding=[]),
        slow(threads=8, binding=[]),
    ),
    "certainly shared cores": (
        "limit-smt-siblings",
        "5 threads are bound on node1, 1 of them to the second hardware thread of a core (processors 4)",
        slow(**bound_to("0", "1", "2", "3", "4")),
        slow(**bound_to("0", "1", "2", "3")),
    ),
    "possibly shared cores": (
        "limit-smt-siblings",
        "2 threads are bound on node1, 1 of them to the second hardware thread",
        slow(**bound_to("0", "4")),
        slow(**bound_to("4", "5")),
    ),
    "unlike cores, measured": (
        "limit-unlike-cores",
        "2 cores (performance) of 100 Gflop/s and 2 cores (efficiency) of 60 Gflop/s each, measured with vector FMA",
        Situation(dgemm(200 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
        Situation(dgemm(200 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 95 * GIGA)),
    ),
    "unlike cores, by clock and units": (
        "limit-unlike-cores",
        "1 core (performance) of 3 GHz and 2 cores (efficiency) of 2 GHz nominal",
        Situation(dgemm(100 * GIGA, **bound_to("0", "2", "3")), machine=unlike()),
        Situation(dgemm(100 * GIGA, **bound_to("2", "3")), machine=unlike()),
    ),
    "unlike cores with shares of their own": (
        "limit-unlike-cores",
        "equal shares use 75%",
        Situation(dgemm(250 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
        Situation(dgemm(300 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
    ),
    "unlike cores, each with one thread": (
        "limit-unlike-cores",
        "2 cores (performance) of 100 Gflop/s",
        Situation(dgemm(200 * GIGA, **bound_to("4", "5", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
        Situation(dgemm(200 * GIGA, **bound_to("0", "4", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
    ),
    "unlike cores that compute": (
        "limit-unlike-cores",
        "2 cores (efficiency)",
        Situation(dgemm(200 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
        Situation(triad(SLOW, **bound_to("0", "1", "2", "3")), machine=unlike(100 * GIGA, 60 * GIGA)),
    ),
    "idle cores": (
        "limit-idle-cores",
        "1 of 4 cores were used",
        Situation(triad(SLOW, threads=1)),
        Situation(triad(SLOW, threads=1), (triad(SLOW, threads=2),)),
    ),
    "low clock": (
        "limit-low-clock",
        "2.4 GHz right after the run, 3 GHz when the machine was measured",
        slow(**seen(clock_hz=2.4e9)),
        slow(**seen(clock_hz=2.95e9)),
    ),
    "below nominal clock": (
        "limit-low-clock",
        "2.5 GHz nominal",
        Situation(triad(SLOW, **seen(clock_hz=2.2e9)), machine=machine(scalar_hz=None, vector_hz=None)),
        Situation(
            triad(SLOW, **seen(clock_hz=2.2e9)),
            machine=machine(scalar_hz=None, vector_hz=None).changed(processor={"nominal_hz": None}),
        ),
    ),
    "governor": (
        "limit-governor",
        "governor is performance, powersave",
        Situation(triad(SLOW), machine=kernel(governor="performance, powersave")),
        Situation(triad(SLOW), machine=kernel(governor="performance")),
    ),
    "small pages": (
        "limit-small-pages",
        "10% of the process's memory was on huge pages; transparent huge pages: madvise",
        slow(**seen(huge_page_fraction=0.1)),
        slow(**seen(huge_page_fraction=0.9)),
    ),
    "small pages of little memory": (
        "limit-small-pages",
        "0% of the process's memory was on huge pages",
        slow(**seen(huge_page_fraction=0.0, footprint=64 << 20)),
        slow(**seen(huge_page_fraction=0.0, footprint=1 << 20)),
    ),
    "virtual processors moved": (
        "limit-near-processors",
        "in 45 ns, and in 190 ns during another launch",
        Situation(
            triad(SLOW, **seen(exchange_latency=45e-9)),
            (triad(SLOW, **seen(exchange_latency=190e-9)),),
            MACHINE.changed(partition={"hypervisor": "KVM"}),
        ),
        Situation(
            triad(SLOW, **seen(exchange_latency=45e-9)),
            (triad(SLOW, **seen(exchange_latency=60e-9)),),
            MACHINE.changed(partition={"hypervisor": "KVM"}),
        ),
    ),
    "virtual processors that others used": (
        "limit-near-processors",
        "in 45 ns, and in 800 ns during another launch",
        Situation(
            triad(SLOW, **seen(exchange_latency=45e-9)),
            (triad(SLOW, **seen(exchange_latency=800e-9)),),
            MACHINE.changed(partition={"hypervisor": "KVM"}),
        ),
        Situation(
            triad(SLOW, **seen(exchange_latency=45e-9)),
            (triad(SLOW, **seen(exchange_latency=300e-6)),),
            MACHINE.changed(partition={"hypervisor": "KVM"}),
        ),
    ),
    "clock below nominal": (
        "limit-below-nominal",
        "3 GHz under vector load on all cores, 4 GHz nominal",
        Situation(triad(SLOW), machine=clocked(4e9)),
        Situation(triad(SLOW), machine=clocked(2.5e9)),
    ),
    "clock below nominal of one kind of core": (
        "limit-below-nominal",
        "1.5 GHz under vector load on all cores, 2 GHz nominal",
        Situation(triad(SLOW), machine=loaded(1.5e9)),
        Situation(triad(SLOW), machine=loaded(2.1e9)),
    ),
    "plain stores": (
        "limit-plain-stores",
        "1.33 bytes move for each byte counted",
        slow(moved=32, **stores("plain")),
        slow(moved=32, **stores("nontemporal")),
    ),
    "plain stores, not counted": (
        "limit-plain-stores",
        "is not counted as traffic",
        slow(**seen(stores="plain")),
        Situation(dgemm(200 * GIGA, **seen(stores="plain"))),
    ),
    "preempted": (
        "limit-preempted",
        "4,000 involuntary context switches in 10 s, 100/s per thread",
        slow(**seen(involuntary_switches=4000)),
        slow(**seen(involuntary_switches=400)),
    ),
    "preemption in a short time": (
        "limit-preempted",
        "400 involuntary context switches in 1 s, 100/s per thread",
        slow(**seen(involuntary_switches=400, timed_seconds=1.0)),
        slow(**seen(involuntary_switches=100, timed_seconds=1.0)),
    ),
    "busy neighbours": (
        "limit-busy-neighbours",
        "used 25% of the machine's processor time",
        slow(**seen(other_busy_fraction=0.25)),
        slow(**seen(other_busy_fraction=0.01)),
    ),
    "stolen time": (
        "limit-stolen-time",
        "12% of the time was taken by the hypervisor",
        slow(**seen(steal_fraction=0.12)),
        slow(**seen(steal_fraction=0.001)),
    ),
    "throttled": (
        "limit-throttled",
        "stopped for 2 s in a run of 10 s",
        slow(**seen(throttled_seconds=2.0)),
        slow(**seen(throttled_seconds=0.0)),
    ),
    "changed quota": (
        "limit-quota-changed",
        "changed from 2 to 0.5 processors",
        slow(**seen(quota_before=2.0, quota_after=0.5)),
        slow(**seen(quota_after=0.5)),
    ),
    "quota": (
        "limit-quota",
        "A quota of 2 processors for 4 threads",
        Situation(triad(SLOW), machine=machine(quota=2.0)),
        Situation(triad(SLOW, **seen(throttled_seconds=0.0)), machine=machine(quota=2.0)),
    ),
    "load": (
        "limit-load",
        "The load was 3 when it started",
        slow(**seen(load_before=3.0)),
        slow(**seen(load_before=3.0, other_busy_fraction=0.0)),
    ),
    "page migration": (
        "limit-page-migration",
        "numa_balancing is 1 on 2 NUMA nodes",
        Situation(triad(SLOW), machine=nodes(2, numa_balancing="1")),
        Situation(triad(SLOW), machine=nodes(1, numa_balancing="1")),
    ),
    "noise": (
        "limit-varying",
        "The median of 3 samples is 20% worse than the best",
        Situation(triad(20 * GIGA, 20 * GIGA, 25 * GIGA)),
        Situation(triad(20 * GIGA, 20 * GIGA, 20.5 * GIGA)),
    ),
    "noise of many samples": (
        "limit-varying",
        "The median of 200 samples is 20% worse than the best 5%",
        Situation(triad(*[20 * GIGA] * 180, *[25 * GIGA] * 20)),
        Situation(triad(*[20 * GIGA] * 199, 25 * GIGA)),
    ),
    "a few slow samples": (
        "limit-slow-samples",
        "1% of 100 samples took 50.3% of the time; the slowest took 100 times the median",
        Situation(triad(*[20 * GIGA] * 99, GIGA / 5)),
        Situation(triad(*[20 * GIGA] * 99, GIGA * 5)),
    ),
    "slow samples that are few": (
        "limit-slow-samples",
        "10% of 100 samples took",
        Situation(triad(*[20 * GIGA] * 90, *[GIGA] * 10)),
        Situation(triad(*[20 * GIGA] * 80, *[GIGA] * 20)),
    ),
}


def test_the_cost_of_unlike_cores_is_what_equal_shares_leave_of_their_sum() -> None:
    causes = Situation(dgemm(200 * GIGA, **bound_to("0", "1", "2", "3")), machine=unlike(100e9, 60e9)).assess().causes
    (cause,) = [cause for cause in causes if cause.message.code == "limit-unlike-cores"]
    assert cause.weight == pytest.approx(1 - 4 * 60 / 320)
    assert ENGLISH(cause.message) == "2 of 4 cores are 0.6 times as fast; equal shares wait for them"
    assert "equal shares use 75% of their combined rate" in evidence(cause)
    assert "the 2 others alone (--cores 0-1); if shares are equal, the figure is then 0.83 times as high" in confirm(
        cause
    )


@pytest.mark.parametrize(("code", "shown", "present", "absent"), CASES.values(), ids=CASES.keys())
def test_a_cause_comes_and_goes_with_its_evidence(code: str, shown: str, present: Situation, absent: Situation) -> None:
    causes = [cause for cause in present.assess().causes if cause.message.code == code]
    assert [shown in evidence(cause) for cause in causes] == [True], [evidence(cause) for cause in causes]
    assert confirm(causes[0])
    assert code not in codes(absent.assess().causes)
