"""The machine of a run, with what the run measured there as rates, and where those are of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from banzuke.judge.launches import disturbed
from banzuke.limit.ceilings import ceilings, measured_here
from banzuke.limit.elsewhere import known_ceilings
from banzuke.limit.model import Ceiling
from banzuke.machine.model import Machine
from banzuke.machine.site import Site
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.resource import Resource
from banzuke.predict.constants import OF_DEVICES, OF_PROCESSORS
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.measured import LINK, OF_NODES, measured_machine, rates_taken
from banzuke.predict.origin import Lacking, MeasuredRate, RunOrigin
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.words import Message


def machine_of_run(run: Run) -> PredictedMachine:
    """There may be any number of its nodes. Raises BanzukeError."""
    machine, own, others = run.machine(), run.read().records, run.ceilings()
    found = ceilings(own, machine, benchmarks(), others)
    taken = rates_taken(found)
    rates = tuple(MeasuredRate(one, _caution(one, [*own, *others], machine)) for one in taken)
    return replace(
        measured_machine(machine, found), origin=RunOrigin(run.name, machine, rates, tuple(_lacking(taken, machine)))
    )


def still_measured(origin: RunOrigin, before: Site, after: Site) -> RunOrigin:
    """Without the rates that the user says otherwise."""
    kept = [one for one in origin.rates if _rates_of(one.ceiling, before) == _rates_of(one.ceiling, after)]
    return replace(origin, rates=tuple(kept))


def _rates_of(one: Ceiling, site: Site) -> list[float | None]:
    """In each partition that it is of."""
    name = one.resource.name
    parts = [part for key, part in site.partitions.items() if one.partition in (None, key)]
    if name == LINK:
        return [part.network.rates.get(name) if part.network else None for part in parts]
    if one.device is None:
        return [part.node.rates.get(name) for part in parts]
    return [each.rates.get(name) for part in parts for each in part.node.devices if each.name == one.device]


def run_with(lacking: Lacking, origin: RunOrigin, store: Store) -> str:
    """The name of the newest good run of this machine that measured it; empty: there is none."""
    resource, benchmark = _measuring()[lacking.resource]
    found = known_ceilings({resource.name: (resource, benchmark)}, store.runs(), origin.machine, device=lacking.device)
    names = [one.provenance.run for records in found.values() for one in records if one.provenance]
    return next(iter(names), "")


def _measuring() -> Mapping[str, tuple[Resource, str]]:
    """Of each resource that predictions take rates of, the benchmark that measures it."""
    return {
        resource.name: (resource, benchmark.name)
        for benchmark in benchmarks().values()
        for resource in benchmark.resources.measures
        if resource.name in (*OF_NODES, LINK)
    }


def _caution(rate: Ceiling, records: Sequence[Record], machine: Machine) -> Message | None:
    """Of the launches that measured it, in the run that it is of."""
    if rate.title is not None:
        return None
    _, benchmark = _measuring()[rate.resource.name]
    of = [one for one in records if one.benchmark == benchmark and measured_here(one, machine)]
    if rate.run:
        of = [one for one in of if one.provenance and one.provenance.run == rate.run]
    return disturbed([one for one in of if bool(one.devices) == rate.devices])


def _lacking(taken: Sequence[Ceiling], machine: Machine) -> list[Lacking]:
    measuring = _measuring()
    has = {(one.resource.name, one.device) for one in taken if one.title is None}
    wanted = [(name, device) for device in (None, *machine.device_kinds) for name in OF_NODES]
    lacking = [
        Lacking(name, measuring[name][1], device, OF_DEVICES[name] if device else OF_PROCESSORS[name])
        for name, device in wanted
        if name in measuring and (name, device) not in has
    ]
    if LINK in measuring and all(name != LINK for name, _ in has):
        lacking.append(Lacking(LINK, measuring[LINK][1], None, "link.share"))
    return lacking
