"""ELF files and images of a few bytes, for unit tests; not installed."""

import gzip
import hashlib
import io
import json
import struct
import tarfile
from pathlib import Path

MACHINES = {"x86_64": 62, "aarch64": 183}
LOADER = "/lib64/ld-test.so.1"


def write_elf(path: Path, machine: str = "x86_64", libc: str = "2.36", loader: str = "") -> Path:
    """Write a header, a program header for the loader, and the names of glibc's versions from 2.2 up to `libc`."""
    text = loader.encode() + b"\0"
    names = b"".join(b"\0GLIBC_2.%d\0" % minor for minor in (2, 17, int(libc.partition(".")[2])))
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, MACHINES[machine], 1, 0, 64, 0, 0, 64, 56, bool(loader), 0, 0, 0)
    program = struct.pack("<IIQQQQQQ", 3, 4, 120, 0, 0, len(text), len(text), 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + program + text + names)
    return path


def write_root(root: Path, machine: str = "x86_64", libc: str = "2.36") -> Path:
    """Make a root filesystem with a shell, a loader and a C library."""
    write_elf(root / "bin/sh", machine, loader=LOADER)
    write_elf(root / LOADER.lstrip("/"), machine)
    write_elf(root / "usr/lib/test/libc.so.6", machine, libc)
    return root


Member = tuple[str, str, str]
"""Kind, name, and content or the target of a link."""
KINDS = {"file": tarfile.REGTYPE, "folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "same": tarfile.LNKTYPE}


def packed(*members: Member) -> bytes:
    """Return a tar archive of these members, all set-user-ID; an unknown kind is a device node."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for kind, name, text in members:
            member = tarfile.TarInfo(name)
            member.type = KINDS.get(kind, tarfile.CHRTYPE)
            member.mode = 0o4755
            if kind == "file":
                member.size = len(text)
            elif kind in {"link", "same"}:
                member.linkname = text
            tar.addfile(member, io.BytesIO(text.encode("latin-1")))
    return buffer.getvalue()


LOWER = packed(("file", "etc/old", "1"), ("file", "etc/both", "1"), ("file", "var/a", "1"), ("link", "lib", "usr/lib"))
UPPER = packed(
    ("file", "etc/.wh.old", ""), ("file", "etc/both", "2"), ("file", "var/.wh..wh..opq", ""), ("file", "var/b", "2"),
    ("folder", "usr/lib", ""), ("file", "lib/libc.so.6", "2"),
)  # fmt: skip


def docker(*layers: str) -> bytes:
    """Return an image of two layers, or those named; it also has a link and a folder that can be named."""
    manifest = json.dumps([{"Layers": layers or ["1/layer.tar", "2/layer.tar"]}])
    return packed(
        ("file", "manifest.json", manifest),
        ("file", "1/layer.tar", LOWER.decode("latin-1")),
        ("link", "2/layer.tar", "../3/layer.tar"),
        ("file", "3/layer.tar", UPPER.decode("latin-1")),
        ("link", "link", "/etc/passwd"),
        ("folder", "folder", ""),
    )


def blob(content: bytes) -> tuple[Member, dict[str, str]]:
    digest = hashlib.sha256(content).hexdigest()
    return ("file", f"blobs/sha256/{digest}", content.decode("latin-1")), {"digest": f"sha256:{digest}"}


def oci(*layers: bytes) -> bytes:
    blobs, names = zip(*map(blob, layers or (LOWER, gzip.compress(UPPER))), strict=True)
    manifest, name = blob(json.dumps({"layers": names}).encode())
    index = json.dumps({"manifests": [name]})
    return packed(("file", "oci-layout", "{}"), ("file", "index.json", index), manifest, *blobs)
