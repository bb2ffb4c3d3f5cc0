"""How installations of one version are told apart."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from banzuke import __version__, paths
from banzuke.installation import front_end, installation
from banzuke.program.installed import benchmark_programs

KEPT = ("sources", "programs")
HEAD = Path(__file__).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Make a small installation from the real modules, with a policy, a program, and files that do not count."""
    package = tmp_path / "site" / "banzuke"
    for name in ("__init__.py", "paths.py", "installation.py"):
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(HEAD / name, package / name)
    for place in ("data/benchmarks/sum/spec.py", "data/machines/a.toml", "cli/templates/a.j2"):
        (package / place).parent.mkdir(parents=True)
        (package / place).write_text(place)
    (tmp_path / "bin").mkdir()
    shutil.copy(benchmark_programs()[0], tmp_path / "bin" / "banzuke-sum-omp")
    (tmp_path / "bin" / "banzuke-tool").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "banzuke-tool").chmod(0o755)
    return tmp_path


def said(copy: Path) -> dict[str, str]:
    """Ask in a new process, because answers are cached."""
    script = "from banzuke.installation import installation; print(installation())"
    variables = os.environ | {"PYTHONPATH": str(copy / "site"), "BANZUKE_LIBEXEC": str(copy / "bin")}
    text = subprocess.run(
        [sys.executable, "-c", script], env=variables, cwd="/", capture_output=True, text=True, check=True
    )
    return dict(zip(KEPT, text.stdout.strip().partition("+")[2].split("."), strict=True))


def test_it_names_the_version_the_sources_and_the_programs() -> None:
    assert installation().startswith(front_end())
    version, _, parts = installation().partition("+")
    assert version == __version__
    assert [len(part) for part in parts.split(".")] == [8, 8]
    assert paths.executables().is_dir()


def test_it_is_the_same_elsewhere_and_later_and_with_what_counts_for_nothing(copy: Path) -> None:
    before = said(copy)
    package = copy / "site" / "banzuke"
    (package / "data" / "commit").write_text("0123456789ab")
    for place in ("test_x.py", "data/benchmarks/sum/test_spec.py", "testing/a.py", "__pycache__/x.py", ".a.py.swp"):
        (package / place).parent.mkdir(exist_ok=True)
        (package / place).write_text("1")
    (copy / "bin" / "mpiexec").write_text("1")
    os.utime(package / "paths.py", (1, 1))
    moved = copy.rename(copy.with_name("elsewhere"))
    assert said(moved) == before


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("site/banzuke/paths.py", "sources"),
        ("site/banzuke/cli/templates/a.j2", "sources"),
        ("site/banzuke/cli/new.py", "sources"),
        ("site/banzuke/data/benchmarks/sum/spec.py", "sources"),
        ("site/banzuke/data/machines/a.toml", "sources"),
        ("bin/banzuke-tool", "programs"),
        ("bin/banzuke-sum-omp", "programs"),
        ("bin/banzuke-new-omp", "programs"),
    ],
)
def test_it_differs_after_any_change(copy: Path, place: str, part: str) -> None:
    before = said(copy)
    with (copy / place).open("ab") as file:
        file.write(b"# changed\n")
    (copy / place).chmod(0o755)
    changed = said(copy)
    assert [name for name in KEPT if changed[name] != before[name]] == [part]


def test_a_program_that_goes_or_is_another_makes_it_differ(copy: Path) -> None:
    before = said(copy)["programs"]
    shutil.copy(benchmark_programs()[1], copy / "bin" / "banzuke-sum-omp")
    other = said(copy)["programs"]
    (copy / "bin" / "banzuke-sum-omp").unlink()
    assert len({before, other, said(copy)["programs"]}) == 3
