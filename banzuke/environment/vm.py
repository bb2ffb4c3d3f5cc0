"""Runs a case in a virtual machine: launcher and ranks are in a guest that QEMU boots."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from banzuke import paths
from banzuke.environment import elf, whole_job
from banzuke.environment import image as root_image
from banzuke.environment.guest.accelerator import find_accelerator
from banzuke.environment.guest.boot import PROGRAM
from banzuke.environment.guest.image import disk_format
from banzuke.environment.guest.kernel import VARIABLE, find_kernel
from banzuke.environment.guest.qemu import Shape, find_qemu, find_share
from banzuke.environment.inside import apart
from banzuke.environment.libraries import NOTHING, Needs, bring, installation
from banzuke.environment.model import Kind, Wanted
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.units import quantity

GIB = 1 << 30
_TCG = "tcg"
EMULATION = 50.0
"""Slowdown by software emulation: STREAM takes 30 times as long as natively, code with wide vectors more."""
EMULATED = "times mean nothing: the processor is emulated in software"


@dataclass(frozen=True)
class Vm:
    name: str
    details: Mapping[str, str]
    warning: str
    shape: Shape
    """`memory`: most bytes that the guest may have."""
    kernel: Path
    accelerator: str
    image: str = ""
    """Folder or disk; empty: the host's own root."""
    base: Needs = NOTHING
    """What the programs need that an image must provide."""
    dry_run: bool = False

    @property
    def slowness(self) -> float:
        return EMULATION if emulated(self.details) else 1.0

    def inner(self, words: list[str], _variables: Mapping[str, str]) -> list[str]:
        return words

    def outer(self, words: list[str], variables: Mapping[str, str], memory: float) -> list[str]:
        """Return the words that boot the guest, which takes over the caller's variables.

        Raises BanzukeError if more memory is needed than there is.
        """
        options = ["--cpus", _commas(self.shape.cpus), "--memory", str(self._memory(memory))]
        options += ["--sockets", str(self.shape.sockets), "--threads", str(self.shape.threads)]
        options += ["--nodes", _commas(self.shape.nodes)] if self.shape.nodes else []
        options += ["--accelerator", self.accelerator, "--kernel", str(self.kernel)]
        if self.image:
            brought = bring(words, variables, self.base, dry_run=self.dry_run)
            words = brought.words
            options += ["--image", self.image]
            options += [word for path in apart(brought.folders) for word in ("--bring", str(path))]
            options += [word for name, value in brought.variables.items() for word in ("--variable", f"{name}={value}")]
        return [*paths.PYTHON, "-m", "banzuke.environment.guest", *options, "--", *words]

    def cpu(self, number: int) -> int:
        """Return the number of a processor in the guest. Raises BanzukeError for one that the guest does not have."""
        try:
            return self.shape.cpus.index(number)
        except ValueError:
            raise BanzukeError(
                f"processor {number} is not among the guest's", why=f"these are {_commas(self.shape.cpus)}"
            ) from None

    def _memory(self, ranks: float) -> int:
        """Return the memory of the ranks, the guest's kernel, its files in memory and MPI's buffers."""
        wanted = int(1.05 * ranks) + GIB + len(self.shape.cpus) * GIB // 32
        if wanted > self.shape.memory:
            raise BanzukeError(
                f"the virtual machine needs {quantity(wanted, 'B')} of memory",
                why=f"{quantity(self.shape.memory, 'B')} are free on this host, and the ranks need "
                f"{quantity(ranks, 'B')} of them",
                remedy="Choose a smaller size with --set, or fewer ranks",
            )
        return wanted


def find(asked: Wanted, machine: Machine, prefix: Path, *, dry_run: bool) -> Vm:
    """Find what a virtual machine needs. Raises BanzukeError."""
    qemu = find_qemu()
    kernel = find_kernel(os.environ.get(VARIABLE, ""))
    share = find_share(qemu, kernel)
    base = installation(prefix) if asked.image else NOTHING
    image, said = _image(asked.image, base, dry_run=dry_run) if asked.image else ("", {})
    accelerator, why = find_accelerator(asked.variant, qemu, kernel, dry_run=dry_run)
    shape = _shape(machine, asked.os_cores)
    details = {"tool": "QEMU", "tool_version": qemu.version, "accelerator": accelerator, "kernel": kernel.release}
    details |= {"files": share.kind, **said}
    warning = f"{EMULATED} ({why})" if emulated(details) else ""
    return Vm(asked.name, details, warning, shape, kernel.path, accelerator, image, base, dry_run)


def emulated(details: Mapping[str, str]) -> bool:
    """Return whether these `Environment.details`, as a record has them, are of a processor emulated in software."""
    return details.get("accelerator") == _TCG


def _shape(machine: Machine, os_cores: Sequence[int]) -> Shape:
    """Return the usable processors, in the order in which a guest numbers its own."""
    allotment = machine.allotment
    usable = set(allotment.allowed) - set(os_cores)
    if not usable:
        raise BanzukeError("no processor is left for the virtual machine", why="all are the operating system's")
    socket_of = {number: index for index, package in enumerate(allotment.packages) for number in package}
    node_of = {number: node.node for node in machine.node.numa for number in node.cpus}
    siblings = allotment.siblings or [[number] for number in allotment.allowed]
    cores = [sorted(usable & set(core)) for core in siblings if usable & set(core)]
    cores.sort(key=lambda core: (socket_of.get(core[0], 0), node_of.get(core[0], 0), core[0]))
    cpus = [number for core in cores for number in core]
    threads = len(cores[0]) if len({len(core) for core in cores}) == 1 else 1
    sockets = _even([socket_of.get(core[0], 0) for core in cores])
    nodes = _even([node_of.get(core[0], 0) for core in cores])
    return Shape(
        tuple(cpus),
        memory=allotment.usable_memory,
        sockets=max(1, len(sockets)),
        threads=threads,
        nodes=tuple(nodes) if len(nodes) > 1 else (),
    )


def _even(groups: Sequence[int]) -> list[int]:
    """Return the groups in order; empty: they are not contiguous or of equal size, which QEMU cannot show."""
    distinct = list(dict.fromkeys(groups))
    size = len(groups) // len(distinct)
    return distinct if list(groups) == [group for group in distinct for _ in range(size)] else []


def _image(text: str, base: Needs, *, dry_run: bool = False) -> tuple[str, dict[str, str]]:
    """Return the folder or disk, and details. Raises BanzukeError if it is neither, or cannot run our programs."""
    path = paths.as_given(text).absolute()
    try:
        if path.is_file() and disk_format(path):
            return str(path), {"image": str(path)}
    except OSError as error:
        raise BanzukeError(f"the image {path} cannot be read", why=error.strerror or str(error)) from error
    image = root_image.identify(text, dry_run=dry_run)
    if image.kind != root_image.FOLDER:
        raise BanzukeError(
            f"{text} is not an image for a virtual machine",
            why="it is neither a root filesystem in a folder or archive nor a disk with ext4, XFS or squashfs",
            remedy="Unpack it into a folder, or convert other disks with `qemu-img convert -O qcow2`",
        )
    if program := elf.read(paths.executables() / PROGRAM):
        root_image.check(image, program, base.libc)
    return str(image.root), {"image": image.text} | ({"image_digest": image.digest} if image.digest else {})


def _commas(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


KIND = Kind(
    "vm", find, variants=("kvm", _TCG), takes_image=True, one_host=True, watched=False, around_job=whole_job.GUEST
)
