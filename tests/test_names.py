"""Tests of names that a machine can check: locals say what they hold, and docstrings and comments what is done."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.sources import ROOT, parsed

SAYING_NOTHING = {"found", "one", "each", "of", "known", "told", "given"}
"""Names that say nothing for locals and parameters; methods and fields may have them, as they are read with their
owner.
"""
LONG = 12
"""Lines from which a public function needs a docstring."""
FOLDERS = ("banzuke", "benchmarks", "scripts", "tests")
COMMENT = re.compile(r"\s*(//|#) ")


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield file.relative_to(ROOT), parsed(file)


def offences(tree: ast.Module) -> Iterator[str]:
    """Yield names that say nothing, and docstrings, also of fields, that begin with "Of" or "That"."""
    fields: set[int] = set()
    for node in ast.walk(tree):  # a class comes before what is in it
        match node:
            case ast.ClassDef():
                fields.update(id(target) for target in targets(node.body))
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                if name in SAYING_NOTHING and id(node) not in fields:
                    yield f"{node.lineno}: the name '{name}' does not say what it holds"
            case ast.Expr(value=ast.Constant(value=str(text))) if text.startswith(("Of ", "That ")):
                yield f"{node.lineno}: the docstring '{text.splitlines()[0]}' does not say what is done or given"


def comments(text: str) -> Iterator[str]:
    """Yield comments that begin with "Of"."""
    if " Of " not in text:
        return
    for before, line in pairwise(["", *text.splitlines()]):
        if re.match(r"\s*(//|#) Of ", line) and not COMMENT.match(before):
            yield f"the comment '{line.strip()}' does not say what is done or given"


def targets(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """Yield what the statements of a class assign to: its fields."""
    for statement in body:
        if isinstance(statement, ast.AnnAssign):
            yield statement.target
        elif isinstance(statement, ast.Assign):
            yield from statement.targets


def undocumented(tree: ast.Module) -> Iterator[str]:
    """Yield long public functions without docstring, also in classes and functions; commands have help instead."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name != "main":
            is_command = any(argument.arg == "ctx" for argument in node.args.args)
            long = (node.end_lineno or 0) - node.lineno + 1 >= LONG
            if long and not is_command and ast.get_docstring(node) is None:
                yield node.name


def test_names_say_what_they_hold_and_docstrings_what_is_done() -> None:
    seen = [f"{file}: {offence}" for file, tree in sources() for offence in offences(tree)]
    product = [(file, tree) for file, tree in sources() if not file.name.startswith(("test_", "conftest"))]
    seen += [f"{file}: {name} has no docstring" for file, tree in product for name in undocumented(tree)]
    files = [file for folder in ("core", *FOLDERS) for file in sorted((ROOT / folder).rglob("*.*"))]
    for file in files:
        if file.suffix in (".cpp", ".hpp", ".cu", ".py"):
            seen += [f"{file.relative_to(ROOT)}: {said}" for said in comments(file.read_text(encoding="utf-8"))]
    assert not seen, "\n".join(seen)


def test_what_is_forbidden_is_seen() -> None:
    text = "class A:\n  of: int\n  'That is.'\ndef f(of):\n  '''Of it.'''\n  found = [each for each in of]\n"
    tree = ast.parse(text + "def long():\n" + "  pass\n" * LONG + "class B:\n  def method():\n" + "    pass\n" * LONG)
    seen = "\n".join(offences(tree))
    assert [seen.count(f"'{name}'") for name in ("of", "found", "each", "Of it.", "That is.")] == [1] * 5
    assert list(undocumented(tree)) == ["long", "method"]
    assert len(list(comments("int a;\n  // Of it.\n// Now\n// Of that.\n"))) == 1
