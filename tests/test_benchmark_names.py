"""Tests that no text of the product names a benchmark, except in the benchmark's own folder."""

import ast
import re
from collections.abc import Collection, Container, Iterable, Iterator

import pytest

from banzuke.testing import in_tests
from tests.sources import ROOT, installed, parsed, part


def named(text: str, names: Iterable[str], words: Container[str] = ()) -> set[str]:
    """Return the benchmarks that a text names, except within the name of something else, such as a file.

    `words`: names that may be in a sentence, where they mean something else.
    """
    every = "|".join(map(re.escape, names))
    bare = re.findall(rf"(?:(?<![\w.-])|--)({every})(?![\w.])", text)
    commands = re.findall(rf"(?:run|submit|predict|explain|history|screen|--only|--without) ({every})\b", text)
    programs = re.findall(rf"banzuke-({every})-", text)
    return {name for name in bare if name == text or name not in words} | {*commands, *programs}


def coded(text: str, names: Iterable[str], words: Container[str] = ()) -> set[str]:
    """Return the benchmarks that are named by a part of a message's code, which a line of a catalogue begins with."""
    code = re.match(r"[a-z]\w*(?:-\w+)+(?= =|$)", text)
    parts = code[0].split("-") if code else []
    return {name for name in names if name in parts and name not in words}


def test_what_is_named_is_told_from_other_words() -> None:
    names = ("hpl", "noise")
    assert [named(text, names) for text in ("banzuke-hpl-blas", "such as hpl", "--hpl")] == [{"hpl"}] * 3
    assert [named(text, names, ["noise"]) for text in ("`banzuke run noise` does", "noise")] == [{"noise"}] * 2
    assert not [text for text in ("hpl.dat", "of noise", "the-hpl", "hpl_dat") if named(text, names, ["noise"])]
    assert [coded(text, names, ["noise"]) for text in ("place-hpl = HPL", "a-hpl-b", "noise-hpl")] == [{"hpl"}] * 3
    assert not [text for text in ("see a-hpl", "hpl = HPL", "a-noise = A") if coded(text, names, ["noise"])]


@pytest.mark.catalogue
def test_nothing_outside_its_folder_names_a_benchmark() -> None:
    """All that depends on a benchmark is in its folder, because another may take its place, or its name."""
    names = {folder.name for folder in (ROOT / "benchmarks").iterdir() if (folder / "spec.py").exists()}
    assert len(names) > 5
    words = {name for name in names if in_tests(name, "WORD", default=False)}
    alone = {(name, file) for name in names for file in in_tests(name, "ALONE", {})}
    offences, needless = compare(texts_of_ours(), names, words, alone)
    assert not offences, (
        "let the benchmark declare what is done by its name. Where that is another word, too, its testing.py says so: "
        "WORD = True lets it stand in sentences, ALONE = {file: reason} by itself"
    )
    assert not needless, "ALONE has files in which no text is the name by itself"


def compare(
    texts: Iterable[tuple[str, int, str]], names: Collection[str], words: Container[str], alone: set[tuple[str, str]]
) -> tuple[list[str], set[tuple[str, str]]]:
    """Return texts that name a benchmark although they must not, and the entries of `alone` that no text needs."""
    offences, needless = [], set(alone)
    for file, line, text in texts:
        in_code = coded(text, names, words)
        for name in named(text, names, words) | in_code:
            if (name == text or name in in_code) and (name, file) in alone:
                needless.discard((name, file))
            else:
                offences.append(f"{file}:{line} names {name}: {text!r}")
    return offences, needless


def test_names_stand_alone_in_files_that_are_listed_and_every_such_file_is_needed() -> None:
    texts = [("a.py", 1, "noise"), ("a.py", 2, "--noise"), ("a/b.py", 3, "noise")]
    offences, needless = compare(texts, ["noise"], (), {("noise", "a.py"), ("noise", "a"), ("noise", "c.py")})
    assert offences == ["a.py:2 names noise: '--noise'", "a/b.py:3 names noise: 'noise'"]
    assert needless == {("noise", "a"), ("noise", "c.py")}


def texts_of_ours() -> Iterator[tuple[str, int, str]]:
    """Yield all of the product's texts except docstrings, with their files and lines."""
    for module, file in installed().items():
        if part(module) != "benchmarks":
            tree = parsed(file)
            docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
                    yield str(file.relative_to(ROOT)), node.lineno, node.value
    for file in (ROOT / "banzuke").rglob("*"):
        if file.suffix in (".ftl", ".j2", ".js", ".css", ".sh"):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                yield str(file.relative_to(ROOT)), number, line
