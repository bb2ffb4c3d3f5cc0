"""Files and functions are short enough to be read at once."""

import ast
import re
from collections.abc import Iterator

from tests.sources import ROOT, installed, sources

LINES_OF_FILE = 400
LINES_OF_FUNCTION = 80
NO_FUNCTION = re.compile(r"(template <.*> )?(namespace|struct|class|union|enum|extern)\b")


def lengths(file: str, text: str) -> Iterator[str]:
    """Yield the file if it is too long, and each function that is: by its name, or in C++ by the line it begins in."""
    if text.count("\n") > LINES_OF_FILE:
        yield file
    if not file.endswith(".py"):
        yield from (f"{file} {first}" for first, lines in functions_of(text) if lines > LINES_OF_FUNCTION)
        return
    for node in ast.walk(ast.parse(text)):
        lines = (node.end_lineno or 0) - node.lineno + 1 if isinstance(node, ast.FunctionDef) else 0
        if isinstance(node, ast.FunctionDef) and lines > LINES_OF_FUNCTION:
            yield f"{file} {node.name}"


def functions_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield the first line of each function of C++ and its number of lines; blocks in functions count as such, too.

    A block ends where a brace has the indentation of the line that it begins in: `clang-format` keeps it so.
    """
    begun: list[tuple[int, int, str]] = []
    lines = text.splitlines()
    first = 0
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if line.lstrip().startswith("}"):
            while begun and begun[-1][0] >= indentation:
                at, start, opening = begun.pop()
                if at == indentation and not NO_FUNCTION.match(opening):
                    yield lines[start].strip(), number - start + 1
        if line.endswith("{"):
            start = min(first, number)
            opening = " ".join(map(str.strip, lines[start : number + 1]))
            begun.append((len(lines[start]) - len(lines[start].lstrip()), start, opening))
        if not line.strip() or line[-1] in ";{}:" or line.lstrip().startswith(("//", "#", "}")):
            first = number + 1


def test_files_and_functions_are_short_enough_to_be_read_at_once() -> None:
    assert [*lengths("a.py", "def f():\n" + "  g()\n" * LINES_OF_FUNCTION)] == ["a.py f"]
    assert [*lengths("a.cpp", "f();\n" * (LINES_OF_FILE + 1))] == ["a.cpp"]
    body = "  g();\n" * LINES_OF_FUNCTION
    assert [*lengths("a.cpp", f"namespace a {{\nint f(int a,\n      int b) {{\n{body}}}\n}}\n")] == [
        "a.cpp int f(int a,"
    ]
    assert not [*lengths("a.hpp", f"template <int n>\nstruct A {{\n{body}}};\n")]
    ours = [file for folder in ("core", "benchmarks") for file in sources(folder) if not file.name.startswith("test_")]
    files = [file for file in (*installed().values(), *ours) if file.name != "testing.py"]
    longer = {long for file in files for long in lengths(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))}
    assert not longer, f"split by purpose: files of {LINES_OF_FILE}, functions of {LINES_OF_FUNCTION}"
