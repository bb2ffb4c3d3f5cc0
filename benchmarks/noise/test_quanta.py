"""Tests of noise from made-up quanta, by hand and by property."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.record.figures import Distribution, Line, Samples, Series, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record
from banzuke.report.testing.parts import START
from banzuke.testing import grouped
from banzuke.words import Listed
from benchmarks.noise.quanta import Core, NoiseStatistics, RecordedNoise, Steps
from benchmarks.noise.quanta import statistics as statistics_of
from benchmarks.noise.sources import processor, remark


def line(values: list[int], cpu: int = 0, host: str = "n1", rank: int = 0, base: float = 6e-3) -> Line:
    return Line(host=host, rank=rank, thread=cpu, cpu=cpu, base=base, values=values)


def series(*lines: Line, left_out: int = 0, unit: str = "s", resolution: float = 1e-9) -> Series:
    return Series(unit=unit, resolution=resolution, lines=list(lines), left_out=left_out)


def made(named: dict[str, Series], **more: Any) -> Record:
    first = next(iter(named.values()))
    fields: dict[str, Any] = {
        "benchmark": "noise",
        "backend": "omp",
        "parameters": {},
        "ranks": 1,
        "threads": len(first.lines) + first.left_out,
        "status": "ok",
        "started": START,
        "ended": START,
        "metrics": {"maximum_noise": Samples(unit="s", samples=[1e-3])},
        "verification": [Verification(quantity="wrong", value=0, tolerance=0, passed=True)],
        "series": named,
    }
    return Record.model_validate(grouped(fields | more))


def noise(named: dict[str, Series], **more: Any) -> RecordedNoise:
    recorded = RecordedNoise.of(made(named, **more))
    assert recorded
    return recorded


def statistics(steps: list[tuple[float, int]], seconds: float) -> NoiseStatistics:
    lengths, counts = zip(*steps, strict=True)
    return statistics_of(Steps(np.array(lengths), np.array(counts)), seconds)


def test_noise_is_what_a_quantum_took_longer_than_the_shortest_of_its_processor() -> None:
    recorded = noise({"time": series(line([5, 12, 1130]), line([300, 100, 100], cpu=1, base=7e-3))}, metrics=METRICS)
    assert [list(trace.lengths) for trace in recorded.traces] == [[0, 7, 1125], [200, 0, 0]]
    assert (1e9 * recorded.steps.lengths).round().tolist() == [0, 7, 200, 1125]
    assert recorded.steps.counts.tolist() == [3, 1, 1, 1]
    assert recorded.all.maximum == pytest.approx(1125e-9)
    assert recorded.seconds == pytest.approx(3 * 6e-3 + 3 * 7e-3 + 1647e-9)
    assert recorded.all.share == pytest.approx(1332e-9 / recorded.seconds)
    assert recorded.quantum == pytest.approx(6e-3 + 5e-9)
    assert [core.cpu for core in recorded.cores] == [0, 1]


METRICS = {"mean_noise": Samples(unit="s", samples=[1e-9])}


def test_what_all_pieces_took_longer_alike_is_the_clock_s() -> None:
    recorded = noise({"time": series(line([0, 100, 500])), "clock": series(line([20, 90, 20], base=0.0))})
    assert recorded.traces[0].beyond is not None
    assert list(recorded.traces[0].beyond) == [0, 30, 500]
    assert recorded.beyond is None
    told_apart = Distribution(unit="s", resolution=1e-9, values=[0, 30, 500], counts=[1, 1, 1])
    separated = noise({"time": series(line([0, 100, 500]))}, distributions={"noise_beyond_clock": told_apart})
    assert separated.clock_share == pytest.approx(70 / 600)


def test_the_record_s_own_figures_stand_over_rounded_ones() -> None:
    rounded = Distribution(unit="s", resolution=1e-9, values=[0, 1130], counts=[9, 1])
    metrics = {"maximum_noise": Samples(unit="s", samples=[1.1234e-6]), "noise_share": Samples(unit="1", samples=[0.5])}
    recorded = noise({"time": series(line([0, 1123]))}, distributions={"noise": rounded}, metrics=metrics)
    assert (recorded.all.maximum, recorded.all.share, recorded.all.count) == (1.1234e-6, 0.5, 10)


def test_a_thousand_steps_are_no_more_than_a_microsecond() -> None:
    recorded = noise({"time": series(line([0, 1000, 1001, 10000, 10010]))}, metrics=METRICS)
    assert list(recorded.all.above.values()) == [3, 1, 0]


def test_no_percentile_and_no_mean_is_longer_than_the_program_counted() -> None:
    rounded = Distribution(unit="s", resolution=1e-9, values=[0, 1130], counts=[1, 99])
    metrics = {
        name: Samples(unit="s", samples=[value])
        for name, value in (("maximum_noise", 1.1234e-6), ("noise_share", 0.5), ("mean_noise", 1.1e-6))
    }
    recorded = noise({"time": series(line([0, 1123]))}, distributions={"noise": rounded}, metrics=metrics)
    assert recorded.all.percentiles[0.5] == 1.1234e-6
    assert recorded.all.mean == pytest.approx(1.1e-6)
    assert recorded.seconds == pytest.approx(100 * 1.1e-6 / 0.5)


def test_processors_that_were_left_out_count_for_time_and_cores() -> None:
    metrics = {
        "core_maximum_noise": Samples(unit="s", samples=[1e-3, 2e-3, 3e-3, 4e-3]),
        "core_noise_share": Samples(unit="1", samples=[0.01, 0.01, 0.01, 0.4]),
    }
    recorded = noise(
        {"time": series(line([0, 10]), left_out=3)},
        ranks=2,
        threads=2,
        metrics=metrics,
        hosts=[Hosts(names="a", ranks="0"), Hosts(names="b", ranks="1")],
        binding=[Binding(ranks="0-1", threads=["4", "6"])],
    )
    assert [(core.host, core.cpu) for core in recorded.cores] == [("a", 4), ("a", 6), ("b", 4), ("b", 6)]
    assert recorded.seconds == pytest.approx(4 * recorded.traces[0].time)
    (worst,) = recorded.worse
    assert worst == Core("b", 6, 4e-3, 0.4)
    assert remark(recorded, [recorded]).facts["noisiest"] == Listed((processor(worst),), 2)


def test_of_fixed_times_the_missing_work_is_time() -> None:
    recorded = noise(
        {"work": series(line([1000, 900, 1000, 500], base=0.0), unit="1", resolution=1)}, conditions={"quantum": 1e-3}
    )
    assert recorded.kind == "ftq"
    assert [length * recorded.traces[0].resolution for length in recorded.traces[0].lengths] == pytest.approx(
        [0, 1e-4, 0, 5e-4]
    )
    assert recorded.all.share == pytest.approx(6e-4 / 4e-3)


def test_a_percentile_is_the_least_that_so_many_do_not_exceed() -> None:
    assert statistics([(1.0, 1), (2.0, 1), (3.0, 1)], 1.0).percentiles[0.5] == 2.0
    assert statistics([(1.0, 1), (2.0, 1)], 1.0).percentiles[0.5] == 1.0


def test_a_processor_that_loses_hardly_more_is_no_exception() -> None:
    metrics = {
        "core_maximum_noise": Samples(unit="s", samples=[1e-3] * 4),
        "core_noise_share": Samples(unit="1", samples=[0, 0, 0, 5e-5]),
    }
    bound = [Binding(ranks="0", threads=["0", "1", "2", "3"])]
    recorded = noise({"time": series(*(line([0, 10], cpu=cpu) for cpu in range(4)))}, metrics=metrics, binding=bound)
    assert [core.share for core in recorded.cores] == [0, 0, 0, 5e-5]
    assert recorded.worse == ()


def test_threads_that_could_move_are_told_by_where_they_were() -> None:
    metrics = {name: Samples(unit="s", samples=[1e-3] * 2) for name in ("core_maximum_noise", "core_noise_share")}
    times = series(line([0, 10], cpu=3), line([0, 10], cpu=5))
    recorded = noise({"time": times}, metrics=metrics, binding=[Binding(ranks="0", threads=["0-7", "0-7"])])
    assert [core.cpu for core in recorded.cores] == [3, 5]


def test_percentiles_are_told_where_a_quantum_lies_beyond() -> None:
    few = statistics([(0.0, 98), (1e-6, 1), (5e-6, 1)], 1.0)
    assert few.percentiles == {0.5: 0.0, 0.99: 1e-6}
    assert few.above == {1e-6: 1, 1e-5: 0, 1e-4: 0}
    many = statistics([(0.0, 9990), (2e-5, 9), (3e-3, 1)], 1.0)
    assert many.percentiles == {0.5: 0.0, 0.99: 0.0, 0.999: 0.0, 0.9999: 2e-5}
    assert many.above == {1e-6: 10, 1e-5: 10, 1e-4: 1}
    assert many.share == pytest.approx(many.mean * many.count)


lines_of_noise = st.lists(st.lists(st.integers(0, 50), min_size=7, max_size=7), min_size=1, max_size=3)


@given(lines_of_noise, st.integers(1, 9))
def test_each_quantum_lies_in_the_band_or_is_told(values: list[list[int]], columns: int) -> None:
    recorded = noise({"time": series(*(line(lengths, cpu=cpu) for cpu, lengths in enumerate(values)))})
    drawn = recorded.envelope(columns)
    assert len(drawn.low) == len(drawn.high) <= columns
    points = {(point.trace, point.number): point.noise for point in drawn.points}
    assert len(points) == len(drawn.points)
    for index, trace in enumerate(recorded.traces):
        for number, length in enumerate(trace.lengths):
            column, seconds = number // drawn.width, length * 1e-9
            if (index, number) in points:
                assert points[index, number] == seconds
                assert seconds >= drawn.high[column]
            else:
                assert drawn.low[column] <= seconds <= drawn.high[column]


def test_noise_that_hardly_differs_is_a_band_alone() -> None:
    even = noise({"time": series(line([1, *(1000 + at % 7 for at in range(999)), 5000]))})
    drawn = even.envelope(10)
    assert [point.number for point in drawn.points] == [1000]


def test_a_record_of_something_else_has_no_noise() -> None:
    assert RecordedNoise.of(made({"temperature": series(line([1]), unit="K")})) is None
