"""The benchmark that CONTRIBUTING.md walks through: taken from the page, built, run, and broken."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"`(benchmarks/sum/[\w.]+)`.*?\n```\w+\n(.*?)```\n", re.DOTALL)
BROKEN = ("sum += x[i];\n  impl_->sum", "sum += 2 * x[i];\n  impl_->sum")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with the page's benchmark added; nothing else is touched."""
    copy = tmp_path_factory.mktemp("tree")
    for name in ("CMakeLists.txt", "benchmarks", "core", "schema", "machines", "banzuke"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    files = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert {Path(name).name for name, _ in files} == {
        "CMakeLists.txt", "sum.hpp", "reference.cpp", "omp.cpp", "main.cpp", "spec.py", "README.md", "test_sum.cpp",
    }  # fmt: skip
    for name, text in files:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text)
    return copy


def build(tree: Path) -> Path:
    """Folder of the programs."""
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {"PATH": f"{os.environ['PATH']}:{scripts}"}
    folder = tree / "build"
    for command in (
        ["cmake", "-S", str(tree), "-B", str(folder), "-G", "Ninja", "-DBANZUKE_TESTS=ON", "-DBANZUKE_MPI=OFF"],
        ["cmake", "--build", str(folder), "--target", "banzuke-sum-omp", "test-sum-omp"],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "benchmarks" / "sum"


def banzuke(tree: Path, programs: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command line on the copy's benchmarks."""
    environment = os.environ | {"PYTHONPATH": str(tree), "BANZUKE_LIBEXEC": str(programs)}
    python = Path(sysconfig.get_path("scripts")) / "python"
    return subprocess.run(
        [python, "-m", "banzuke", *words], env=environment, cwd=tree, capture_output=True, text=True, check=False
    )


def test_the_walk_through_builds_and_runs_and_its_check_can_fail(tree: Path) -> None:
    programs = build(tree)
    subprocess.run([programs / "test-sum-omp"], check=True, capture_output=True)
    # the probe is needed to describe the machine
    shutil.copy(Path(sysconfig.get_path("scripts")) / "banzuke-probe", programs)

    assert "How fast can all cores" in banzuke(tree, programs, "explain", "sum").stdout
    run = banzuke(tree, programs, "run", "sum", "--set", "n=100003", "--json", "--results", "results")
    assert run.returncode == 0, run.stderr
    (record,) = json.loads(run.stdout)["records"]
    assert record["status"] == "ok"
    assert record["metrics"]["read_bandwidth"]["value"] > 0

    run = banzuke(tree, programs, "run", "sum", "--ranks", "2", "--threads", "1")
    assert run.returncode == 2
    assert "this installation was built without MPI" in run.stderr

    source = tree / "benchmarks" / "sum" / "omp.cpp"
    assert BROKEN[0] in source.read_text()
    source.write_text(source.read_text().replace(*BROKEN))
    programs = build(tree)
    run = banzuke(tree, programs, "run", "sum", "--set", "n=100003", "--results", "results", "--fresh")
    assert run.returncode == 1
    assert "verification failed: relative error of the sum is 1, allowed 1e-12" in run.stdout + run.stderr
    page = tree / "page"
    assert banzuke(tree, programs, "report", "--results", "results", "--output", str(page)).returncode == 0
    html = (page / "report.html").read_text()
    assert "verification failed" in html
    assert 'data-metric="read_bandwidth"' not in html
