"""What is wrong with a `spec.py` is said with its name."""

from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import benchmarks

SPEC = """
from banzuke.plan.benchmark import Benchmark, Metric

BENCHMARK = Benchmark(
    name="sum",
    title="Sum",
    metrics=(Metric("bandwidth", "UNIT", "higher", "Reading"),),
    defaults=lambda machine, layout: {},
    sweep=lambda machine: [],
    seconds=lambda machine, layout, parameters: 1.0,
    default_backend="omp",
)
"""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            SPEC.replace("UNIT", "GB/s"),
            "the metric 'bandwidth' has the unit 'GB/s' .units have no prefixes, and there are",
        ),
        (SPEC.replace("UNIT", "B/s").replace('"sum"', '"sums"'), "the benchmark is named 'sums'"),
        ("BENCHMARK = 5", "BENCHMARK is not a Benchmark"),
        ("import nothing", "cannot be loaded .ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, error: str) -> None:
    (tmp_path / "sum").mkdir()
    (tmp_path / "sum" / "spec.py").write_text(text)
    monkeypatch.setattr(paths, "BENCHMARKS", tmp_path)
    with pytest.raises(BanzukeError, match=rf"sum/spec\.py.*{error}"):
        benchmarks.__wrapped__()
