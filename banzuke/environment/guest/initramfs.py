"""Writes, in memory, the archive from which a guest's kernel starts its first process."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from banzuke.child import captured
from banzuke.errors import BanzukeError

_FOLDER, _PROGRAM, _DEVICE = 0o040755, 0o100755, 0o020600
_LIBRARY = re.compile(r"(?:=> |^\s*)(/\S+) \(0x")


def archive(files: Mapping[str, bytes]) -> bytes:
    """Return a cpio archive (newc) by the kernel's `Documentation/driver-api/early-userspace/buffer-format.rst`.

    Includes the folders of the files, and the console, which the kernel opens before anything is mounted.
    """
    folders = {str(parent) for name in (*files, "/dev/console") for parent in Path(name).parents} - {"/"}
    entries = [(name, _FOLDER, b"", (0, 0)) for name in sorted(folders)]
    entries.append(("/dev/console", _DEVICE, b"", (5, 1)))
    entries += [(name, _PROGRAM, content, (0, 0)) for name, content in files.items()]
    entries.append(("TRAILER!!!", 0, b"", (0, 0)))
    return b"".join(
        _entry(number, name.lstrip("/"), mode, content, device)
        for number, (name, mode, content, device) in enumerate(entries, start=1)
    )


def _entry(number: int, name: str, mode: int, content: bytes, device: tuple[int, int]) -> bytes:
    encoded = name.encode() + b"\0"
    # inode, mode, user, group, links, time, size, the file system's device, its own device, length of the name,
    # checksum
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(encoded), 0)
    header = b"070701" + "".join(f"{field:08X}" for field in fields).encode() + encoded
    return _padded(header) + _padded(content)


def _padded(text: bytes) -> bytes:
    return text + bytes(-len(text) % 4)


def with_libraries(program: Path) -> dict[str, bytes]:
    """Return the program as /init, with its loader and libraries under the names by which they are looked for.

    Raises BanzukeError.
    """
    try:
        listing = captured(["ldd", program], seconds=30)
        libraries = {path for line in listing.text.splitlines() for path in _LIBRARY.findall(line)}
        return {"/init": program.read_bytes()} | {path: Path(path).read_bytes() for path in sorted(libraries)}
    except OSError as error:
        raise BanzukeError(
            f"cannot prepare the first process of a guest from {program}", why=str(error), remedy="Install Banzuke anew"
        ) from error


def settings(fields: Iterable[tuple[str, str]]) -> bytes:
    """Return the content of /settings, which /init reads: names and values."""
    return b"".join(f"{name}\0{value}\0".encode(errors="surrogateescape") for name, value in fields)
