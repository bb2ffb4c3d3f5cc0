"""Stand-ins for commands of batch systems: what they print for given words."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

StandIn = Callable[[str, Mapping[str, str]], None]


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Make a command that prints a text for the words that it begins with, and fails for others."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(command: str, answers: Mapping[str, str]) -> None:
        cases = "".join(
            f"  {shlex.quote(words)}*) printf %s {shlex.quote(answer)} ;;\n" for words, answer in answers.items()
        )
        file = folder / command
        file.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}  *) echo "unknown option $*" >&2; exit 1 ;;\nesac\n')
        file.chmod(0o755)

    return make
