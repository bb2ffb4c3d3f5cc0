"""Tests of how the checks interpret the output of tests, and of which skips fail."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest

from scripts import check, running
from scripts.packages import ROOT

JUNIT = """<testsuite>
<testcase name="runs" status="run"><system-out/></testcase>
<testcase name="gpu" status="notrun"><system-out>hardware: no GPU</system-out></testcase>
<testcase name="lazy" status="notrun"><system-out>not today</system-out></testcase>
<testcase name="off" status="disabled"/>
</testsuite>"""


def test_skips_without_a_hardware_reason_are_found() -> None:
    assert check.skipped_tests(JUNIT) == ["lazy", "off"]


def test_a_case_that_its_program_skipped_is_named_unless_the_machine_lacks_something() -> None:
    output = """[ RUN      ] A.Runs
[       OK ] A.Runs (0 ms)
[ RUN      ] A.Lazy
a.cpp:3: Skipped
no library

[  SKIPPED ] A.Lazy (0 ms)
[ RUN      ] A.Poor
a.cpp:9: Skipped
hardware: one core

[  SKIPPED ] A.Poor (0 ms)
"""
    assert check.skipped_cases(output) == ["A.Lazy"]


def test_a_program_of_tests_says_which_failed() -> None:
    output = """build/bin/test-core --gtest_filter=*:
[ RUN      ] A.Fails
[  FAILED  ] A.Fails (2 ms)
[----------] Global test environment tear-down
[  FAILED  ] 1 test, listed below:
[  FAILED  ] A.Fails
"""
    assert check.failure_of(output) == "test-core: A.Fails"
    assert check.failure_of("build/bin/test-core:\nkilled after 600 s\n") == "test-core: killed after 600 s"
    assert check.failed_tests(
        '<testsuite><testcase name="r2" status="fail"/><testcase name="r3" status="run"/></testsuite>'
    ) == ["r2"]


def test_a_program_must_run_tests_unless_a_filter_chooses_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "test-some"
    program.write_text(
        '#!/bin/sh\nif [ "$GTEST_FILTER" = B.* ]; then n=0; else n=1; fi\necho "$GTEST_FILTER"\n'
        'echo "[==========] Running $n tests from $n test suites."\n'
    )
    program.chmod(0o755)
    listing = json.dumps({"tests": [{"command": [str(program)]}]})
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 0, listing, ""))
    monkeypatch.setattr(check, "cmake_program", lambda name: name)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    presets = tmp_path / "CMakePresets.json"
    presets.write_text('{"testPresets": [{"name": "tsan", "environment": {"GTEST_FILTER": "A.*"}}]}')
    check.run_programs("tsan", os.environ)
    check.run_programs("tsan", os.environ, "B.*")
    presets.write_text(presets.read_text().replace("A.*", "B.*"))
    with pytest.raises(running.CheckError, match=r"test-some: \[=+\] Running 0 tests"):
        check.run_programs("tsan", os.environ)


def test_the_slowest_tests_come_first() -> None:
    junit = (
        '<suite><testcase name="a" time="1.5"/><testcase name="b" time="20.25"/><testcase name="c" time="0.9"/></suite>'
    )
    assert check.slowest_tests(junit) == ["  20.2 s  b", "   1.5 s  a"]


def test_a_part_that_cannot_run_fails_only_where_all_must(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BANZUKE_NO_SKIPS", raising=False)
    running.skip("a part", "no tool")
    assert "SKIPPED a part: no tool" in capsys.readouterr().out
    monkeypatch.setenv("BANZUKE_NO_SKIPS", "1")
    with pytest.raises(running.CheckError, match="no tool"):
        running.skip("a part", "no tool")


@pytest.mark.parametrize(
    ("level", "reason", "strict", "status"),
    [
        ("test", "hardware: no GPU", "1", 0),
        ("test", "no GPU", "1", 1),
        ("test", "no GPU", "0", 0),
        ("module", "hardware: no GPU", "1", 0),
        ("module", "no GPU", "1", 1),
    ],
)
def test_skips_of_python_tests(tmp_path: Path, level: str, reason: str, strict: str, status: int) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    skip = f"pytest.skip({reason!r}, allow_module_level=True)"
    body = skip if level == "module" else f"def test_it():\n    {skip}"
    (tmp_path / "test_skip.py").write_text(f"import pytest\n{body}\n\ndef test_runs():\n    pass\n")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_skip.py")],
        cwd=tmp_path,
        env={**os.environ, "BANZUKE_NO_SKIPS": strict},
        capture_output=True,
        text=True,
        check=False,
    )
    no_tests_ran = 5
    expected = {no_tests_ran, 0} if level == "module" and status == 0 else {status, 2} if status else {0}
    assert result.returncode in expected, result.stdout


@pytest.mark.parametrize(
    ("tests", "failures", "arguments", "runs", "passes"),
    [
        (1, 1, (), 2, True),
        (1, 2, (), 2, False),
        (check.MOST_REPEATED + 1, 1, (), 1, False),
        (1, 1, ("--maxfail=1",), 1, False),
    ],
    ids=["delayed", "wrong", "many", "ended early"],
)
def test_a_few_failed_tests_are_repeated_and_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    tests: int,
    failures: int,
    arguments: Sequence[str],
    runs: int,
    passes: bool,
) -> None:
    """Each of the tests fails so many times; then the gate passes, or not, after so many runs of it."""
    (tmp_path / "test_times.py").write_text(f"""
from pathlib import Path
import pytest
@pytest.mark.parametrize("test", range({tests}))
def test_it(test):
    with (Path(__file__).parent / f"runs-{{test}}").open("a+") as runs:
        runs.write("x")
        runs.seek(0)
        assert len(runs.read()) > {failures}
""")
    for module in (check, running):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(check, "BIN", Path(sys.executable).parent)
    monkeypatch.setattr(check, "environment", os.environ.copy)
    with contextlib.nullcontext() if passes else pytest.raises(running.CheckError):
        check.python_tests(arguments)
    assert ("UNSTABLE test_times.py::test_it[0]" in capsys.readouterr().out) == passes
    assert [len((tmp_path / f"runs-{test}").read_text()) for test in range(tests)] == [runs] * tests


@pytest.mark.parametrize(("strict", "status"), [("0", 0), ("1", 1)])
def test_without_a_browser_only_its_tests_are_skipped(tmp_path: Path, strict: str, status: int) -> None:
    (tmp_path / "playwright.py").write_text("raise ModuleNotFoundError(name='playwright')")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_noise_browser.py"],
        cwd=ROOT,
        env={**os.environ, "BANZUKE_NO_SKIPS": strict, "PYTHONPATH": str(tmp_path), "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stdout + result.stderr
    assert "chromium is not installed" in result.stdout


def test_tests_without_bytecode_are_collected_once_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[str] = []

    def run(*words: str | Path, **_: object) -> None:
        collected.extend(word.name for word in words if isinstance(word, Path) and word.suffix == ".py")

    monkeypatch.setattr(check, "run", run)
    monkeypatch.setattr("sys.pycache_prefix", None)
    folder = tmp_path / "tests"
    (folder / "__pycache__").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (folder / f"test_{name}.py").touch()
    (folder / "__pycache__" / "test_b.cpython-311-pytest-9.2.0.pyc").touch()
    check.write_bytecode({}, tmp_path)
    assert sorted(collected) == ["test_a.py", "test_c.py"]


def test_every_processor_that_is_emulated_runs_the_tests_of_all_loops() -> None:
    files = [file for folder in ("benchmarks", "core") for file in (ROOT / folder).rglob("test_*.cpp")]
    loops = [file for file in files if re.search(r"(available|all)_(kernels|loops)\(\)", file.read_text())]
    assert len(loops) >= len(("fft", "geofem", "gkv", "hpcg", "hpl", "memory", "spmv"))
    for file in loops:
        names = re.findall(r"^TEST\((\w+), (\w+)\)", file.read_text(), re.MULTILINE)
        assert any(fnmatch(".".join(name), pattern) for name in names for pattern in check.LOOPS), file.name


def test_what_is_compiled_for_an_instruction_set_is_in_a_table_of_choices() -> None:
    """The linker would drop the rest without a word."""
    compiled = 0
    for source in [file for folder in ("benchmarks", "core") for file in (ROOT / folder).rglob("*_*.cpp")]:
        isa = source.stem.rpartition("_")[2]
        if not re.fullmatch(r"avx2|avx512|neon|sve(128|256|512)?", isa):
            continue
        beside = "".join(file.read_text() for file in source.parent.glob("*.cpp"))
        choices = "\n".join(re.findall(rf"Choice\{{Isa::{isa}, .*", beside))
        names = re.findall(
            r"^(?:(?:constinit )?const )?[A-Z]\w+[&*]? (\w+)(?: = |\{\"|\()", source.read_text(), re.MULTILINE
        )
        assert names, source
        compiled += len(names)
        for name in names:
            assert re.search(rf"&{name}\b", choices), f"{name} of {source}"
    assert compiled
