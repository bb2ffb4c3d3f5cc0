"""ELF files of a few bytes, for unit tests; not installed."""

import struct
from pathlib import Path

MACHINES = {"x86_64": 62, "aarch64": 183}
LOADER = "/lib64/ld-test.so.1"


def write_elf(path: Path, machine: str = "x86_64", libc: str = "2.36", loader: str = "") -> Path:
    """A header, a program header for the loader, and the names of glibc's versions from 2.2 up to `libc`."""
    text = loader.encode() + b"\0"
    names = b"".join(b"\0GLIBC_2.%d\0" % minor for minor in (2, 17, int(libc.partition(".")[2])))
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, MACHINES[machine], 1, 0, 64, 0, 0, 64, 56, bool(loader), 0, 0, 0)
    program = struct.pack("<IIQQQQQQ", 3, 4, 120, 0, 0, len(text), len(text), 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + program + text + names)
    return path


def write_root(root: Path, machine: str = "x86_64", libc: str = "2.36") -> Path:
    """A root filesystem with a shell, a loader and a C library."""
    write_elf(root / "bin/sh", machine, loader=LOADER)
    write_elf(root / LOADER.lstrip("/"), machine)
    write_elf(root / "usr/lib/test/libc.so.6", machine, libc)
    return root
