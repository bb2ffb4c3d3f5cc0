"""Which records make a scaling study, its kind, and its remarks."""

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banzuke.amounts import Tree
from banzuke.plan.catalogue import benchmarks
from banzuke.record.model import Record
from banzuke.record.testing import records as any_records
from banzuke.scaling.data import scaling_json
from banzuke.scaling.find import scaling_studies
from banzuke.scaling.model import Scaling, ScalingStudy
from banzuke.scaling.testing import NODE_RATE, copies, record, scaled
from banzuke.words.language import words

SPECS = benchmarks()


def studied(*records: Record) -> Scaling:
    return scaling_studies(records, SPECS)


def only_study(*records: Record) -> ScalingStudy:
    (study,) = studied(*records).studies
    return study


def codes(study: ScalingStudy) -> list[str]:
    return [remark.code for remark in study.remarks]


def test_an_equal_problem_is_strong_scaling() -> None:
    study = only_study(*scaled([4, 1, 2], lambda p: 1 / p**0.5))
    assert (study.kind, [count.nodes for count in study.counts]) == ("strong", [1, 2, 4])
    assert [study.efficiency(count) for count in study.counts] == pytest.approx([1, 0.5**0.5, 0.5])
    assert study.speed_up(study.counts[-1]) == pytest.approx(2)


def test_a_problem_that_grows_is_weak_scaling_and_both_share_the_fewest_nodes() -> None:
    both = [*scaled([1, 2, 4], lambda _: 0.9), *scaled([2, 4], lambda _: 0.95, grows=True)]
    by_kind = {study.kind: study for study in studied(*both).studies}
    assert {kind: [count.nodes for count in study.counts] for kind, study in by_kind.items()} == {
        "strong": [1, 2, 4],
        "weak": [1, 2, 4],
    }
    assert [count.sizes["n"] for count in by_kind["weak"].counts] == [20000, 25198, 31748]
    assert by_kind["weak"].efficiency(by_kind["weak"].counts[2]) == pytest.approx(0.95 / 0.9)


def test_ranks_that_each_have_a_part_have_one_problem_where_the_parts_become_smaller() -> None:
    def part(edge: int, nodes: int) -> Record:
        return record(nodes, 1e10 * nodes, benchmark="hpcg", parameters={"nx": edge, "ny": 32, "nz": 32, "seconds": 5})

    assert only_study(part(64, 1), part(32, 2)).kind == "strong"
    assert only_study(part(64, 1), part(64, 2)).kind == "weak"


def test_copies_at_the_same_time_are_summed() -> None:
    study = only_study(*copies(1), *copies(2), *copies(4, rate=0.9e11))
    assert (study.kind, [count.nodes for count in study.counts]) == ("throughput", [1, 2, 4])
    assert [count.rate for count in study.counts] == pytest.approx([1e11, 2e11, 3.6e11])
    assert "scaling-apart" not in codes(study)


def test_copies_one_after_the_other_or_on_one_node_are_told() -> None:
    for other in (copies(2, apart=59.0), copies(2, shared=True)):
        (apart,) = (remark for remark in only_study(*copies(1), *other).remarks if remark.code == "scaling-apart")
        assert words()(apart).startswith("On 2 nodes")


def test_a_copy_without_a_figure_has_no_sum() -> None:
    n = {"n": 10**8}
    broken = [record(1, 0, benchmark="stream", parameters=n, run="c2.3", batch="c2", host=3, failed="a check failed")]
    scaling = studied(*copies(1), *copies(2), *broken)
    assert not scaling.studies


def test_unlike_machines_versions_partitions_and_settings_are_apart() -> None:
    def at(nodes: int, **changes: object) -> Record:
        return record(nodes, nodes * NODE_RATE, **changes)  # type: ignore[arg-type]

    for changes in (
        {"machine": "other"},
        {"version": "2"},
        {"partition": "gpu"},
        {"parameters": {"n": 20000, "precision": "single"}},
    ):
        assert not studied(at(1), at(2, **changes)).studies
        two = studied(at(1), at(2), at(1, **changes), at(2, **changes)).studies
        assert len(two) == 2
    assert [
        study.partition for study in studied(at(1), at(2), at(1, partition="gpu"), at(2, partition="gpu")).studies
    ] == [
        "",
        "gpu",
    ]


def test_installations_of_one_version_make_one_study() -> None:
    study = only_study(record(1, 1e12, version="1+1a.2b"), record(2, 2e12, version="1+3c.4d"))
    assert [count.nodes for count in study.counts] == [1, 2]


def test_how_a_problem_is_solved_may_differ_by_the_ranks() -> None:
    study = only_study(
        record(1, 1e12), record(2, 2e12, parameters={"n": 20000, "order": "column", "broadcast": "long"})
    )
    assert [count.nodes for count in study.counts] == [1, 2]


def test_the_fastest_settings_of_a_number_of_nodes_count() -> None:
    slower = record(2, NODE_RATE, parameters={"n": 20100, "broadcast": "ring"})
    study = only_study(*scaled([1, 2], lambda _: 1.0), slower)
    assert study.efficiency(study.counts[1]) == pytest.approx(1)
    study = only_study(*scaled([1], lambda _: 1.0), slower)
    assert codes(study) == ["scaling-sizes-differ", "scaling-one-launch"]


def test_the_interval_of_an_efficiency_holds_the_truth_and_one_launch_has_none() -> None:
    for together in (False, True):
        study = only_study(
            *scaled([1, 2, 4], lambda p: 0.9 if p > 1 else 1.0, noise=0.01, launches=5, together=together)
        )
        interval = study.efficiency_interval(study.counts[2])
        assert interval
        assert 0.9 in interval
        assert interval.high - interval.low < 0.1
    alone = only_study(*scaled([1, 2], lambda _: 1.0, launches=1))
    assert alone.efficiency_interval(alone.counts[1]) is None
    assert codes(alone) == ["scaling-one-launch"]


def test_one_run_of_each_number_of_nodes_has_no_interval() -> None:
    """However many launches there are, because the machine may change between two runs."""
    jobs = [
        launch.having(provenance=own.having(run=f"r{launch.nodes}"))
        for launch in scaled([1, 2], lambda _: 1.0, noise=0.01)
        if (own := launch.provenance)
    ]
    study = only_study(*jobs)
    assert study.efficiency_interval(study.counts[1]) is None
    assert codes(study) == ["scaling-runs-apart"]


NEAR: Mapping[str, Tree] = {"exchange_latency": 38e-9, "exchange_processors": "0,7"}
FAR: Mapping[str, Tree] = {**NEAR, "exchange_latency": 150e-9}
BUSY: Mapping[str, Tree] = {"other_busy_fraction": 0.4}


def under(conditions: Mapping[str, Tree], launches: Iterable[Record]) -> list[Record]:
    return [launch.having(conditions=conditions) for launch in launches]


def told(study: ScalingStudy) -> list[str]:
    return [words()(remark) for remark in study.remarks]


def test_launches_of_the_state_of_most_numbers_of_nodes_are_compared() -> None:
    """Launches with far processors are faster, and would otherwise be the best on their numbers of nodes."""
    near = under(NEAR, scaled([1, 2, 4], lambda _: 0.9))
    far = under(FAR, scaled([2, 8], lambda _: 1.6, launches=4))
    study = only_study(*near, *far)
    assert [count.nodes for count in study.counts] == [1, 2, 4]
    assert [study.efficiency(count) for count in study.counts] == pytest.approx([1, 1, 1])
    assert told(study)[:2] == [
        "Compared in one state of the machine: near processors, in which 9 of 17 launches ran.",
        "Measurements on 8 nodes are left out: all were in other states (far processors).",
    ]
    alike = only_study(*near, *under(NEAR, scaled([8], lambda _: 0.9)))
    assert codes(alike) == ["scaling-runs-apart"], "nothing is said of a machine with one state"


def test_no_two_numbers_of_nodes_in_one_state_are_no_study() -> None:
    """It is unknown whether the benchmark scales badly or the machine changed."""
    moved = {**FAR, "exchange_latency_before": NEAR["exchange_latency"]}
    apart = studied(*under(NEAR, scaled([1], lambda _: 1)), *under(FAR, scaled([2], lambda _: 1.6)))
    between = studied(*under(NEAR, scaled([1], lambda _: 1)), *under(moved, scaled([2], lambda _: 1.6)))
    disturbed = studied(*scaled([1], lambda _: 1), *under(BUSY, scaled([2], lambda _: 0.1)))
    why = ("hpl: no two numbers of nodes undisturbed and in one state of the machine (1, 2 measured)",)
    assert (apart, disturbed) == (Scaling((), why), Scaling((), why))
    assert between.studies, "no second level was seen"


def test_disturbed_launches_do_not_count() -> None:
    study = only_study(*scaled([1, 2, 4], lambda _: 0.9), *under(BUSY, scaled([2, 4], lambda _: 0.1, launches=4)))
    assert [study.efficiency(count) for count in study.counts] == pytest.approx([1, 1, 1])
    assert told(study)[:1] == [
        "8 launches on 2 and 4 nodes were disturbed by other processes or by the hypervisor and do not count."
    ]


def test_copies_in_unlike_states_are_told_and_disturbed_ones_do_not_count() -> None:
    first, second = copies(2)
    third = copies(4)
    busy = [launch.having(conditions=BUSY) if at == 2 else launch for at, launch in enumerate(third)]
    study = only_study(*under(NEAR, copies(1)), *under(NEAR, [first]), *under(FAR, [second]), *busy)
    assert [count.nodes for count in study.counts] == [1, 2]
    assert told(study)[:2] == [
        "1 launch on 4 nodes was disturbed by other processes or by the hypervisor and does not count.",
        "On 2 nodes the copies ran in different states of the machine: near processors and far processors.",
    ]


def test_more_than_perfect_is_explained_and_not_hidden() -> None:
    study = only_study(*scaled([1, 2, 4], lambda p: 1.2 if p > 1 else 1.0, noise=0.001))
    assert study.efficiency(study.counts[1]) == pytest.approx(1.2, rel=0.01)
    assert codes(study) == ["scaling-beyond"]
    assert "caches" in words()(study.remarks[0])


def test_failed_launches_are_counted_and_a_number_of_nodes_without_a_figure_has_none() -> None:
    failed = record(2, 0, repetition=9, failed="residual too large")
    study = only_study(*scaled([1, 2], lambda _: 1.0), failed, record(8, 0, failed="it was killed"))
    assert [count.nodes for count in study.counts] == [1, 2]
    assert study.remarks[0].facts["number"] == 1
    scaling = studied(record(1, NODE_RATE), record(2, 0, failed="it was killed"))
    assert not scaling.studies
    assert scaling.without == ("hpl: failed on several nodes: it was killed",)


def test_figures_that_no_ratio_can_be_made_of_are_no_study() -> None:
    assert not studied(record(1, NODE_RATE), record(2, 0.0)).studies
    assert studied(record(2, NODE_RATE)).without == (
        "hpl: no two numbers of nodes with the same settings (2 measured)",
    )
    assert studied() == Scaling(())


def test_no_more_nodes_are_proposed_than_there_are() -> None:
    scaling = scaling_studies(scaled([1, 2, 4], lambda p: 1 / p**0.1), SPECS, nodes={"m": 4})
    assert scaling.studies[0].next
    assert scaling.studies[0].next.nodes == 3


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_records, max_size=3))
def test_any_records_have_studies_or_none(records: list[Record]) -> None:
    scaling_json(studied(*records), words())
