"""The jobs that run at the same time under a power cap."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.batch.job import Chunk, Job
from banzuke.batch.submission import PlannedJob
from banzuke.batch.waves import limited, waves
from banzuke.errors import BanzukeError
from banzuke.machine.cluster import Batch, BatchSystem

JOBS = st.lists(st.tuples(st.integers(1, 600), st.integers(1, 600), st.floats(1, 1e4)), min_size=1, max_size=20)
"""Nodes, elements, and watts of a node."""


def planned(nodes: int, elements: int = 1, system: BatchSystem = "slurm", **fields: Any) -> PlannedJob:
    chunk = Chunk("cpu", Batch(system=system), nodes, 1)
    job = Job("banzuke-n", (chunk,), ("true",), Path("/w"), Path("/w/out"), 60, elements=elements)
    return PlannedJob(job=job, run="s-n", **fields)


@given(asked=JOBS, cap=st.floats(6e6, 1e8))
def test_no_wave_is_above_the_cap_and_each_job_is_in_one(asked: list[tuple[int, int, float]], cap: float) -> None:
    jobs = [limited(planned(nodes, elements), watt, cap) for nodes, elements, watt in asked]
    grouped = waves(jobs, cap)
    assert [job for wave in grouped for job in wave] == jobs, "in their order"
    for wave in grouped:
        assert sum(job.watt for job in wave) <= cap
    for wave, following in pairwise(grouped):
        assert sum(job.watt for job in [*wave, following[0]]) > cap, "no more would have fitted"
    for job, (nodes, elements, watt) in zip(jobs, asked, strict=True):
        at_once = job.job.at_once or elements
        assert job.watt == nodes * at_once * watt
        assert at_once == elements or (at_once + 1) * nodes * watt > cap, "no fewer than the cap allows"


def test_without_a_cap_all_jobs_run_at_once() -> None:
    jobs = [planned(nodes) for nodes in (1, 2, 4)]
    assert waves(jobs, None) == [jobs]


def test_an_array_is_limited_where_the_batch_system_can() -> None:
    assert limited(planned(1, 500), 350.0, 14e3).job.at_once == 40
    assert limited(planned(1, 40), 350.0, 14e3).job.at_once is None
    with pytest.raises(BanzukeError) as refusal:
        limited(planned(1, 500, "flux"), 350.0, 14e3)
    assert str(refusal.value.why) == (
        "500 nodes of 350 W, and --power-cap is 14 kW; Flux cannot limit how many elements of an array run at once"
    )
    assert "--hosts" in refusal.value.remedy


@pytest.mark.parametrize("system", ["slurm", "flux"])
def test_a_job_above_the_cap_by_itself_is_refused(system: BatchSystem) -> None:
    with pytest.raises(BanzukeError, match=r"job n takes 1.4 kW \(4 nodes of 350 W, and --power-cap is 1 kW\)"):
        limited(planned(4, 3, system), 350.0, 1e3)
    assert limited(planned(4), 250.0, 1e3).watt == 1e3
