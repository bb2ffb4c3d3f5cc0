import math

import numpy as np
import pytest

from banzuke.errors import BanzukeError
from banzuke.placement import orders, propose
from banzuke.placement.compare import Reached, compare, usual
from banzuke.placement.pattern import (
    MessagePhase,
    Pattern,
    exchange,
    nearly_equal,
    neighbours,
    numbered,
    parse_grid,
    ring,
)
from banzuke.placement.propose import OrderSearch, improved
from banzuke.placement.routes import Routes
from banzuke.placement.score import Traffic, slots
from banzuke.placement.testing import two_switches
from banzuke.placement.topology import Cable, Indices, topology_of
from banzuke.placement.write import command, order_file
from banzuke.words import message

RING = Pattern(
    "ring",
    message("place-pattern-halo"),
    lambda grid: [ring("ring", numbered(grid, last_fastest=False), 0, 1.0)],
    unit=lambda size: size,
    work=lambda size: size,
    counted="flop/s",
)
NETWORK = two_switches(4, 1)
BY_TURNS = np.array([0, 4, 1, 5, 2, 6, 3, 7])


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propose, "PATIENCE", 400)


def traffic_of(*phases: MessagePhase) -> Traffic:
    return Traffic(NETWORK, phases)


def everyone_next() -> MessagePhase:
    return ring("ring", np.arange(8), 0, 1.0)


def test_a_phase_takes_as_long_as_its_busiest_link() -> None:
    traffic = traffic_of(everyone_next())
    assert traffic.score(np.arange(8)).seconds == 1
    assert traffic.score(BY_TURNS).seconds == 4, "four messages each way over one cable"
    assert traffic.score(np.repeat([0, 4], 4)).seconds == 1, "within a host nothing is sent"


def test_phases_add_up_as_often_as_they_are_repeated() -> None:
    once = everyone_next()
    again = MessagePhase("again", once.source, once.target, 2 * once.amounts, 3.0)
    assert traffic_of(once, again).score(np.arange(8)).seconds == 1 + 3 * 2


@pytest.mark.parametrize(("adapters", "seconds"), [("striped", 1.0), ("by-rank", 1.0), ("first", 2.0)])
def test_adapters_share_the_messages_of_a_host(adapters: str, seconds: float) -> None:
    cables = [Cable(host, "s", 1.0, 2) for host in "ab"]
    network = topology_of("n", cables, ["a", "b"])
    phase = MessagePhase("p", np.array([0, 1]), np.array([2, 3]), np.ones(2))
    assert Traffic(network, (phase,), adapters).score(np.array([0, 0, 1, 1])).seconds == seconds  # type: ignore[arg-type]


def same_ranks(order: Indices, other: Indices) -> bool:
    return bool((np.bincount(order, minlength=8) == np.bincount(other, minlength=8)).all())


def test_every_usual_order_keeps_the_ranks_of_each_host() -> None:
    scheduled = slots([3, 1, 0, 2, 7, 5, 6, 4], [1, 2, 3, 2, 1, 3, 2, 2])
    grid = (4, 4)
    phases = (ring("rows", numbered(grid, last_fastest=False), 1, 1.0),)
    for placed in usual(Traffic(NETWORK, phases), grid, scheduled):
        assert same_ranks(placed.order, scheduled), placed.name


def test_numbers_are_sorted_as_people_do() -> None:
    assert sorted(["n10", "n9", "n9b", "a2"], key=orders.natural) == ["a2", "n9", "n9b", "n10"]
    assert list(orders.by_number(BY_TURNS, NETWORK)) == list(range(8))


def test_strips_give_each_switch_whole_columns() -> None:
    strips = orders.strips(slots(range(8), [2] * 8), NETWORK, Routes(NETWORK), (4, 4))
    assert strips is not None
    switches = NETWORK.switch_of_host[strips].reshape((4, 4), order="F")
    assert (switches == [[0, 0, 1, 1]] * 4).all()
    assert strips.reshape((4, 4), order="F")[:, :2].tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert orders.strips(slots(range(8), [2] * 8), NETWORK, Routes(NETWORK), (16, 1)) is None


def test_random_within_switches_leaves_ranks_on_theirs() -> None:
    order = slots(range(8), [4] * 8)
    mixed = orders.shuffled_within_switches(order, NETWORK, 3)
    assert (NETWORK.switch_of_host[mixed] == NETWORK.switch_of_host[order]).all()
    assert mixed.tolist() != order.tolist()


def test_exchanges_find_what_was_hidden() -> None:
    """In a shuffled ring, at least two messages have to cross between the switches, and the search ends
    with only two.
    """
    traffic = traffic_of(everyone_next())
    torn = orders.shuffled(np.arange(8), 2)
    before = traffic.score(torn).seconds
    proposal = improved(traffic, torn, "random", seconds=20)
    assert before >= 2
    assert proposal.score.seconds == 1
    assert same_ranks(proposal.order, torn)


def test_exchanges_keep_their_books() -> None:
    """The loads that the search keeps up to date equal a new count of all messages."""
    traffic = Traffic(two_switches(8, 3), tuple(exchange(16)))
    search = OrderSearch(traffic, orders.shuffled(np.arange(16), 5))
    generator = np.random.default_rng(1)
    for limit in [math.inf, 0.0] * 100:  # accepted, and undone
        ranks, partners = search.pair(int(generator.integers(16)), generator, whole=False)
        if ranks.size:
            search.exchange(ranks, partners, limit)
    seconds = traffic.loads(search.order) / traffic.topology.rate
    assert search.seconds == pytest.approx(seconds)
    assert search.worst == pytest.approx(seconds.max(axis=1))
    assert search.spread == pytest.approx((seconds**2).sum(axis=1))


def test_whole_hosts_keep_their_ranks_together() -> None:
    scheduled = slots([0, 4, 1, 5, 2, 6, 3, 7], [3, 2, 3, 2, 3, 2, 3, 2])
    comparison = compare(NETWORK, RING, (20,), scheduled, seconds=1, whole=True)
    for placed in comparison.placed:
        assert orders.is_whole(placed.order), placed.name
        assert same_ranks(placed.order, scheduled), placed.name
    assert comparison.named("scheduler").score.seconds == 4
    assert comparison.proposed.score.seconds == 1
    assert not orders.is_whole(np.array([0, 1, 0]))


def test_hosts_change_places_with_all_their_ranks() -> None:
    phase = ring("ring", np.arange(16), 0, 1.0)
    torn = slots(BY_TURNS.tolist(), [2] * 8)
    proposal = improved(traffic_of(phase), torn, "scheduler", seconds=20, whole=True)
    assert proposal.score.seconds == 1
    assert orders.is_whole(proposal.order)


def test_an_order_that_cannot_be_better_stays_as_it_was() -> None:
    proposal = improved(traffic_of(everyone_next()), np.arange(8), "number", seconds=5)
    assert proposal.order.tolist() == list(range(8))
    assert proposal.exchanges == 0


def test_the_proposal_beats_what_it_is_compared_with() -> None:
    comparison = compare(NETWORK, RING, (8,), BY_TURNS, seconds=2)
    assert comparison.proposed.score.seconds == min(placed.score.seconds for placed in comparison.placed)
    assert comparison.named("scheduler").score.seconds == 4


def test_a_rate_in_one_order_gives_that_in_the_others() -> None:
    """A run of 100 s, with messages of 40 s in the scheduler's order and 10 s in the proposed one."""
    comparison = compare(NETWORK, RING, (8,), BY_TURNS, seconds=1, size=10.0, reached=Reached("scheduler", 0.1))
    assert comparison.named("scheduler").rate == pytest.approx(0.1)
    assert comparison.proposed.rate == pytest.approx(10 / 70)
    with pytest.raises(BanzukeError, match="take longer"):
        compare(NETWORK, RING, (8,), BY_TURNS, seconds=0, size=10.0, reached=Reached("scheduler", 1.0))
    with pytest.raises(BanzukeError, match="--size"):
        compare(NETWORK, RING, (8,), BY_TURNS, seconds=0, reached=Reached("scheduler", 1.0))


def test_one_rank_sends_nothing() -> None:
    with pytest.raises(BanzukeError, match="no messages"):
        compare(NETWORK, RING, (1,), np.array([0]), seconds=0)


@pytest.mark.parametrize(("ranks", "dimensions", "grid"), [(1984, 2, (32, 62)), (7, 2, (1, 7)), (64, 3, (4, 4, 4))])
def test_grids_are_nearly_square(ranks: int, dimensions: int, grid: tuple[int, ...]) -> None:
    assert nearly_equal(ranks, dimensions) == grid


@pytest.mark.parametrize(
    ("text", "problem"),
    [("4x", "is no grid"), ("2x2x2", "has 3 sides"), ("3x3", "2x4 or 4x2|4x2 or 2x4"), ("0x8", "no grid")],
)
def test_a_grid_that_does_not_fit_is_refused_with_what_does(text: str, problem: str) -> None:
    pattern = Pattern("hpl", message("hpl-place-pattern"), lambda _: [], dimensions=2)
    with pytest.raises(BanzukeError) as caught:
        parse_grid(text, 8, pattern)
    assert any(part in str(caught.value) for part in problem.split("|"))


def test_an_exchange_looks_at_some_of_many_steps() -> None:
    assert len(exchange(8)) == 7
    sampled = exchange(1000)
    assert len(sampled) <= 32
    assert sum(phase.times for phase in sampled) == pytest.approx(999)


def test_neighbours_at_the_edges_have_fewer() -> None:
    phase = neighbours("halo", np.arange(12).reshape(3, 4), [1.0, 2.0])
    assert phase.source.size == 2 * (2 * 4 + 3 * 3)
    assert sorted(phase.target[phase.source == 0].tolist()) == [1, 4]


def test_files_of_an_order_are_what_launchers_read() -> None:
    hosts, order = ["n1", "n2"], np.array([0, 0, 1, 0])
    assert order_file(hosts, order, "slurm") == "n1\nn1\nn2\nn1\n"
    assert order_file(hosts, np.array([1, 1, 0]), "hosts") == "n2,n1\n"
    assert command("flux", "file", order) == "flux run -N 2 -n 4 --taskmap=hostfile:file PROGRAM"
    assert order_file(hosts, order, "mpich") == "n1:2\nn2:1\nn1:1\n"
    assert order_file(hosts, order, "rankfile") == (
        "rank 0=n1 slot=0\nrank 1=n1 slot=1\nrank 2=n2 slot=0\nrank 3=n1 slot=2\n"
    )
