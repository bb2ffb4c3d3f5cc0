"""The interval of a forecast that has a stated probability, and what this is based on."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from banzuke.amounts import Scalar
from banzuke.predict.by_family import DEVICES, PROCESSORS, SHARE_OF_PEAK, SMALL, constant_of
from banzuke.predict.contradictions import contradictions
from banzuke.predict.families import ProcessorFamily, families_of, family_of_device, machines_of
from banzuke.predict.hardware import Hardware, PredictedMachine
from banzuke.predict.left_out import FEWEST, half_width
from banzuke.units import number, quantity

Call = Mapping[str, Scalar]

NUMBERS = {
    PROCESSORS: 'model, or cores, nominal_hz and peaks."flops.fp64" of node.processors.0',
    DEVICES: "node.devices.0.vendor",
}
"""Keys of a description that determine a group."""
NONE_SMALL = "The interval has no stated probability: of boards, laptops, desktops and workstations no figure is known."
FARTHEST = 10.0
"""Largest factor on a description up to which the errors of public machines still apply."""


@runtime_checkable
class TellsUnlikeCalls(Protocol):
    """A model that knows which of its calls are unlike those of public figures."""

    def tell_unlike(self, machine: Hardware, asked: Call, chosen: Call) -> Iterable[str]:
        """Return the reasons why errors of public figures do not apply; `asked` and `chosen`: see `calibrate`."""
        ...


@dataclass(frozen=True)
class Calibration:
    factor: float | None
    """The interval goes from the figure divided by this to the figure times this; None: no public figures are
    comparable."""
    remarks: tuple[str, ...]


def calibrate(
    benchmark: str, model: object, machine: PredictedMachine, hardware: Hardware, asked: Call, chosen: Call
) -> Calibration | None:
    """Return the calibration; None: no public figures are known, or a run measured the machine's rates.

    `asked` and `chosen`: the call without and with what the model chose.
    """
    kind = kind_of(hardware, chosen)
    constant = constant_of(benchmark, kind)
    if constant is None or machine.measured:
        return None
    if reasons := [*_tell_unlike(model, machine, hardware, asked, chosen)]:
        return Calibration(None, (f"The interval has no stated probability: {'; '.join(reasons)}.",))
    families = _families(machine, kind)
    known_machines = [(family, machines_of(constant, family)) for family in families]
    rare = [(family, number) for family, number in known_machines if number < FEWEST]
    have_groups = all(family.group_of(constant) for family in families)
    fewest = min(number for _, number in known_machines)
    errors = class_of(machine, kind)
    half = half_width(benchmark, errors, hardware.nodes, relatives=fewest, group_seen=have_groups)
    if half is None:
        return Calibration(None, (NONE_SMALL,)) if errors == SMALL else None
    remarks = [*_unplaced(machine)] if constant.endswith(SHARE_OF_PEAK) and kind == DEVICES else []
    remarks += [_remark(constant, kind, family, number) for family, number in rare]
    return Calibration(math.exp(half), tuple(dict.fromkeys(remarks)))


def kind_of(hardware: Hardware, chosen: Call) -> str:
    """Return the kind that computes: processors or devices."""
    all_do = all(any(device.dgemm > 0 for device in group.devices) for group in hardware.groups)
    return str(chosen.get("on") or (DEVICES if all_do else PROCESSORS))


def class_of(machine: PredictedMachine, kind: str) -> str:
    """Return the class of machines whose errors apply: small ones are a class of their own."""
    return SMALL if any(family.small for family in _families(machine, kind)) else kind


def _families(machine: PredictedMachine, kind: str) -> list[ProcessorFamily]:
    return [families_of(machine.site.partitions[name])[kind] for name in machine.nodes]


def _tell_unlike(
    model: object, machine: PredictedMachine, hardware: Hardware, asked: Call, chosen: Call
) -> Iterator[str]:
    """Return the reasons why the errors of public figures do not apply to such a prediction."""
    parts = [machine.site.partitions[name] for name in machine.nodes]
    if any(part.node != parts[0].node for part in parts):
        yield "no public figure is of unlike nodes"
    if isinstance(model, TellsUnlikeCalls):
        yield from model.tell_unlike(hardware, asked, chosen)
    if any(not 1 / FARTHEST <= factor <= FARTHEST for factor in machine.changes.values()):
        yield f"the description is scaled by more than {number(FARTHEST)}"
    if any(contradictions(part, "") for part in parts):
        yield "the description contradicts itself"


def _unplaced(machine: PredictedMachine) -> Iterator[str]:
    """Return remarks on devices whose described peak is known neither for their vector nor for their matrix units."""
    for name in machine.nodes:
        for device in machine.site.partitions[name].node.devices:
            family = family_of_device(device)
            peak, matrix = (
                (device.peaks[key].value if key in device.peaks else None) or 0.0
                for key in ("flops.fp64", "flops.fp64_matrix")
            )
            if not family.placed(peak, matrix, device.memory or math.nan):
                yield (
                    f"{device.name} is described with {quantity(peak, 'flop/s')}, neither what vector nor what "
                    f"matrix units of the family {family.name} are known to have: it is taken for what DGEMM can use. "
                    'Give node.devices.0.peaks."flops.fp64_matrix".'
                )


def _remark(constant: str, kind: str, family: ProcessorFamily, machines: int) -> str:
    if machines:
        number = "one machine" if machines == 1 else f"{machines} machines"
        return (
            f"Of the family {family.name} figures of only {number} are public: the interval is that of rare families."
        )
    if not family.group_of(constant):
        return (
            f"No family follows from the names of the {kind}, and no group from their numbers: what is assumed of "
            f"everybody is taken, and the interval is wider still. Give {NUMBERS[kind]}."
        )
    whose = f"of the family {family.name}" if family.known else f"of {kind} with this name"
    return (
        f"No public figure is known {whose}: the share that similar {kind} sustain is taken, and the interval is wider."
    )
