"""docs/commands.md is what the program says, and README.md leads to the pages."""

import re
from pathlib import Path

from banzuke.cli.group import GROUPS
from scripts.list_benchmarks import README
from scripts.list_commands import PAGE, PAGES, page, reference


def test_the_page_is_what_the_command_writes() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "write it again: python -m scripts.list_commands"


def test_every_command_and_option_is_there() -> None:
    listed = reference()
    assert all(f"\n### banzuke {name}\n" in listed for names in GROUPS.values() for name in names)
    assert "    banzuke site check [OPTIONS] [FILE]" in listed
    assert "| `--repeat` `N` | Launch every case N times, interleaved. Default: 1. |" in listed
    assert "| `--gpu-direct` `on\\|off` |" in listed
    assert listed.count("### banzuke predict BENCHMARK") == 1, "one for all benchmarks"


def linked(text: str, folder: Path) -> set[Path]:
    return {(folder / name).resolve() for name in re.findall(r"\]\(([^)#:]+\.md)", text)}


def test_a_reader_finds_every_page() -> None:
    """From README.md; of the design and of words the development section tells."""
    read = README.read_text(encoding="utf-8")
    pages = linked(read, README.parent)
    assert PAGE in pages
    assert set(PAGE.parent.glob("*.md")) <= pages
    assert all(there.is_file() for there in pages | linked(PAGE.read_text(encoding="utf-8"), PAGE.parent))
    assert {PAGE.parent / name for names in PAGES.values() for name in names} <= pages
