"""Clusters of cores, found in latencies as machines have them, and compared with what the firmware tells."""

import random
from collections.abc import Callable, Sequence

import pytest

from banzuke.judge.test_examples import MACHINE
from banzuke.machine.model import Machine
from banzuke.machine.site import NumaNode
from banzuke.views.pairs import RankPairs
from banzuke.views.pairs.clusters import clusters
from banzuke.views.pairs.outliers import Clusters
from banzuke.views.pairs.slow import locations
from banzuke.views.pairs.test_slow import made
from banzuke.words import message
from banzuke.words.language import words

NS = 1e-9


def told(
    cores: int, *, complexes: int = 0, nodes: int = 0, sockets: int = 0, numbers: Sequence[int] | None = None
) -> Machine:
    """Return a machine whose firmware tells groups of so many cores; 0: all cores are one group."""
    cpus = [*(numbers or range(cores))]

    def groups(size: int) -> list[list[int]]:
        return [cpus[first : first + (size or cores)] for first in range(0, cores, size or cores)]

    numa = [NumaNode(node=number, cpus=group) for number, group in enumerate(groups(nodes))]
    return MACHINE.changed(
        allotment={
            "siblings": [[cpu] for cpu in cpus],
            "complexes": groups(complexes),
            "packages": groups(sockets),
        },
        node={"numa": numa},
    )


def looked(
    cores: int, latency: Callable[[int, int], float], machine: Machine, noise: float = 0.03, unit: str = "s"
) -> Clusters | None:
    """Return what is found in latencies in ns, which differ at random by this share."""
    draws = random.Random(cores)  # noqa: S311
    record = made(cores, lambda a, b: NS * latency(a, b) * (1 + noise * draws.random()), unit=unit)
    (matrix,) = record.pairs.values()
    return clusters(matrix, locations(record, matrix), machine)


M1_PRO = (
    (53,),
    (143, 145),
    (148, 145, 38),
    (145, 146, 41, 40),
    (150, 139, 157, 156, 148),
    (134, 133, 148, 152, 155, 43),
    (133, 134, 138, 156, 149, 40, 40),
)
"""Measured by others (github.com/nviennot/core-to-core-latency): two efficient cores, two groups of three fast ones."""


def threadripper(a: int, b: int) -> float:
    """Both threads of 24 cores in complexes of three, of which the second half are near each other, as on a 3960X (by
    the same authors); it is one of 24 cores whose threads are slower.
    """
    x, y = a // 2, b // 2
    if x == y:
        return 12.5 if x == 0 else 6.5
    return 23 if x // 3 == y // 3 else 78 if min(x, y) >= 12 else 95


def epyc(a: int, b: int) -> float:
    """Two sockets of four CCX of eight cores."""
    return 25 if a // 8 == b // 8 else 100 if a // 32 == b // 32 else 210


def desktop(a: int, b: int) -> float:
    """A ring of eight stops."""
    hops = min((a - b) % 8, (b - a) % 8)
    return 24 + 3 * hops


def snc(a: int, b: int) -> float:
    """Two clusters of a mesh, of three by four cores, with one last-level cache each: latencies overlap."""
    (x, y), (u, v) = ((core % 4, core % 12 // 4) for core in (a, b))
    return 50 + 3 * (abs(x - u) + abs(y - v)) + (15 if a // 12 != b // 12 else 0)


def test_complexes_and_sockets_are_levels_that_the_firmware_tells_too() -> None:
    seen = looked(64, epyc, told(64, complexes=8, nodes=32, sockets=32))
    assert seen is not None
    assert [(len(level.clusters), level.told) for level in seen.levels] == [(8, "same-complex"), (2, "same-numa")]
    first, second = seen.levels
    assert first.clusters[1] == tuple(range(8, 16))
    assert [first.within, second.between] == pytest.approx([25 * NS, 210 * NS], rel=0.04)
    assert not seen.unseen


def test_complexes_that_a_hypervisor_hides_are_found() -> None:
    seen = looked(64, epyc, told(64, sockets=32))
    assert seen is not None
    assert [(len(level.clusters), level.told) for level in seen.levels] == [(8, ""), (2, "same-socket")]


def test_groups_of_unlike_cores_are_found() -> None:
    seen = looked(8, lambda a, b: M1_PRO[max(a, b) - 1][min(a, b)], told(8), noise=0)
    assert seen is not None
    assert [level.clusters for level in seen.levels] == [
        ((0,), (1,), (2, 3, 4), (5, 6, 7)),
        ((0, 1), (2, 3, 4), (5, 6, 7)),
    ]


def test_one_slower_pair_makes_no_level_of_its_own() -> None:
    seen = looked(48, threadripper, told(48, complexes=6), noise=0)
    assert seen is not None
    assert [(len(level.clusters), level.told) for level in seen.levels] == [(24, ""), (8, "same-complex"), (5, "")]
    assert seen.levels[-1].clusters[-1] == tuple(range(24, 48))


def test_a_ring_has_no_clusters() -> None:
    seen = looked(8, desktop, told(8))
    assert seen == Clusters((), {})


def test_clusters_of_a_mesh_are_found_where_their_latencies_overlap() -> None:
    seen = looked(24, snc, told(24, nodes=12), noise=0.01)
    assert seen is not None
    assert [(level.clusters, level.told) for level in seen.levels] == [
        ((tuple(range(12)), tuple(range(12, 24))), "same-numa")
    ]


def test_what_the_firmware_tells_and_no_latency_shows_is_named() -> None:
    """As with NUMA nodes that a virtual machine has and its host does not."""
    seen = looked(16, lambda _a, _b: 60, told(16, nodes=8, sockets=8))
    assert seen == Clusters((), {"same-numa": 2})


def test_a_slow_core_is_no_cluster() -> None:
    seen = looked(8, lambda a, b: 90 if 5 in (a, b) else 30, told(8))
    assert seen == Clusters((), {})


@pytest.mark.parametrize(("cores", "unit"), [(3, "s"), (8, "B/s")])
def test_rates_and_few_ranks_have_no_clusters(cores: int, unit: str) -> None:
    assert looked(cores, desktop, told(cores), unit=unit) is None


def test_levels_are_shown_with_what_the_firmware_tells() -> None:
    record = made(16, lambda a, b: NS * (25 if a // 4 == b // 4 else 100))
    seen = RankPairs().judge(record, told(16, nodes=8))
    assert seen is not None
    assert words("en")(seen[0].clusters_shown[0]) == (
        "4 clusters of 4 ranks: 25 ns within, 100 ns between them. The firmware does not tell these groups."
    )
    assert words("en")(seen[0].clusters_shown[1]) == (
        "The firmware tells 2 groups (same NUMA node) that these latencies do not show."
    )
    alike = RankPairs().judge(record, told(16, complexes=4))
    assert alike is not None
    assert [words("en")(shown) for shown in alike[0].clusters_shown] == [
        "4 clusters of 4 ranks: 25 ns within, 100 ns between them, as the firmware tells (same last-level cache)."
    ]
    assert RankPairs().remark(seen, ()) == message("views-clusters-apart", untold=1, unseen=1)
    assert RankPairs().remark(alike, ()) is None
