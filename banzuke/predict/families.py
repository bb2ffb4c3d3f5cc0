"""Families of processors and devices, and the shares of a rate that public figures say each of them sustains.

A description names its processor and its devices as lists do. Who matches no family, or one of which no figure is
known, takes what its group says, with the group's wider range: of processors by the flops of a core and cycle.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from banzuke import paths
from banzuke.machine.site import Device, Partition, Processor
from banzuke.machine.tables import read_table
from banzuke.predict.by_family import BY_FAMILY
from banzuke.predict.constants import Constant

FAMILIES, FITTED = paths.MACHINES / "families.csv", paths.MACHINES / "fitted.csv"
GROUPS = {2.5: "scalar", 6.0: "sse", 12.0: "avx", 24.0: "fma", math.inf: "wide"}
"""Groups of processors by the most flops of a core and cycle."""
EARLY, PLAIN, MATRIX = "early", "plain", "matrix-others"
"""Groups of unknown devices: with slow memory; without and with matrix units for FP64, whose rate the power limits."""
OF_VENDORS = (
    (re.compile(r"nvidia|tesla|geforce|quadro", re.IGNORECASE), "matrix-nvidia"),
    (re.compile(r"\b(amd|instinct|radeon|intel)\b", re.IGNORECASE), MATRIX),
)
"""Groups of unknown devices with matrix units, by whose they are: of no one's they have none."""
CACHED, STACKED = "cached", "stacked"
"""HPCG's groups of unknown processors and devices."""
DESKTOP = re.compile(r"\b(ryzen|threadripper|geforce|quadro|rtx|gtx)\b", re.IGNORECASE)
"""Of the design of a family of servers', with other clocks, units or memory: no family has figures of these."""
STACKED_LEAST = 500e9
"""B/s from which on a device's memory is stacked."""
SAME = 1.25
"""Factor within which a described peak is taken to be one that is known."""
HALF = 0.6
"""Share of a device's memory up to which a description counts its halves as devices of their own."""


@dataclass(frozen=True)
class ProcessorFamily:
    """What a name says."""

    kind: str
    name: str
    """Empty: unknown."""
    group: str
    hpcg_group: str = CACHED
    dgemm: float = math.nan
    """Share of the peak that DGEMM sustained by other sources than lists and reports."""
    dgemm_machine: str = ""
    """On which of the lists' machines; empty: on none of them."""
    flops: float = math.nan
    matrix_flops: float = math.nan
    memory: float = math.nan
    fast_memory: float = math.nan
    fast_bandwidth: float = math.nan
    clock: float = math.nan
    """Clock under the widest vectors over the nominal one, where it is described."""

    @property
    def known(self) -> bool:
        return bool(self.name)

    def group_of(self, constant: str) -> str:
        return self.hpcg_group if constant.startswith("hpcg.") else self.group

    def dgemm_peak(self, peak: float, matrix: float, memory: float) -> float:
        """flop/s of one device, of which DGEMM has a share: the matrix units', also where vectors' are described."""
        if matrix > 0 or not self.matrix_flops > 0:
            return max(peak, matrix if matrix > 0 else 0.0)
        vector, most = self._peaks(memory)
        if peak > 0 and most / SAME > peak and vector / SAME < peak < vector * SAME:
            return peak * most / vector  # of a variant with a few units more or a higher clock, too
        return peak

    def placed(self, peak: float, matrix: float, memory: float) -> bool:
        """Whether a described peak is known to be that of vector or of matrix units, as far as that matters."""
        if matrix > 0 or not (peak > 0 and self.matrix_flops > self.flops):
            return True
        return any(rate / SAME <= peak <= rate * SAME for rate in self._peaks(memory))

    def _peaks(self, memory: float) -> tuple[float, float]:
        """flop/s of vector and of matrix units of what has this memory."""
        part = 0.5 if memory <= HALF * self.memory else 1.0
        return part * self.flops, part * self.matrix_flops


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ProcessorFamily], ...]:
    numbers = ("dgemm", "flops", "matrix_flops", "memory", "fast_memory", "fast_bandwidth")
    return tuple(
        (
            re.compile(row["pattern"], re.IGNORECASE),
            ProcessorFamily(
                row["kind"],
                row["family"],
                row["group"],
                row["hpcg_group"],
                dgemm_machine=row["dgemm_machine"],
                **{name: float(row[name] or math.nan) for name in numbers},
            ),
        )
        for row in read_table(FAMILIES)
    )


def family_of_processor(processor: Processor) -> ProcessorFamily:
    """By its name; else nothing but the group, which a core's flops of a cycle tell."""
    family = _family_of_processor(processor)
    if processor.vector_hz and processor.nominal_hz:
        return replace(family, clock=min(1.0, processor.vector_hz / processor.nominal_hz))
    return family


def _family_of_processor(processor: Processor) -> ProcessorFamily:
    text = " ".join(filter(None, (processor.model, processor.microarchitecture, processor.vendor)))
    peak = processor.peaks["flops.fp64"].value if "flops.fp64" in processor.peaks else None
    cycles = (processor.cores or 0) * (processor.nominal_hz or 0.0)
    per_cycle = (peak or 0.0) / cycles if cycles else math.nan
    group = next((name for most, name in GROUPS.items() if per_cycle <= most), "") if per_cycle > 0 else ""
    steps = list(GROUPS.values())
    for pattern, family in _patterns():
        if family.kind == "processors" and not DESKTOP.search(text) and pattern.search(text):
            if group and family.group in steps and abs(steps.index(group) - steps.index(family.group)) > 1:
                break  # none of this family computes so much, or so little
            by_cycles = group and family.group not in ("fixed", group)
            return replace(family, name="", group=group) if by_cycles and family.name == "Opteron K8" else family
    return ProcessorFamily("processors", "", group)


def family_of_device(device: Device) -> ProcessorFamily:
    """By its name; else of the group without or with matrix units, as it is described."""
    for pattern, family in _patterns():
        if family.kind == "devices" and not DESKTOP.search(device.name) and pattern.search(device.name):
            return family
    bandwidth = device.peaks["memory.bytes"].value if "memory.bytes" in device.peaks else None
    early = bandwidth is not None and bandwidth < STACKED_LEAST
    whose = f"{device.vendor or ''} {device.name}"
    matrix = next((group for pattern, group in OF_VENDORS if pattern.search(whose)), "")
    group = matrix if "flops.fp64_matrix" in device.peaks else EARLY if early else PLAIN
    return ProcessorFamily("devices", "", group, EARLY if early else STACKED)


def strip_names(partition: Partition, kind: str) -> Partition:
    """What a description says of a family that nobody knows: numbers, and whose devices they are."""
    node = partition.node
    if kind == "devices":
        changed = node.having(devices=[device.having(name="device") for device in node.devices])
    else:
        nameless = {"model": None, "microarchitecture": None, "vendor": None}
        changed = node.having(processors=[processor.having(**nameless) for processor in node.processors])
    return partition.having(node=changed)


def families_of(partition: Partition) -> dict[str, ProcessorFamily]:
    """By kind: of the first processor, and of the first device."""
    node = partition.node
    families = {"processors": family_of_processor(node.processor)}
    if node.devices:
        families["devices"] = family_of_device(node.devices[0])
    return families


@dataclass(frozen=True)
class FittedFamily:
    """What public figures say of a constant."""

    value: float
    low: float
    high: float
    figures: int
    machines: int
    """That these are of."""


def machines_of(constant: str, family: ProcessorFamily) -> int:
    """How many machines of this family public figures tell of."""
    own = fitted().get((constant, family.group_of(constant), family.name)) if family.known else None
    return own.machines if own else 0


@cache
def fitted() -> Mapping[tuple[str, str, str], FittedFamily]:
    """By constant, group and family, which is empty for the group; none before anything is fitted."""
    if not FITTED.exists():
        return {}
    return {
        (row["constant"], row["group"], row["family"]): FittedFamily(
            float(row["value"]), float(row["low"]), float(row["high"]), int(row["figures"]), int(row["machines"])
        )
        for row in read_table(FITTED)
    }


def adapt(constants: Mapping[str, Constant], families: Mapping[str, ProcessorFamily]) -> dict[str, Constant]:
    """The constants with those of these families instead of everybody's."""
    changed = dict(constants)
    for name, own in BY_FAMILY.items():
        if name in constants and (family := families.get(own.kind)):
            changed[name] = _adapt_constant(name, constants[name], family)
    return changed


def _adapt_constant(name: str, constant: Constant, family: ProcessorFamily) -> Constant:
    figures = fitted()
    group = family.group_of(name)
    own = figures.get((name, group, family.name))
    shared = figures.get((name, group, ""))
    if own and family.known:
        source = f"{own.figures} public figures of {family.name}, drawn to those of its group ({group})"
        return replace(constant, value=own.value, low=own.low, high=own.high, source=source)
    if shared and name == "host.dgemm" and family.clock > 0:
        # its own clock, and what is usual in its group, say as much
        factor = math.sqrt(constant.value * family.clock / shared.value)
        value, low, high = (factor * number for number in (shared.value, shared.low, shared.high))
        source = f"the described clock under vector load, and {shared.figures} public figures of the group {group}"
        return replace(constant, value=value, low=low, high=high, source=source)
    if shared:
        source = f"{shared.figures} public figures of the group {group}; of this family none is known"
        return replace(constant, value=shared.value, low=shared.low, high=shared.high, source=source)
    return constant
