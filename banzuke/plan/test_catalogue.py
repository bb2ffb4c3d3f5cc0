"""Mistakes in a `spec.py` are reported with its name; and rules that all of them follow."""

import re
import sys
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.plan.axes import AXES, BACKEND
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.testing import in_tests

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


BESIDE = SPEC.replace("UNIT", "B/s").replace('"sum"', '"beside"')


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


BROKEN = "import nothing"


def catalogue(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> Benchmark:
    """The benchmark of these files, by their names without suffix."""
    own = folder / "beside"
    own.mkdir()
    for name, text in files.items():
        (own / f"{name}.py").write_text(text)
    monkeypatch.setattr(paths, "BENCHMARKS", folder)
    for name in [name for name in sys.modules if name.startswith("banzuke_spec_beside")]:
        monkeypatch.delitem(sys.modules, name)
    return benchmarks.__wrapped__()["beside"]


def test_a_view_and_a_model_are_found_by_the_names_of_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = catalogue(tmp_path, monkeypatch, spec=BESIDE, view="VIEWS = ('mine',)", model="MODEL = 'mine'")
    assert [str(view) for view in loaded.views] == ["mine"]
    assert loaded.model
    assert str(loaded.model()) == "mine"


def test_a_broken_model_or_view_is_told_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = catalogue(tmp_path, monkeypatch, spec=BESIDE, model=BROKEN)
    assert loaded.model
    with pytest.raises(BanzukeError, match=r"beside/model\.py cannot be loaded .ModuleNotFoundError"):
        loaded.model()
    (tmp_path / "beside" / "view.py").write_text("")
    views = benchmarks.__wrapped__()["beside"].views
    with pytest.raises(BanzukeError, match=r"beside/view\.py cannot be loaded .AttributeError.*VIEWS"):
        list(views)


def test_views_stand_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = BESIDE.replace("title=", "views=(1,), title=")
    with pytest.raises(BanzukeError, match=r"beside/spec\.py: it has views, and there is a view\.py"):
        catalogue(tmp_path, monkeypatch, spec=both, view="VIEWS = (2,)")


HOW = {"rounds", "repetitions", "iterations", "samples", "seconds", "most_seconds"}
"""Parameters that say how often or how long programs measure."""


def parameters(benchmark: str) -> set[str]:
    """Return the names of its parameters from the C++ sources that declare them."""
    folder = Path(__file__).parents[2] / "benchmarks" / benchmark
    sources = [file for file in (*folder.glob("*.cpp"), *folder.glob("*.hpp")) if not file.name.startswith("test_")]
    return {name for file in sources for name in re.findall(r'parameters\.add\(\s*"(\w+)"', file.read_text())}


@pytest.mark.catalogue
@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_how_often_and_how_long_is_measured_is_declared_as_such(name: str) -> None:
    declared, sizing = parameters(name), benchmarks()[name].sizing
    assert declared
    assert set(sizing.method) == (declared & HOW) - {*in_tests(name, "PROBLEM", ())}
    assert not set(sizing.method) & set(sizing.parameters)
    assert sizing.duration in ("", *sizing.method)


@pytest.mark.catalogue
@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_no_parameter_has_the_name_of_an_axis(name: str) -> None:
    """Settings may contain both: HPL's and FFT's `order` once hid which rank was on which host."""
    assert not parameters(name) & {*AXES, BACKEND.name, "placement", "hosts", "ranks", "threads", "devices", "groups"}
