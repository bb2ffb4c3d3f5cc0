"""The machine's specification table, in the order in which centres print theirs: its hardware, then what a job had."""

from banzuke.machine.model import Machine
from banzuke.report.content import Row, SpecificationTable
from banzuke.report.hardware import caches, node_groups, partition_group, peak_rows, row, software_groups, storage
from banzuke.units import count, percent, quantity


def specification(machine: Machine) -> list[SpecificationTable]:
    groups = [_system(machine), *node_groups(machine.node), partition_group(machine.partition), _given(machine)]
    groups += [storage(machine.site.areas, machine.allotment.storage_available), *software_groups(machine.partition)]
    return [group for group in groups if group.rows]


def _system(machine: Machine) -> SpecificationTable:
    source = machine.site.source(f"partitions.{machine.allotment.partition}.node")
    return SpecificationTable(
        title="System",
        rows=[
            row("Name", machine.name),
            row("Operating system kernel", machine.partition.kernel.get("release")),
            row(
                "Fingerprint",
                machine.fingerprint,
                "hash of the hardware and the number of usable cores; the same after a reboot",
            ),
            row("Topology read from", source.where if source else None),
        ],
    )


def _given(machine: Machine) -> SpecificationTable:
    given, node = machine.allotment, machine.node
    usable = f"{count(given.allowed_cores, 'core')}, {count(len(given.allowed), 'logical processor')}"
    quota = f"a cgroup quota allows the time of {count(given.quota, 'processor')}" if given.quota is not None else ""
    return SpecificationTable(
        title="Allotted to this job",
        rows=[
            row("Allowed processors", usable, quota),
            *(caches(given.caches) if given.caches != node.caches else []),
            row("Allowed memory", quantity(given.memory_allowed, "B"), "after cgroup limits"),
            row("Free memory at the start", quantity(given.memory_available, "B")),
            row("Clock measured, one core, integer", quantity(given.scalar_hz, "Hz")),
            row("Clock measured, one core, vector FMA", quantity(given.single_vector_hz, "Hz")),
            row("Clock measured, all cores, vector FMA", quantity(given.vector_hz, "Hz"), "slowest core"),
            *_peaks(machine),
        ],
    )


def _peaks(machine: Machine) -> list[Row]:
    """Of the allowed cores, where they differ from the node's."""
    given = machine.allotment
    whole = machine.node.processor.peaks
    rows = peak_rows({name: peak for name, peak in given.peaks.items() if peak != whole.get(name)}, ", usable cores")
    flops = given.peaks.get("flops.fp64")
    if flops and flops.value and flops.unit == "flop/s" and given.allowed_cores:
        each = quantity(flops.value / given.allowed_cores, "flop/s")
        rows.append(row("Theoretical peak per core", each, f"over {count(given.allowed_cores, 'usable core')}"))
    rate = given.fma_rate
    share = f"{percent(rate / flops.value)} of the theoretical peak" if rate and flops and flops.value else ""
    return [*rows, row("FMA rate measured, registers only", quantity(rate, "flop/s"), share)]
