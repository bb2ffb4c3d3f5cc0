"""The summary of a collection."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from banzuke.judge.assess import assess
from banzuke.judge.collection import Member, collections, members, ratios, summaries, verdict
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.judge.test_examples import BENCHMARKS, GIGA, LLC, MACHINE, provenance, record
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Benchmark, Collection, Metric, Statistic
from banzuke.record.figures import Samples
from banzuke.record.model import Binding
from banzuke.testing import MEMORY, Work, plain
from banzuke.words.language import words

COLLECTION = Collection(
    noun="matrices",
    problems=lambda _machine, _layout, _families: (),
    family="family",
    size="nonzeros",
    file="file",
    suffixes=(".mtx", ".mtx.gz"),
    along=Statistic("nonzeros", "non-zeros"),
)
SPARSE = replace(
    BENCHMARKS["solver"],
    name="sparse",
    metrics=(Metric("flop_rate", "flop/s", "higher", "SpMV", headline=True),),
    collection=COLLECTION,
)
KNOWN: Mapping[str, Benchmark] = {**BENCHMARKS, "sparse": SPARSE}
BANDWIDTH = Ceiling(MEMORY, 40 * GIGA, "measured", plain("by stream"), 4)


def sentence(problems: Sequence[Member]) -> str:
    return words().joined(verdict(plain("matrices"), problems))


def judged(family: str, nonzeros: int, rate: float | None, **changes: Any) -> Assessment:
    """Return a judged case; with 12 bytes for two flops, memory permits 6.67 Gflop/s."""
    parameters = {"family": family, "nonzeros": nonzeros, "file": "", "format": "auto", **changes.pop("set", {})}
    work = Work(flops=2.0 * nonzeros, bytes=12.0 * nonzeros, moved=12.0 * nonzeros)
    ceilings = changes.pop("under", (BANDWIDTH,))
    changes |= {"parameters": parameters, "conditions": {"working_set": 12.0 * nonzeros}}
    if rate is None:
        subject = record("sparse", {}, status="failed", reason="no memory", verification=[], **changes)
    else:
        subject = record(
            "sparse", {"flop_rate": Samples(unit="flop/s", samples=[rate * GIGA], **work.of("flop/s"))}, **changes
        )
    return assess(subject, siblings=Siblings(), machine=MACHINE, benchmarks=KNOWN, ceilings=ceilings)


def without(assessment: Assessment, left_out: str) -> Assessment:
    """Return the case without a parameter; a case that never ran has only those that were requested."""
    parameters = {name: value for name, value in assessment.record.parameters.items() if name != left_out}
    return replace(assessment, record=assessment.record.model_copy(update={"parameters": parameters}))


SMALL, LARGE = LLC // 24, LLC
"""Non-zeros of a matrix that fits in the cache and of one that is far larger."""


def collect(*assessments: Assessment) -> list[Member]:
    return collections(assessments, KNOWN)["sparse"][1]


def test_a_family_has_its_mean_its_worst_and_its_places() -> None:
    problems = collect(
        judged("band", SMALL, 16.0),
        judged("band", LARGE, 4.0),
        judged("road", SMALL, 8.0),
        judged("road", LARGE, 2.0),
        judged("road", 2 * LARGE, None),
        judged("band", LARGE // 6, 8.0),
    )
    band, road, whole = summaries(problems)
    assert (band.family, road.family, whole.family) == ("band", "road", "all")
    assert band.mean == pytest.approx(8.0 * GIGA)
    assert (road.count, road.verified) == (3, 2)
    assert road.places == {"in cache": 1, "partly in cache": 0, "in memory": 1}
    assert band.places == {"in cache": 1, "partly in cache": 1, "in memory": 1}
    assert road.worst
    assert road.worst.problem.name == f"road {LARGE:,}"
    assert road.of_limit == pytest.approx(0.3)
    assert whole.of_limit == pytest.approx((0.6 * 0.3) ** 0.5)
    assert whole.mean == pytest.approx((16 * 4 * 8 * 2 * 8) ** 0.2 * GIGA)
    assert sentence(problems) == (
        "6 matrices, 1 not verified; geometric mean 6.06 Gflop/s; the 2 far larger than the caches reach "
        f"42.4% of their limit, 30% at worst (road {LARGE:,})"
    )


def test_what_caches_hold_has_no_share_of_the_limit() -> None:
    problems = collect(judged("band", SMALL, 160.0), judged("road", SMALL, 1.0))
    assert [group.of_limit for group in summaries(problems)] == [None, None, None]
    assert sentence(problems).endswith("; none is far larger than the caches")


def test_an_unknown_limit_says_how_to_know_it() -> None:
    (member,) = members(COLLECTION, [judged("road", LARGE, 1.0, under=())])
    assert sentence([member, member]).endswith(
        "limit unknown: the memory bandwidth is not measured yet (run `banzuke run stream`)"
    )


def test_nothing_measured_is_no_figure() -> None:
    problems = collect(judged("band", SMALL, None), judged("road", SMALL, None))
    assert [group.mean for group in summaries(problems)] == [None] * 3
    assert sentence(problems) == "2 matrices, 2 not verified; no figure"


def test_solvers_are_told_apart_and_compared() -> None:
    problems = collect(
        judged("band", SMALL, 9.0),
        judged("band", SMALL, 3.0, backend="mkl"),
        judged("road", SMALL, 1.0),
        judged("road", SMALL, 2.0, backend="mkl"),
        judged("road", LARGE, None),
        judged("road", LARGE, 2.0, backend="mkl"),
    )
    assert [(group.family, group.solver) for group in summaries(problems)][:2] == [("band", "omp"), ("band", "mkl")]
    assert [(ratio.problem.family, ratio.other, ratio.ratio) for ratio in ratios(problems)] == [
        ("band", "mkl", 3.0),
        ("road", "mkl", 0.5),
    ]
    assert sentence(problems).startswith("3 matrices with omp, 1 not verified; ")
    unset = collect(judged("band", SMALL, 1.0), without(judged("road", SMALL, None), "format"))
    assert [member.solver for member in unset] == ["", ""]
    formats = collect(judged("band", SMALL, 1.0), judged("band", SMALL, 2.0, set={"format": "sell"}, threads=2))
    assert [member.solver for member in formats] == ["threads 4, auto", "threads 2, sell"]


def test_files_are_the_same_wherever_they_lie() -> None:
    here, there = (
        judged("x", 1, 1.0, set={"file": file}, threads=threads)
        for file, threads in (("/a/West0479.MTX.gz", 1), ("/b/West0479.mtx", 2))
    )
    problems = collect(here, there)
    assert {(member.problem.family, member.problem.name) for member in problems} == {("own files", "West0479")}
    assert len(ratios(problems)) == 1


def test_one_problem_is_no_collection() -> None:
    assert collections([judged("band", SMALL, 1.0)], KNOWN) == {}


def test_devices_are_set_over_processors_and_their_layout_goes_without_saying() -> None:
    on_device = {"backend": "cuda", "binding": [Binding(ranks="0", threads=["0"], devices=["GPU-1"])], "threads": 1}
    problems = collect(judged("band", SMALL, 2.0), judged("band", SMALL, 8.0, **on_device))
    assert [(ratio.solver, ratio.other, ratio.ratio) for ratio in ratios(problems)] == [("cuda", "omp", 4.0)]
    by_library = {**on_device, "provenance": provenance(id="2", variant={"library": "cuSPARSE"})}
    problems = collect(judged("band", SMALL, 8.0, **on_device), judged("band", SMALL, 2.0, **by_library))
    assert [(ratio.solver, ratio.other, ratio.ratio) for ratio in ratios(problems)] == [("own", "cuSPARSE", 4.0)]
