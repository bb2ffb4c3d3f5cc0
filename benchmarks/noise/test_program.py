"""Tests of the program's records, and of what it does if it is moved or may be."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from banzuke.program.installed import program
from banzuke.record.model import Record

CPUS = sorted(os.sched_getaffinity(0))


def words(*more: str) -> list[str]:
    return [str(program("noise", "omp")), "--quantum", "1e-4", *more]


def measured(*more: str) -> Record:
    done = subprocess.run(words(*more), capture_output=True, text=True, check=True, timeout=600)
    return Record.model_validate_json(done.stdout)


def test_a_record_of_fixed_work_has_every_sample_and_its_distribution() -> None:
    record = measured("--samples", "50", "--binding", ",".join(map(str, CPUS[:2])))
    assert record.series.keys() == {"time", "clock"}
    assert [line.cpu for line in record.series["time"].lines] == CPUS[:2]
    assert {len(line.values) for series in record.series.values() for line in series.lines} == {50}
    noise = record.distributions["noise"]
    assert sum(noise.counts) == 50 * len(CPUS[:2])
    largest = max(max(line.values) for line in record.series["time"].lines) * 1e-9
    assert record.metrics["maximum_noise"].samples == [pytest.approx(largest)]
    assert noise.values[-1] * 1e-9 == pytest.approx(largest, rel=0.01)
    assert record.conditions["samples"] == 50


def test_a_record_of_fixed_time_has_the_work_of_every_interval() -> None:
    record = measured("--test", "ftq", "--samples", "50", "--binding", str(CPUS[0]))
    (line,) = record.series["work"].lines
    assert len(line.values) == 50
    most = max(line.values)
    assert record.metrics["noise_share"].samples == [pytest.approx(1 - sum(line.values) / (50 * most))]
    assert record.conditions["quantum"] == pytest.approx(1e-4)


def test_threads_that_may_move_are_refused() -> None:
    if len(CPUS) == 1:
        pytest.skip("hardware: one processor, from which nothing moves")
    refused = subprocess.run(words(), capture_output=True, text=True, check=False, timeout=600)
    assert refused.returncode == 2
    assert "bind them with --binding" in refused.stderr


def used(process: int) -> float:
    """Return the processor seconds that it has used, which other load does not change."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_one_that_was_moved_has_no_figure() -> None:
    if len(CPUS) == 1:
        pytest.skip("hardware: one processor, from which nothing moves")
    there, elsewhere = CPUS[:2]
    call = words("--samples", "20000", "--binding", str(there))
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        # Calibration and warming up take 0.2 s of processor time, the samples 2 s.
        for seconds, processor in ((1.0, elsewhere), (1.1, there)):
            while used(process.pid) < seconds:
                time.sleep(0.01)
            os.sched_setaffinity(process.pid, {processor})
        output, _ = process.communicate(timeout=600)
    record = Record.model_validate_json(output)
    assert record.status == "failed"
    assert "samples that ended on another processor" in str(record.reason)
