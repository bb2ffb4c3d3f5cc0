"""Reports the energy that cases took, their figures per watt, and the quality of the power measurement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from banzuke.judge.model import Assessment, Figure
from banzuke.machine.model import Machine
from banzuke.record.energy import Covers, Energy, Refusal, SensorEnergy, Unmeasured
from banzuke.record.model import Record
from banzuke.words import Fact, Listed, Message, Quantity, Share, message

FEWEST_NODES = 15
"""Fewest nodes of a part of a machine that may stand for all of it; it also needs a share of the nodes and a power."""
PARTS = {1: (0.1, 2e3), 2: (1 / 8, 10e3)}
"""Least share of the nodes and least power in W, by level."""
CORE_PHASE = 60.0
"""Least seconds of the core phase."""
SAMPLING = 1.05
"""Most seconds between readings; one reading a second is required, and controllers are not exact."""
AVERAGES = 10
"""Readings within the core phase that level 2 requires."""


@dataclass(frozen=True)
class CaseEnergy:
    """The energy of a case: medians over its launches that have one."""

    joule: float
    seconds: float
    watt: float
    above_idle: float | None
    launches: tuple[tuple[Record, Energy], ...]
    """Launches that have an energy, each with it."""


def energies(assessment: Assessment) -> CaseEnergy | None:
    """Return the energy of a case; None: no launch has one."""
    launches = [(record, record.energy) for record in assessment.records if record.energy and record.energy.joule]
    if not launches:
        return None
    above = [energy.above_idle for _, energy in launches]
    measured = [joule for joule in above if joule is not None]
    return CaseEnergy(
        joule=median(energy.joule or 0.0 for _, energy in launches),
        seconds=median(energy.seconds or 0.0 for _, energy in launches),
        watt=median(energy.watt or 0.0 for _, energy in launches),
        above_idle=median(measured) if len(measured) == len(above) else None,
        launches=tuple(launches),
    )


def per_watt(assessment: Assessment, figure: Figure) -> Quantity | None:
    """Return the headline figure divided by the mean power: flop/s/W or work per joule; for a time, joules per sample.

    The timed parts are those of the main metric. None: not the headline, or no energy.
    """
    case_energy = energies(assessment)
    if case_energy is None or not figure.headline:
        return None
    launches = [
        (median(record.metrics[figure.metric].samples), energy.watt or 0.0)
        for record, energy in case_energy.launches
        if figure.metric in record.metrics
    ]
    if not launches:
        return None
    if figure.unit == "s":
        return Quantity(median(value * watt for value, watt in launches), "J")
    if not figure.unit.endswith("/s"):
        return None
    ratio = median(value / watt for value, watt in launches)
    return Quantity(ratio, "flop/s/W" if figure.unit == "flop/s" else f"{figure.unit.removesuffix('/s')}/J")


def covered(energy: Energy) -> Message:
    """Return `processors and memory (powercap, 10 Hz)`."""
    counted = [sensor for sensor in energy.sensors if sensor.counted]
    sources: dict[str, list[SensorEnergy]] = {}
    for sensor in counted:
        sources.setdefault(sensor.id.partition("/")[0], []).append(sensor)
    how: list[Fact] = [
        message("energy-source", name=name, rate=Quantity(min(sensor.rate or 0.0 for sensor in sensors), "Hz"))
        for name, sensors in sources.items()
    ]
    return message("energy-covers", what=Listed(tuple(scope(part) for part in energy.covers)), how=Listed(tuple(how)))


def scope(covers: Covers) -> Message:
    """Return what a sensor's reading includes, in the reader's words."""
    match covers:
        case "package":
            return message("energy-package")
        case "dram":
            return message("energy-dram")
        case "psys":
            return message("energy-psys")
        case "node":
            return message("energy-node")
        case "device":
            return message("energy-device")


def unmeasured(why: Unmeasured) -> Message:
    """Return why a launch has no energy."""
    match why:
        case "no-sensor":
            return message("energy-no-sensor")
        case "no-timed-parts":
            return message("energy-no-timed-parts")
        case "too-short":
            return message("energy-too-short")
        case "unusable":
            return message("energy-unusable")
        case "some-hosts":
            return message("energy-some-hosts")


def refusal(why: Refusal) -> Message:
    """Return why a sensor's readings were not used."""
    match why:
        case "stands-still":
            return message("energy-stands-still")
        case "goes-back":
            return message("energy-goes-back")
        case "impossible":
            return message("energy-impossible")
        case "stopped":
            return message("energy-stopped")
        case "gap":
            return message("energy-gap")
        case "too-short":
            return message("energy-seldom")


def notes(assessment: Assessment, machine: Machine | None) -> Iterator[Message]:
    """Yield notes on a case's energy; without a sensor, only what the batch system reports."""
    for record in assessment.records:
        if record.energy:
            yield from _of_launch(record.energy)
    case_energy = energies(assessment)
    if case_energy is None:
        return
    largest = max(energy.uncertainty or 0.0 for _, energy in case_energy.launches)
    yield message("energy-uncertainty", share=Share(largest))
    if idle := [energy.idle for _, energy in case_energy.launches if energy.idle]:
        yield message("energy-idle", watt=Quantity(median(idle), "W"))
    else:
        yield message("energy-no-idle")
    if machine:
        reached, lacking = level(*case_energy.launches[0], machine)
        yield message("energy-level", level=reached, next=reached + 1, lacking=lacking)


def _of_launch(energy: Energy) -> Iterator[Message]:
    if accounted := energy.accounted:
        yield message(
            "energy-accounted",
            plugin=accounted.plugin,
            step=accounted.step,
            joule=Quantity(accounted.joule, "J"),
            seconds=Quantity(accounted.seconds, "s"),
            watt=Quantity(accounted.watt, "W"),
        )
    if energy.unmeasured and energy.unmeasured != "no-sensor":
        yield message("energy-not-measured", why=unmeasured(energy.unmeasured))
    for sensor in energy.sensors:
        if sensor.refused and sensor.refused != "too-short":
            yield message("energy-refused", sensor=sensor.id, hosts=sensor.hosts, why=refusal(sensor.refused))
    if energy.clock_difference:
        yield message("energy-clocks", difference=Quantity(energy.clock_difference, "s"))


def level(record: Record, energy: Energy, machine: Machine) -> tuple[int, Message]:
    """Return the level by the EEHPC working group's methodology (2.0), 0: none; and what the next one lacks."""
    partition = machine.partition
    every = partition.number or (1 if partition.batch is None and record.nodes == 1 else None)
    counted = [sensor for sensor in energy.sensors if sensor.counted]
    for wanted in PARTS:
        if lacking := _lacking(wanted, energy, counted, record.nodes, every):
            return wanted - 1, lacking
    integrated = all(sensor.kind == "energy" for sensor in counted)
    return max(PARTS), message("energy-level-accuracy") if integrated else message("energy-level-integrated")


def _lacking(
    wanted: int, energy: Energy, counted: Sequence[SensorEnergy], nodes: int, every: int | None
) -> Message | None:
    """Return why the measurement is not of this level; `every`: nodes of the machine, None: unknown."""
    share, power = PARTS[wanted]
    part = every is None or (nodes < every and (nodes < max(share * every, FEWEST_NODES) or (energy.watt or 0) < power))
    fraction = message(
        "energy-level-fraction",
        share=Share(share),
        power=Quantity(power, "W"),
        nodes=FEWEST_NODES,
        all=every or 0,
    )
    demands = (
        (any(sensor.covers != "node" for sensor in counted), message("energy-level-scope")),
        ((energy.seconds or 0.0) < CORE_PHASE, message("energy-level-time", least=Quantity(CORE_PHASE, "s"))),
        (min((sensor.rate or 0.0) for sensor in counted) < 1 / SAMPLING, message("energy-level-rate")),
        (
            wanted > 1 and min(sensor.readings for sensor in counted) <= AVERAGES,
            message("energy-level-averages", least=AVERAGES),
        ),
        (every is None, message("energy-level-nodes")),
        (part, fraction),
        (every != 1, message("energy-level-network")),
    )
    return next((said for missing, said in demands if missing), None)
