"""Tests of the replay of phases, with times that can be told by hand, and beside SimGrid."""

import shutil

import numpy as np
import pytest

from banzuke.placement.compare import compare
from banzuke.placement.pattern import MessagePhase, as_pattern, exchange
from banzuke.placement.replay import Replay
from banzuke.placement.score import Traffic
from banzuke.placement.shapes import dragonfly, fat_tree
from banzuke.placement.simulate import of_phases, simulate
from banzuke.placement.testing import two_switches
from banzuke.placement.timing import MOST_MESSAGES
from banzuke.placement.topology import LATENCY, Indices, NetworkTopology, topology_of
from banzuke.plan.catalogue import declared_flows

MB = 1e6
ALLTOALL = next(pattern for pattern in map(as_pattern, declared_flows()) if pattern.name == "alltoall")


def seconds(
    topology: NetworkTopology, phases: list[MessagePhase], order: Indices, latency: float = 0.0, *, waits: bool = True
) -> float:
    return Replay(Traffic(topology, tuple(phases)), order, 1.0, latency, waits=waits).seconds()


def messages(*pairs: tuple[int, int, float]) -> MessagePhase:
    source, target, amounts = zip(*pairs, strict=True)
    return MessagePhase("p", np.array(source), np.array(target), np.array(amounts))


def test_messages_share_a_link_and_the_rest_is_faster_when_one_has_ended() -> None:
    """Two messages over the cable between the switches get a half each; the longer one then has all of it."""
    assert seconds(two_switches(2, 1), [messages((0, 2, 1.0), (1, 3, 3.0))], np.arange(4)) == pytest.approx(4)
    assert seconds(two_switches(2, 1), [messages((0, 1, 1.0), (2, 3, 3.0))], np.arange(4)) == pytest.approx(3)


def test_a_rank_waits_for_its_own_messages_and_for_its_partner_but_not_for_others() -> None:
    """Ranks 2 and 3 are in the second phase while 0 and 1 are in the first: 5 and 1, then 1 and 5, instead of 10."""
    first, second = messages((0, 1, 5.0), (2, 3, 1.0)), messages((0, 1, 1.0), (2, 3, 5.0))
    assert seconds(two_switches(4, 1), [first, second], np.arange(4)) == pytest.approx(6)
    waits = [messages((0, 1, 5.0)), messages((2, 1, 1.0)), messages((2, 3, 1.0))]
    assert seconds(two_switches(4, 1), waits, np.arange(4), latency=0.5) == pytest.approx(7 + 3 * 0.5)


def test_a_message_that_waits_for_no_receiver_begins_when_its_sender_is_in_its_phase() -> None:
    """It shares the cable of rank 1, which is in the first phase until 6; where it waits, it begins at 5."""
    phases = [messages((0, 1, 5.0)), messages((2, 1, 1.0)), messages((2, 3, 1.0))]
    assert seconds(two_switches(4, 1), phases, np.arange(4), waits=False) == pytest.approx(6)
    assert seconds(two_switches(4, 1), phases, np.arange(4)) == pytest.approx(7)


def test_messages_within_a_host_take_no_time() -> None:
    phases = [messages((0, 1, 5.0)), messages((1, 0, 5.0)), messages((0, 2, 1.0))]
    assert seconds(two_switches(4, 1), phases, np.array([0, 0, 1]), waits=False) == pytest.approx(1)
    assert seconds(two_switches(4, 1), phases, np.array([0, 0, 1])) == pytest.approx(1)


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
@pytest.mark.parametrize(("shape", "ranks"), [("tree", 16), ("dragonfly", 256)])
def test_the_replay_is_within_a_fiftieth_of_simgrid_in_a_random_order(shape: str, ranks: int) -> None:
    hosts = [f"n{number}" for number in range(ranks)]
    cables = fat_tree(hosts, [4, 4], [1, 4], [1, 1], MB) if shape == "tree" else dragonfly(hosts, 8, 4, 4, MB, MB)
    topology = topology_of("net", cables, hosts)
    order = np.random.default_rng(4).permutation(ranks)
    phases = exchange(ranks, MB)
    replayed = seconds(topology, phases, order, LATENCY)
    simulated = simulate(topology, order, of_phases(phases, 1.0, ranks), "striped").seconds
    assert replayed == pytest.approx(simulated, rel=0.02)
    assert replayed < 0.97 * Traffic(topology, tuple(phases)).score(order).seconds


@pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is not installed (libsimgrid-dev)")
def test_small_messages_take_as_long_as_in_simgrid_whether_or_not_they_wait_for_receivers() -> None:
    """SimGrid's ranks would not wait for what they send of less than 64 KiB."""
    hosts = [f"n{number}" for number in range(16)]
    topology = topology_of("net", fat_tree(hosts, [4, 4], [1, 4], [1, 1], MB), hosts)
    order, phases = np.random.default_rng(4).permutation(16), exchange(16, 3e4)
    early, late = (seconds(topology, phases, order, LATENCY, waits=waits) for waits in (False, True))
    assert abs(early - late) > 0.1 * late
    for eager, replayed in ((True, early), (False, late)):
        simulated = simulate(topology, order, of_phases(phases, 1.0, 16, eager=eager), "striped").seconds
        assert simulated == pytest.approx(replayed, rel=0.01)


def test_orders_of_an_exchange_are_replayed_unless_there_are_too_many_messages_or_several_routes() -> None:
    scheduled = np.array([0, 4, 1, 5, 2, 6, 3, 7])
    comparison = compare(two_switches(4, 2), ALLTOALL, (8,), scheduled, seconds=0, size=MB)
    assert comparison.timing
    assert comparison.timing.name == "replay"
    for placed in comparison.placed:
        assert placed.seconds
        assert placed.seconds <= 1.001 * MB * placed.score.seconds, placed.name
    assert comparison.proposed.time == min(placed.time for placed in comparison.placed)
    many = two_switches(MOST_MESSAGES // 64 + 1, 2)
    ranks = np.arange(len(many.hosts))
    assert compare(many, ALLTOALL, (ranks.size,), ranks, seconds=0).timing is None
    adaptive = two_switches(4, 2, "adaptive")
    assert compare(adaptive, ALLTOALL, (8,), scheduled, seconds=0).timing is None
