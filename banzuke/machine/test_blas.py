"""BLAS libraries; a stand-in for banzuke-probe answers by the library's name and the environment."""

import json
import math
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import blas, blas_paths, probe
from banzuke.machine.site import Blas

STAND_IN = """#!/bin/sh
if [ "$1" = update ]; then
  case "$3" in
    *shapeless*) echo "banzuke-probe: wrong product" >&2; exit 1;;
    *starving*) kill -KILL $$;;
    *) echo '{"name": "any", "flop_rates": {"64": 1e11, "128": '$7e8'}, "n": '$7', "passed": true}'; exit;;
  esac
fi
case "$3" in
  *fast*) rate=200e9; [ -n "$OPENBLAS_CORETYPE" ] && rate=100e9
    echo '{"name": "OpenBLAS 0.3.34 SkylakeX", "flop_rate": '$rate', "passed": true, "n": 9}';;
  *mkl*) [ "$MKL_THREADING_LAYER" = GNU ] || exit 9
    echo '{"name": "MKL oneAPI Library Version 2026.2-Product Build", "flop_rate": 150e9, "passed": true}';;
  *starving*) echo '{"name": "Starving", "flop_rate": 800e9, "passed": true}';;
  *shapeless*) echo '{"name": "Shapeless", "flop_rate": 900e9, "passed": true}';;
  *crash*) kill -SEGV $$;;
  *wrong*) echo "banzuke-probe: wrong product" >&2; exit 1;;
  *hang*) exec sleep 5;;
  *odd*) echo surprise;;
  *) echo '{"name": "'$OMP_NUM_THREADS-$OPENBLAS_NUM_THREADS-$5'", "flop_rate": 1e9, "passed": true}';;
esac
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / probe.PROGRAM
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    for names in blas._STEERING.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


def library(path: str) -> Blas:
    return Blas(name=blas.family(path), path=path)


@pytest.mark.usefixtures("stand_in")
def test_fastest_first_and_problems_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "default_library", lambda: "/l/libmkl_rt.so.3")
    paths = ["/l/crash.so", "/l/libmkl_rt.so.3", "/l/wrong.so", "/l/fast-openblas.so", "/l/odd.so"]
    ranked = blas.probe([library(path) for path in paths], [0, 1])
    assert [candidate.path for candidate in ranked[:2]] == ["/l/fast-openblas.so", "/l/libmkl_rt.so.3"]
    assert [candidate.version for candidate in ranked[:2]] == ["0.3.34 SkylakeX", "2026.2"]
    problems = {candidate.path: candidate.problem or "" for candidate in ranked[2:]}
    assert "signal 11" in problems["/l/crash.so"]
    assert problems["/l/wrong.so"] == "wrong product"
    assert "surprise" in problems["/l/odd.so"]
    verdict = blas.explain(ranked)
    assert "Fastest: OpenBLAS 0.3.34 SkylakeX" in verdict
    assert "1.3x as fast as MKL 2026.2" in verdict
    assert "linked with -lblas" in verdict


@pytest.mark.usefixtures("stand_in")
def test_the_fastest_is_probed_as_an_update_too() -> None:
    calls: list[tuple[int, int]] = []
    ranked = blas.probe([library("/l/libmkl_rt.so.3"), library("/l/fast.so")], [0], report=lambda *at: calls.append(at))
    n = math.sqrt(0.3 * 200e9 / 9e3)  # takes the wanted time at the probed rate
    assert ranked[0].update_rates == {64: 1e11, 128: int(n) * 1e8}
    assert ranked[1].update_rates == {}
    assert calls == [(done, 5) for done in range(5)]
    assert blas.explain_update(ranked) == "LU update in Gflop/s, by block size: 100 at 64, 258 at 128."
    (slow,) = blas.probe([library("/l/any.so")], [0])
    assert slow.update_rates[128] == 500e8, "the order has a lower bound"


@pytest.mark.usefixtures("stand_in")
def test_a_probe_of_the_update_that_cannot_run_costs_only_its_rates() -> None:
    ranked = blas.probe([library("/l/fast.so"), library("/l/starving.so")], [0])
    assert [(candidate.flop_rate, candidate.update_rates) for candidate in ranked] == [(800e9, {}), (200e9, {})]


@pytest.mark.usefixtures("stand_in")
def test_a_library_that_is_wrong_at_the_update_is_not_usable() -> None:
    ranked = blas.probe([library("/l/fast.so"), library("/l/shapeless.so")], [0])
    assert [candidate.flop_rate for candidate in ranked] == [200e9, None]
    assert ranked[1].problem == "wrong product"
    assert ranked[0].update_rates


@pytest.mark.usefixtures("stand_in")
def test_a_slowing_variable_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    (freed,) = blas.probe([library("/l/fast-openblas.so")], [0])
    assert (freed.unset, freed.flop_rate) == (["OPENBLAS_CORETYPE"], 200e9)
    assert "OPENBLAS_CORETYPE" not in blas.variables(freed, 4)
    assert "OPENBLAS_CORETYPE" in blas.explain([freed])


@pytest.mark.usefixtures("stand_in")
def test_a_harmless_variable_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    (kept,) = blas.probe([library("/l/fast-openblas.so")], [0])
    assert kept.unset == []


@pytest.mark.usefixtures("stand_in")
def test_threads_are_set_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    answer = probe.dgemm("/l/any.so", [3, 4], n=10, environment=blas.variables(library("/l/any.so"), 2))
    assert answer.name == "2-2-3-4"


@pytest.mark.usefixtures("stand_in")
def test_a_library_that_hangs() -> None:
    with pytest.raises(BanzukeError, match=r"within 0\.2 s"):
        probe.dgemm("/l/hang.so", [0], n=10, timeout=0.2)


def test_a_missing_program_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    with pytest.raises(BanzukeError, match="BANZUKE_LIBEXEC"):
        probe.clock([0])


def test_clock_answers_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "simd": "NEON", "vector_bits": 128, "scalar_hz": 2e9, "single_vector_hz": 2e9, "vector_hz": 2e9,
        "fma_rate": 1e10, "fma_per_cycle": 2.0,
        "cpus": [{"cpu": 3, "vector_hz": 2e9, "fma_rate": 1e10, "fma_per_cycle": 2.0}],
    }  # fmt: skip
    program = tmp_path / probe.PROGRAM
    program.write_text(f"#!/bin/sh\n[ \"$*\" = 'clock --cpus 3' ] && echo '{json.dumps(answer)}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("BANZUKE_LIBEXEC", str(tmp_path))
    assert probe.clock([3]).cpus[0].cpu == 3
    with pytest.raises(BanzukeError):
        probe.clock([4])


def test_explain_without_libraries() -> None:
    assert "unknown" in blas.explain_update([])
    assert blas.explain([]) == "No BLAS library was found."
    assert blas.explain([Blas(name="MKL", path="/x", problem="gone")]) == "No usable BLAS library was found."


def test_families() -> None:
    assert blas.family("/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3") == "BLIS"
    assert blas.family("/opt/lib/libscipy_openblas.so") == "OpenBLAS"
    assert blas.family("/usr/lib/libblas.so.3.10") == "BLAS"


def test_one_library_per_name_and_no_64_bit_integers(tmp_path: Path) -> None:
    wanted = ("libopenblas.so", "libmkl_rt.so.3", "libblas.so.3", "libfjlapackexsve.so")
    others = (
        "libopenblas.so.0",
        "libopenblas64.so",
        "libcublas.so.13",
        "libblas.so",
        "libopenblas.so.0.3.bak",
    )
    for name in (*wanted, *others):
        (tmp_path / name).touch()
    assert {path.name for path in blas_paths.in_folder(tmp_path)} == set(wanted)


def test_the_users_library_goes_first_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, module = tmp_path / "mine.so", tmp_path / "lib" / "libopenblas.so.0"
    module.parent.mkdir()
    module.touch()
    mine.symlink_to(module)
    monkeypatch.setenv("OPENBLAS_ROOT", str(tmp_path))
    libraries = blas.candidates(str(mine))
    assert libraries[0].path == str(mine)
    assert libraries[0].name == "OpenBLAS"
    assert str(module) not in [candidate.path for candidate in libraries]
    assert str(module) in [candidate.path for candidate in blas.candidates()]


def test_a_wrong_user_path_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(BanzukeError, match="no BLAS library at"):
        blas.candidates(str(tmp_path / "none.so"))


def test_the_second_name_of_a_library_counts_only_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lib" / "blis-openmp"
    folder.mkdir(parents=True)
    named, second = tmp_path / "lib" / "libblis.so.4", folder / "libblas.so.3"
    named.touch()
    second.touch()
    monkeypatch.setattr(blas, "library_paths", lambda: [str(named), str(second)])
    assert [candidate.path for candidate in blas.candidates()] == [str(named)]
    assert [candidate.path for candidate in blas.candidates(str(second))] == [str(second), str(named)]
