"""No text of the product names a benchmark, except in the benchmark's own folder."""

import ast
import re
from collections.abc import Container, Iterable, Iterator

import pytest

from banzuke.testing import in_tests
from tests.test_architecture import ROOT, installed, parsed, part


def named(text: str, names: Iterable[str], words: Container[str] = ()) -> set[str]:
    """Benchmarks that a text of ours names, but not in the name of something else, as of a file. `words`: names that
    may stand in a sentence, where they mean something else.
    """
    every = "|".join(map(re.escape, names))
    bare = re.findall(rf"(?:(?<![\w.-])|--)({every})(?![\w.])", text)
    commands = re.findall(rf"(?:run|submit|predict|explain|history|screen|--only|--without) ({every})\b", text)
    programs = re.findall(rf"banzuke-({every})-", text)
    return {name for name in bare if name == text or name not in words} | {*commands, *programs}


def test_what_is_named_is_told_from_other_words() -> None:
    names = ("hpl", "noise")
    assert [named(text, names) for text in ("banzuke-hpl-blas", "such as hpl", "--hpl")] == [{"hpl"}] * 3
    assert [named(text, names, ["noise"]) for text in ("`banzuke run noise` does", "noise")] == [{"noise"}] * 2
    assert not [text for text in ("hpl.dat", "of noise", "the-hpl", "hpl_dat") if named(text, names, ["noise"])]


@pytest.mark.catalogue
def test_nothing_outside_its_folder_names_a_benchmark() -> None:
    """What is known of one stands in its folder: another may take its place, or its name."""
    names = {folder.name for folder in (ROOT / "benchmarks").iterdir() if (folder / "spec.py").exists()}
    assert len(names) > 5
    words = {name for name in names if in_tests(name, "WORD", default=False)}
    alone = {name: tuple(in_tests(name, "ALONE", {})) for name in names}
    offences = [
        f"{where} names {name}: {text!r}"
        for where, text in texts_of_ours()
        for name in named(text, names, words)
        if not (name == text and where.startswith(alone[name]))
    ]
    assert not offences, (
        "let the benchmark declare what is done by its name. Where that is another word, too, its testing.py says so: "
        "WORD = True lets it stand in sentences, ALONE = {path: reason} by itself"
    )


def texts_of_ours() -> Iterator[tuple[str, str]]:
    """All of the product's texts but docstrings, with where they stand: `banzuke/units.py:5`."""
    for module, file in installed().items():
        if part(module) != "benchmarks":
            tree = parsed(file)
            docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value
    for file in (ROOT / "banzuke").rglob("*"):
        if file.suffix in (".ftl", ".j2", ".js", ".css", ".sh"):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                yield f"{file.relative_to(ROOT)}:{number}", line
