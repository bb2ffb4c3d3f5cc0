"""Settings that are kept for later runs, and stored ones that are refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.evaluation.stored import Tuned, applied, file, load, save
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Layout, Metric, Scalar
from banzuke.plan.capabilities import Libraries
from banzuke.plan.cases import plan
from banzuke.plan.layouts import on_all_cores
from banzuke.plan.request import Request
from banzuke.plan.variant import Variant, Variants
from banzuke.testing import machine, with_hosts

SERIAL = machine(cores=4)
HERE = SERIAL.changed(partition={"software": SERIAL.software.model_copy(update={"mpi": {"/bin/mpiexec": "MPICH"}})})


def defaults(_machine: Machine, layout: Layout) -> dict[str, Scalar]:
    return {"n": 1000, "nb": 64, "p": 1, "q": layout.ranks}


def sweep(_machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
    whole = Layout(1, 4)
    return [(whole, {}), (whole, {"n": 500, "nb": 64}), (whole, {"nb": 32}), (Layout(1, 1), {})]


def seconds(_machine: Machine, _layout: Layout, _parameters: Mapping[str, Scalar]) -> float:
    return 1.0


BENCHMARK = Benchmark(
    name="lu",
    title="LU",
    metrics=(Metric("flop_rate", "flop/s", "higher", "LU", headline=True),),
    defaults=defaults,
    sweep=sweep,
    seconds=seconds,
    default_backend="blas",
    libraries=Libraries(blas=True),
)
FOUND = Tuned(
    benchmark="lu",
    backend="blas",
    machine=HERE.fingerprint,
    blas="OpenBLAS",
    date=datetime(2026, 1, 2, tzinfo=UTC),
    banzuke="0.1",
    commit=None,
    run="r",
    ranks=2,
    threads=2,
    parameters={"nb": 128, "p": 2, "q": 1, "swap": "roll"},
    gain=1.034,
)
PROGRAM = """#!/bin/sh
case "$*" in *--nb\\ 0*) echo '{"refused": {"why": "nb: 0 is too small", "remedy": "", "nearest": []}}'; exit 2;; esac
echo '{"benchmark": "lu", "backend": "blas", "schema_version": 1, "parameters": [], "problem": null,
       "compiler": "c", "flags": "f", "mpi": "none", "mpi_name": "none"}'
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "banzuke-lu-blas").write_text(PROGRAM)
    (tmp_path / "banzuke-lu-blas").chmod(0o755)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    monkeypatch.setenv("BANZUKE_TUNED", str(tmp_path / "tuned"))
    return tmp_path / "tuned"


def test_what_is_kept_is_read_back(folder: Path) -> None:
    assert load(BENCHMARK, "blas", HERE) is None
    assert save(BENCHMARK, FOUND, HERE).parent == folder
    assert load(BENCHMARK, "blas", HERE) == FOUND
    assert FOUND.text() == "2 x 2, nb=128, p=2, q=1, swap=roll, 1.03x the default"
    assert FOUND.model_copy(update={"gain": 1.0}).text().endswith("swap=roll, which is the default")
    assert FOUND.model_copy(update={"gain": None}).text().endswith("swap=roll, gain not confirmed")


def test_settings_that_others_could_have_written_are_not_taken(folder: Path) -> None:
    """Settings contain variables and launchers of what is started."""
    save(BENCHMARK, FOUND, HERE).chmod(0o666)
    with pytest.raises(BanzukeError, match=r"nothing is taken from .*can be written by everybody"):
        load(BENCHMARK, "blas", HERE)
    assert folder.exists()


def test_another_library_or_machine_finds_nothing() -> None:
    save(BENCHMARK, FOUND, HERE)
    (blas,) = HERE.software.blas
    newer = HERE.software.model_copy(update={"blas": [blas.model_copy(update={"version": "0.4"})]})
    assert load(BENCHMARK, "blas", HERE.changed(partition={"software": newer})) is None
    assert load(BENCHMARK, "blas", HERE.changed(allotment={"fingerprint": "other"})) is None
    assert load(BENCHMARK, "omp", HERE) is None


def test_the_place_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BANZUKE_TUNED")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert file(BENCHMARK, "blas", HERE) == tmp_path / "banzuke" / "tuned" / "0123456789ab-lu-blas-OpenBLAS.json"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert file(BENCHMARK, "blas", HERE).is_relative_to("/home/someone/.local/share/banzuke/tuned")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"machine": "another"}, "not of this machine"),
        ({"blas": "MKL"}, "not of this machine"),
        ({"ranks": 0}, "ranks: Input should be greater"),
        ({"parameters": {"nb": [1]}}, "not a tuned setting"),
        ({"parameters": {"nb": 0}}, "nb: 0 is too small"),
        ({"surprise": 1}, "surprise: Extra inputs"),
    ],
)
def test_a_broken_or_foreign_file_is_named(changes: dict[str, object], said: str) -> None:
    path = save(BENCHMARK, FOUND, HERE)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(BanzukeError, match=said) as error:
        load(BENCHMARK, "blas", HERE)
    assert str(path) in str(error.value)


def test_half_a_file_is_named() -> None:
    path = save(BENCHMARK, FOUND, HERE)
    path.write_text(path.read_text()[:50])
    with pytest.raises(BanzukeError, match="is not a tuned setting"):
        load(BENCHMARK, "blas", HERE)


def test_a_folder_that_cannot_be_written_is_an_error(folder: Path) -> None:
    folder.write_text("a file")
    with pytest.raises(BanzukeError, match="cannot write"):
        save(BENCHMARK, FOUND, HERE)
    with pytest.raises(BanzukeError, match="cannot read"):
        load(BENCHMARK, "blas", HERE)


def test_it_becomes_the_default_and_what_the_sweep_varies_stays() -> None:
    cases = plan(applied(BENCHMARK, FOUND), HERE, Request())
    assert [(c.ranks, c.threads, dict(c.parameters)) for c in cases] == [
        (2, 2, {"n": 1000, **FOUND.parameters}),
        (2, 2, {"n": 500, **FOUND.parameters}),
        (2, 2, {"n": 1000, **FOUND.parameters, "nb": 32}),
        (1, 1, {"n": 1000, "nb": 64, "p": 1, "q": 1}),
    ]


def test_what_was_found_on_some_hosts_is_for_as_many() -> None:
    def sweep(machine: Machine) -> list[tuple[Layout, dict[str, Scalar]]]:
        return [*((on_all_cores(machine, 4, hosts), {}) for hosts in (3, 1, 2)), (Layout(4, 2), {})]

    here = with_hosts(HERE, 3)
    tuned = FOUND.model_copy(update={"hosts": 2, "ranks": 4})
    save(BENCHMARK, tuned, here)
    assert load(BENCHMARK, "blas", here) == tuned
    cases = plan(applied(replace(BENCHMARK, sweep=sweep), tuned), here, Request())
    assert [(c.nodes, c.ranks, c.threads, c.parameters["nb"]) for c in cases] == [
        (3, 3, 4, 64),
        (1, 1, 4, 64),
        (2, 4, 2, 128),
        (1, 4, 2, 64),
    ]
    alone = plan(applied(BENCHMARK, tuned), HERE, Request())
    assert alone == plan(BENCHMARK, HERE, Request())


def test_what_the_user_sets_stays() -> None:
    tuned = applied(BENCHMARK, FOUND)
    (other,) = plan(tuned, HERE, Request(ranks=4))
    assert other.parameters == {"n": 1000, "nb": 64, "p": 1, "q": 4}
    (same,) = plan(tuned, HERE, Request(overrides={"nb": ["96"]}))
    assert (same.ranks, same.parameters["nb"], same.parameters["swap"]) == (2, "96", "roll")


def test_without_a_library_there_is_none_in_the_name(folder: Path) -> None:
    plain = replace(BENCHMARK, libraries=Libraries())
    assert file(plain, "blas", HERE) == folder / "0123456789ab-lu-blas.json"


@pytest.mark.parametrize("update", [{"quota": 1.0}, {"allowed_cores": 2}])
def test_a_setting_for_more_or_fewer_cores_is_not_taken(update: dict[str, float]) -> None:
    save(BENCHMARK, FOUND, HERE)
    fewer = HERE.changed(allotment=update)
    for described in (fewer, SERIAL):
        with pytest.raises(BanzukeError, match="does not match what may be used now"):
            load(BENCHMARK, "blas", described)


def test_how_it_was_launched_is_kept_and_applied_to_its_layout() -> None:
    tuned = FOUND.model_copy(update={"variant": Variant(pages="base", variables=(("A", "1"),))})
    save(BENCHMARK, tuned, HERE)
    assert load(BENCHMARK, "blas", HERE) == tuned
    assert tuned.text() == "2 x 2, nb=128, p=2, q=1, swap=roll, base pages, A=1, 1.03x the default"
    cases = plan(applied(BENCHMARK, tuned), HERE, Request())
    assert [case.variant for case in cases] == [*3 * [tuned.variant], Variant()]
    kernel = {"transparent_hugepages": "always"}
    asked = Request(variants=Variants(pages=("transparent",), variables=(("B", ("2",)),)))
    (case, *_) = plan(applied(BENCHMARK, tuned), HERE.changed(partition={"kernel": kernel}), asked)
    assert case.variant.values == {"pages": "transparent", "B": "2", "A": "1"}


def test_a_file_of_before_there_were_variants_is_read() -> None:
    path = save(BENCHMARK, FOUND, HERE)
    path.write_text(
        json.dumps({name: value for name, value in json.loads(path.read_text()).items() if name != "variant"})
    )
    assert load(BENCHMARK, "blas", HERE) == FOUND


def test_a_library_that_is_gone_is_not_taken() -> None:
    save(BENCHMARK, FOUND.model_copy(update={"variant": Variant(library="MKL")}), HERE)
    with pytest.raises(BanzukeError, match=r"does not match this installation .*no library 'MKL' here"):
        load(BENCHMARK, "blas", HERE)
