"""Tests of the environments, load and settings that options select."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from banzuke.cli.axis_options import Axes
from banzuke.cli.console import errors
from banzuke.cli.progress import Silent
from banzuke.cli.read_axes import variants
from banzuke.environment.native import Native
from banzuke.environment.registry import wanted
from banzuke.errors import BanzukeError
from banzuke.evaluation import prepared
from banzuke.evaluation.execute import measure
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepare import make_environments_ready
from banzuke.evaluation.prepared import Prepared
from banzuke.launch.complete import CaseOrigin
from banzuke.plan.catalogue import find
from banzuke.plan.variant import Variants
from banzuke.testing import case, machine


@pytest.fixture(autouse=True)
def _unbound() -> Iterator[None]:
    allowed = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, allowed)


def test_without_options_cases_run_natively_and_alone() -> None:
    assert variants(Axes()) == Variants()


def test_names_and_numbers_are_taken_once_and_in_order() -> None:
    chosen = variants(Axes(environment="vm:tcg, native,vm:tcg", neighbours="3,0,3"))
    assert (chosen.environments, chosen.neighbours) == (("vm:tcg", "native"), (3, 0))


def test_the_shape_of_a_job_is_a_word() -> None:
    assert variants(Axes(shape="2x3x2:torus")).shape == "2x3x2:torus"
    for text in ("", "a b", "-x", "a;b", "12\n"):
        with pytest.raises(BanzukeError, match="is not understood"):
            variants(Axes(shape=text))


def test_orders_of_ranks_are_known_ones_and_place_has_a_network() -> None:
    assert variants(Axes(order="node, random:7,node")).orders == ("node", "random:7")
    assert variants(Axes(order="place", network="a.toml")).orders == ("place",)
    refused = {"random": "has no seed", "random:-1": "no order 'random:-1'", "": "no order ''", "place": "--topology"}
    for text, why in refused.items():
        with pytest.raises(BanzukeError, match=why):
            variants(Axes(order=text))
    with pytest.raises(BanzukeError, match="--topology has no effect"):
        variants(Axes(network="a.toml"))


def test_an_image_that_is_a_file_is_known_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "root").mkdir()
    assert variants(Axes(environment="container", image=["root", "root"])).images == (str(tmp_path / "root"),)
    assert variants(Axes(environment="container", image=["debian:12", "b"])).images == ("debian:12", "b")


def test_with_isolation_everything_keeps_to_the_jobs_processors() -> None:
    first, *rest = sorted(os.sched_getaffinity(0))
    chosen = variants(Axes(environment="native,isolated", os_cores=str(first)))
    assert chosen.os_cores == (first,)
    assert os.sched_getaffinity(0) == set(rest)


@pytest.mark.parametrize(
    ("names", "image", "os_cores", "neighbours", "message"),
    [
        ("native", "/images/a", None, "0", "--image /images/a has no effect"),
        ("vm", None, "0", "0", "--os-cores has no effect"),
        ("isolated", None, "0-", "0", "'0-' is not a list of processors"),
        ("isolated", None, "1000000", "0", "does not exist"),
        ("isolated", None, f"0-{(os.cpu_count() or 1) - 1}", "0", "no processor is left for the job"),
        ("native", None, None, "-1", "'-1' is not a number of processes"),
        ("native", None, None, "1025", "up to 1,024"),
        ("native", None, None, "", "is not a number of processes"),
        ("fun", None, None, "0", "there is no environment 'fun'"),
    ],
)
def test_what_makes_no_sense_is_refused(
    names: str, image: str | None, os_cores: str | None, neighbours: str, message: str
) -> None:
    before = os.sched_getaffinity(0)
    axes = Axes(environment=names, image=[image] if image else None, os_cores=os_cores, neighbours=neighbours)
    with pytest.raises(BanzukeError) as refusal:
        variants(axes)
    assert message in str(refusal.value)
    assert os.sched_getaffinity(0) == before


def test_each_axis_takes_a_list() -> None:
    axes = Axes(
        library="MKL, openblas",
        memory="local,bind:0,2-3,interleave",
        pages="base,transparent",
        cores=["2,1", "1-2", "0"],
        env=["A=1,2", "B=x y;'", r"C=self\,tcp,", "A=3"],
        launcher_options=["", "-genv  D 'e f'"],
    )
    chosen = variants(axes)
    assert chosen.libraries == ("MKL", "openblas")
    assert chosen.memories == ("local", "bind:0,2-3", "interleave")
    assert chosen.pages == ("base", "transparent")
    assert chosen.cores == ("1-2", "0")
    assert chosen.variables == (("A", ("1", "2", "3")), ("B", ("x y;'",)), ("C", ("self,tcp", "")))
    assert chosen.launchers == ("", "-genv D 'e f'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "near"}, "--memory 'near' is not a memory policy"),
        ({"memory": "bind"}, "--memory 'bind' is not a memory policy"),
        ({"memory": "bind:x"}, "--memory 'bind:x' is not a memory policy"),
        ({"memory": "local:0"}, "--memory 'local:0' is not a memory policy"),
        ({"memory": ""}, "--memory '' is not a memory policy"),
        ({"pages": "huge"}, "there are no pages 'huge'"),
        ({"pages": "base,"}, "there are no pages ''"),
        ({"library": ","}, "--library ',' is not understood"),
        ({"cores": ["0-"]}, "--cores '0-' is not a list of processors"),
        ({"cores": [""]}, "--cores '' is not a list of processors"),
        ({"env": ["A"]}, "--env 'A' is not understood"),
        ({"env": ["=1"]}, "--env '=1' is not understood"),
        ({"env": ["a b=1"]}, "--env 'a b=1' is not understood"),
        ({"env": ["OMP_NUM_THREADS=1"]}, "--env OMP_NUM_THREADS cannot be varied (--threads sets it)"),
        ({"env": ["OMP_PLACES=cores"]}, "--env OMP_PLACES cannot be varied"),
        ({"env": ["BANZUKE_BLAS=/x"]}, "--env BANZUKE_BLAS cannot be varied"),
        ({"env": ["memory=1"]}, "--env memory cannot be varied"),
        ({"launcher_options": ["-genv A 'b"]}, "is not understood (No closing quotation)"),
    ],
)
def test_an_axis_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BanzukeError) as refusal:
        variants(Axes(**options))
    assert message in str(refusal.value)


def test_what_speaks_against_the_times_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(environments={wanted("vm:tcg"): Native(warning="times mean nothing")})
    make_environments_ready(
        [case(environment="vm:tcg"), case(environment="vm:tcg", threads=1)], machine(), options, errors
    )
    assert capsys.readouterr().err.count("vm:tcg: times mean nothing") == 1


def test_an_environment_that_cannot_be_had_is_refused() -> None:
    with pytest.raises(BanzukeError, match=r"(?i)mckernel"):
        make_environments_ready([case(environment="mckernel")], machine(), Options(), errors)


def test_the_others_go_on_where_one_environment_is_not_to_be_had(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "check", lambda *_: [])
    options = Options()
    cases = [case(environment=name) for name in ("native", "mckernel")]
    make_environments_ready(cases, machine(), options, errors)
    assert "mckernel is skipped: McKernel is not installed here" in capsys.readouterr().err
    ready = Prepared(machine(), {"stream": find("stream")})
    record = measure(cases[1], ready, Silent(), options, CaseOrigin("r", "m"))
    assert (record.status, record.unsupported) == ("skipped", True)
    assert "McKernel is not installed here" in (record.reason or "")


def test_a_mistyped_environment_is_refused() -> None:
    with pytest.raises(BanzukeError, match="there is no environment 'nativ'"):
        make_environments_ready([case(), case(environment="nativ")], machine(), Options(), errors)
