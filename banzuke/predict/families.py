"""Families of processors and devices, and the share of a rate that each sustains according to public figures.

A description names its processor and devices as public lists do. Those that match no family, or one without figures,
get the values and wider range of their group: for processors it follows from the flops per core and cycle.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from banzuke import paths
from banzuke.machine.site import Device, Partition, Processor
from banzuke.machine.tables import read_table
from banzuke.predict.by_family import DEVICES, by_family
from banzuke.predict.constants import SHARED, Constant

FAMILIES, FITTED = paths.MACHINES / "families.csv", paths.MACHINES / "fitted.csv"
GROUPS = {2.5: "scalar", 6.0: "sse", 12.0: "avx", 24.0: "fma", math.inf: "wide"}
"""Groups of processors by the most flops per core and cycle."""
EARLY, PLAIN, MATRIX = "early", "plain", "matrix-others"
"""Groups of unknown devices: with slow memory; without FP64 matrix units; with them, where power limits the rate."""
OF_VENDORS = (
    (re.compile(r"nvidia|tesla|geforce|quadro", re.IGNORECASE), "matrix-nvidia"),
    (re.compile(r"\b(amd|instinct|radeon|intel)\b", re.IGNORECASE), MATRIX),
)
"""Groups of unknown devices with matrix units by vendor; devices of other vendors have no group."""
CACHED, STACKED = "cached", "stacked"
"""HPCG's groups of unknown processors and devices."""
DESKTOP = re.compile(r"\b(ryzen|threadripper|geforce|quadro|rtx|gtx)\b", re.IGNORECASE)
"""Desktop products, which share a server family's design but have other clocks, units or memory; no figures are
known."""
STACKED_LEAST = 500e9
"""B/s from which a device's memory is stacked."""
SAME = 1.25
"""Factor within which a described peak counts as equal to a known one."""
HALF = 0.6
"""Share of a device's memory up to which a description counts the device's halves as devices of their own."""


SMALL_GROUPS = frozenset({"board-simple", "board", "personal", "apple", "workstation"})
"""Groups of processors that lists' machines do not have: of boards with simple cores, other boards, PCs, and so on."""


@dataclass(frozen=True)
class ProcessorFamily:
    """The properties known from a processor's or device's name."""

    kind: str
    name: str
    """Name of the family; empty: unknown."""
    group: str
    hpcg_group: str = CACHED
    dgemm: float = math.nan
    """Share of the peak that DGEMM sustains, from sources other than lists and reports."""
    dgemm_machine: str = ""
    """Machine of the lists on which that was measured; empty: none of them."""
    triad: float = math.nan
    """Share of the memory's peak that Triad moves, where it is known and unlike others'."""
    flops: float = math.nan
    matrix_flops: float = math.nan
    memory: float = math.nan
    fast_memory: float = math.nan
    fast_bandwidth: float = math.nan
    clock: float = math.nan
    """Clock under the widest vectors over the nominal clock, where it is described."""

    @property
    def known(self) -> bool:
        return bool(self.name)

    @property
    def small(self) -> bool:
        """Return whether such processors are in boards, laptops, desktops or workstations only."""
        return self.group in SMALL_GROUPS

    def group_of(self, constant: str) -> str:
        return self.hpcg_group if constant.startswith("hpcg.") else self.group

    def dgemm_peak(self, peak: float, matrix: float, memory: float) -> float:
        """Return the flop/s per device that DGEMM has a share of.

        That is the matrix units' rate, even where only the vector units' is described.
        """
        if matrix > 0 or not self.matrix_flops > 0:
            return max(peak, matrix if matrix > 0 else 0.0)
        vector, most = self._peaks(memory)
        if peak > 0 and most / SAME > peak and vector / SAME < peak < vector * SAME:
            return peak * most / vector  # also for a variant with a few more units or a higher clock
        return peak

    def placed(self, peak: float, matrix: float, memory: float) -> bool:
        """Return whether a described peak is known to be that of vector or of matrix units, as far as that matters."""
        if matrix > 0 or not (peak > 0 and self.matrix_flops > self.flops):
            return True
        return any(rate / SAME <= peak <= rate * SAME for rate in self._peaks(memory))

    def _peaks(self, memory: float) -> tuple[float, float]:
        """Return the flop/s of vector and of matrix units of a device with this memory."""
        part = 0.5 if memory <= HALF * self.memory else 1.0
        return part * self.flops, part * self.matrix_flops


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ProcessorFamily], ...]:
    numbers = ("dgemm", "triad", "flops", "matrix_flops", "memory", "fast_memory", "fast_bandwidth")
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
    """Return the family by name; else the group, from flops per core and cycle."""
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
        if family.kind == "processors" and family.small and pattern.search(text):
            return family
        if family.kind == "processors" and not DESKTOP.search(text) and pattern.search(text):
            if group and family.group in steps and abs(steps.index(group) - steps.index(family.group)) > 1:
                break  # this is far from the flops per cycle of the family
            by_cycles = group and family.group not in ("fixed", group)
            return replace(family, name="", group=group) if by_cycles and family.name == "Opteron K8" else family
    return ProcessorFamily("processors", "", group)


def family_of_device(device: Device) -> ProcessorFamily:
    """Return the family by name; else a group of devices without or with matrix units, as described."""
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
    """Return the description without names, as of an unknown family: numbers, and the devices' vendors, are kept."""
    node = partition.node
    if kind == "devices":
        changed = node.having(devices=[device.having(name="device") for device in node.devices])
    else:
        nameless = {"model": None, "microarchitecture": None, "vendor": None}
        changed = node.having(processors=[processor.having(**nameless) for processor in node.processors])
    return partition.having(node=changed)


def families_of(partition: Partition) -> dict[str, ProcessorFamily]:
    """Return the families of the first processor and of the first device by kind."""
    node = partition.node
    families = {"processors": family_of_processor(node.processor)}
    if node.devices:
        families["devices"] = family_of_device(node.devices[0])
    return families


@dataclass(frozen=True)
class FittedFamily:
    """A constant's value from public figures."""

    value: float
    low: float
    high: float
    figures: int
    machines: int
    """Number of machines that the figures are of."""


def machines_of(constant: str, family: ProcessorFamily) -> int:
    """Return how many machines of this family have public figures."""
    own = fitted().get((constant, family.group_of(constant), family.name)) if family.known else None
    return own.machines if own else 0


@cache
def fitted() -> Mapping[tuple[str, str, str], FittedFamily]:
    """Return fitted values by constant, group and family, which is empty for the group; none before the first fit."""
    if not FITTED.exists():
        return {}
    return {
        (row["constant"], row["group"], row["family"]): FittedFamily(
            float(row["value"]), float(row["low"]), float(row["high"]), int(row["figures"]), int(row["machines"])
        )
        for row in read_table(FITTED)
    }


def adapt(constants: Mapping[str, Constant], families: Mapping[str, ProcessorFamily]) -> dict[str, Constant]:
    """Return the constants with the values of these families."""
    changed = dict(constants)
    for name, own in by_family().items():
        if name in constants and (family := families.get(own.kind)):
            changed[name] = _adapt_constant(name, constants[name], family)
    devices = families.get(DEVICES)
    if devices and devices.triad > 0 and "device.memory" in changed:
        value, source = devices.triad, f"Triad measured on devices of the family {devices.name}"
        changed["device.memory"] = replace(
            changed["device.memory"], value=value, low=0.95 * value, high=1.25 * value, source=source
        )
    return changed


def family_factors(families: Mapping[str, ProcessorFamily]) -> dict[str, float]:
    """Return, by name, the factors by which shared constants of these families differ from those of all machines."""
    adapted = adapt(SHARED, families)
    return {name: adapted[name].value / SHARED[name].value for name in by_family().keys() & SHARED.keys()}


def _adapt_constant(name: str, constant: Constant, family: ProcessorFamily) -> Constant:
    figures = fitted()
    group = family.group_of(name)
    own = figures.get((name, group, family.name))
    shared = figures.get((name, group, ""))
    if own and family.known:
        source = f"{own.figures} public figures of {family.name}, drawn to those of its group ({group})"
        return replace(constant, value=own.value, low=own.low, high=own.high, source=source)
    if shared and name == "host.dgemm" and family.clock > 0:
        # combine the described clock and the group's value with equal weight
        factor = math.sqrt(constant.value * family.clock / shared.value)
        value, low, high = (factor * number for number in (shared.value, shared.low, shared.high))
        source = f"the described clock under vector load, and {shared.figures} public figures of the group {group}"
        return replace(constant, value=value, low=low, high=high, source=source)
    if shared:
        source = f"{shared.figures} public figures of the group {group}; of this family none is known"
        return replace(constant, value=shared.value, low=shared.low, high=shared.high, source=source)
    return constant
