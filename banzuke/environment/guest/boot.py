"""Runs a guest, from its first process to the end of its command."""

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from banzuke import paths
from banzuke.environment.guest import initramfs, qemu
from banzuke.environment.guest.image import HOST, GuestImage
from banzuke.environment.guest.kernel import Kernel
from banzuke.environment.guest.qemu import Channels, FileShare, Qemu, Shape
from banzuke.errors import BanzukeError

PROGRAM = "banzuke-guest-init"
SLOWEST_BOOT = {"kvm": 60.0, "tcg": 300.0}
"""Most seconds until the command begins."""
_KEPT = 1 << 16
"""Bytes of the console that are kept for an error's message."""
_BATCH = ("SLURM_", "SRUN_", "PBS_", "PMI_", "PMIX_", "PALS_", "FLUX_", "LSB_", "OMPI_COMM_", "PRTE_", "HYDI_")
"""Prefixes of variables that would make launchers look for a batch system, which the guest cannot reach."""
_TELLING = ("Kernel panic", "Out of memory", "BUG:", "VFS:", "Initramfs unpacking failed", "banzuke-guest-init")
_PATIENCE = 20
"""Seconds for QEMU to answer."""
_LIMITS = 16
"""Number of resources of getrlimit(2)."""
_PDEATHSIG = 1
_NEWNS, _MOUNT_SETATTR, _FDCWD, _RECURSIVE, _RDONLY = 0x20000, 442, -100, 0x8000, 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Guest:
    qemu: Qemu
    accelerator: str
    shape: Shape
    kernel: Kernel
    words: Sequence[str]
    """Empty: the guest only shows that it boots."""
    image: GuestImage = HOST
    bring: Sequence[str] = ()
    """Folders and files of the host that an image shows at the same place."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """In addition to the caller's own."""
    control_groups: int = 2
    root: bool = False
    """Whether the command runs as root, whoever calls."""
    append: str = ""
    """For the kernel's command line."""


@dataclass
class GuestOutput:
    """What came from the guest."""

    begun: float = 0.0
    """When its command began; 0: not yet."""
    end: str = ""
    problem: str = ""
    console: bytearray = field(default_factory=bytearray)

    def hear_console(self, content: bytes) -> None:
        self.console += content
        del self.console[:-_KEPT]

    @property
    def lines(self) -> list[str]:
        text = self.console.decode(errors="replace").replace("\r", "")
        return [line for line in text.splitlines() if line.strip()]


def boot(guest: Guest, streams: tuple[int, int], limit: float | None = None) -> GuestOutput:
    """Boot a guest and wait for the end of its command; `streams`: where its output and its errors go.

    Raises BanzukeError if the command could not begin, or the guest died.
    """
    output = GuestOutput()
    share = qemu.find_share(guest.qemu, guest.kernel) if guest.words else None
    archive = initramfs.archive(_files(guest, share))
    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        port, far_port = _pair(stack)
        console, far_console = _pair(stack)
        monitor, far_monitor = _pair(stack)
        files = _served(share, stack) if share and share.kind == "virtiofs" else None
        held = stack.enter_context(_in_memory(archive))
        far_ends = (far_port, far_console, far_monitor)
        inherited = [end.fileno() for end in far_ends]
        inherited += [held.fileno(), *([files.fileno()] if files else [])]
        channels = Channels(*inherited)
        words = qemu.words(
            guest.qemu,
            guest.accelerator,
            guest.shape,
            guest.kernel,
            share,
            channels,
            disk=guest.image.disk,
            append=guest.append,
        )
        machine = _started(words, inherited, stack)
        for end in far_ends:
            end.close()
        if guest.accelerator == "kvm" and guest.words:
            try:
                _bind(monitor, guest.shape.cpus)
            except BanzukeError:
                if machine.lives():
                    raise  # otherwise, the cause of its death is what matters
        limit = limit or SLOWEST_BOOT[guest.accelerator]
        in_time = _follow(port, console, output, streams, start + limit)
        if not output.end:
            raise _died(machine, output, limit=None if in_time else limit)
    return output


def _files(guest: Guest, share: FileShare | None) -> Mapping[str, bytes]:
    program = paths.executables() / PROGRAM
    wanted = ["virtio_pci", "virtio_console"]
    fields: list[tuple[str, str]] = []
    if share:
        wanted += [*share.modules, "overlay", *guest.image.modules(guest.kernel)]
        fields += [("share", share.kind), ("share_options", share.options), *_settings(guest)]
    modules = guest.kernel.modules(wanted)
    fields += [("module", f"/modules/{name}.ko") for name in modules]
    files = initramfs.with_libraries(program)
    files |= {f"/modules/{name}.ko": content for name, content in modules.items()}
    return files | {"/settings": initramfs.settings(fields)}


def _settings(guest: Guest) -> Iterator[tuple[str, str]]:
    """Yield the settings of the root and the command, as core/guest/main.cpp reads them."""
    yield from guest.image.settings()
    yield "control_groups", str(guest.control_groups)
    yield "host", socket.gethostname()
    yield "cwd", str(Path.cwd())
    yield "user", "0" if guest.root else str(os.getuid())
    yield "group", "0" if guest.root else str(os.getgid())
    yield from (("groups", str(group)) for group in os.getgroups())
    if guest.image is not HOST:
        for folder in guest.bring:
            yield "bring", folder
            yield "from", os.path.realpath(folder)
    for number in range(_LIMITS):
        soft, hard = resource.getrlimit(number)
        yield "limit", f"{number} {soft} {hard}"
    for name, value in {**os.environ, **guest.variables}.items():
        if not name.startswith(_BATCH):
            yield "variable", f"{name}={value}"
    yield from (("word", word) for word in guest.words)


def _pair(stack: contextlib.ExitStack) -> tuple[socket.socket, socket.socket]:
    near, far = socket.socketpair()
    return stack.enter_context(near), stack.enter_context(far)


def _in_memory(content: bytes = b"") -> BinaryIO:
    """Return a file without a name, which is gone with its last reader."""
    file = os.fdopen(os.memfd_create("guest"), "w+b")
    file.write(content)
    file.flush()
    return file


def _served(share: FileShare, stack: contextlib.ExitStack) -> socket.socket:
    """Return a connection to virtiofsd, which ends with it."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # the kernel chooses a name that no file has
        listener.listen(1)
        near = stack.enter_context(socket.socket(socket.AF_UNIX))
        near.connect(listener.getsockname())
        words = [*share.daemon, f"--fd={listener.fileno()}"]
        _started(words, [listener.fileno()], stack, reads_only=True)
    return near


@dataclass(frozen=True)
class Started:
    """A process that ends with this one, however this one ends."""

    process: subprocess.Popen[bytes]
    errors: BinaryIO

    def last_words(self) -> str:
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").split())[:300]

    def lives(self) -> bool:
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return True
        return False

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def _started(
    words: Sequence[str], inherited: Sequence[int], stack: contextlib.ExitStack, *, reads_only: bool = False
) -> Started:
    parent = os.getpid()

    def prepare() -> None:
        _LIBC.prctl(_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        if reads_only:
            _see_read_only()

    errors = stack.enter_context(_in_memory())
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=inherited,
        start_new_session=True,  # Ctrl-C reaches only this process, which then ends it
        preexec_fn=prepare,  # noqa: PLW1509  (no other thread is there whose lock the child could wait for)
    )
    started = Started(process, errors)
    stack.callback(started.end)
    return started


def _see_read_only() -> None:
    """Make all file systems read-only for this process, if permitted and supported, whatever root does in the guest.

    By mount_setattr(2) of `struct mount_attr`, since Linux 5.12; without it, there is only the guest's own protection.
    """
    wanted = (ctypes.c_uint64 * 4)(_RDONLY, 0, 0, 0)
    if _LIBC.unshare(_NEWNS) == 0:
        _LIBC.syscall(_MOUNT_SETATTR, _FDCWD, b"/", _RECURSIVE, wanted, ctypes.sizeof(wanted))


def _bind(monitor: socket.socket, cpus: Sequence[int]) -> None:
    """Bind each of the guest's processors to one of the host's. Raises BanzukeError."""
    monitor.settimeout(_PATIENCE)
    try:
        with monitor.makefile("rw") as lines:
            lines.write('{"execute": "qmp_capabilities"} {"execute": "query-cpus-fast"}\n')
            lines.flush()
            answers = [json.loads(lines.readline()) for _ in range(3)]  # the first one is a greeting
        for cpu in answers[-1]["return"]:
            os.sched_setaffinity(cpu["thread-id"], {cpus[cpu["cpu-index"]]})
    except (OSError, ValueError, LookupError) as error:
        raise BanzukeError("the guest's processors cannot be bound to the host's", why=str(error)) from error


def _follow(
    port: socket.socket, console: socket.socket, output: GuestOutput, streams: tuple[int, int], latest: float
) -> bool:
    """Pass on the guest's output until its command has ended or it dies; False: it had not begun by `latest`."""
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        for channel in (port, console):
            selector.register(channel, selectors.EVENT_READ)
        while not output.end and not output.problem:
            ready = selector.select(None if output.begun else max(0.0, latest - time.monotonic()))
            if not ready:
                return False
            for key, _ in ready:
                content = os.read(key.fd, 1 << 16)
                if not content:
                    selector.unregister(key.fileobj)
                elif key.fileobj is console:
                    output.hear_console(content)
                else:
                    received += content
                    for kind, text in _frames(received):
                        _take(kind, text, output, streams)
            if not selector.get_map():
                break
    return True


def _take(kind: str, text: bytes, output: GuestOutput, streams: tuple[int, int]) -> None:
    """Process a frame, as core/guest/main.cpp describes it."""
    if kind in "oe":
        _write(streams["oe".index(kind)], text)
    elif kind == "b":
        output.begun = time.monotonic()
    elif kind == "x":
        output.end = text.decode()
    else:
        output.problem = text.decode(errors="replace")


def _frames(received: bytearray) -> Iterator[tuple[str, bytes]]:
    """Take complete frames from the front."""
    while len(received) >= 5 and len(received) >= (end := 5 + int.from_bytes(received[1:5], "little")):
        yield chr(received[0]), bytes(received[5:end])
        del received[:end]


def _write(file: int, text: bytes) -> None:
    while text:
        text = text[os.write(file, text) :]


def _died(machine: Started, output: GuestOutput, *, limit: float | None) -> BanzukeError:
    """Return why the command did not end. `limit`: seconds in which it should have begun but did not."""
    telling = [line for line in output.lines if any(word in line for word in _TELLING)]
    kernel = "its kernel says: " + " | ".join(telling[:3] or output.lines[-3:]) if output.lines else ""
    if output.problem:
        return BanzukeError(f"the guest {output.problem}", why=kernel if telling else "")
    if limit:
        return BanzukeError(f"the guest did not boot within {limit:.0f} s", why=kernel or "its kernel printed nothing")
    if status := machine.process.wait():
        return BanzukeError(f"QEMU ended with status {status}", why=machine.last_words() or kernel)
    return BanzukeError("the guest died", why=kernel or "its kernel printed nothing; perhaps it has too little memory")
