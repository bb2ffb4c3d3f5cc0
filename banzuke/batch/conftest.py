"""Jobs for the tests of batch systems."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from banzuke.batch.job import Chunk, Job
from banzuke.machine.cluster import Batch, BatchSystem

Make = Callable[..., Job]


@pytest.fixture
def job(tmp_path: Path) -> Make:
    """Make a job that prints `hello`; fields of the job, its chunk and its partition's batch system are given
    by name.
    """

    def make(system: BatchSystem = "slurm", **fields: Any) -> Job:
        batch, chunk, rest = ({key: fields[key] for key in fields if key in names} for names in (_BATCH, _CHUNK, _JOB))
        first = Chunk("cpu", Batch(system=system, **batch), **{"nodes": 1, "tasks": 1} | chunk)
        start = Job("try", (first,), ("echo", "hello"), tmp_path, tmp_path / "out", 3600)
        return replace(start, **rest)

    return make


_BATCH = Batch.model_fields.keys()
_CHUNK = Chunk.__dataclass_fields__.keys() - {"batch"}
_JOB = Job.__dataclass_fields__.keys()
