"""Hosts of one job in different states of the machine; the slowest is named."""

import pytest

from banzuke.amounts import Scalar
from banzuke.compare.testing import ONE
from banzuke.judge.launches import disturbed_sides
from banzuke.judge.records import judge
from banzuke.judge.states import hosts_apart
from banzuke.judge.test_examples import BENCHMARKS, ENGLISH, MACHINE, START, provenance, triad
from banzuke.record.state import State

HOSTS = {"exchange_host": "n3", "exchange_host_nearest": "n1", "exchange_latency_nearest": 38e-9}
SAID = "n3 sets the pace of all hosts: a cache line passes in 150 ns between its processors, in 38 ns on n1"
CLOCKS = {"clock_hz": 2.2e9, "clock_host": "n3", "clock_host_fastest": "n2", "clock_fastest_hz": 3e9}
SAID_OF_CLOCKS = "n3 sets the pace of all hosts: its clock is 2.2 GHz, that of n2 3 GHz"
SAID_OF_LAUNCHES = f"{SAID.rpartition(',')[0]}, and faster in other launches"


@pytest.mark.parametrize(
    ("conditions", "state", "said"),
    [
        ({**HOSTS, "exchange_latency": 150e-9}, State(), SAID),
        ({**HOSTS, "exchange_latency": 50e-9}, State("far"), None),
        ({"exchange_host": "n3", "exchange_latency": 150e-9}, State("far"), SAID_OF_LAUNCHES),
        ({"exchange_host": "n3", "exchange_latency": 150e-9}, State(), None),
        ({"exchange_latency": 150e-9}, State("far"), None),
        ({**HOSTS, "exchange_latency": 1.0}, State("far"), None),
        ({**HOSTS, "exchange_host": 3, "exchange_latency": 150e-9}, State("far"), None),
        (CLOCKS, State(), SAID_OF_CLOCKS),
        ({**CLOCKS, "clock_hz": 2.9e9}, State(), None),
        ({**CLOCKS, "clock_host": ""}, State(), None),
        ({"clock_hz": 2.2e9}, State(), None),
    ],
    ids=[
        "one far",
        "alike",
        "not recorded, far",
        "not recorded",
        "one host",
        "preempted",
        "no name",
        "one slow",
        "clocks alike",
        "no name of the slow one",
        "one clock",
    ],
)
def test_the_host_that_sets_the_pace_is_named(conditions: dict[str, Scalar], state: State, said: str | None) -> None:
    messages = list(hosts_apart([(ONE.having(conditions=conditions), state)]))
    assert [ENGLISH(message) for message in messages] == ([said] if said else [])


def test_the_verdict_and_the_caution_name_it_and_in_how_many_launches() -> None:
    launches = [
        triad(1e10 + at).having(
            started=START, provenance=provenance(id=str(at)), conditions={**HOSTS, "exchange_latency": seconds}
        )
        for at, seconds in enumerate((40e-9, 150e-9, 149e-9))
    ]
    (judged,), _ = judge(launches, MACHINE, BENCHMARKS)
    named = "n3 sets the pace of all hosts in 2 of 3 launches: a cache line passes in 150 ns"
    assert named in ENGLISH.joined(judged.verdict)
    (caution,) = disturbed_sides({"A": launches, "B": launches[:1]})
    assert ENGLISH(caution).startswith(f"Hosts in A were in different states of the machine: {named}")
