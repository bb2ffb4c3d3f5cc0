"""Finds what limits the figures of a run that it does not measure itself: known from other runs, or measured first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from banzuke.evaluation.prepared import Prepared
from banzuke.limit.elsewhere import known_ceilings
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.needs import also_known, needed, short_case
from banzuke.plan.on_devices import driven_kinds, on_devices, usual
from banzuke.program.describe import drives
from banzuke.program.installed import backends
from banzuke.record.model import Record
from banzuke.results.store import Store


@dataclass(frozen=True)
class Needed:
    """What a run needs for its limits and does not measure itself."""

    known: tuple[Record, ...]
    """Records of other runs."""
    missing: Mapping[str, Benchmark]
    """Benchmarks that measure what no run has measured."""
    short: tuple[tuple[Benchmark, Machine, tuple[str, ...]], ...]
    """These benchmarks as planned for processors and each kind of device, on the machine with only these, and the
    resources to measure.
    """
    several: bool = False
    """Whether these machines are partitions of one job."""

    def cases(self) -> list[Case]:
        """Return short cases that measure what is missing. Raises BanzukeError."""
        return [
            case.within(machine.allotment.partition) if self.several else case
            for benchmark, machine, wanted in self.short
            for case in [short_case(benchmark, machine, wanted)]
            if case
        ]


def find_needed(store: Store, prepared: Prepared) -> Needed:
    """Find what limits figures: see `_needed_on`; on several partitions, measure it on each of them."""
    machine = prepared.machine
    if len(machine.allotments) == 1:
        return _needed_on(store, prepared)
    parts = [
        _needed_on(store, replace(prepared, machine=machine.of(allotment.partition)), others=False)
        for allotment in machine.allotments
    ]
    missing = {name: spec for part in parts for name, spec in part.missing.items()}
    return Needed((), missing, tuple(short for part in parts for short in part.short), several=True)


def _needed_on(store: Store, prepared: Prepared, *, others: bool = True) -> Needed:
    """Find what earlier runs have measured, and what none has, for the processors or devices of the planned cases.

    `others`: whether rates of other runs count, which do not say on which of several partitions they were measured.
    """
    machine, planned, chosen = prepared.machine, prepared.cases, prepared.specs
    installed = {name: spec for name, spec in benchmarks().items() if name in chosen or backends(name)}
    resources = needed(chosen.values(), installed, len(machine.allotment.hosts))
    optional = also_known(chosen.values(), installed)
    runs = store.runs() if others and (resources or optional) else ()
    records: dict[str, Record] = {}
    missing: dict[str, Benchmark] = {}
    short: list[tuple[Benchmark, Machine, tuple[str, ...]]] = []
    kinds = dict.fromkeys(kind for case in planned for kind in driven_kinds(case, machine)) if others else {None: None}
    for kind in kinds:
        ceilings = known_ceilings({**optional, **resources}, runs, machine, device=kind)
        records |= {
            record.provenance.id: record for measured in ceilings.values() for record in measured if record.provenance
        }
        unknown = {resource: name for resource, (_, name) in resources.items() if resource not in ceilings}
        for name in dict.fromkeys(unknown.values()):
            benchmark = installed[name]
            wanted = tuple(resource for resource, measuring in unknown.items() if measuring == name)
            if kind is None:
                short.append((replace(benchmark, devices=None), machine, wanted))
            else:
                of_kind = machine.driving(kind)
                short += [(driven, of_kind, wanted) for driven in _on_devices(benchmark, machine, planned)]
            missing[name] = benchmark
    return Needed(tuple(records.values()), missing, tuple(short))


def _on_devices(benchmark: Benchmark, machine: Machine, planned: Sequence[Case]) -> list[Benchmark]:
    """Return the benchmark on devices, with the backend of the planned cases if it has that, else a usual one.

    Empty: it has no program for these devices.
    """
    installed = backends(benchmark.name)
    driving = dict.fromkeys(group.backend for case in planned for group in case.groups if group.devices)
    asked = [name for name in driving if name in installed and drives(benchmark.name, name)]
    return [on_devices(benchmark, backend) for backend in (*asked, *usual(benchmark, machine))[:1]]
