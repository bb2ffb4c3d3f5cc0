"""The machine's specification in the usual order of centres: its hardware, then the job's part."""

from banzuke.document import Block, Section
from banzuke.machine.allotment import CoreRates
from banzuke.machine.model import Machine
from banzuke.report.accelerators import accelerators
from banzuke.report.fact_table import SpecificationGroup, SpecificationRow, amount, row, table_of, unknown_items
from banzuke.report.hardware import caches, node_groups, partition_group, software_groups, storage
from banzuke.report.peaks import peak_rows
from banzuke.words import Derived, Quantity, Share, message
from banzuke.words.language import Words


def specification_section(machine: Machine, words: Words, prefix: str) -> Section:
    groups = specification(machine)
    blocks: list[Block] = [table_of(group, words) for group in groups]
    blocks += unknown_items(groups, words)
    return Section(f"{prefix}machine", words(message("report-machine")), tuple(blocks), "specification")


def specification(machine: Machine) -> list[SpecificationGroup]:
    groups = [
        _system(machine),
        *node_groups(machine.node),
        partition_group(machine.partition, here=True),
        _allotted(machine),
        accelerators(machine.allotment, machine.node),
    ]
    groups += [storage(machine.site.areas, machine.allotment.storage_available), *software_groups(machine.partition)]
    return [group for group in groups if group.rows]


def _system(machine: Machine) -> SpecificationGroup:
    source = machine.site.source(f"partitions.{machine.allotment.partition}.node")
    rows = (
        row(message("report-machine-name"), machine.name),
        row(message("report-machine-kernel"), machine.partition.kernel.get("release")),
        row(message("report-machine-fingerprint"), machine.fingerprint, message("report-machine-fingerprint-note")),
        row(message("report-machine-read-from"), source.where if source else None),
    )
    return SpecificationGroup(message("report-machine-system"), rows)


def _allotted(machine: Machine) -> SpecificationGroup:
    allotment, node = machine.allotment, machine.node
    cores = allotment.allowed_cores
    usable = message("report-machine-usable", cores=cores or 0, processors=len(allotment.allowed))
    quota = message("report-machine-quota", number=allotment.quota) if allotment.quota is not None else None
    slowest = message("report-machine-slowest-core") if allotment.vector_hz is not None else None
    rows = (
        row(message("report-machine-allowed"), usable, quota),
        *(caches(allotment.caches) if allotment.caches != node.caches else []),
        row(
            message("report-machine-allowed-memory"),
            amount(allotment.memory_allowed, "B"),
            message("report-machine-after-cgroups"),
        ),
        row(message("report-machine-free-memory"), amount(allotment.memory_available, "B")),
        row(message("report-machine-clock-scalar"), amount(allotment.scalar_hz, "Hz")),
        row(message("report-machine-clock-vector"), amount(allotment.single_vector_hz, "Hz")),
        row(message("report-machine-clock-all"), amount(allotment.vector_hz, "Hz"), slowest),
        *(_rates(name, rates) for name, rates in allotment.kinds.items()),
        *_peaks(machine),
    )
    return SpecificationGroup(message("report-machine-allotted"), rows)


def _rates(name: str, rates: CoreRates) -> SpecificationRow:
    """Return what was measured on one kind of core."""
    scalar, alone, together = (
        Quantity(hz, "Hz") if hz else None for hz in (rates.scalar_hz, rates.single_vector_hz, rates.vector_hz)
    )
    return row(
        message("report-machine-kind-rate", kind=Derived(name)),
        amount(rates.fma_rate, "flop/s"),
        message("report-machine-kind-scalar", clock=scalar) if scalar else None,
        message("report-machine-kind-alone", clock=alone) if alone else None,
        message("report-machine-kind-all", clock=together) if together else None,
    )


def _peaks(machine: Machine) -> list[SpecificationRow]:
    """Return the peaks of the allowed cores where they differ from the node's."""
    allotment = machine.allotment
    whole = machine.node.processor.peaks
    own = {name: peak for name, peak in allotment.peaks.items() if peak != whole.get(name)}
    rows = peak_rows(own, message("report-peak-of-usable"))
    flops = allotment.peaks.get("flops.fp64")
    flop_rate = flops.value if flops and flops.unit == "flop/s" else None
    if flop_rate and allotment.allowed_cores:
        per_core = Quantity(flop_rate / allotment.allowed_cores, "flop/s")
        over = message("report-machine-over-cores", number=allotment.allowed_cores)
        rows.append(row(message("report-machine-peak-core"), per_core, over))
    rate = allotment.fma_rate
    share = message("report-machine-of-peak", share=Share(rate / flop_rate)) if rate and flop_rate else None
    return [*rows, row(message("report-machine-fma-rate"), amount(rate, "flop/s"), share)]
