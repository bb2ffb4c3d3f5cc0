import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.amounts import Tree
from banzuke.judge.test_examples import MACHINE, solver
from banzuke.machine.allotment import AllottedDevice
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.record.figures import Pairs
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.record.sharing import CONDITION
from banzuke.testing import all_pairs
from banzuke.views.pairs import RankPairs
from banzuke.views.pairs.outliers import Slow
from banzuke.views.pairs.slow import slow_of
from banzuke.words.language import words

SOCKETS = MACHINE.changed(
    allotment={
        "siblings": [[cpu, cpu + 8] for cpu in range(8)],
        "complexes": [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]],
        "packages": [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]],
    },
    node={"numa": [NumaNode(node=0, cpus=[0, 1, 2, 3, 8, 9, 10, 11]), NumaNode(node=1, cpus=[4, 5, 6, 7, 12, 13])]},
)
"""Two sockets with two complexes each, of two cores with two hardware threads each."""


def made(
    ranks: int,
    value: Callable[[int, int], float],
    *,
    per_host: int | None = None,
    cpus: Sequence[int] | None = None,
    unit: str = "s",
) -> Record:
    """Return a record of all pairs.

    `value` gets the higher rank first; ranks are on a host's processors in order, or on `cpus`.
    """
    block = per_host or ranks
    hosts = [
        Hosts(names=f"n{host}", ranks=f"{host * block}-{host * block + block - 1}")
        for host in range(-(-ranks // block))
    ]
    where = cpus or [rank % block for rank in range(ranks)]
    binding = [Binding(ranks=str(rank), threads=[str(where[rank])]) for rank in range(ranks)]
    matrix = all_pairs(unit, [[value(a, b) for b in range(a)] for a in range(ranks)])
    metric = "latency" if unit == "s" else "bandwidth"
    return solver(1.0, flops=1, moved=1, ranks=ranks, threads=1, hosts=hosts, binding=binding, pairs={metric: matrix})


def directed(
    ranks: int, value: Callable[[int, int], float], *, per_host: int = 1, sharing: Sequence[str] = ()
) -> Record:
    """Return a record; `value`: rate from one rank to another; `sharing`: ranks recorded as sharing a processor."""
    pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    matrix = Pairs.model_validate(
        {
            "unit": "B/s",
            "from": [a for a, _ in pairs],
            "to": [b for _, b in pairs],
            "values": [value(a, b) for a, b in pairs],
        }
    )
    conditions: dict[str, Tree] = {CONDITION: list(sharing)} if sharing else {}
    base = made(ranks, lambda _a, _b: 1.0, per_host=per_host)
    return base.model_copy(update={"pairs": {"bandwidth": matrix}, "conditions": conditions})


def seen(record: Record, machine: Machine = MACHINE) -> Slow:
    (slow,) = slow_of(record, machine)
    return slow


def remark(*slow: Slow) -> str:
    said = RankPairs().remark(slow, [slow])
    return words()(said) if said else ""


def noisy(sigma: float, seed: int) -> Callable[[int, int], float]:
    source = random.Random(seed)  # noqa: S311
    return lambda _a, _b: 1e-6 * max(0.3, 1 + source.gauss(0, sigma))


def bad(rank: int, factor: float) -> Callable[[int, int], float]:
    return lambda a, b: 1e-6 * (factor if rank in (a, b) else 1)


@pytest.mark.parametrize(("ranks", "factor"), [(3, 2.0), (4, 2.0), (5, 30.0), (8, 2.0), (48, 2.0)])
def test_a_sick_rank_is_named_however_few_there_are(ranks: int, factor: float) -> None:
    for sick in (0, ranks - 1):
        slow = seen(made(ranks, bad(sick, factor)))
        (rank,) = slow.ranks
        assert (rank.location.rank, rank.slow, rank.partners) == (sick, ranks - 1, ranks - 1)
        assert rank.ratio == pytest.approx(factor)
        assert slow.pairs == ()


@pytest.mark.parametrize("ranks", [3, 4, 6, 32])
@pytest.mark.parametrize("unit", ["s", "B/s"])
def test_a_sick_link_is_named_by_its_two_ends(ranks: int, unit: str) -> None:
    sick = (ranks - 1, 1)
    factor = 3.0 if unit == "s" else 1 / 3.0
    slow = seen(made(ranks, lambda a, b: 10.0 * (factor if (a, b) == sick else 1), per_host=1, unit=unit))
    (pair,) = slow.pairs
    assert (pair.a.rank, pair.b.rank, pair.distance) == (1, ranks - 1, "other-node")
    assert (pair.a.host, pair.b.host) == ("n1", f"n{ranks - 1}")
    assert pair.ratio == pytest.approx(3)
    assert pair.usual == pytest.approx(10)
    assert pair.value == pytest.approx(10 * factor)
    assert slow.ranks == ()


@given(ranks=st.integers(2, 24), seed=st.integers(0, 1000), sigma=st.sampled_from([0.0, 0.03, 0.08]))
def test_noise_makes_nobody_slow(ranks: int, seed: int, sigma: float) -> None:
    assert not [*seen(made(ranks, noisy(sigma, seed))).outliers]


def test_the_noise_of_many_pairs_makes_nobody_slow() -> None:
    for seed in range(3):
        assert not [*seen(made(120, noisy(0.15, seed))).outliers]


def test_a_far_pair_is_judged_among_the_far() -> None:
    """There are eight ranks on two sockets; each distance has its own figure, and none of them is slow."""
    by_distance = {(0, 1): 1.0, (0, 2): 2.0, (0, 4): 5.0}

    def level(a: int, b: int) -> float:
        return by_distance[0, 1 if a // 2 == b // 2 else 2 if a // 4 == b // 4 else 4]

    assert not [*seen(made(8, level), SOCKETS).outliers]
    (pair,) = seen(made(8, lambda a, b: level(a, b) * (2 if (a, b) == (3, 2) else 1)), SOCKETS).pairs
    assert (pair.a.rank, pair.b.rank, pair.distance) == (2, 3, "same-complex")
    assert pair.usual == pytest.approx(1)
    (pair,) = seen(made(8, lambda a, b: level(a, b) * (2 if (a, b) == (7, 0) else 1)), SOCKETS).pairs
    assert pair.distance == "other-socket"
    assert pair.usual == pytest.approx(5)


def test_a_rank_on_its_neighbours_processor_stands_out_from_farther_ones() -> None:
    """It is the only pair at this distance, and slower than those that are farther apart."""
    (pair,) = seen(made(4, lambda a, b: 9.0 if (a, b) == (3, 2) else 1.0, cpus=[0, 1, 2, 2]), SOCKETS).pairs
    assert (pair.a.rank, pair.b.rank, pair.distance) == (2, 3, "same-core")
    assert pair.ratio == pytest.approx(9)


def test_two_hosts_have_two_levels() -> None:
    def level(a: int, b: int) -> float:
        return 1.0 if a // 2 == b // 2 else 20.0

    assert not [*seen(made(4, level, per_host=2)).outliers]
    slow = seen(made(4, lambda a, b: level(a, b) * (10 if (a, b) == (3, 2) else 1), per_host=2))
    assert [(pair.a.rank, pair.b.rank) for pair in slow.pairs] == [(2, 3)]


def test_a_sick_host_is_told_by_its_ranks() -> None:
    slow = seen(made(12, lambda a, b: 1.0 if a // 4 == b // 4 else 40.0 if 2 in (a // 4, b // 4) else 10.0, per_host=4))
    assert {rank.location.host for rank in slow.ranks} == {"n2"}
    assert len(slow.ranks) == 4
    assert remark(slow) == "slow: ranks 8-11 (n2), 4 times"


def test_ranks_that_are_slow_with_each_other_too_are_told_one_by_one() -> None:
    slow = seen(made(12, lambda a, b: 4.0 if {a, b} & {3, 7} else 1.0))
    assert not slow.together
    assert remark(slow) == "slow: rank 3 (n0, processor 3), 4 times, and 1 more"


@pytest.mark.parametrize("sockets", [1, 2])
def test_a_ring_of_four_is_no_fault(sockets: int) -> None:
    """Neighbours are one hop apart, and opposite ones two, which are a third of the pairs."""

    def hops(a: int, b: int) -> float:
        apart = abs(a // sockets - b // sockets)
        return (0.3, 1.0, 1.6)[min(apart, 4 - apart)]

    assert not [*seen(made(4 * sockets, hops, per_host=sockets)).outliers]


@pytest.mark.parametrize("switch", [2, 4, 8])
def test_a_network_of_two_levels_is_no_fault(switch: int) -> None:
    assert not [*seen(made(16, lambda a, b: 1.0 if a // switch == b // switch else 1.8, per_host=1)).outliers]


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_pair_has_nothing_to_be_compared_with(ranks: int) -> None:
    assert not [*seen(made(ranks, lambda _a, _b: 1e-3)).outliers]


def test_pairs_without_a_figure_are_passed_over() -> None:
    assert not [*seen(made(3, lambda _a, _b: 0.0)).outliers]
    assert slow_of(solver(1.0, flops=1, moved=1), MACHINE) == ()


def test_who_is_slow_is_told_with_host_and_processor() -> None:
    def said(slower: Mapping[tuple[int, int], float]) -> str:
        return remark(seen(made(5, lambda a, b: slower.get((a, b), 1.0))))

    assert said({}) == ""
    assert said({(3, 1): 4.0}) == "slow: rank 1 (n0, processor 1) and rank 3 (n0, processor 3), 4 times"
    several = {(3, 0): 4.0, (3, 1): 4.0, (3, 2): 4.0, (4, 3): 4.0, (1, 0): 2.0}
    assert said(several) == "slow: rank 3 (n0, processor 3), 4 times, and 1 more"


def some(record: Record, *rounds: int) -> Record:
    """Return a record with only the pairs of neighbours and of some rounds of the circle method."""
    (name, matrix), *_ = record.pairs.items()
    met = [
        (a, b, value)
        for a, b, value in zip(matrix.origins, matrix.targets, matrix.values, strict=True)
        if a // 2 == b // 2 or (a + b) % matrix.count in rounds
    ]
    origins, targets, values = (list(column) for column in zip(*met, strict=True))
    less = Pairs.model_validate({"unit": matrix.unit, "from": origins, "to": targets, "values": values})
    return record.model_copy(update={"pairs": {name: less}})


def test_of_ranks_that_met_some_others_the_sick_are_named_by_those() -> None:
    def sick(a: int, b: int) -> float:
        return 1e-6 * (3 if 5 in (a, b) or 12 in (a, b) else 4 if (a, b) == (9, 8) else 1)

    slow = seen(some(made(21, sick, per_host=1), 4, 9, 15))
    named = {(rank.location.rank, rank.slow, rank.partners) for rank in slow.ranks}
    assert named == {(5, 3, 3), (12, 3, 3)}
    assert not slow.together  # they were not measured together
    assert [(pair.a.rank, pair.b.rank) for pair in slow.pairs] == [(8, 9)]


def test_a_thousand_ranks_are_judged_in_a_moment() -> None:
    (rank,) = seen(made(300, bad(17, 3.0), per_host=50)).ranks
    assert (rank.location.rank, rank.location.host) == (17, "n0")


def between_memories(
    value: Callable[[int, int], float], paths: Sequence[Mapping[int, str]], *, numbered: bool = True
) -> tuple[Record, Machine]:
    """Return pairs of the host's memory and of as many devices' as `paths` has, from each to the others."""
    count = len(paths) + 1
    ends = [{"host": "g1"}, *({"host": "g1", "device": f"GPU-{i}"} for i in range(len(paths)))]
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
    matrix = Pairs.model_validate(
        {
            "unit": "B/s",
            "ends": ends,
            "from": [a for a, _ in pairs],
            "to": [b for _, b in pairs],
            "values": [value(a, b) for a, b in pairs],
        }
    )
    devices = [
        AllottedDevice(
            identity=f"GPU-{i}",
            name="H100",
            vendor="NVIDIA",
            memory=1,
            memory_available=1,
            paths={f"GPU-{other}": way for other, way in row.items()},
        )
        for i, row in enumerate(paths)
    ]
    seen_devices: dict[str, Tree] = {f"GPU-{i}": {"number": i} for i in range(len(paths))} if numbered else {}
    record = made(1, lambda _a, _b: 1.0).model_copy(
        update={"pairs": {"bandwidth": matrix}, "conditions": {"devices": seen_devices}}
    )
    return record, MACHINE.changed(allotment={"devices": devices})


ALL_NVLINK = [{other: "nvlink" for other in range(4) if other != i} for i in range(4)]


def test_the_link_to_the_host_is_not_compared_with_those_between_devices() -> None:
    record, here = between_memories(lambda a, b: 50.0 if 0 in (a, b) else 400.0, ALL_NVLINK)
    assert not [*seen(record, here).outliers]


def test_a_device_whose_transfers_are_slow_is_named() -> None:
    record, here = between_memories(
        lambda a, b: (50.0 if 0 in (a, b) else 400.0) / (3 if 2 in (a, b) else 1), ALL_NVLINK
    )
    slow = seen(record, here)
    (rank,) = slow.ranks
    assert rank.ratio == pytest.approx(3)
    assert remark(slow) == "slow: device 1 of g1, 3 times"
    (outlier,) = slow.outliers
    assert outlier.kind == "memory"
    assert words()(outlier.seen) == "bandwidth 3 times worse than usual with 4 of 4 memories"


def test_a_slow_way_is_named_by_its_worse_direction_among_those_alike() -> None:
    paths = [{1: "switch", 2: "system", 3: "system"}, {2: "system", 3: "system"}, {3: "switch"}, {}]

    def value(a: int, b: int) -> float:
        usual = 25.0 if 0 in (a, b) else 22.0 if {a, b} in ({1, 2}, {3, 4}) else 11.0
        return usual / (4 if (a, b) == (4, 1) else 1)

    record, here = between_memories(value, paths, numbered=False)
    (pair,) = seen(record, here).pairs
    assert (pair.a.device, pair.b.device, pair.distance) == ("GPU-0", "GPU-3", "system")
    assert pair.value == pytest.approx(11 / 4)
    assert "device GPU-0 of g1 and device GPU-3 of g1" in remark(seen(record, here))


@pytest.mark.parametrize("ranks", [3, 4, 6, 32])
@pytest.mark.parametrize("way", ["out", "in", "both"])
def test_a_host_that_sends_or_receives_slowly_is_named_with_the_direction(ranks: int, way: str) -> None:
    for sick in (0, ranks - 1):

        def rate(a: int, b: int, sick: int = sick) -> float:
            slow = (a == sick and way != "in") or (b == sick and way != "out")
            return 90e6 if slow else 270e6

        outcome = seen(directed(ranks, rate))
        (rank,) = outcome.ranks
        assert (rank.location.rank, rank.way, rank.slow, rank.partners) == (sick, way, ranks - 1, ranks - 1)
        assert rank.ratio == pytest.approx(3)
        assert outcome.pairs == ()
        (outlier,) = outcome.outliers
        assert words()(outlier.seen).endswith(
            {"out": "ranks, when it sends", "in": "ranks, when it receives", "both": "ranks"}[way]
        )
        ending = {"out": ", sending, 3 times", "in": ", receiving, 3 times", "both": ", 3 times"}[way]
        assert remark(outcome) == f"slow: rank {sick} (n{sick}, processor 0){ending}"


@pytest.mark.parametrize("ranks", [2, 3, 4, 6, 32])
def test_a_link_that_is_slow_one_way_is_named_from_where_to_where(ranks: int) -> None:
    last = ranks - 1
    slow = seen(directed(ranks, lambda a, b: 90e6 if (a, b) == (last, 0) else 270e6))
    (pair,) = slow.pairs
    assert (pair.a.rank, pair.b.rank, pair.way, pair.distance) == (last, 0, "out", "other-node")
    assert pair.value == 90e6
    assert pair.usual == pytest.approx(270e6)
    assert not slow.ranks
    assert remark(slow) == f"slow: rank {last} (n{last}, processor 0) to rank 0 (n0, processor 0), 3 times"


@pytest.mark.parametrize("ranks", [3, 4, 6, 32])
def test_a_link_that_is_slow_both_ways_is_named_once(ranks: int) -> None:
    rates = {(0, 1): 90e6, (1, 0): 60e6}
    (pair,) = seen(directed(ranks, lambda a, b: rates.get((a, b), 270e6))).pairs
    assert ({pair.a.rank, pair.b.rank}, pair.way, pair.value) == ({0, 1}, "both", 60e6)


def test_one_sends_slowly_and_another_receives_slowly() -> None:
    slow = seen(directed(8, lambda a, b: 90.0 if a == 2 or b == 5 else 270.0))
    assert {(rank.location.rank, rank.way) for rank in slow.ranks} == {(2, "out"), (5, "in")}
    assert slow.pairs == ()
    assert not slow.together


def test_ranks_of_a_host_that_sends_slowly_are_told_together() -> None:
    def rate(a: int, b: int) -> float:
        return 9e9 if a // 4 == b // 4 else 90e6 if a // 4 == 2 else 270e6

    slow = seen(directed(12, rate, per_host=4))
    (outlier,) = slow.outliers
    assert (outlier.kind, outlier.way) == ("together", "out")
    assert remark(slow) == "slow: ranks 8-11 (n2), sending, 3 times"


@pytest.mark.parametrize(("sigma", "most"), [(0.0, 0.0), (0.03, 0.0), (0.08, 0.04)])
def test_noise_makes_hardly_any_direction_slow(sigma: float, most: float) -> None:
    """Test the share of maps with an outlier: 2% of 300 with 8% of noise and 19 ranks."""
    maps = [directed(19, noisy(sigma, seed)) for seed in range(100)]
    assert sum(bool([*seen(record).outliers]) for record in maps) <= most * len(maps)


@pytest.mark.parametrize("ranks", [3, 4, 6])
def test_ranks_that_share_a_processor_on_two_hosts_are_no_slow_pair(ranks: int) -> None:
    """All share two processors, and waiting for one takes a thousand times as long as a message."""
    groups = [range(first, ranks, 2) for first in (0, 1)]
    sharing = [",".join(map(str, group)) for group in groups if len(group) > 1]
    slow = seen(directed(ranks, lambda a, b: 1e6 if (a - b) % 2 == 0 else 270e6, sharing=sharing))
    assert not [*slow.outliers]
    assert list(slow.sharing) == sorted(rank for group in groups if len(group) > 1 for rank in group)
    assert [*seen(directed(ranks, lambda a, b: 1e6 if (a, b) == (0, 2) else 270e6)).outliers]


def test_a_host_that_sends_slowly_is_named_where_some_share_a_processor() -> None:
    slow = seen(directed(3, lambda a, _b: 90e6 if a == 2 else 270e6, sharing=["0,2"]))
    ((rank, way),) = {(slow_rank.location.rank, slow_rank.way) for slow_rank in slow.ranks}
    assert (rank, way, slow.pairs) == (2, "out", ())


def test_a_rank_that_waits_for_its_processor_is_late_with_all() -> None:
    """Three ranks share two processors: the third waits for the first one's, while the first meets the second."""
    late = made(3, lambda a, b: 1e-3 if (a, b) in {(1, 0), (2, 0)} else 1e-6, per_host=1)
    assert [*seen(late).outliers]
    conditions: dict[str, Tree] = {CONDITION: ["0,2"]}
    assert not [*seen(late.model_copy(update={"conditions": conditions})).outliers]
