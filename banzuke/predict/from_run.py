"""Makes the machine of a run, with the rates that the run measured and where these come from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from banzuke.judge.launches import disturbed
from banzuke.limit.ceilings import ceilings
from banzuke.limit.elsewhere import known_ceilings
from banzuke.limit.model import Ceiling
from banzuke.limit.rates import measured_here
from banzuke.limit.remarks import remarks
from banzuke.machine.model import Machine
from banzuke.machine.site import Site
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.resource import Resource
from banzuke.predict.constants import OF_DEVICES, OF_PROCESSORS
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.measured import LINK, OF_NODES, TAKEN, measured_machine, rates_taken
from banzuke.predict.origin import Lacking, MeasuredRate, RunOrigin
from banzuke.record.model import Record
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.words import Message


def machine_of_run(run: Run) -> PredictedMachine:
    """Return the machine with the run's measured rates and any number of nodes. Raises BanzukeError."""
    machine, own, others = run.machine(), run.read().records, run.ceilings()
    measured = ceilings(own, machine, benchmarks(), others)
    taken = rates_taken(measured)
    rates = tuple(MeasuredRate(ceiling, _caution(ceiling, [*own, *others], machine)) for ceiling in taken)
    return replace(
        measured_machine(machine, measured), origin=RunOrigin(run.name, machine, rates, tuple(_lacking(taken, machine)))
    )


def still_measured(origin: RunOrigin, before: Site, after: Site) -> RunOrigin:
    """Return the origin without the rates that the user has overridden."""
    kept = [rate for rate in origin.rates if _rates_of(rate.ceiling, before) == _rates_of(rate.ceiling, after)]
    return replace(origin, rates=tuple(kept))


def _rates_of(ceiling: Ceiling, site: Site) -> list[float | None]:
    """Return the described rate for the ceiling in each partition that it belongs to."""
    name = ceiling.resource.name
    parts = [part for key, part in site.partitions.items() if ceiling.partition in (None, key)]
    if name == LINK:
        return [part.network.rates.get(name) if part.network else None for part in parts]
    if ceiling.device is None:
        return [part.node.rates.get(name) for part in parts]
    return [device.rates.get(name) for part in parts for device in part.node.devices if device.name == ceiling.device]


def run_with(lacking: Lacking, origin: RunOrigin, store: Store) -> str:
    """Return the newest good run of this machine that measured the missing rate; empty: there is none."""
    resource, benchmark = _measuring()[lacking.resource]
    measurements = known_ceilings(
        {resource.name: (resource, benchmark)}, store.runs(), origin.machine, device=lacking.device
    )
    names = [record.provenance.run for records in measurements.values() for record in records if record.provenance]
    return next(iter(names), "")


def _measuring() -> Mapping[str, tuple[Resource, str]]:
    """Return the resources whose rates predictions use, by name, each with the benchmark that measures it."""
    return {
        resource.name: (resource, benchmark.name)
        for benchmark in benchmarks().values()
        for resource in benchmark.resources.measures
        if resource.name in TAKEN
    }


def _caution(rate: Ceiling, records: Sequence[Record], machine: Machine) -> Message | None:
    """Return why the rate may be wrong: caches may have served its data, or others disturbed the launches of its own
    run that measured it; None: nothing.
    """
    if rate.doubt.cached:
        return next(remarks([rate]))
    if rate.title is not None or not rate.doubt.disturbed:
        return None
    _, benchmark = _measuring()[rate.resource.name]
    launches = [record for record in records if record.benchmark == benchmark and measured_here(record, machine)]
    if rate.run:
        launches = [record for record in launches if record.provenance and record.provenance.run == rate.run]
    return disturbed([record for record in launches if bool(record.devices) == rate.devices])


def _lacking(taken: Sequence[Ceiling], machine: Machine) -> list[Lacking]:
    measuring = _measuring()
    has = {(ceiling.resource.name, ceiling.device) for ceiling in taken if ceiling.title is None}
    wanted = [(name, device) for device in (None, *machine.device_kinds) for name in OF_NODES]
    lacking = [
        Lacking(name, measuring[name][1], device, OF_DEVICES[name] if device else OF_PROCESSORS[name])
        for name, device in wanted
        if name in measuring and (name, device) not in has
    ]
    if LINK in measuring and all(name != LINK for name, _ in has):
        lacking.append(Lacking(LINK, measuring[LINK][1], None, "link.share"))
    return lacking
