import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import setup, system_packages, tools
from scripts.packages import ROOT, SYSTEM_PACKAGES, VENV, SystemPackage, search_path
from scripts.tools import Tools

NOTHING = Tools(cmake=None, ninja=None, mpi=None)


def finder(**there: str) -> Callable[..., str | None]:
    return lambda *names: next((there[name] for name in names if name in there), None)


def test_the_machines_own_tools_are_used(tmp_path: Path) -> None:
    mpicc = wrapper(tmp_path, has_headers=True)
    find = finder(cmake="/usr/bin/cmake", ninja="/usr/bin/ninja", mpicc=mpicc)
    assert tools.choose_tools(find, lambda _: (3, 25, 1), {}) == Tools(
        cmake="/usr/bin/cmake", ninja="/usr/bin/ninja", mpi=mpicc
    )


def wrapper(folder: Path, *, has_headers: bool) -> str:
    """Return the path of a compiler's wrapper that finds MPI's headers, or does not."""
    headers = folder / "include"
    headers.mkdir()
    if has_headers:
        (headers / "mpi.h").touch()
    path = folder / "mpicc"
    path.write_text(f'#!/bin/sh\nexec g++ -nostdinc -I "{headers}" "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_an_mpi_without_headers_is_not_used(tmp_path: Path) -> None:
    """Debian's openmpi-bin has the wrappers, libopenmpi-dev the headers."""
    without = finder(mpicc=wrapper(tmp_path, has_headers=False))
    assert tools.choose_tools(without, lambda _: (), {}).mpi is None
    assert tools.choose_tools(finder(mpicc="/nowhere/mpicc"), lambda _: (), {}).mpi is None


@pytest.mark.parametrize("version", [(3, 24, 9), (2, 8), ()])
def test_an_old_or_broken_cmake_is_replaced(version: tuple[int, ...]) -> None:
    assert tools.choose_tools(finder(cmake="/usr/bin/cmake"), lambda _: version, {}).cmake is None


@pytest.mark.parametrize("variable", ["MPI_HOME", "I_MPI_ROOT", "CRAY_MPICH_DIR"])
def test_an_mpi_that_only_a_module_names_is_used(variable: str) -> None:
    assert tools.choose_tools(finder(), lambda _: (), {variable: "/opt/mpi"}).mpi == "/opt/mpi"


def test_our_own_mpi_is_not_taken_for_the_machines() -> None:
    assert tools.choose_tools(finder(), lambda _: (), {"MPI_HOME": str(VENV)}).mpi is None


def test_ccache_compiles_where_it_is_there_and_the_user_has_named_no_launcher() -> None:
    variables = tools.compiler_cache(finder(ccache="/usr/bin/ccache"), {})
    assert (variables["CMAKE_CXX_COMPILER_LAUNCHER"], variables["CCACHE_BASEDIR"]) == ("ccache", str(ROOT))
    assert tools.compiler_cache(finder(ccache="/usr/bin/ccache"), {"CMAKE_CXX_COMPILER_LAUNCHER": ""}) == {}
    assert tools.compiler_cache(finder(), {}) == {}


def test_our_own_programs_are_not_taken_for_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{VENV / 'bin'}{os.pathsep}/usr/bin{os.pathsep}")
    assert search_path() == "/usr/bin"


def test_cmake_looks_anew_where_it_would_take_another_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"c++": "/usr/bin/c++"}
    monkeypatch.setattr(tools, "which", finder(**there))
    before = tools.toolchain(NOTHING, {})
    monkeypatch.setattr(tools, "which", finder(**there, CC="/opt/cray/CC"))
    assert tools.toolchain(NOTHING, {}) != before


def test_crays_compiler_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (wanted,) = (package for package in SYSTEM_PACKAGES if package.name == "g++")
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not wanted.present()
    (tmp_path / "CC").touch(0o755)
    assert wanted.present()


def test_what_is_missing_comes_from_pypi() -> None:
    names = [requirement.split("=")[0].rstrip(">") for requirement in tools.tool_requirements(NOTHING, "aarch64", None)]
    assert names == ["cmake", "ninja", "mpich", "scipy-openblas32"]


def test_what_is_there_does_not_come_from_pypi() -> None:
    assert tools.tool_requirements(Tools(cmake="a", ninja="b", mpi="c"), "riscv64", None) == []


def test_amd_gets_its_own_library() -> None:
    assert any("aoclda" in requirement for requirement in tools.tool_requirements(NOTHING, "x86_64", "AuthenticAMD"))
    assert not any(
        "aoclda" in requirement for requirement in tools.tool_requirements(NOTHING, "x86_64", "GenuineIntel")
    )


@pytest.mark.parametrize(
    ("vendor", "architecture", "expected"),
    [("GenuineIntel", "x86_64", True), ("AuthenticAMD", "x86_64", False), (None, "aarch64", False)],
)
def test_mkl_only_where_it_can_win(vendor: str | None, architecture: str, *, expected: bool) -> None:
    requirements = tools.tool_requirements(NOTHING, architecture, vendor)
    assert any(requirement.startswith("mkl") for requirement in requirements) is expected


def test_cpu_vendor() -> None:
    assert tools.cpu_vendor("processor\t: 0\nvendor_id\t: GenuineIntel\n") == "GenuineIntel"
    assert tools.cpu_vendor("processor\t: 0\nCPU implementer\t: 0x41\n") is None


def test_extras_add_to_what_every_target_needs() -> None:
    pyproject = {
        "build-system": {"requires": ["backend"]},
        "project": {"dependencies": ["a"], "optional-dependencies": {"test": ["t"], "lint": ["l"]}},
    }
    assert setup.project_requirements(pyproject, ()) == ["backend", "a"]
    assert setup.project_requirements(pyproject, ("test", "lint")) == ["backend", "a", "t", "l"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("core/a.cpp", "core/test_a.cpp", "banzuke/b.py", "banzuke/__pycache__/b.pyc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


INPUTS = ("core", "banzuke", "absent.toml")


def test_the_digest_stays_while_nothing_changes(tree: Path) -> None:
    before = setup.digest_of_inputs(tree, INPUTS)
    os.utime(tree / "core/a.cpp", (0, 0))
    assert setup.digest_of_inputs(tree, INPUTS) == before


@pytest.mark.parametrize("name", ["core/test_a.cpp", "banzuke/conftest.py", "banzuke/__pycache__/b.pyc", "core/.swp"])
def test_what_is_not_installed_does_not_change_the_digest(tree: Path, name: str) -> None:
    before = setup.digest_of_inputs(tree, INPUTS)
    (tree / name).write_text("new")
    assert setup.digest_of_inputs(tree, INPUTS) == before


@pytest.mark.parametrize("name", ["core/a.cpp", "banzuke/new.py", "absent.toml"])
def test_a_changed_or_new_source_changes_the_digest(tree: Path, name: str) -> None:
    before = setup.digest_of_inputs(tree, INPUTS)
    (tree / name).write_text("new")
    assert setup.digest_of_inputs(tree, INPUTS) != before


def test_a_renamed_or_removed_source_changes_the_digest(tree: Path) -> None:
    before = setup.digest_of_inputs(tree, INPUTS)
    renamed = (tree / "core/a.cpp").rename(tree / "core/c.cpp")
    after = setup.digest_of_inputs(tree, INPUTS)
    renamed.unlink()
    assert len({before, after, setup.digest_of_inputs(tree, INPUTS)}) == 3


def test_the_printed_command_is_one_that_works_without_root() -> None:
    assert system_packages.apt_command(["hwloc", "chromium"], root=False) == [
        *("sudo", "apt-get", "install", "--yes", "--no-install-recommends", "hwloc", "chromium")
    ]
    assert system_packages.apt_command(["hwloc"], root=True)[0] == "apt-get"


def test_without_root_missing_packages_are_named_and_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = [
        SystemPackage(name, targets, "a reason", lambda: False)
        for name, targets in (("one", ("test",)), ("two", ("test",)), ("other", ("lint",)))
    ]
    monkeypatch.setattr(system_packages, "SYSTEM_PACKAGES", tuple(absent))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    system_packages.install_system_packages("test", allowed=True)
    printed = capsys.readouterr().out
    assert "missing: one (a reason)" in printed
    assert "sudo apt-get install --yes --no-install-recommends one two\n" in printed


def test_a_required_package_that_is_missing_ends_the_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = SystemPackage("g++", ("evaluate",), "C++", lambda: False, required=True)
    monkeypatch.setattr(system_packages, "SYSTEM_PACKAGES", (compiler,))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(tools.SetupError, match=r"cannot continue without g\+\+"):
        system_packages.install_system_packages("evaluate", allowed=True)


@pytest.mark.parametrize("policy", [None, "mine"])
def test_packages_start_no_daemons_and_a_policy_of_the_machine_stays(tmp_path: Path, policy: str | None) -> None:
    file = tmp_path / "policy-rc.d"
    if policy:
        file.write_text(policy)
    with system_packages.daemons_kept_off(file):
        assert policy or subprocess.run([file], check=False).returncode == 101
    assert (file.read_text() if file.exists() else None) == policy


def test_evaluating_installs_nothing_but_hwloc_beside_compiler_and_python() -> None:
    wanted = {package.name for package in SYSTEM_PACKAGES if "evaluate" in package.targets}
    assert wanted == {"python3-venv", "g++", "hwloc"}


def test_version_of(tmp_path: Path) -> None:
    program = tmp_path / "a program"
    program.write_text("#!/bin/sh\necho program version 3.25.1-suffix\n")
    program.chmod(0o755)
    assert tools.version_of(str(program)) == (3, 25, 1)
    program.write_text("#!/bin/sh\necho 3.25.1\nexit 1\n")
    assert tools.version_of(str(program)) == ()
    assert tools.version_of(str(tmp_path / "absent")) == ()


def test_an_unreadable_state_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "STATE", tmp_path / "setup.json")
    assert setup.read_state() == {}
    setup.STATE.write_text("{half")
    assert setup.read_state() == {}
    setup.write_state({"built": "x"})
    assert setup.read_state() == {"built": "x"}


@pytest.mark.parametrize("spoil", ["killed", "moved", "without Python"])
def test_an_unfinished_moved_or_broken_environment_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").write_text("#!/bin/sh\n")
    (venv / "bin/python").chmod(0o755)
    monkeypatch.setattr(setup, "VENV", venv)
    monkeypatch.setattr(setup, "CHANGING", venv / "unfinished")
    good = {"root": str(ROOT)}
    assert setup.usable(good)
    if spoil == "killed":
        setup.CHANGING.touch()
    elif spoil == "moved":
        good = {"root": "/elsewhere"}
    else:
        (venv / "bin/python").unlink()
    assert not setup.usable(good)


def test_help_names_the_variables_of_offline_sites() -> None:
    command = [sys.executable, str(ROOT / "scripts/setup.py"), "--help"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert all(name in printed for name in ("PIP_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


NINJA = "  [0/2] Re-checking globbed directories...\n  [1/60] Building CXX object a.o\n  [2/60] Linking b\n"


def test_progress_in_a_log_is_a_line_every_ten_seconds() -> None:
    clock = iter([0.0, 5.0, 11.0, 11.0, 12.0, 22.0, 22.0]).__next__
    out = io.StringIO()
    progress = setup.Progress(out, clock)
    for output in (NINJA, NINJA, "  [30/60] Building\n", "  [31/60] Building\n", "no steps\n"):
        progress.read(output)
    progress.close()
    assert out.getvalue() == "setup:   2 of 60 built\nsetup:   31 of 60 built\n"


def test_progress_on_a_terminal_stays_on_one_line_and_leaves_it_clean() -> None:
    out = Terminal()
    progress = setup.Progress(out)
    progress.read(NINJA)
    assert out.getvalue() == "\rsetup:   2 of 60 built"
    progress.close()
    assert out.getvalue().endswith("\r" + " " * len("setup:   2 of 60 built") + "\r")


def test_looking_for_changed_folders_is_no_progress() -> None:
    out = Terminal()
    setup.Progress(out).read(NINJA.splitlines()[0] + "\n")
    assert out.getvalue() == ""


def test_a_commands_steps_are_shown_and_the_log_keeps_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr(setup, "LOG", tmp_path / "log")
    monkeypatch.setattr(sys, "stdout", out)
    setup.run(["echo", "[7/9] Building"])
    assert "\rsetup:   7 of 9 built" in out.getvalue()
    assert setup.LOG.read_text() == "[7/9] Building\n"


def test_a_command_that_fails_shows_the_end_of_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "LOG", tmp_path / "log")
    with pytest.raises(tools.SetupError, match=r"no compiler\n.*status 3"):
        setup.run(["sh", "-c", "echo no compiler; exit 3"])


@pytest.mark.parametrize(
    ("failed", "parts"),
    [
        (["benchmarks/stream/cuda/gpu_launches.cu.o"], {"BANZUKE_CUDA"}),
        (["[code=1] CMakeFiles/banzuke-gpu-hip.dir/Unity/unity_0_cxx.cxx.o "], {"BANZUKE_HIP"}),
        (["bin/banzuke-stream-omptarget", "bin/banzuke-stream-openacc"], {"BANZUKE_OFFLOAD"}),
        (["bin/banzuke-hpl-blas", "bin/banzuke-stream-cuda"], set()),
        (["CMakeFiles/banzuke-core.dir/Unity/unity_0_cxx.cxx.o"], set()),
        ([], set()),
    ],
)
def test_programs_for_devices_are_optional(failed: list[str], parts: set[str]) -> None:
    log = "".join(f"  [3/9] Building\n  FAILED: {target}\n  c++ -c -I/opt/cuda\n" for target in failed)
    assert setup.optional_parts(log) == parts


def test_presets_have_a_build_and_a_test_preset_each() -> None:
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    names = {preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")}
    assert names == {"release", "debug", "lint", "gpu", "hip", "asan", "fuzz", "tsan", "aarch64"}
    names.remove("lint")  # nothing is compiled
    assert names == {preset["name"] for preset in presets["buildPresets"]}
    names -= {"gpu", "hip"}  # their tests need devices; the kit runs them
    assert names == {preset["name"] for preset in presets["testPresets"] if not preset.get("hidden")}
