from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts import lint


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    return tmp_path


def write(root: Path, name: str, text: str = "") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def entry(file: Path, options: str = "") -> Mapping[str, str]:
    return {"file": str(file), "command": f"c++ {options} -o {file.name}.o -c {file}"}


def sources_together(entries: list[Mapping[str, str]]) -> list[list[str]]:
    return [[source.name for source in unit.sources] for unit in lint.gather_units(entries)]


def test_sources_of_several_benchmarks_are_read_together(root: Path) -> None:
    first = entry(write(root, "benchmarks/a/omp.cpp"), f"-I{root}/benchmarks/a")
    second = entry(write(root, "benchmarks/b/mpi.cpp"), f"-I{root}/benchmarks/b")
    assert sources_together([first, second]) == [["omp.cpp", "mpi.cpp"]]


def test_backends_of_one_benchmark_are_read_apart(root: Path) -> None:
    names = ("benchmarks/a/gpu", "benchmarks/a/omp", "core/gpu/directives/runtime", "core/gpu/emulated/runtime")
    entries = [entry(write(root, f"{name}.cpp")) for name in names]
    assert sources_together(entries) == [["gpu.cpp", "runtime.cpp"], ["omp.cpp", "runtime.cpp"]]


def test_a_main_function_is_read_by_itself(root: Path) -> None:
    program = entry(write(root, "benchmarks/a/main.cpp", "int x;\nint main() {}\n"))
    other = entry(write(root, "benchmarks/b/omp.cpp"))
    assert sources_together([program, other]) == [["main.cpp"], ["omp.cpp"]]


def test_sources_with_other_options_are_read_apart(root: Path) -> None:
    plain = entry(write(root, "benchmarks/a/omp.cpp"))
    wide = entry(write(root, "benchmarks/b/kernels.cpp"), "-mavx2")
    units = lint.gather_units([plain, wide])
    assert [unit.options for unit in units] == [(), ("-mavx2",)]


def test_a_source_of_two_libraries_is_read_once(root: Path) -> None:
    shared = write(root, "core/choose.cpp")
    more = write(root, "core/more.cpp")
    first = write(root, "build/lint/a/unity.cxx", f'#include "{shared}"\n')
    second = write(root, "build/lint/b/unity.cxx", f'#include "{shared}"\n#include "{more}"\n')
    assert sources_together([entry(first), entry(second)]) == [["choose.cpp"], ["more.cpp"]]


def test_a_part_is_read_again_when_anything_that_it_reads_has_changed(root: Path, tmp_path: Path) -> None:
    source = write(root, "core/sum.cpp", '#include "core/sum.hpp"\n')
    header = write(root, "core/sum.hpp", '#include "detail.hpp"  // beside it\n')
    detail = write(root, "core/detail.hpp", "int detail;\n")
    unit = lint.Unit((f"-I{root}",), [source], alone=False)
    assert lint.files_read(unit, [root]) == [detail, source, header]

    def mark(unit: lint.Unit = unit, config: str = "checks") -> Path:
        return lint.Passed(tmp_path / "cache", config).mark_of(unit, [root])

    first = mark()
    assert mark() == first
    assert mark(config="other checks") != first
    assert mark(lint.Unit((f"-I{root}", "-mavx2"), [source], alone=False)) != first
    write(root, "core/detail.hpp", "int other;\n")
    assert mark() != first
    write(root, "core/detail.hpp", "int detail;\n")
    lint.Passed(tmp_path / "cache", "checks").remember(first)
    assert mark().exists()


def test_parts_are_the_same_in_every_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = []
    for clone in ("a", "b"):
        monkeypatch.setattr(lint, "ROOT", tmp_path / clone)
        source = write(tmp_path / clone, "core/sum.cpp", "int sum;\n")
        unit = lint.Unit((f"-I{tmp_path / clone}",), [source], alone=False)
        marks.append(lint.Passed(tmp_path, "checks").mark_of(unit, [tmp_path / clone]))
    assert marks[0] == marks[1]
