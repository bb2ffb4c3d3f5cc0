"""Tests of which packages read and change files by themselves."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT, installed, parsed

CALLS = {
    "Path": "open read_text read_bytes write_text write_bytes mkdir rmdir unlink rename touch chmod symlink_to "
    "hardlink_to",
    "os": "open mkdir makedirs unlink remove rmdir rename replace chmod fchmod chown link symlink truncate",
    "shutil": "rmtree copy copyfile copytree move",
    "tempfile": "NamedTemporaryFile TemporaryFile TemporaryDirectory mkdtemp mkstemp",
}
"""Functions of the standard library that read or change files: methods of a path, or of these modules."""
OWN_FILES = {
    "banzuke.files": "the one package that does so where others may write",
    "banzuke.isolation": "changes the kernel's settings, and notes them in the user's own state folder",
    "banzuke.launch.guard": "locks in the user's own state folder",
    "banzuke.launch.watchdog": "the same",
    "banzuke.environment": "fills the user's own cache, and reads the images and programs that he names",
    "banzuke.publish.publication": "opens the members of an archive that was read as the package does",
    "banzuke.publish.size_classes": "reads the installation",
    "banzuke.bundle": "reads the installation, and the archive that it has just made",
    "banzuke.cli.console": "/dev/null",
    "banzuke.cli.screen_baseline": "a temporary folder of its own",
    "banzuke.machine.areas": "tries whether a folder that the user names can be written",
    "banzuke.machine.tree": "reads the kernel's files",
    "banzuke.launch.conditions": "the same",
    "banzuke.installation": "reads the installation",
    "banzuke.plan.catalogue": "the same",
    "banzuke.machine.tables": "the same",
    "banzuke.machine.public": "the same",
    "banzuke.ranking.editions": "the same",
    "banzuke.document.html": "the same",
    "banzuke.program.installed": "the same",
    "banzuke.control_groups": "reads the kernel's files",
    "banzuke.__main__": "looks at the file that TZ names",
    "banzuke.report.charts": "temporary files of its own",
    "banzuke.report.page": "the same",
    "banzuke.words.bundle": "reads the installation",
    "banzuke.results.query": "a temporary folder of its own, as DuckDB opens files by name",
    "banzuke.placement.simulate": "a temporary folder of its own, as SimGrid reads files by name",
    "banzuke.record.schema": "writes the source tree, for developers",
}
"""Packages and modules that call them, with their reasons."""


def file_calls(file: Path) -> Iterator[str]:
    """Yield `banzuke/units.py:5: read_text` for each call that reads or changes files."""
    for node in ast.walk(parsed(file)):
        match node:
            case ast.Call(func=ast.Name(id="open")):
                called = "open"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os" | "shutil" | "tempfile" as owner), attr=name)):
                called = f"{owner}.{name}" if name in CALLS[owner].split() else ""
            case ast.Call(func=ast.Attribute(attr=name)):
                called = name if name in CALLS["Path"].split() else ""
            case _:
                continue
        if called:
            yield f"{file.relative_to(ROOT)}:{node.lineno}: {called}"


@pytest.mark.catalogue
def test_files_are_read_and_written_through_one_package() -> None:
    """Then one rule decides whose files they are, and no other user's link is followed: see docs/security.md."""
    used = set()
    for module, file in installed().items():
        own = next((name for name in OWN_FILES if module == name or module.startswith(f"{name}.")), None)
        calls = [*file_calls(file)]
        if own and calls:
            used.add(own)
        assert own or not calls, f"use banzuke.files, or enter {module} in OWN_FILES with the reason: {calls}"
    assert used == {*OWN_FILES}, f"these need not be in OWN_FILES any more: {sorted({*OWN_FILES} - used)}"
