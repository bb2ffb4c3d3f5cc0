"""Ratios of a collection, by family."""

import pytest

from banzuke.amounts import Scalar
from banzuke.compare.families import by_family, comparable
from banzuke.compare.runs import compare
from banzuke.compare.test_runs import METRICS, provenance, record
from banzuke.plan.benchmark import Collection, Statistic
from banzuke.record.model import Record

COLLECTION = Collection(
    noun="matrices",
    problems=lambda _machine, _layout, _families: (),
    family="family",
    size="n",
    file="file",
    suffixes=(".mtx",),
    along=Statistic("nonzeros", "non-zeros"),
)
SPARSE = {"stream": COLLECTION}


def solved(rate: float, family: str, case: str, file: str = "") -> Record:
    parameters: dict[str, Scalar] = {"family": family, "n": 10, "file": file}
    return record([rate * (1 + i / 1000) for i in range(8)], parameters=parameters, origin=provenance(case))


def test_a_family_has_the_geometric_mean_of_its_ratios_and_all_come_last() -> None:
    steps = (1.0, 1.01, 0.99)
    a = [solved(step, family, f"{family}{i}") for step in steps for family in ("band", "road") for i in range(2)]
    b = [
        solved(rate * step, family, f"{family}{i}")
        for step in steps
        for family, i, rate in (("band", 0, 1.0), ("band", 1, 4.0), ("road", 0, 0.5), ("road", 1, 0.5))
    ]
    rest, families = by_family(compare(a, b, METRICS, SPARSE), SPARSE)
    assert rest == []
    assert [(family.family, len(family.lines)) for family in families] == [("band", 2), ("road", 2), ("all", 4)]
    assert [family.mean for family in families] == pytest.approx([2.0, 0.5, 1.0])
    assert [(family.count("faster"), family.count("slower")) for family in families] == [(1, 0), (0, 2), (1, 2)]
    assert [line.ratio for line in families[0].lines] == pytest.approx([1.0, 4.0])


def test_a_file_is_the_same_elsewhere_and_no_other_one() -> None:
    def side(folder: str, *names: str) -> list[Record]:
        return [solved(len(name), "x", f"{folder}{name}", f"/{folder}/{name}.mtx") for name in names]

    a, b = side("here", "a", "bb", "ccc"), side("there", "dddd", "ccc", "bb")
    lines = compare(comparable(a, SPARSE), comparable(b, SPARSE), METRICS, SPARSE)
    rest, (family,) = by_family(lines, SPARSE)
    assert family.family == "own files"
    assert {line.name: line.ratio for line in family.lines} == {"bb": 1.0, "ccc": 1.0}
    assert [line.verdict for line in rest] == ["only in A", "only in B"]


def test_other_benchmarks_keep_their_lines() -> None:
    lines = compare([solved(1.0, "x", "c")], [solved(1.0, "x", "c")], METRICS)
    assert by_family(lines, {}) == (lines, [])
    assert comparable([solved(1.0, "x", "c", "/a/b.mtx")], {})[0].parameters["file"] == "/a/b.mtx"


def test_what_has_no_ratio_is_told_singly() -> None:
    measured = solved(1.0, "x", "c")
    failed = measured.model_copy(update={"status": "failed", "reason": "broken", "metrics": {}})
    rest, families = by_family(compare([measured], [failed], METRICS, SPARSE), SPARSE)
    assert (len(rest), families) == (1, [])
