"""Tests of the benchmark that CONTRIBUTING.md walks through: taken from the page, built, run, and broken."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"`(benchmarks/(?:sum|append)/[\w.]+)`.*?\n```\w+\n(.*?)```\n", re.DOTALL)
PROBLEM = re.compile(r"```cpp\n(inline Problem .*?)```\n", re.DOTALL)
RESOURCE = re.compile(r"^ +resources=.*\n", re.MULTILINE)
IMPORT = "from banzuke.plan.resource import"
COMMANDS = re.compile(r"```sh\n(.*?)```\n", re.DOTALL)
HASTILY = {"CXXFLAGS": "-O0"}
"""No optimization, which takes half of the compile time; no test here needs speed."""
BRIEFLY = ("-DBANZUKE_MPI=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON")
"""Precompiling headers takes longer for so few sources."""
BROKEN = ("sum += x[i];\n  impl_->sum", "sum += 2 * x[i];\n  impl_->sum")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources, in a path that needs quotes, with the page's benchmarks added and nothing else
    changed.
    """
    copy = tmp_path_factory.mktemp("tree") / "sources of a 計算機 (new)"
    copy.mkdir()
    sources = ("benchmarks", "core", "schema", "machines", "banzuke", "scripts", "tests")
    for name in (*sources, "CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "conftest.py", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name)  # with the bytecode, which takes seconds to write
        else:
            shutil.copy(source, copy / name)
    (copy / ".venv").symlink_to(sys.prefix)
    files = BLOCK.findall(PAGE)
    assert {name.removeprefix("benchmarks/") for name, _ in files} == {
        *(f"sum/{name}" for name in ("CMakeLists.txt", "sum.hpp", "reference.cpp", "omp.cpp", "main.cpp", "spec.py")),
        *("sum/README.md", "sum/ja.ftl", "sum/test_sum.cpp", "sum/test_spec.py", "sum/testing.py"),
        *(
            f"append/{name}"
            for name in ("CMakeLists.txt", "append.hpp", "check.cpp", "posix.cpp", "main.cpp", "spec.py")
        ),
    }
    for name, text in files:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text)
    return copy


def quick_loop(tree: Path) -> "subprocess.CompletedProcess[str]":
    """Run the page's commands unchanged, except that MPI, optimization and precompiled headers are left out."""
    loop, pytest_of_one = COMMANDS.findall(PAGE)
    script = f"set -e\n{loop}{pytest_of_one}".replace(
        "--preset release\n", f"--preset release {shlex.join(BRIEFLY)}\n", 1
    )
    environment = os.environ | HASTILY | {"CCACHE_BASEDIR": str(tree)}
    return subprocess.run(["sh", "-c", script], env=environment, cwd=tree, capture_output=True, text=True, check=False)


def banzuke(tree: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command line with the copy's benchmarks."""
    environment = os.environ | {"BANZUKE_LIBEXEC": str(tree / "build" / "release" / "bin")}
    return subprocess.run(
        [".venv/bin/python", "-m", "banzuke", *words],
        env=environment, cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip


def with_problem(tree: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Call the program with the page's function that refuses calls."""
    header = tree / "benchmarks" / "sum" / "sum.hpp"
    before = header.read_text()
    (problem,) = PROBLEM.findall(PAGE)
    header.write_text(before.replace("inline Work work(", f"{problem}\ninline Work work("))
    target = ("--preset", "release", "--target", "banzuke-sum-omp")
    path = f"{os.environ['PATH']}:{tree / '.venv' / 'bin'}"
    built = subprocess.run(
        ["cmake", "--build", *target],
        env=os.environ | {"PATH": path},
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout
    header.write_text(before)
    program = tree / "build" / "release" / "bin" / "banzuke-sum-omp"
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_a_resource_that_one_folder_declares_bounds_another_benchmark(tree: Path) -> None:
    """The page's benchmark is copied as `hops`, which declares the page's resource; both ask for it."""
    needs, resources = RESOURCE.findall(PAGE)
    sums, hops = tree / "benchmarks" / "sum", tree / "benchmarks" / "hops"
    header = (sums / "sum.hpp").read_text()
    demand = re.compile(r"\.demand = \{\{.*\}\}(?=\};)")
    assert demand.search(header)
    (sums / "sum.hpp").write_text(demand.sub('.demand = {{"memory.lookups", elements}}', header))
    shutil.copytree(sums, hops, ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    (hops / "sum.hpp").rename(hops / "hops.hpp")
    for file in hops.iterdir():
        text = re.sub(r"(banzuke::|\"|benchmark\()sum\b", r"\1hops", file.read_text())
        text = text.replace(needs, resources).replace(IMPORT, f"{IMPORT} Resource,")
        file.write_text(text)
    targets = [word for name in ("sum", "hops") for word in ("--target", f"banzuke-{name}-omp")]
    for words in (["--preset", "release", *BRIEFLY], ["--build", "--preset", "release", *targets]):
        path = {"PATH": f"{os.environ['PATH']}:{tree / '.venv' / 'bin'}"}
        done = subprocess.run(
            ["cmake", *words], env=os.environ | HASTILY | path, cwd=tree, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    small = ("--set", "n=100003", "--json", "--results", "bounded")
    alone = json.loads(banzuke(tree, "run", "sum", *small).stdout)["records"][0]["metrics"]["read_bandwidth"]
    assert alone["limit"] is None
    assert "rate of random lookups" in alone["limit_source"]
    assert "`banzuke run hops`" in alone["limit_source"]
    both = json.loads(banzuke(tree, "run", "sum", "hops", *small).stdout)["records"]
    bounded, bound = (record["metrics"]["read_bandwidth"] for record in both)
    assert bounded["limit"] == pytest.approx(bound["best"]), "bytes at the best rate of the other's elements"
    assert "rate of random lookups" in bounded["limit_source"]
    shutil.rmtree(hops)
    (sums / "sum.hpp").write_text(header)


@pytest.mark.thorough  # 80 s of compiling; what is tested of every benchmark is, below, in a merge
def test_the_walk_through_builds_and_runs(tree: Path) -> None:
    loop = quick_loop(tree)
    assert loop.returncode == 0, loop.stdout + loop.stderr
    assert re.search(r"test-sum-omp \.+ +Passed", loop.stdout)
    assert "verified sum" in loop.stderr
    assert "1 passed" in loop.stdout

    assert "How fast can all cores" in banzuke(tree, "explain", "sum").stdout
    run = banzuke(tree, "run", "sum", "--set", "n=100003", "--json", "--results", "results")
    assert run.returncode == 0, run.stderr
    (record,) = json.loads(run.stdout)["records"]
    assert record["status"] == "ok"
    assert record["metrics"]["read_bandwidth"]["value"] > 0

    run = banzuke(tree, "run", "sum", "--ranks", "2", "--threads", "1")
    assert run.returncode == 2
    assert "this installation was built without MPI" in run.stderr


@pytest.mark.thorough  # compiles it twice more, and its tests once
def test_the_function_that_refuses_calls_does_and_the_check_can_fail(tree: Path) -> None:
    assert quick_loop(tree).returncode == 0
    refused = with_problem(tree, "--describe", "--ranks", "2", "--n", "1")
    assert json.loads(refused.stdout)["refused"]["nearest"] == [{"n": 2}]
    assert refused.returncode == 2

    source = tree / "benchmarks" / "sum" / "omp.cpp"
    whole = source.read_text()
    assert BROKEN[0] in whole
    source.write_text(whole.replace(*BROKEN))
    loop = quick_loop(tree)
    assert loop.returncode != 0
    assert "test-sum-omp (Failed)" in loop.stdout
    assert "[  FAILED  ] Sum.AgreesWithTheClosedForm" in loop.stdout
    run = banzuke(tree, "run", "sum", "--set", "n=100003", "--results", "results", "--fresh")
    assert run.returncode == 1
    assert "verification failed: relative error of the sum is 1, allowed 1e-12" in run.stdout + run.stderr
    page = tree / "page"
    assert banzuke(tree, "report", "--results", "results", "--output", str(page)).returncode == 0
    html = (page / "report.html").read_text()
    assert "verification failed" in html
    assert 'data-metric="read_bandwidth"' not in html
    source.write_text(whole)


def built(tree: Path, *targets: str) -> "subprocess.CompletedProcess[str]":
    """Build without MPI."""
    path = f"{os.environ['PATH']}:{tree / '.venv' / 'bin'}"
    variables = os.environ | HASTILY | {"PATH": path, "CCACHE_BASEDIR": str(tree)}

    def cmake(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["cmake", *words], env=variables, cwd=tree, capture_output=True, text=True, check=False)

    configured = cmake("--preset", "release", *BRIEFLY)
    return configured if configured.returncode else cmake("--build", "--preset", "release", "--target", *targets)


@pytest.mark.thorough
def test_the_one_that_writes_files_leaves_none_and_its_names_are_ours(tree: Path) -> None:
    done = built(tree, "banzuke-append-posix", "banzuke-probe")
    assert done.returncode == 0, done.stdout + done.stderr
    place = tree / "place"
    place.mkdir()
    call = ("run", "append", "--area", f"scratch={place}", "--results", "stored", "--fresh")
    run = banzuke(tree, *call, "--json")
    assert run.returncode == 0, run.stderr
    (record,) = json.loads(run.stdout)["records"]
    assert (record["status"], list(record["areas"]), list(place.iterdir())) == ("ok", ["scratch"], [])

    source = tree / "benchmarks" / "append" / "main.cpp"
    before = source.read_text()
    source.write_text(before.replace("std::string(made_prefix) + ", '"mine." + '))
    assert built(tree, "banzuke-append-posix").returncode == 0
    run = banzuke(tree, *call)
    assert "mine.0" in run.stdout + run.stderr
    ((left,),) = [list(folder.glob("mine.*")) for folder in place.iterdir()]
    assert left.name == "mine.0"
    source.write_text(before)


OLD = {folder.name for folder in (ROOT / "benchmarks").iterdir()}
OF_ALL = """
import pytest

class Chosen:
    def pytest_collection_modifyitems(self, config, items):
        of = [(item, getattr(getattr(item, "callspec", None), "params", {{}}).get("name")) for item in items]
        items[:] = [item for item, name in of if item.get_closest_marker("catalogue") and name not in {old}]

raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider", *{files}], plugins=[Chosen()]))
"""
"""Runs the tests of all benchmarks, but not those of a single existing one."""


def test_what_is_tested_of_every_benchmark_holds_for_these(tree: Path, programs: Path, tmp_path: Path) -> None:
    done = built(tree, "banzuke-sum-omp", "banzuke-append-posix")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = tree / "benchmarks" / "append"
    (folder / "README.md").write_text(
        "# Append\n\n**How many records a second reach the storage?** Each before the next.\n"
    )
    (folder / "test_append.cpp").touch()
    alone = {"banzuke/environment/guest/__main__.py": "of a list, in calls of the standard library"}
    (folder / "testing.py").write_text(f"WORD, ALONE = True, {alone}\n")
    of_both = tmp_path / "bin"
    of_both.mkdir()
    own = (tree / "build" / "release" / "bin").glob("banzuke-*")
    for program in {file.name: file for file in (*programs.iterdir(), *own)}.values():
        (of_both / program.name).symlink_to(program)
    environment = {**os.environ, "PYTHONPATH": str(tree), "BANZUKE_LIBEXEC": str(of_both)}

    def python(*words: str) -> "subprocess.CompletedProcess[str]":
        words = (str(tree / ".venv" / "bin" / "python"), *words)
        return subprocess.run(words, env=environment, cwd=tree, capture_output=True, text=True, check=False)

    assert python("-m", "scripts.list_benchmarks").returncode == 0
    assert "| `sum` | How fast can all cores together read memory? |" in (tree / "README.md").read_text()
    marked = [file for file in tree.rglob("test_*.py") if "\n@pytest.mark.catalogue\n" in file.read_text()]
    done = python("-c", OF_ALL.format(old=OLD, files=sorted(map(str, marked))))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_benchmark_without_a_shared_source_is_told_so(tree: Path) -> None:
    (tree / "benchmarks" / "append" / "check.cpp").rename(tree / "check.cpp")
    done = built(tree, "banzuke-append-posix")
    (tree / "check.cpp").rename(tree / "benchmarks" / "append" / "check.cpp")
    assert done.returncode != 0
    assert "benchmarks/append has no shared source" in done.stderr
