"""Reads tar archives within limits, because the memory, time and space that one takes are up to its author."""

import bz2
import contextlib
import gzip
import lzma
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedIOBase, BufferedReader, RawIOBase
from typing import IO

from banzuke.errors import BanzukeError

_Open = Callable[[BufferedReader], contextlib.AbstractContextManager[BufferedIOBase]]
_COMPRESSIONS: Mapping[bytes, _Open] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
"""What opens a compressed file, by its first bytes."""
ZSTD = b"\x28\xb5\x2f\xfd"
_HEADERS = 1 << 20
"""Most bytes of an entry's headers, which tarfile holds in memory. Extended attributes may have 64 KiB each."""


class TooLargeError(Exception):
    """Raised for an archive that holds more than there is room for."""


@dataclass
class Room:
    """How much may still be read from archives."""

    size: int
    """Bytes."""
    entries: int

    def take(self, size: int, entries: int = 0) -> None:
        """Take some room. Raises TooLargeError."""
        self.size -= size
        self.entries -= entries
        if min(self.size, self.entries) < 0:
            raise TooLargeError


def is_archive(head: bytes) -> bool:
    """Return whether a file may be an archive, from its first 512 bytes."""
    return head.startswith(tuple(_COMPRESSIONS)) or head[257:262] == b"ustar"


def entries(file: BufferedReader, room: Room) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """Yield entries in order, files with their content, which must be read before the next entry is requested.

    Raises TooLargeError, BanzukeError for compression with zstd, and what tarfile and decompressors raise.
    """
    with _decompressed(file) as plain:
        source = _Forwards(plain)
        with tarfile.open(fileobj=source, mode="r:") as tar:
            while member := tar.next():
                if member.size < 0:
                    raise tarfile.ReadError(f"{member.name} has a negative size")
                room.take(member.size + _HEADERS - source.left, 1)
                # tarfile keeps all members in a list, which typeshed does not declare.
                tar.members.clear()  # type: ignore[attr-defined]
                tar.pax_headers = {}
                source.left = member.size
                yield member, tar.extractfile(member) if member.isreg() else None
                source.left = _HEADERS
        # tarfile takes damage, or a file cut short between two entries, for the end.
        if source.last != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError("it is damaged or cut short: there is no end mark after the last entry")
        while rest := plain.read(_HEADERS):  # decompressors verify checksums at the end
            room.take(len(rest))


def _decompressed(file: BufferedReader) -> contextlib.AbstractContextManager[BufferedIOBase]:
    head = file.read(6)
    file.seek(0)
    if head.startswith(ZSTD):
        raise BanzukeError(
            "the image has layers compressed with zstd",
            why="these cannot be read here",
            remedy="Write it again with layers in gzip or uncompressed, as `podman save` and `docker save` do",
        )
    for magic, opened in _COMPRESSIONS.items():
        if head.startswith(magic):
            return opened(file)
    return contextlib.nullcontext(file)


class _Forwards(RawIOBase):
    """The stream that tarfile reads; it cannot seek backwards, which a negative size would cause for ever."""

    def __init__(self, file: BufferedIOBase) -> None:
        super().__init__()
        self._file = file
        self.left = _HEADERS
        """Bytes that may still be read."""
        self.last = b""
        """The bytes that were read last."""

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, position: int, _whence: int = 0) -> int:
        if position < self._file.tell():
            raise tarfile.ReadError("an entry ends before it begins")
        return self._file.seek(position)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self.left:
            raise tarfile.ReadError(f"an entry's headers have more than {_HEADERS:,} bytes")
        self.left -= size
        self.last = self._file.read(size)
        return self.last
