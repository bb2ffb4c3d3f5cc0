"""The interval of a forecast that has a stated probability, and what this is based on."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Protocol, runtime_checkable

from banzuke.amounts import Scalar
from banzuke.predict.by_family import DEVICES, PROCESSORS, SMALL, by_family, constant_of
from banzuke.predict.contradictions import contradictions
from banzuke.predict.families import ProcessorFamily, families_of, family_of_device, machines_of
from banzuke.predict.hardware import Hardware, PredictedMachine
from banzuke.predict.left_out import FEWEST, half_width
from banzuke.words import Message, Quantity, message

Call = Mapping[str, Scalar]

FARTHEST = 10.0
"""Largest factor on a description up to which the errors of public machines still apply."""


@runtime_checkable
class TellsUnlikeCalls(Protocol):
    """A model that knows which of its calls are unlike those of public figures."""

    def tell_unlike(self, machine: Hardware, asked: Call, chosen: Call) -> Iterable[Message]:
        """Return the reasons why errors of public figures do not apply; `asked` and `chosen`: see `calibrate`."""
        ...


@dataclass(frozen=True)
class Calibration:
    factor: float | None
    """The interval goes from the figure divided by this to the figure times this; None: no public figures are
    comparable."""
    remarks: tuple[Message, ...]


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
        return Calibration(None, (_without_probability(reasons),))
    families = _families(machine, kind)
    known_machines = [(family, machines_of(constant, family)) for family in families]
    rare = [(family, number) for family, number in known_machines if number < FEWEST]
    have_groups = all(family.group_of(constant) for family in families)
    fewest = min(number for _, number in known_machines)
    errors = class_of(machine, kind)
    half = half_width(benchmark, errors, hardware.nodes, relatives=fewest, group_seen=have_groups)
    if half is None:
        return Calibration(None, (_without_probability([message("unpredicted-small")]),)) if errors == SMALL else None
    remarks = [*_unplaced(machine)] if by_family()[constant].of_peak and kind == DEVICES else []
    remarks += [_remark(constant, kind, family, number) for family, number in rare]
    return Calibration(math.exp(half), tuple(dict.fromkeys(remarks)))


def _without_probability(reasons: Iterable[Message]) -> Message:
    why = reduce(lambda before, part: message("unpredicted-and", before=before, part=part), reasons)
    return message("unpredicted-no-probability", why=why)


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
) -> Iterator[Message]:
    """Return the reasons why the errors of public figures do not apply to such a prediction."""
    parts = [machine.site.partitions[name] for name in machine.nodes]
    if any(part.node != parts[0].node for part in parts):
        yield message("unpredicted-unlike-nodes")
    if isinstance(model, TellsUnlikeCalls):
        yield from model.tell_unlike(hardware, asked, chosen)
    if any(not 1 / FARTHEST <= factor <= FARTHEST for factor in machine.changes.values()):
        yield message("unpredicted-scaled", factor=FARTHEST)
    if any(contradictions(part, "") for part in parts):
        yield message("unpredicted-contradiction")


def _unplaced(machine: PredictedMachine) -> Iterator[Message]:
    """Return remarks on devices whose described peak is known neither for their vector nor for their matrix units."""
    for name in machine.nodes:
        for device in machine.site.partitions[name].node.devices:
            family = family_of_device(device)
            peak, matrix = (
                (device.peaks[key].value if key in device.peaks else None) or 0.0
                for key in ("flops.fp64", "flops.fp64_matrix")
            )
            if not family.placed(peak, matrix, device.memory or math.nan):
                rate = Quantity(peak, "flop/s")
                yield message("unpredicted-taken-for", name=device.name, rate=rate, family=family.name)


def _remark(constant: str, kind: str, family: ProcessorFamily, machines: int) -> Message:
    if machines:
        return message("unpredicted-few-public", family=family.name, machines=machines)
    if not family.group_of(constant):
        return message("unpredicted-unknown-family", kind=kind)
    if family.known:
        return message("unpredicted-no-public", family=family.name, kind=kind)
    return message("unpredicted-no-public-name", kind=kind)
