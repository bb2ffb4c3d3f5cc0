"""Cases that are a collection of problems, generated or a user's own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Collection, Layout, Scalar, Sizing, Statistic
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.problems import own_problems
from banzuke.plan.request import Request, check
from banzuke.testing import machine


def problems(_machine: Machine, layout: Layout, families: Sequence[str]) -> list[dict[str, Scalar]]:
    sizes = (10, 20) if layout.seconds is None else (10, 20, 30)
    return [{"family": family, "n": size} for size in sizes for family in families]


COLLECTION = Collection(
    noun="matrices",
    problems=problems,
    family="family",
    size="n",
    file="file",
    suffixes=(".mtx", ".mtx.gz"),
    along=Statistic("nonzeros", "non-zeros"),
)
BENCHMARK = replace(
    find("stream"),
    defaults=lambda _machine, _layout: {},
    sweep=lambda _machine: [(Layout(1, 4), {})],
    seconds=lambda _machine, _layout, _parameters: 1.0,
    collection=COLLECTION,
    sizing=Sizing(parameters=("n",), lengths=(1.0, 60.0)),
)


def families(_benchmark: Benchmark, backend: str) -> Sequence[str]:
    return ("band", "road") if backend == "omp" else ()


def planned(**request: object) -> list[tuple[str, dict[str, Scalar]]]:
    cases = plan(BENCHMARK, machine(), replace(Request(), **request), families)  # type: ignore[arg-type]
    assert {case.threads for case in cases} == {4}
    return [(case.backend, dict(case.parameters)) for case in cases]


def test_the_standard_cases_are_every_problem() -> None:
    assert planned() == [("omp", {"family": f, "n": n}) for n in (10, 20) for f in ("band", "road")]
    assert len(planned(seconds=60.0)) == 6


def test_settings_apply_to_every_problem() -> None:
    assert planned(overrides={"family": ["road"]}) == [("omp", {"family": "road", "n": n}) for n in (10, 20)]
    assert planned(overrides={"n": ["7"]}) == [("omp", {"family": f, "n": "7"}) for f in ("band", "road")]
    assert len(planned(overrides={"format": ["crs", "sell"]})) == 8


def test_a_family_that_there_is_not_is_refused() -> None:
    with pytest.raises(BanzukeError, match=r"no family 'rod'.*'road'"):
        planned(overrides={"family": ["road", "rod"]})


def test_backends_take_turns() -> None:
    assert [backend for backend, _ in planned(backend="omp,mkl", overrides={"family": ["road"]})] == [
        "omp",
        "mkl",
        "omp",
        "mkl",
    ]


def test_a_folder_is_each_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("b.mtx", "A.MTX.gz", "below/c.mtx", "README"):
        (tmp_path / name).touch()
    names = ["A.MTX.gz", "b.mtx", "below/c.mtx"]
    assert planned(overrides={"file": [str(tmp_path)]}) == [("omp", {"file": str(tmp_path / n)}) for n in names]
    assert own_problems(str(tmp_path / "README"), COLLECTION) == [str(tmp_path / "README")]


def test_nothing_to_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match=r"holds no matrices .*\.mtx or \.mtx\.gz"):
        own_problems(str(tmp_path), COLLECTION)
    with pytest.raises(BanzukeError, match="no file or folder"):
        own_problems(str(tmp_path / "missing"), COLLECTION)


def test_a_time_is_refused_where_files_set_the_size() -> None:
    with pytest.raises(BanzukeError, match="no effect: --set file="):
        check(BENCHMARK, Request(seconds=1.0, overrides={"file": ["x"]}))
