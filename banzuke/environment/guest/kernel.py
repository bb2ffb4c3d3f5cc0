"""Finds the kernel of a guest, and those of its modules that it needs to reach its files and us."""

import errno
import gzip
import lzma
import platform
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from banzuke.child import captured
from banzuke.errors import BanzukeError

VARIABLE = "BANZUKE_GUEST_KERNEL"
_SUFFIX = re.compile(r"\.ko(\.[a-z0-9]+)?$")
_NEEDS = re.compile(rb"depends=([^\0]*)\0")
_LIKES = re.compile(rb"softdep=pre: ?([^\0]*)\0")


@dataclass(frozen=True)
class Kernel:
    path: Path
    release: str
    """What `uname -r` will print; empty: unknown."""
    folder: Path | None
    """Folder of its modules; None: there are none, so everything that it needs must be built in."""

    @cached_property
    def _files(self) -> Mapping[str, Path]:
        if not self.folder:
            return {}
        return {_name(file.name): file for file in self.folder.rglob("*.ko*") if _SUFFIX.search(file.name)}

    @cached_property
    def _built_in(self) -> frozenset[str]:
        try:
            lines = (self.folder or Path("/nonexistent")).joinpath("modules.builtin").read_text().splitlines()
        except OSError:
            return frozenset()
        return frozenset(_name(Path(line).name) for line in lines)

    def has(self, module: str) -> bool:
        """Return whether this is built in or a module; without a folder of modules, it is assumed to be."""
        return module in self._built_in or module in self._files or not self.folder

    def modules(self, wanted: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of the wanted modules and of their dependencies, in loading order.

        Raises BanzukeError if one is neither there nor built in, or cannot be decompressed.
        """
        contents: dict[str, bytes] = {}
        for name in wanted:
            if not self.has(name):
                raise BanzukeError(
                    f"the kernel {self.path} has no '{name}'",
                    why=f"it is neither built in nor among the modules in {self.folder}",
                    remedy=f"Name another kernel by {VARIABLE}=/path/to/vmlinuz-...",
                )
            self._add(name, contents)
        return contents

    def _add(self, name: str, contents: dict[str, bytes]) -> None:
        if name in contents or name not in self._files:
            return
        content = _decompressed(self._files[name])
        likes = _listed(_LIKES, content)
        # Soft dependencies name algorithms: crc32c_generic and faster modules provide crc32c.
        for needed in sorted(_listed(_NEEDS, content) | likes | {f"{liked}_generic" for liked in likes}):
            self._add(needed, contents)
        contents[name] = content


def find_kernel(named: str = "", root: Path = Path("/")) -> Kernel:
    """Return the named kernel, or a readable one on this host: preferably the running one. Raises BanzukeError."""
    if named:
        path = Path(named).absolute()
        try:
            return _described(path)
        except OSError as error:
            raise BanzukeError(f"cannot read the kernel {path}", why=error.strerror or str(error)) from error
    unreadable: list[Path] = []
    for path in _candidates(root):
        try:
            return _described(path)
        except OSError:
            unreadable.append(path)
    if unreadable:
        raise BanzukeError(
            "no kernel for a guest is readable",
            why=", ".join(map(str, unreadable[:3])) + (" and others are" if unreadable[3:] else " is") + " for root",
            remedy=f"`sudo chmod +r {unreadable[0]}`, or unpack a kernel's package (`apt-get download ...`, `dpkg -x`) "
            f"and name it by {VARIABLE}=.../boot/vmlinuz-...",
        )
    raise BanzukeError(
        "there is no kernel for a guest",
        why=f"neither {root / 'boot'} nor {root / 'lib/modules'} holds one",
        remedy=f"Install one (Debian: linux-image-amd64; RHEL: kernel-core), or name one by {VARIABLE}=.../vmlinuz-...",
    )


def _candidates(root: Path) -> Iterator[Path]:
    running = platform.release()
    boot, modules = root / "boot", root / "lib/modules"
    candidates = [boot / f"vmlinuz-{running}", modules / running / "vmlinuz"]
    newest = [*boot.glob("vmlinuz-*"), *modules.glob("*/vmlinuz")]
    candidates += sorted((p for p in newest if "rescue" not in p.name), key=_version, reverse=True)
    yield from (path for path in dict.fromkeys(candidates) if path.exists())


def _version(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]


def _described(path: Path) -> Kernel:
    """Describe the kernel in a file. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    with path.open("rb") as file:
        start = file.read(1 << 16)
    release = _release(start) or (path.parent.name if path.name == "vmlinuz" else path.name.partition("-")[2])
    folders = (path.parent.parent / "lib/modules" / release, path.parent, Path("/lib/modules") / release)
    return Kernel(path, release, next((f for f in folders if release and (f / "modules.builtin").is_file()), None))


def _release(start: bytes) -> str:
    """Return the release in an x86 kernel's header (`Documentation/arch/x86/boot.rst`); empty: another kernel."""
    if start[0x202:0x206] != b"HdrS":
        return ""
    at = int.from_bytes(start[0x20E:0x210], "little") + 0x200
    return start[at : at + 200].partition(b"\0")[0].partition(b" ")[0].decode(errors="replace")


def _name(file: str) -> str:
    return _SUFFIX.sub("", file).replace("-", "_")


def _listed(pattern: re.Pattern[bytes], content: bytes) -> set[str]:
    return {
        name.replace("-", "_")
        for listed in pattern.findall(content)
        for name in re.split(r"[, ]+", listed.decode(errors="replace"))
        if name
    }


def _decompressed(file: Path) -> bytes:
    try:
        content = file.read_bytes()
        if file.suffix == ".xz":
            return lzma.decompress(content)
        if file.suffix == ".gz":
            return gzip.decompress(content)
        if file.suffix == ".zst":
            return _from_zstd(file)
    except FileNotFoundError as error:
        raise BanzukeError(f"cannot decompress {file}", why="there is no `zstd`", remedy="Install zstd") from error
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise BanzukeError(f"cannot read the kernel's module {file}", why=str(error)) from error
    return content


def _from_zstd(file: Path) -> bytes:
    """Decompress a file. Raises OSError."""
    with file.open("rb") as stream:
        done = captured(["zstd", "-dcq"], seconds=60, stdin=stream)
    if done.status:
        raise OSError(done.complaint.strip() or f"zstd ended with status {done.status}")
    return done.output
