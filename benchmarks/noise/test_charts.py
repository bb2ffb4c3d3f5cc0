"""Tests of the data that charts of noise draw."""

import numpy as np

from benchmarks.noise.charts import _exceeding
from benchmarks.noise.quanta import Steps


def test_a_length_that_no_quantum_had_is_not_drawn() -> None:
    """Its share, 0, has no place on a logarithmic axis."""
    steps = Steps(np.array([1e-6, 2e-6, 3e-6]), np.array([3, 1, 0]))
    assert _exceeding(steps) == [(1e-6, 1.0), (2e-6, 0.25)]
