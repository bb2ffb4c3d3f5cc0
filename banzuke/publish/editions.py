"""Editions: rules by year that never change afterwards, so that figures of different years compare.

A figure belongs to an edition if its headline case keeps all of its rules. A new year gets a new entry of `EDITIONS`;
an entry that stands is not changed, and its numbers are written out rather than taken from elsewhere; sizes stand in
`sizes/`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from banzuke.judge.model import Assessment
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.publish.size_classes import size_class
from banzuke.record.model import Record
from banzuke.record.state import taken
from banzuke.words import Duration, Message, Share, message


@dataclass(frozen=True)
class EditionCase:
    """What the rules are asked about: the headline case of a benchmark."""

    case: Assessment
    machine: Machine
    benchmark: Benchmark | None

    @property
    def launches(self) -> list[Record]:
        """The verified launches."""
        return [record for record in self.case.records if record.status == "ok"]


@dataclass(frozen=True)
class EditionRule:
    """One rule of an edition."""

    code: str
    asked: Message
    met: Callable[[EditionCase], bool]


def _at_least_launches(number: int) -> EditionRule:
    return EditionRule("launches", message("edition-launches", least=number), lambda own: len(own.launches) >= number)


def _checked() -> EditionRule:
    return EditionRule(
        "checks", message("edition-checks"), lambda own: all(record.status == "ok" for record in own.case.records)
    )


def _undisturbed(others: float, hypervisor: float) -> EditionRule:
    def met(own: EditionCase) -> bool:
        shares = [taken(record) for record in own.launches]
        return all(
            share.others is not None and share.others < others and (share.hypervisor or 0.0) < hypervisor
            for share in shares
        )

    asked = message("edition-undisturbed", others=Share(others), hypervisor=Share(hypervisor))
    return EditionRule("undisturbed", asked, met)


def _usual() -> EditionRule:
    """Ask for a program that was started as usual: no container, no neighbours, no other settings."""

    def met(own: EditionCase) -> bool:
        origins = [record.provenance for record in own.launches if record.provenance]
        return not any(own.variant or own.neighbours for own in origins)

    return EditionRule("usual", message("edition-usual"), met)


def _whole() -> EditionRule:
    """Ask for all cores or all devices of the nodes, unless the benchmark is of messages, which have their own ends."""

    def met(own: EditionCase) -> bool:
        if own.benchmark is not None and own.benchmark.messages is not None:
            return True
        record, node = own.case.record, own.machine.node
        cores = sum(processor.cores or 0 for processor in node.processors)
        devices = sum(device.count for device in node.devices)
        if record.devices:
            return len(record.devices) >= devices * record.nodes
        return cores > 0 and record.cores >= cores * record.nodes

    return EditionRule("whole", message("edition-whole"), met)


def _in_memory() -> EditionRule:
    def met(own: EditionCase) -> bool:
        return own.case.residence is None or own.case.residence.place == "in memory"

    return EditionRule("size", message("edition-memory"), met)


def _at_least_seconds(seconds: float) -> EditionRule:
    def met(own: EditionCase) -> bool:
        timed = [record.conditions.get("timed_seconds") for record in own.launches]
        return all(isinstance(value, int | float) and value >= seconds for value in timed)

    return EditionRule("seconds", message("edition-seconds", least=Duration(seconds)), met)


def _sized(edition: str) -> EditionRule:
    def met(own: EditionCase) -> bool:
        return size_class(edition, own.case.record) is not None

    return EditionRule("class", message("edition-class", edition=edition), met)


EDITIONS: Mapping[str, tuple[EditionRule, ...]] = {
    "2026": (
        _at_least_launches(3),
        _checked(),
        _undisturbed(0.10, 0.05),
        _usual(),
        _whole(),
        _in_memory(),
        _at_least_seconds(1.0),
        _sized("2026"),
    ),
}
"""Rules by edition."""


def missed(own: EditionCase) -> dict[str, tuple[str, ...]]:
    """Return the codes of the rules that the case does not keep, by edition; without any, it belongs to it."""
    return {
        edition: tuple(rule.code for rule in rules if not own.launches or not rule.met(own))
        for edition, rules in EDITIONS.items()
    }


def classes(own: EditionCase) -> dict[str, str]:
    """Return the size class of a case by edition, where it is of one."""
    judged = {edition: size_class(edition, own.case.record) for edition in EDITIONS}
    return {edition: reached for edition, reached in judged.items() if reached}


def asked(edition: str, code: str) -> Message | None:
    """Return what a rule asks; None: this version does not know it."""
    return next((rule.asked for rule in EDITIONS.get(edition, ()) if rule.code == code), None)
