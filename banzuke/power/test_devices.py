"""Tests of device readings over the hours of a long case."""

import json
from itertools import pairwise

import pytest

from banzuke.power.streams import MOST_READINGS, Stream


def test_a_long_case_keeps_readings_evenly_over_its_time() -> None:
    stream = Stream()
    first = {"host": "h1", "time": 0, "sensors": [], "devices": [{"identity": "GPU-0", "number": 0}]}
    stream.hear(json.dumps(first), 0.0)
    count = 5 * MOST_READINGS
    for n in range(count):
        stream.hear(json.dumps({"time": n, "device": "GPU-0", "state": {"clock": 1e9}}), float(n))
    times = [reading.time for reading in stream.observed["GPU-0"]]
    assert MOST_READINGS / 2 <= len(times) <= MOST_READINGS
    gaps = {after - before for before, after in pairwise(times)}
    assert max(gaps) <= 2 * min(gaps)
    assert times[0] == 0
    assert times[-1] == pytest.approx(count, abs=2 * max(gaps))
    stream.forget(count + 1.0)
    stream.hear(json.dumps({"time": count + 2, "device": "GPU-0", "state": {}}), count + 2.0)
    assert [reading.time for reading in stream.observed["GPU-0"]] == [count + 2]
