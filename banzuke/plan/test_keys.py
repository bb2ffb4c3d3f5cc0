"""What makes two cases the same measurement."""

from dataclasses import replace

from banzuke.plan.case import RankGroup, key
from banzuke.plan.placement import pair_placements
from banzuke.testing import case, machine


def test_keys_of_earlier_versions_stay() -> None:
    assert key(case()) == "1d948772b8a5"


def test_a_key_ignores_the_type_and_the_order_but_no_value() -> None:
    assert key(case(parameters={"a": 1, "b": 2})) == key(case(parameters={"b": "2", "a": "1"}))
    usual = case()
    for other in (
        case(parameters={"n": 1001}),
        case(ranks=2),
        case(threads=1),
        case(backend="x"),
        case(benchmark="y"),
        case(environment="container"),
    ):
        assert key(usual) != key(other)
    assert key(usual) == key(case(seconds=9.0))


def test_a_placement_is_part_of_what_a_case_is() -> None:
    near, far = pair_placements(machine(cores=2).changed(allotment={"hosts": ["a", "b"]}))
    keys = {key(case(ranks=2, threads=1, placement=place)) for place in (None, near, far)}
    assert len(keys) == 3
    assert key(case(placement=near)) == key(case(placement=replace(near, cpus=((3,), (4,)))))


def test_each_group_counts_in_a_key() -> None:
    first, second = RankGroup("omp", 2, 2), RankGroup("cuda", 4, 1)
    other = [
        replace(second, backend="blas"),
        replace(second, ranks=2),
        replace(second, threads=2),
        replace(second, partition="fat"),
    ]
    together = [(first,), (first, second), (second, first), *((first, changed) for changed in other)]
    assert len({key(case(groups=groups)) for groups in together}) == len(together)
