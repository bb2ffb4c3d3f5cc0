"""A tolerant view of /proc and /sys: what cannot be read is None, never an exception.

The root is a parameter, so that any machine can be described from a copy of its files.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from banzuke.cpu_lists import parse_cpus

_SIZE = re.compile(r"^(\d+)\s*([KMGT]?)i?B?$", re.IGNORECASE)
_SCALE = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int | None:
    """Return the bytes of "32768K", "1 MB" or "512" (binary multiples, as the kernel means them)."""
    match = _SIZE.match(text.strip())
    number = whole(match[1]) if match else None
    return None if match is None or number is None else fitting(number * _SCALE[match[2].upper()])


def whole(text: str | None) -> int | None:
    """Return the number in the text; None for anything else, and for one that needs more than 64 bits."""
    with suppress(ValueError):  # also raised for more digits than Python reads
        return fitting(int(text or ""))
    return None


def fitting(number: int) -> int | None:
    """Return the number; None where it needs more than 64 bits, and so cannot be the kernel's count of anything."""
    return number if -(2**63) <= number < 2**63 else None


def selected(text: str | None) -> str | None:
    """Return the bracketed choice of "always [madvise] never"; the text itself when nothing is bracketed."""
    match = re.search(r"\[([^\]]+)\]", text or "")
    return match[1] if match else text


@dataclass(frozen=True)
class Tree:
    root: Path = Path("/")

    @property
    def is_this_machine(self) -> bool:
        return self.root == Path("/")

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str | None:
        """Return the stripped content; None when absent, unreadable or empty."""
        content = self.data(name)
        return content.decode("utf-8", "replace").strip("\n\0 ") or None if content else None

    def data(self, name: str) -> bytes | None:
        try:
            return self.path(name).read_bytes()
        except (OSError, ValueError):
            return None

    def link(self, name: str) -> str | None:
        """Return the target of a link, as written in it; None: it is not a link."""
        try:
            return str(self.path(name).readlink())
        except (OSError, ValueError):
            return None

    def integer(self, name: str) -> int | None:
        return whole(self.text(name))

    def size(self, name: str) -> int | None:
        return parse_size(self.text(name) or "")

    def cpus(self, name: str) -> list[int]:
        return parse_cpus(self.text(name) or "")

    def exists(self, name: str) -> bool:
        try:
            return self.path(name).exists()
        except OSError:
            return False

    def names(self, folder: str, pattern: str = ".*") -> list[str]:
        """Return the entries of `folder` that match wholly, with numbers in numeric order."""
        try:
            names = [entry.name for entry in self.path(folder).iterdir() if re.fullmatch(pattern, entry.name)]
        except OSError:
            return []
        return sorted(names, key=lambda n: [(int(p), "") if p.isdecimal() else (0, p) for p in re.split(r"(\d+)", n)])
