"""Effects of an axis: like is compared with like, above 1 is better, and meaningless times are left out."""

from dataclasses import replace

import pytest

from banzuke.compare.runs import Comparison
from banzuke.document import Table
from banzuke.judge.effects import NO_TIMES, change, effects, varied
from banzuke.record.model import Binding, Record
from banzuke.report.testing import stream
from banzuke.report.testing.noise import KNOWN, fwq, moved
from banzuke.views.effects import effect_blocks
from banzuke.words.language import words


def shown(line: Comparison) -> str:
    return words()(change(line))


METRICS = {(name, metric.name): metric for name, spec in KNOWN.items() for metric in spec.metrics}


def case(speed: float, environment: str, threads: int = 2, index: int = 1, repetition: int = 0) -> Record:
    return moved(stream(index, threads, speed), environment, repetition).record


def test_each_case_is_held_against_the_same_one_natively() -> None:
    records = [
        case(speed, environment, threads, index, repetition)
        for repetition in range(3)
        for speed, environment, threads, index in (
            *((1.0, "native", 2, 1), (0.9, "container", 2, 1)),
            *((0.5, "native", 1, 2), (0.6, "container", 1, 2)),
        )
    ]
    costs = effects(records, METRICS)
    assert all(cost.line.paired for cost in costs)
    assert [(cost.value, cost.line.case.record.threads) for cost in costs] == [("container", 2), ("container", 1)]
    assert [cost.line.ratio for cost in costs] == [pytest.approx(0.9, rel=0.01), pytest.approx(1.2, rel=0.01)]
    assert [shown(cost.line).split()[-1] for cost in costs] == ["worse", "better"]


def test_cases_that_differ_in_more_are_not_compared() -> None:
    assert effects([case(1.0, "native"), case(0.9, "container", threads=1)], METRICS) == []


def test_one_launch_is_no_verdict_however_large_the_difference() -> None:
    costs = effects([fwq(1, "native").record, fwq(1, "isolated").record], METRICS)
    longest = next(cost.line for cost in costs if cost.line.metric and cost.line.metric.name == "maximum_noise")
    assert longest.ratio
    assert longest.ratio > 100
    assert shown(longest) == "no verdict from one launch"
    assert shown(replace(longest, verdict="faster")).endswith("times better")
    assert shown(replace(longest, ratio=0.5, verdict="slower")) == "2 times worse"


def test_a_difference_that_is_not_sure_is_not_shown() -> None:
    (cost,) = effects(
        [case(1.0, environment, repetition=i) for i in range(5) for environment in ("native", "container")], METRICS
    )
    assert shown(cost.line) == "no difference shown"


def test_emulated_processors_have_no_times() -> None:
    records = [case(1.0, "native"), case(0.01, "vm:tcg"), case(1.0, "isolated")]
    reasons = {cost.value: cost.meaningless for cost in effects(records, METRICS)}
    assert reasons == {"vm:tcg": NO_TIMES, "isolated": None}


def launched(speed: float, **values: str) -> Record:
    record = stream(1, 2, speed).record
    assert record.provenance
    origin = {"variant": values, "case": str(values), "id": f"{values}"}
    return record.model_copy(update={"provenance": record.provenance.model_copy(update=origin)})


def test_each_axis_is_followed_by_itself() -> None:
    records = [
        launched(1.0),
        launched(2.0, memory="interleave"),
        launched(3.0, A="1"),
        launched(6.0, A="1", memory="local"),
    ]
    assert varied(records) == ["memory", "A"]
    assert [(effect.axis, effect.against, effect.value) for effect in effects(records, METRICS)] == [
        ("memory", "", "interleave"),
        ("memory", "", "local"),
        ("A", "", "1"),
    ]
    assert [effect.line.ratio for effect in effects(records, METRICS)] == [
        pytest.approx(ratio, rel=0.1) for ratio in (2, 2, 3)
    ]


def test_the_usual_value_is_the_reference_wherever_it_stands() -> None:
    (effect,) = effects([launched(2.0, pages="base"), launched(1.0)], METRICS)
    assert (effect.against, effect.value) == ("", "base")
    assert effect.line.ratio == pytest.approx(2, rel=0.1)


def test_without_the_usual_value_the_first_is_the_reference() -> None:
    records = [launched(1.0, library="MKL"), launched(0.5, library="OpenBLAS"), case(1.0, "isolated")]
    (effect,) = effects(records, METRICS)
    assert (effect.axis, effect.against, effect.value) == ("library", "MKL", "OpenBLAS")
    assert effect.line.differences == ("library: MKL in A, OpenBLAS in B",)


def tables(*cases: tuple[str, float], launches: int = 3) -> list[Table]:
    records = [case(speed, environment, repetition=i) for i in range(launches) for environment, speed in cases]
    return [table for table, _ in effect_blocks(records, KNOWN, words())]


def best(*cases: tuple[str, float], launches: int = 3) -> list[str]:
    """Return the best values if each of these libraries, with its own backend, had this speed."""
    records = [
        record.model_copy(update={"backend": name or "omp", "provenance": record.provenance.model_copy(update=origin)})
        for i in range(launches)
        for name, speed in cases
        for record in [case(speed, "native", repetition=i)]
        if record.provenance
        for origin in [{"variant": {"library": name} if name else {}, "case": name}]
    ]
    return [words()(said) for _, messages in effect_blocks(records, KNOWN, words()) for said in messages]


def test_the_best_library_is_told_where_a_difference_is_shown() -> None:
    assert best(("", 1.0), ("FFTW", 0.5), ("MKL", 0.8)) == ["stream, Triad: own is the best, 1.25 times MKL"]
    assert best(("", 1.0), ("FFTW", 2.0), ("MKL", 0.8)) == ["stream, Triad: FFTW is the best, 2.00 times own"]
    assert best(("", 1.0), ("FFTW", 0.5), launches=1) == [
        "stream, Triad: own is the best, 2.00 times FFTW, as far as one launch shows"
    ]
    assert best(("", 1.0), ("FFTW", 1.0), launches=5) == []
    assert best(("", 1.0)) == []


def test_each_value_has_a_column_with_ratio_interval_and_verdict() -> None:
    (table,) = tables(("native", 1.0), ("container", 0.9), ("vm:tcg", 0.01))
    assert [column.title for column in table.columns[1:]] == ["native", "container", "vm:tcg"]
    title, reference, container, emulated = table.rows[0].cells
    assert title.text == "stream omp, Triad"
    assert reference.unit == "B/s"
    assert container.value == pytest.approx(0.9, rel=0.01)
    assert "(0.8" in container.text
    assert container.note.endswith("worse")
    assert (emulated.value, emulated.text) == (None, words()(NO_TIMES))


def test_an_interval_takes_three_launches() -> None:
    (table,) = tables(("native", 1.0), ("container", 0.9), launches=2)
    assert "(" not in table.rows[0].cells[2].text


def test_one_value_has_no_table_and_two_are_held_against_the_first() -> None:
    assert tables(("native", 1.0)) == []
    (table,) = tables(("isolated", 1.0), ("container", 1.0))
    assert table.caption == "Environment: ratio to isolated (above 1 is better)"


def by(backend: str, speed: float, *devices: str) -> Record:
    record = stream(1, 1, speed).record
    assert record.provenance
    origin = record.provenance.model_copy(update={"case": backend, "id": f"{backend} {speed}"})
    binding = [Binding(ranks="0", threads=["0"], devices=list(devices))]
    groups = [record.groups[0].model_copy(update={"binding": binding})]
    return record.model_copy(update={"backend": backend, "groups": groups, "provenance": origin})


def test_backends_of_devices_are_compared_with_each_other_and_not_with_those_of_processors() -> None:
    records = [by("omp", 1.0), by("cuda", 9.0, "GPU-1"), by("omptarget", 6.0, "GPU-1")]
    assert varied(records) == ["backend"]
    (effect,) = effects(records, METRICS)
    assert (effect.axis, effect.against, effect.value) == ("backend", "cuda", "omptarget")
    assert effect.line.ratio == pytest.approx(6 / 9, rel=0.1)
    assert varied(records[:2]) == []
    assert varied([by("omp", 1.0), by("blas", 2.0)]) == []
