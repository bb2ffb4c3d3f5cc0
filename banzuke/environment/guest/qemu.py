"""Finds QEMU and how it shares files with a guest, and makes its command line."""

import os
import platform
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from banzuke.environment.guest.kernel import Kernel
from banzuke.errors import BanzukeError
from banzuke.machine.command import output

MIB = 1 << 20
_MACHINES = {"x86_64": ("q35", "ttyS0"), "aarch64": ("virt,gic-version=max", "ttyAMA0")}
"""Machine type and serial line, by architecture."""
_FOLDERS = ("/usr/libexec", "/usr/lib/qemu", "/usr/local/libexec", "/usr/lib")
"""Where distributions install `qemu-kvm` and `virtiofsd`, which are not on PATH."""


@dataclass(frozen=True)
class Qemu:
    path: str
    version: str
    architecture: str
    devices: str
    """Output of `-device help`."""
    topoext: bool = False
    """Whether the host's processor has this feature of AMD's."""


@dataclass(frozen=True)
class Shape:
    """Size of the guest, and its place on the host."""

    cpus: tuple[int, ...]
    """The host's processor for each of the guest's, in the guest's order: by socket, core, hardware thread."""
    memory: int
    """Bytes."""
    sockets: int = 1
    threads: int = 1
    """Hardware threads per core."""
    nodes: tuple[int, ...] = ()
    """NUMA nodes of the host, each with an equal share of processors and memory; empty: ignored."""

    @property
    def parts(self) -> int:
        """Number of NUMA nodes of the guest."""
        return len(self.nodes) if self.nodes and len(self.cpus) % len(self.nodes) == 0 else 1

    @property
    def part(self) -> int:
        """Memory of each NUMA node in MiB."""
        return self.memory // MIB // self.parts


@dataclass(frozen=True)
class FileShare:
    """How the guest sees the host's files."""

    kind: str
    """9p, in QEMU itself, or virtiofs, by the program `virtiofsd`."""
    daemon: tuple[str, ...] = ()
    """Words that start virtiofsd, without the number of the open file at which it listens."""

    @property
    def modules(self) -> list[str]:
        return ["9pnet_virtio", "9p"] if self.kind == "9p" else ["virtiofs"]

    @property
    def options(self) -> str:
        """Options of the mount. The host's files do not change during a case, so the guest may cache them."""
        return "trans=virtio,version=9p2000.L,msize=524288,cache=loose" if self.kind == "9p" else ""


@dataclass(frozen=True)
class Channels:
    """Numbers of the open files that QEMU inherits."""

    port: int
    console: int
    monitor: int
    archive: int
    files: int = -1
    """The connection to virtiofsd."""


@cache
def find_qemu(architecture: str = platform.machine()) -> Qemu:
    """Return the QEMU of this host. Raises BanzukeError."""
    if architecture not in _MACHINES:
        raise BanzukeError(
            f"no virtual machine for {architecture}", why=f"known are {', '.join(_MACHINES)}", remedy="Run natively"
        )
    path = shutil.which(f"qemu-system-{architecture}") or _installed("qemu-kvm")
    version = output([path, "--version"], timeout=20) if path else None
    if not path or not version:
        package = "qemu-system-x86" if architecture == "x86_64" else "qemu-system-arm"
        raise BanzukeError(
            "QEMU is not installed" if not path else f"{path} does not work",
            why=f"there is no qemu-system-{architecture}" if not path else "it does not report its version",
            remedy=f"Debian, Ubuntu: `apt install {package}`; RHEL, Rocky: `dnf install qemu-kvm virtiofsd`",
        )
    devices = output([path, "-device", "help"], timeout=20) or ""
    topoext = any(line.startswith("flags") and " topoext" in line for line in _lines("/proc/cpuinfo"))
    return Qemu(path, version.splitlines()[0].removeprefix("QEMU emulator version "), architecture, devices, topoext)


def find_share(qemu: Qemu, kernel: Kernel) -> FileShare:
    """Choose how to share files: 9p if QEMU and the kernel have it, else virtiofs. Raises BanzukeError.

    9p needs no further process and no rights, and the guest's memory may be on the host's large pages. Enterprise
    distributions lack it and have virtiofs.
    """
    if '"virtio-9p-pci"' in qemu.devices and kernel.has("9p") and kernel.has("9pnet_virtio"):
        return FileShare("9p")
    daemon = _installed("virtiofsd") or shutil.which("virtiofsd")
    if '"vhost-user-fs-pci"' in qemu.devices and kernel.has("virtiofs") and daemon:
        return FileShare("virtiofs", _daemon(daemon, root=os.geteuid() == 0))
    kernel_has = [kind for kind in ("9p", "virtiofs") if kernel.has(kind)]
    raise BanzukeError(
        "the guest would have no way to the host's files",
        why=f"the kernel {kernel.path} has {' and '.join(kernel_has) or 'neither 9p nor virtiofs'}, {qemu.path} "
        f"{'has' if 'virtio-9p-pci' in qemu.devices else 'lacks'} 9p, and virtiofsd is "
        f"{f'at {daemon}' if daemon else 'not installed'}",
        remedy="Install virtiofsd for a kernel with virtiofs, or name a kernel with 9p by BANZUKE_GUEST_KERNEL",
    )


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _installed(name: str) -> str | None:
    return next((str(path) for folder in _FOLDERS if (path := Path(folder, name)).is_file()), None)


def words(
    qemu: Qemu,
    accelerator: str,
    shape: Shape,
    kernel: Kernel,
    share: FileShare | None,
    channels: Channels,
    *,
    disk: str = "",
    append: str = "",
) -> list[str]:
    """Return QEMU's command line. `accelerator`: kvm or tcg; `disk`: FORMAT:PATH; `append`: for the kernel."""
    machine, console = _MACHINES[qemu.architecture]
    shared = share is not None and share.kind == "virtiofs"
    arguments = [qemu.path, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    arguments += ["-machine", machine, "-accel", accelerator, "-cpu", _processor(qemu, accelerator, shape)]
    arguments += ["-smp", _topology(shape), "-m", f"{shape.part * shape.parts}M", *_memory(shape, shared=shared)]
    arguments += ["-kernel", str(kernel.path), "-initrd", f"/dev/fd/{channels.archive}"]
    for name in ("port", "console", "monitor"):
        arguments += ["-chardev", f"socket,id={name},fd={getattr(channels, name)}"]
    arguments += ["-serial", "chardev:console", "-mon", "chardev=monitor,mode=control"]
    arguments += ["-device", "virtio-serial-pci", "-device", "virtserialport,nr=1,chardev=port,name=banzuke"]
    if share and share.kind == "9p":
        arguments += ["-fsdev", "local,id=files,path=/,security_model=none,readonly=on,multidevs=remap"]
        arguments += ["-device", "virtio-9p-pci,fsdev=files,mount_tag=host"]
    elif share:
        arguments += ["-chardev", f"socket,id=files,fd={channels.files}"]
        arguments += ["-device", "vhost-user-fs-pci,chardev=files,tag=host"]
    if disk:
        kind, _, path = disk.partition(":")
        named = path.replace(",", ",,")
        arguments += ["-drive", f"if=none,id=disk,format={kind},readonly=on,file.driver=file,file.filename={named}"]
        arguments += ["-device", "virtio-blk-pci,drive=disk"]
    # Emulated processors have the host's steady clock, too, but do not report it.
    clock = "tsc=reliable" if accelerator == "tcg" and qemu.architecture == "x86_64" else ""
    return [*arguments, "-append", f"console={console} quiet panic=-1 random.trust_cpu=on {clock} {append}".rstrip()]


def _processor(qemu: Qemu, accelerator: str, shape: Shape) -> str:
    """Return the host's processor, with its steady clock and the cache sizes from which libraries choose blocks."""
    if accelerator == "tcg":
        return "max"
    if qemu.architecture != "x86_64":
        return "host"
    # AMD's processors report hardware threads by this flag, which QEMU omits by default.
    threads = ",topoext=on" if shape.threads > 1 and qemu.topoext else ""
    return f"host,migratable=off,host-cache-info=on,l3-cache=off{threads}"


def _topology(shape: Shape) -> str:
    cores, rest = divmod(len(shape.cpus), shape.sockets * shape.threads)
    if rest or not cores:
        return f"{len(shape.cpus)},sockets=1,cores={len(shape.cpus)},threads=1"
    return f"{len(shape.cpus)},sockets={shape.sockets},cores={cores},threads={shape.threads}"


def _memory(shape: Shape, *, shared: bool) -> list[str]:
    """Return one memory backend per NUMA node, bound to the host's; virtiofsd needs memory that it can map, too."""
    kind = "memory-backend-memfd,share=on" if shared else "memory-backend-ram"
    if shape.parts == 1:
        return ["-object", f"{kind},id=memory0,size={shape.part}M", "-machine", "memory-backend=memory0"]
    size = len(shape.cpus) // shape.parts
    return [
        word
        for index, node in enumerate(shape.nodes)
        for word in (
            *("-object", f"{kind},id=memory{index},size={shape.part}M,host-nodes={node},policy=bind"),
            *("-numa", f"node,nodeid={index},memdev=memory{index},cpus={index * size}-{(index + 1) * size - 1}"),
        )
    ]


def _daemon(path: str, *, root: bool) -> tuple[str, ...]:
    """Return the command of virtiofsd: QEMU's own until version 7, for root only, or its successor in Rust."""
    if "--shared-dir" in (output([path, "--help"], timeout=20) or ""):
        sandbox = "chroot" if root else "none"
        return (path, "--shared-dir=/", "--cache=always", f"--sandbox={sandbox}")
    if not root:
        raise BanzukeError(
            f"{path} cannot be used",
            why="this version of virtiofsd runs as root only",
            remedy="Install the newer one (virtiofsd 1.0 or later), or name a kernel with 9p by BANZUKE_GUEST_KERNEL",
        )
    options = ("-o", "source=/", "-o", "cache=always", "-o", "sandbox=chroot", "-o", "log_level=err")
    return (path, "-f", "--rlimit-nofile=0", *options)
