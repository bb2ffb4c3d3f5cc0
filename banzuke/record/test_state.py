from datetime import timedelta

import pytest

from banzuke.amounts import Scalar
from banzuke.compare.testing import BEGAN, ONE, launch
from banzuke.machine.hosts import expanded
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Group, Record
from banzuke.record.state import State, States, border, clock, taken

DISTANCE = 1.5, 1.25


def under(**conditions: Scalar) -> Record:
    """Return a launch with these conditions."""
    return ONE.having(conditions=conditions)


@pytest.mark.parametrize(
    ("values", "between"),
    [
        ([38, 150, 39, 148], (39, 148)),
        ([38] * 9 + [150], (38, 150)),
        ([38, 37, 150, 149, 900], (38, 149)),
        ([38, 40, 42, 39], None),
        ([38, 46, 56, 68, 83, 100], None),
        ([38], None),
        ([], None),
    ],
    ids=["two", "one far", "two and an outlier", "one", "a smear", "a single one", "none"],
)
def test_levels_are_two_clusters_or_one(values: list[float], between: tuple[float, float] | None) -> None:
    limit = border(values, *DISTANCE)
    assert (limit is None) == (between is None)
    if limit and between:
        assert between[0] < limit < between[1]


def test_a_state_is_named_where_the_machine_has_several() -> None:
    launches = [under(exchange_latency=at, clock_hz=3e9) for at in (38e-9, 150e-9, 39e-9)]
    states = States(launches)
    assert [states.of(launch).distance for launch in launches] == ["near", "far", "near"]
    assert states.of(under()) == State(distance="unknown"), "records without conditions are no state of their own"
    assert States(launches[::2]).of(launches[0]) == State()
    capped = [under(clock_hz=hz) for hz in (3.0e9, 2.99e9, 2.2e9, 2.21e9)]
    assert [States(capped).of(launch).clock for launch in capped] == ["fast", "fast", "slow", "slow"]
    jumping = [under(clock_hz=hz) for hz in (3.0e9, 2.95e9, 2.9e9, 2.86e9, 2.81e9)]
    assert {States(jumping).of(launch) for launch in jumping} == {State()}


def test_processors_that_moved_during_a_launch_were_in_neither_state() -> None:
    near, far = ({"exchange_latency": at, "exchange_latency_before": 1.1 * at} for at in (38e-9, 150e-9))
    moving = {"exchange_latency": 38e-9, "exchange_latency_before": 150e-9}
    preempted = {"exchange_latency": 38e-9, "exchange_latency_before": 1.2e-4}
    launches = [under(**conditions) for conditions in (near, far, moving, preempted)]
    states = States(launches)
    assert [states.of(launch).distance for launch in launches] == ["near", "far", "moved", "near"]
    assert [states.of(launches[0]).holds_for(states.of(launch)) for launch in launches] == [True, False, True, True]
    assert not states.of(launches[2]).holds_for(states.of(launches[0])), "it tells nothing of either"
    assert States([launches[0], launches[2]]).of(launches[2]) == State(), "no second level was seen"


def test_processors_that_are_no_text_are_passed_over() -> None:
    """The author of a record may write anything into its conditions."""
    odd = [ONE.having(conditions={"exchange_latency": at, "exchange_processors": ["0", "3"]}) for at in (38e-9, 150e-9)]
    assert [States(odd).of(launch).distance for launch in odd] == ["near", "far"]


def test_clocks_are_compared_within_a_case() -> None:
    """A library with wider vectors runs at a lower clock, which is not a state of the machine."""
    assert ONE.provenance
    cases = [
        under(clock_hz=hz).having(provenance=ONE.provenance.having(case=case))
        for case, hz in (("OpenBLAS", 3.2e9), ("MKL", 2.6e9), ("OpenBLAS", 3.21e9))
    ]
    assert {States(cases).of(launch) for launch in cases} == {State()}


@pytest.mark.parametrize(
    ("got", "levels"),
    [
        ([{"pages": "transparent"}, {"pages": "base"}, {"pages": "reserved"}], ["huge", "base", "huge"]),
        ([{"pages": "transparent"}, {"pages": "base"}, {}], ["huge", "base", None]),
        ([{"pages": "transparent"}, {"pages": "reserved"}], [None, None]),
        ([{"memory": "default"}, {"memory": "interleave:0-1"}], ["default", "interleave:0-1"]),
        ([{"memory": "bind:0"}, {"memory": "bind:0"}], [None, None]),
    ],
    ids=["pages", "unknown pages", "huge alone", "memory policies", "one policy"],
)
def test_what_launches_of_a_case_got_of_the_kernel_is_a_state(
    got: list[dict[str, str]], levels: list[str | None]
) -> None:
    launches = [with_binding(Binding(ranks="0", threads=["0"]).having(**own)) for own in got]
    states = States(launches)
    assert [next(iter(states.of(launch).levels), None) for launch in launches] == levels
    of_devices = [launch.having(groups=[on_device(launch.groups[0])]) for launch in launches]
    assert {States(of_devices).of(launch) for launch in of_devices} == {State()}


def test_one_rank_on_base_pages_holds_up_the_others() -> None:
    huge, base = (
        Binding(ranks=str(rank), threads=["0"], pages=pages) for rank, pages in enumerate(("reserved", "base"))
    )
    mixed, whole = with_binding(huge, base), with_binding(huge)
    assert [States([mixed, whole]).of(launch).pages for launch in (mixed, whole)] == ["base", "huge"]
    assert ONE.provenance
    other = whole.having(provenance=ONE.provenance.having(case="another"))
    states = States([mixed, whole, other])
    assert (states.of(other), states.around(other).pages) == (State(), "huge"), "which ceilings are held against these"
    assert States([whole, other]).around(other) == State(), "nothing is said of a machine that gives but one"


@pytest.mark.parametrize(
    ("hosts", "clock"),
    [("n1", "slow"), ("n[1-2]", "slow"), ("n[2-3]", "slow"), ("n4", None), ("n[1-4]", "slow"), ("n[3-5]", None)],
)
def test_a_clock_is_that_of_launches_beside_it_on_a_host_in_common(hosts: str, clock: str | None) -> None:
    """Hosts n1 to n3 became slow, and n5 to n7 were fast, whatever the clock of the case's own program."""
    seen = [(0, "n[1-3]", 3.0e9), (1, "n[1-3]", 2.0e9), (3, "n[1-3]", 2.01e9), (2.5, "n[5-7]", 3.01e9)]
    launches = [at_minute(minute, names, "solver", clock_hz=hz) for minute, names, hz in seen]
    alone = at_minute(2, hosts, "short", clock_hz=1.5e9)
    assert States([*launches, alone]).around(alone).clock == clock


def at_minute(minute: float, hosts: str, case: str, **conditions: Scalar) -> Record:
    assert ONE.provenance
    began = BEGAN + timedelta(minutes=minute)
    ranks = len(expanded(hosts))
    group = ONE.groups[0].having(ranks=ranks, hosts=[Hosts(names=hosts, ranks=f"0-{ranks - 1}")])
    own = ONE.provenance.having(case=case)
    return ONE.having(
        groups=[group], started=began, ended=began + timedelta(seconds=20), conditions=conditions, provenance=own
    )


def with_binding(*binding: Binding) -> Record:
    return ONE.having(groups=[ONE.groups[0].having(binding=list(binding))])


def on_device(group: Group) -> Group:
    return group.having(binding=[binding.having(devices=["GPU-1"]) for binding in group.binding])


def test_levels_are_of_launches_on_the_same_processors() -> None:
    """Two threads on one socket are always nearer to each other than eighty on two."""
    few, many = (
        ONE.having(groups=[ONE.groups[0].having(threads=threads)], conditions={"exchange_latency": seconds})
        for threads, seconds in ((2, 50e-9), (80, 150e-9))
    )
    assert {States([few, many]).of(launch) for launch in (few, many)} == {State()}


@pytest.mark.parametrize(
    ("conditions", "neighbours", "disturbed"),
    [
        ({"other_busy_fraction": 0.2}, 0, True),
        ({"other_busy_fraction": 0.2}, 2, False),
        ({"steal_fraction": 0.06}, 0, True),
        ({"steal_fraction": 0.01, "other_busy_fraction": 0.05}, 0, False),
        ({"other_busy_fraction": "much", "steal_fraction": True}, 0, False),
        ({}, 0, False),
    ],
)
def test_a_launch_is_disturbed_by_others_that_were_not_asked_for(
    conditions: dict[str, Scalar], neighbours: int, *, disturbed: bool
) -> None:
    assert ONE.provenance
    record = ONE.having(conditions=conditions, provenance=ONE.provenance.having(neighbours=neighbours))
    assert taken(record).disturbed == disturbed


@pytest.mark.parametrize("seen", [0, -1.0, 3.0, 1e30, True, "3 GHz", None])
def test_a_clock_that_cannot_be_is_none(seen: Scalar | None) -> None:
    assert clock(launch(1.0, 0, 0, BEGAN, {"clock_hz": seen})) is None
