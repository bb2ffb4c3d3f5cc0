"""The figure that represents a benchmark of a run."""

from typing import Any

import pytest

from banzuke.judge.headline import headlines
from banzuke.judge.model import Assessment
from banzuke.judge.placement import crowded_sides
from banzuke.judge.test_examples import BENCHMARKS, LLC, judge, provenance, triad
from banzuke.limit.test_areas import GIGA, SPECS, judged, with_area, written
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding
from banzuke.words.language import words


def test_what_a_cache_served_is_no_headline() -> None:
    here = with_area()
    cached, stored = written(50 * GIGA, cached=True), written(2 * GIGA)
    of_cache, of_storage = judged(cached, on=here), judged(stored, on=here)
    assert headlines([of_cache], SPECS) == {}
    assert headlines([of_cache, of_storage], SPECS)["ior"].value == 2 * GIGA
    assert headlines([of_cache], {})["ior"].value == 50 * GIGA, "of an unknown benchmark the first figure"


def test_ranks_that_share_a_processor_give_no_headline() -> None:
    def bound_to(*cpus: str) -> Assessment:
        places = [Binding(ranks=str(rank), threads=[cpu]) for rank, cpu in enumerate(cpus)]
        fields: dict[str, Any] = {"hosts": [Hosts(names="node1", ranks="0-1")], "binding": places}
        variables = provenance(variables={"OMP_PROC_BIND": "close"})
        return judge(triad(20 * GIGA, ranks=len(cpus), threads=1, provenance=variables, **fields))

    shared, apart = bound_to("0", "0"), bound_to("0", "1")
    assert headlines([apart], BENCHMARKS)["stream"].value == 20 * GIGA
    assert headlines([shared], BENCHMARKS) == {}
    (said,) = (words()(warning) for warning in shared.warnings if warning.code == "limit-no-headline")
    assert said == "no headline, because 2 threads share processor 0 of node1 (OMP_PROC_BIND=close was set)"
    assert apart.warnings == ()


def test_sides_whose_threads_share_processors_are_told_with_each_variable_that_placed_them() -> None:
    places = [Binding(ranks="0", threads=["0", "0"])]
    placing = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
    shared = triad(
        20 * GIGA, provenance=provenance(variables=placing), binding=places, hosts=[Hosts(names="n", ranks="0")]
    )
    (said,) = map(words(), crowded_sides({"A": [shared, shared], "B": []}))
    assert said.endswith("so it is no headline (OMP_PLACES=cores and OMP_PROC_BIND=close were set)")


@pytest.mark.parametrize(
    ("ranks", "shared"),
    [
        ([["0-1"] * 4], "4 threads share processors 0 and 1"),
        ([["0-1"]] * 4, "4 threads share processors 0 and 1"),
        ([["0-7"]] * 9, "9 threads share processors 0, 1, 2, 3, 4, 5, 6 and 7"),
        ([["0-7"]] * 8, ""),
        ([["0-3"]] * 5, "5 threads share processors 0, 1, 2 and 3"),
        ([["0-1"], ["1-2"], ["0", "2"]], "4 threads share processors 0, 1 and 2"),
        ([["0-1"], ["0-1"], ["1"]], "3 threads share processors 0 and 1"),
        ([["0-1", "0-1"], ["2-3", "2-3"]], ""),
        ([["0-3"]] * 4, ""),
        ([[], []], ""),
    ],
)
def test_threads_that_are_bound_to_no_processor_share_what_they_are_too_many_for(
    ranks: list[list[str]], shared: str
) -> None:
    places = [Binding(ranks=str(rank), threads=threads) for rank, threads in enumerate(ranks)]
    fields: dict[str, Any] = {"hosts": [Hosts(names="node1", ranks=f"0-{len(ranks) - 1}")], "binding": places}
    assessment = judge(triad(20 * GIGA, ranks=len(ranks), threads=max(1, len(ranks[0])), **fields))
    said = [words()(warning) for warning in assessment.warnings if warning.code == "limit-no-headline"]
    assert said == ([f"no headline, because {shared} of node1"] if shared else [])
    assert bool(headlines([assessment], BENCHMARKS)) == (not shared)


def test_a_rate_of_the_memory_that_a_cache_served_is_no_headline() -> None:
    def of_working_set(working_set: float) -> Assessment:
        return judge(triad(200 * GIGA, conditions={"working_set": working_set}))

    cached, partly = of_working_set(LLC), of_working_set(LLC + 1)
    assert headlines([cached], BENCHMARKS) == {}
    assert headlines([partly], BENCHMARKS)["stream"].value == 200 * GIGA
    assert (
        [figure.headline for figure in cached.figures]
        == [figure.headline for figure in partly.figures]
        == [False, True]
    )
    assert "no headline of the memory, because the working set of 32 MiB stays in the last-level cache of 32 MiB" in [
        words()(warning) for warning in cached.warnings
    ]
    assert "limit-no-headline-cached" not in [warning.code for warning in partly.warnings]
