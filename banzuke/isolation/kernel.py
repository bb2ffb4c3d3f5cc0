"""Finds the kernel's settings of where it works: interrupts, workqueues, and those of /proc/sys.

Source: the kernel's Documentation/core-api/irq/irq-affinity, core-api/workqueue, admin-guide/sysctl.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from banzuke.cpu_lists import format_cpus, parse_bitmap
from banzuke.machine.tree import Tree

Kind = Literal["interrupt", "workqueue mask", "setting"]
INTERRUPTS = "proc/irq"
_WORKQUEUES = "sys/devices/virtual/workqueue"
_SYSCTL = "proc/sys"
_STATISTICS = 120
"""Seconds between updates of the statistics of virtual memory, which wake a kernel thread on every processor."""


@dataclass(frozen=True)
class KernelSetting:
    """A file to be written; `name` is its name in the report."""

    kind: Kind
    name: str
    path: str
    old: str
    new: str
    shown: str = ""
    """The file that `old` was read from, if it is another one."""


def settings(tree: Tree, system: Collection[int], job: Collection[int]) -> Iterator[KernelSetting]:
    """Yield settings that let the kernel work on the job's processors, in the order in which they are changed."""
    yield from _sysctls(tree, system, job)
    yield from _masks(tree, system, job)
    for interrupt in tree.names(INTERRUPTS, r"\d+"):
        path = f"{INTERRUPTS}/{interrupt}/smp_affinity_list"
        old = tree.cpus(path)
        if set(old) & set(job):
            kept = sorted(set(old) & set(system)) or sorted(system)
            name = f"interrupt {interrupt_name(tree, interrupt)}"
            yield KernelSetting("interrupt", name, path, tree.text(path) or "", format_cpus(kept))


def interrupt_name(tree: Tree, interrupt: str) -> str:
    """Return the number and, if a device uses the interrupt, the device."""
    users = tree.names(f"{INTERRUPTS}/{interrupt}")
    devices = [name for name in users if tree.path(f"{INTERRUPTS}/{interrupt}/{name}").is_dir()]
    return f"{interrupt} ({', '.join(devices)})" if devices else interrupt


def format_bitmap(cpus: Collection[int]) -> str:
    """Return the kernel's hexadecimal mask: words of 32 bits, highest first."""
    bits = sum(1 << cpu for cpu in cpus)
    words = [f"{bits >> shift & 0xFFFFFFFF:08x}" for shift in range(0, max(bits.bit_length(), 1), 32)]
    return ",".join(reversed(words))


def _masks(tree: Tree, system: Collection[int], job: Collection[int]) -> Iterator[KernelSetting]:
    """Yield masks for new interrupts and for workqueues; the common mask limits each workqueue's own."""
    yield from _mask(tree, system, job, "interrupt", "new interrupts", f"{INTERRUPTS}/default_smp_affinity")
    requested = f"{_WORKQUEUES}/cpumask_requested"  # since Linux 6.7; `cpumask` is the part of it that partitions leave
    shown = requested if tree.exists(requested) else ""
    yield from _mask(tree, system, job, "workqueue mask", "unbound workqueues", f"{_WORKQUEUES}/cpumask", shown)


def _mask(
    tree: Tree, system: Collection[int], job: Collection[int], kind: Kind, name: str, path: str, shown: str = ""
) -> Iterator[KernelSetting]:
    old = tree.text(shown or path)
    if old and set(parse_bitmap(old)) & set(job):
        kept = set(parse_bitmap(old)) & set(system) or set(system)
        yield KernelSetting(kind, name, path, old, format_bitmap(kept), shown)


def _sysctls(tree: Tree, system: Collection[int], job: Collection[int]) -> Iterator[KernelSetting]:
    path = f"{_SYSCTL}/kernel/watchdog_cpumask"
    watched = set(tree.cpus(path))
    if watched & set(job):
        kept = sorted(watched & set(system)) or sorted(system)
        yield KernelSetting("setting", "kernel.watchdog_cpumask", path, tree.text(path) or "", format_cpus(kept))
    path = f"{_SYSCTL}/kernel/timer_migration"
    if tree.integer(path) == 0:
        yield KernelSetting("setting", "kernel.timer_migration", path, "0", "1")
    path = f"{_SYSCTL}/vm/stat_interval"
    seconds = tree.integer(path)
    if seconds is not None and seconds < _STATISTICS:
        yield KernelSetting("setting", "vm.stat_interval", path, str(seconds), str(_STATISTICS))
