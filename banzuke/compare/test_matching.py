"""The cases of two runs that match; their placement is part of their identity."""

from datetime import timedelta

import pytest

from banzuke import paths
from banzuke.compare.matching import CaseLaunches, gather, in_turn, match, value, variant
from banzuke.compare.runs import compare
from banzuke.compare.test_runs import METRICS, only, provenance, record, scaled
from banzuke.record.model import Provenance, Record

GOLDEN = Record.model_validate_json((paths.SCHEMA / "golden" / "verified.json").read_text())


def placed(name: str | None, case: str, **parameters: int) -> Record:
    origin = Provenance(id="1", run="r", case=case, machine="m", command=[], banzuke="0", placement=name)
    return GOLDEN.model_copy(update={"provenance": origin, "parameters": {**GOLDEN.parameters, **parameters}})


def test_cases_match_by_placement_whatever_their_hash() -> None:
    a = gather([placed("same-numa", "1"), placed("other-node", "2")])
    b = gather([placed("other-node", "3"), placed("same-numa", "4")])
    matching = match(a, b)
    assert [(pair.a.placement, pair.b.placement, pair.differences) for pair in matching.pairs] == [
        ("same-numa", "same-numa", ()),
        ("other-node", "other-node", ()),
    ]


def test_headlines_at_other_placements_differ() -> None:
    (pair,) = match(gather([placed("same-complex", "1")]), gather([placed("same-numa", "2")])).pairs
    assert pair.differences == ("placement: same-complex in A, same-numa in B",)
    assert pair.same_work
    (pair,) = match(gather([placed(None, "1")]), gather([placed("one-node", "2")])).pairs
    assert pair.differences == ("placement: none in A, one-node in B",)


def test_cases_of_other_sizes_match_by_how_they_stand_to_the_headline() -> None:
    a = gather([placed("same-numa", "1", n=5), placed("other-node", "2", n=5), placed("one-node", "3", n=5)])
    b = gather([placed("same-numa", "4", n=6), placed("one-node", "5", n=6), placed("other-node", "6", n=6)])
    matching = match(a, b)
    assert [pair.a.placement for pair in matching.pairs] == ["same-numa", "other-node", "one-node"]
    assert all(pair.a.placement == pair.b.placement for pair in matching.pairs)


def test_how_often_a_case_was_measured_is_no_part_of_it() -> None:
    a = gather([placed(None, "1", n=5, rounds=9), placed(None, "2", n=6, rounds=9)])
    b = gather([placed(None, "3", n=6, rounds=20), placed(None, "4", n=5, rounds=20)])
    matched = match(a, b).pairs
    assert [pair.differences for pair in matched] == [("rounds: 9 in A, 20 in B",)] * 2
    assert all(pair.same_work and not pair.same_method for pair in matched)
    assert [pair.a.record.parameters["n"] for pair in matched] == [pair.b.record.parameters["n"] for pair in matched]


def in_groups(case: str, *threads: int) -> Record:
    (group,) = GOLDEN.groups
    return placed(None, case).model_copy(update={"groups": [group.model_copy(update={"threads": t}) for t in threads]})


def test_each_group_is_part_of_what_a_case_is() -> None:
    a, b = gather([in_groups("1", 2, 1), in_groups("2", 2, 4)]), gather([in_groups("3", 2, 4), in_groups("4", 2, 1)])
    assert [pair.differences for pair in match(a, b).pairs] == [(), ()]
    (pair,) = match(gather([in_groups("1", 2, 1)]), gather([in_groups("2", 2, 4)])).pairs
    assert pair.differences == ("threads: 2 + 1 in A, 2 + 4 in B",)
    assert pair.same_work


def beside(count: int, environment: str, case: str, image: str | None = None) -> Record:
    origin = Provenance(
        id="1", run="r", case=case, machine="m", command=[], banzuke="0", neighbours=count, image=image,
        environment=environment,
    )  # fmt: skip
    return GOLDEN.model_copy(update={"provenance": origin})


def test_cases_match_across_environments_where_their_neighbours_are_as_many() -> None:
    a = gather([beside(0, "native", "1"), beside(3, "native", "2")])
    b = gather([beside(3, "container", "3", "/image"), beside(0, "container", "4", "/image")])
    assert [pair.differences for pair in match(a, b).pairs] == 2 * [("environment: native in A, container in B",)]


def test_neighbours_are_a_difference() -> None:
    (pair,) = match(gather([beside(0, "native", "1")]), gather([beside(3, "native", "2")])).pairs
    assert pair.differences == ("busy neighbours: 0 in A, 3 in B",)


def launched(case: str, *times: float, lasting: float = 1.0, **changes: object) -> CaseLaunches:
    start = GOLDEN.started
    records = [
        placed(None, case).model_copy(
            update={"started": start + timedelta(seconds=time), "ended": start + timedelta(seconds=time + lasting)}
            | changes
        )
        for time in times
    ]
    return CaseLaunches(tuple(records))


def pairs(a: CaseLaunches, b: CaseLaunches) -> list[tuple[float, float]]:
    start = GOLDEN.started
    return [tuple((record.started - start).total_seconds() for record in pair) for pair in in_turn(a, b)]  # type: ignore[misc]


def test_launches_in_turn_are_pairs_whichever_comes_first() -> None:
    assert pairs(launched("a", 0, 20, 40), launched("b", 10, 30, 50)) == [(0, 10), (20, 30), (40, 50)]
    assert pairs(launched("a", 10, 20), launched("b", 0, 30)) == [(10, 0), (20, 30)]
    assert pairs(launched("a", 0, 20, 40), launched("b", 10, 30)) == [(0, 10), (20, 30)]


def test_one_run_after_the_other_or_both_at_once_are_not_in_turn() -> None:
    a = launched("a", 0, 20, 40)
    assert pairs(a, launched("b", 60, 80, 100)) == []
    assert pairs(a, launched("b", 30, 50, 70)) == []
    assert pairs(a, launched("b", 10, 30, 50, lasting=15)) == []
    assert pairs(a, a) == []


def launched_with(case: str, **values: str) -> Record:
    origin = Provenance(id=case, run="r", case=case, machine="m", command=[], banzuke="0", variant=values)
    return GOLDEN.model_copy(update={"provenance": origin})


def test_cases_match_across_one_axis_where_the_others_are_alike() -> None:
    a = gather([launched_with("1", memory="local"), launched_with("2", memory="local", A="1")])
    b = gather([launched_with("3", memory="interleave", A="1"), launched_with("4", memory="interleave")])
    matching = match(a, b)
    assert [pair.differences for pair in matching.pairs] == 2 * [("memory policy: local in A, interleave in B",)]
    assert [variant(pair.b.record) for pair in matching.pairs] == [
        {"memory": "interleave"},
        {"memory": "interleave", "A": "1"},
    ]
    (pair,) = match(gather([launched_with("1")]), gather([launched_with("2", A="1")])).pairs
    assert pair.differences == ("variable A: default in A, 1 in B",)


def test_all_that_was_not_usual_is_told_by_axis() -> None:
    assert variant(beside(3, "container", "1", "/image")) == {
        "environment": "container", "image": "/image", "neighbours": "3",
    }  # fmt: skip
    assert [value(launched_with("1", A="x"), name) for name in ("A", "B", "environment", "build", "neighbours")] == [
        "x", "", "native", "default", "0",
    ]  # fmt: skip


def test_cases_are_matched_by_parameters_and_layout() -> None:
    def run(factor: float, order: int) -> list[Record]:
        cases = [(n, t) for n in (10, 20) for t in (1, 2)][::order]
        return [record(scaled(n * t * factor), parameters={"n": n}, threads=t) for n, t in cases]

    lines = compare(run(1, 1), run(3, -1), METRICS)
    assert len(lines) == 4
    assert [line.ratio for line in lines] == pytest.approx([3] * 4)
    assert all(line.differences == () for line in lines)


def test_environments_are_matched_and_the_difference_is_said() -> None:
    a = [record(threads=t, origin=provenance(f"a{t}")) for t in (4, 2)]
    b = [record(threads=t, origin=provenance(f"b{t}", environment="isolated")) for t in (2, 4)]
    lines = compare(a, b, METRICS)
    assert [line.case.record.threads for line in lines] == [4, 2]
    assert {line.differences for line in lines} == {("environment: native in A, isolated in B",)}


def test_two_libraries_are_matched_where_each_side_has_one() -> None:
    mine, theirs = record(), record(scaled(2)).model_copy(update={"backend": "mkl"})
    line = only(compare([mine], [theirs], METRICS))
    assert line.ratio == pytest.approx(2)
    assert "backend: omp in A, mkl in B" in line.differences
    assert {line.verdict for line in compare([mine, theirs], [theirs], METRICS)} == {
        "no verdict from one launch",
        "only in A",
    }


def test_the_same_case_in_another_environment_goes_before_another_case() -> None:
    a = [record(parameters={"n": n}, origin=provenance(f"a{n}")) for n in (1000, 500)]
    b = [record(parameters={"n": 500}, origin=provenance("b", environment="isolated"))]
    matched, alone = compare(a, b, METRICS)
    assert matched.differences == ("environment: native in A, isolated in B",)
    assert (alone.verdict, alone.case.record.parameters["n"]) == ("only in A", 1000)


def test_machines_with_other_sizes_match_case_by_case_of_the_sweep() -> None:
    def sweep(n: int, cores: int) -> list[Record]:
        headline = record(parameters={"n": n, "stores": "nt"}, threads=cores)
        plain = record(parameters={"n": n, "stores": "plain"}, threads=cores)
        single = record(parameters={"n": n, "stores": "nt"}, threads=1)
        return [headline, plain, single, record(parameters={"n": n, "stores": "nt"}, threads=48)][
            : 4 if cores > 48 else 3
        ]

    lines = compare(sweep(1000, 64), sweep(500, 8), METRICS)
    assert [line.verdict for line in lines] == ["no verdict from one launch"] * 3 + ["only in A"]
    sizes = "n: 1000 in A, 500 in B"
    assert [line.differences for line in lines] == [
        (sizes, "threads: 64 in A, 8 in B"),
        (sizes, "threads: 64 in A, 8 in B"),
        (sizes,),
        (),
    ]
    assert [line.case.record.parameters["stores"] for line in lines[:3]] == ["nt", "plain", "nt"]
