"""Reads the sources of the product, for tests of what stands in them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent


class Import(NamedTuple):
    importer: str
    """Full name of a module, as is `imported`."""
    imported: str
    where: str
    """Place for messages, such as `banzuke/units.py:5`."""
    late: bool
    """True if it is inside a function."""


def part(module: str) -> str:
    """Return the module's name in CONTRACT."""
    top, *inner = module.split(".")
    return top if top == "benchmarks" else [*inner, "__init__"][0]


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def installed() -> dict[str, Path]:
    """Return each installed module by its name, without tests and modules for tests."""
    files = [*(ROOT / "banzuke").rglob("*.py"), *(ROOT / "benchmarks").glob("*/*.py")]
    paths = {file: file.relative_to(ROOT).with_suffix("") for file in sorted(files)}
    return {
        ".".join(path.parts).removesuffix(".__init__"): file
        for file, path in paths.items()
        if not path.name.startswith(("test_", "conftest")) and "testing" not in path.parts
    }


@cache
def imports() -> tuple[Import, ...]:
    """Return all imports of installed modules, wherever in them; relative ones by full name."""
    return tuple(imported for module, file in installed().items() for imported in imports_of(module, file))


def imports_of(module: str, file: Path) -> Iterator[Import]:
    """Yield the imports of a module."""
    tree = parsed(file)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    late = {inner for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                targets = [name.name for name in names]
            case ast.ImportFrom(module=origin, names=names, level=level):
                package = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
                base = [*package[: len(package) - level + 1], *filter(None, [origin])] if level else [origin or ""]
                full = ".".join(base)
                inner = [f"{full}.{name.name}" for name in names]
                targets = [name if name in installed() else full for name in inner]
            case _:
                continue
        for name in dict.fromkeys(targets):
            yield Import(module, name, f"{file.relative_to(ROOT)}:{node.lineno}", node in late)


def ours(module: str) -> bool:
    return module.startswith(("banzuke.", "benchmarks.")) or module == "banzuke"


def name_of(call: ast.Call) -> str:
    """Return the name of the function that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def includes(file: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


def sources(folder: str) -> list[Path]:
    return [file for file in sorted((ROOT / folder).rglob("*")) if file.suffix in {".cpp", ".hpp", ".cu"}]
