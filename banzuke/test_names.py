"""Every class name has one meaning."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def classes() -> Counter[str]:
    """Return the number of classes of the installed code with each name, without those private to a module."""
    files = [file for folder in ("banzuke", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    installed = [
        file for file in files if not file.name.startswith(("test_", "conftest")) and "testing" not in file.parts
    ]
    return Counter(
        node.name
        for file in installed
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


@pytest.mark.catalogue
def test_no_two_classes_share_a_name() -> None:
    assert [name for name, count in classes().items() if count > 1] == []
