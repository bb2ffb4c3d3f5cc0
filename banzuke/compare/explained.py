"""What may explain a change between two runs: what is recorded of the machine, the program and its surroundings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banzuke.compare.cautions import CHOICE, own_variables
from banzuke.compare.settings import setting_text
from banzuke.machine.model import Machine
from banzuke.machine.site import Partition
from banzuke.record.model import Record
from banzuke.words import Fact, Listed, Message, message
from banzuke.words.written import kernel_title, kernel_value, software_title

MOST_HOSTS = 4
"""Most hosts of a run that are named."""
_FIRMWARE = {"firmware": message("watch-firmware"), "microcode": message("watch-microcode")}
"""What the kernel tells of the firmware."""


@dataclass(frozen=True)
class Difference:
    """Something that differs between two runs."""

    what: Message
    before: Fact
    after: Fact
    """None of both runs has it: a message that says so."""


def differences(before: tuple[Machine | None, Record], after: tuple[Machine | None, Record]) -> Sequence[Difference]:
    """Return what differs. A machine is None if nothing describes it: then the two machines are not compared."""
    machines = (before[0], after[0])
    described = None not in machines
    sides = [
        {**(dict(_of_machine(machine)) if described and machine else {}), **dict(_of_record(record))}
        for machine, record in (before, after)
    ]
    nothing = message("watch-none")
    return [
        Difference(what, sides[0].get(what) or nothing, sides[1].get(what) or nothing)
        for what in dict.fromkeys((*sides[0], *sides[1]))
        if sides[0].get(what) != sides[1].get(what)
    ]


def _of_machine(machine: Machine) -> Iterator[tuple[Message, Fact]]:
    partition: Partition = machine.partition
    for name, value in partition.kernel.items():
        yield _FIRMWARE.get(name) or message("watch-kernel", name=kernel_title(name)), kernel_value(value)
    if partition.hypervisor:
        yield message("watch-hypervisor"), partition.hypervisor
    for path, version in partition.software.mpi.items():
        yield message("watch-library", name="MPI", path=path), version
    for blas in partition.software.blas:
        yield message("watch-library", name=blas.name, path=blas.path), blas.version or message("watch-unknown")
    for device in machine.node.devices:
        if device.driver:
            yield message("watch-driver", device=device.name), device.driver


def _of_record(record: Record) -> Iterator[tuple[Message, Fact]]:
    own = record.provenance
    if own:
        yield message("watch-banzuke"), own.banzuke
    if hosts := tuple(host.name for host in record.hosts):
        yield message("watch-hosts"), Listed(hosts, MOST_HOSTS)
    for group in record.groups:
        for name, value in group.software.items():
            if name != CHOICE:
                yield message("watch-program", name=software_title(name)), value
    for name, value in own_variables(record).items():
        yield message("watch-variable", name=name), value
    for name, setting in record.parameters.items():
        yield message("watch-parameter", name=name), setting_text(setting)
