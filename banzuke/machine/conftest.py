"""Small artificial trees of /proc and /sys."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from banzuke.machine.tree import Tree

Plant = Callable[[Mapping[str, str | bytes]], Tree]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    def make(files: Mapping[str, str | bytes]) -> Tree:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        return Tree(tmp_path)

    return make
