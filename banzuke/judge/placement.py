"""Finds causes in where threads and memory are: binding, shared cores, pages, NUMA nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from banzuke.compare.matching import value
from banzuke.judge.evidence import Evidence, HostPlaces, host_places, overfull
from banzuke.judge.finding import Finding
from banzuke.limit.capacity import Usage
from banzuke.machine.model import Machine
from banzuke.machine.user_variables import PLACING
from banzuke.plan.benchmark import Benchmark
from banzuke.record.model import Record
from banzuke.words import Fact, Listed, Message, Share, message

SHOWN = 8
"""Most processors of a list that are named."""
SHOWN_HOSTS = 2
SOME_HUGE_PAGES = 32 << 20
"""Bytes below which a process cannot have half of its memory on huge pages, and does not need to."""


def placed(record: Record, benchmark: Benchmark | None, machine: Machine) -> Fact:
    """Return where the ranks were placed: `two cores of one NUMA node`; empty: nowhere in particular."""
    name = record.provenance.placement if record.provenance else None
    if name is None:
        return ""
    if "+" in name:  # processors of each group
        return name
    if benchmark is None or benchmark.placements is None:
        return name.replace("-", " ")
    on_as_many = benchmark.on_hosts(record.nodes).placements
    placements = [*benchmark.placements(machine), *(on_as_many(machine) if on_as_many else ())]
    return next((place.title for place in placements if place.name == name), name.replace("-", " "))


class _Crowd(NamedTuple):
    """Threads on each of some hosts that share processors which are too few for them."""

    hosts: Sequence[str]
    threads: int
    processors: Sequence[int]


def _crowds(places: HostPlaces) -> Iterator[_Crowd]:
    for threads, hosts in places.items():
        if shared := overfull(threads):
            yield _Crowd(hosts, sum(set(thread) <= set(shared) for thread in threads), shared)


def shared_processor(e: Evidence) -> Iterator[Finding]:
    """Find bound threads that share processors; threads that may run on all processors are not bound."""
    allowed = len(e.machine.allotment.allowed)
    for threads, hosts in e.placement.items():
        bound = tuple(thread for thread in threads if len(thread) == 1 or len(thread) < allowed)
        for crowd in _crowds({bound: hosts}):
            yield Finding(
                0.5,
                message(
                    "limit-shared-processor",
                    threads=crowd.threads,
                    number=len(crowd.processors),
                    processors=_numbers(crowd.processors),
                    host=named_hosts(crowd.hosts),
                ),
                odd=True,
                cause="shared processor",
            )


def own_placement(e: Evidence) -> Iterator[Finding]:
    """Find variables by which the user placed threads, instead of one processor for each."""
    if set_ := _placing(e.record):
        yield Finding(0.1, message("limit-own-placement", variables=Listed(set_), number=len(set_)), odd=True)


def crowded(record: Record, machine: Machine) -> tuple[Message, ...]:
    """Return why figures of threads that share a processor are no headlines; empty: they share none."""
    set_ = _placing(record)
    return tuple(
        message(
            "limit-no-headline",
            threads=crowd.threads,
            number=len(crowd.processors),
            processors=_numbers(crowd.processors),
            host=named_hosts(crowd.hosts),
            set="yes" if set_ else "no",
            number_set=len(set_),
            variables=Listed(set_),
        )
        for crowd in _crowds(host_places(record, machine.name))
    )


def crowded_sides(sides: Mapping[str, Iterable[Record]]) -> list[Message]:
    """Return the same for several runs that are compared, by their names.

    Only the first such launch of each benchmark is reported.
    """
    messages: dict[tuple[str, str], Message] = {}
    for name, records in sides.items():
        for record in records:
            case, set_ = f"{record.benchmark} {record.backend}", _placing(record)
            crowd = next(_crowds(host_places(record, name)), None)
            if crowd and record.status == "ok" and (name, case) not in messages:
                messages[name, case] = message(
                    "limit-crowded-in",
                    run=name,
                    case=case,
                    threads=crowd.threads,
                    number=len(crowd.processors),
                    processors=_numbers(crowd.processors),
                    set="yes" if set_ else "no",
                    number_set=len(set_),
                    variables=Listed(set_),
                )
    return list(messages.values())


def _placing(record: Record) -> tuple[str, ...]:
    variables = record.provenance.variables if record.provenance else {}
    return tuple(f"{name}={variables[name]}" for name in PLACING if variables.get(name))


def unbound(e: Evidence) -> Iterator[Finding]:
    """Find threads that the operating system may move between processors."""
    for threads, hosts in e.placement.items():
        loose = [thread for thread in threads if len(thread) > 1]
        if loose:
            yield Finding(
                0.15,
                message(
                    "limit-unbound",
                    loose=len(loose),
                    threads=len(threads),
                    processors=len(loose[0]),
                    host=named_hosts(hosts),
                ),
                cause="unbound",
            )


def too_many_threads(e: Evidence) -> Iterator[Finding]:
    hosts = e.record.nodes
    processors = len(e.machine.allotment.allowed) * hosts
    if e.used > processors > 0:
        yield Finding(
            1 - processors / e.used,
            message("limit-too-many-threads", threads=e.used, processors=processors),
            odd=True,
        )


def smt_siblings(e: Evidence) -> Iterator[Finding]:
    """Find threads bound to second hardware threads of cores, unless the placement asks for them."""
    first = set(e.machine.allotment.one_per_core)
    if e.record.provenance and e.record.provenance.placement:
        return  # the placement asks for it
    for threads, hosts in e.placement.items():
        pinned = {thread[0] for thread in threads if len(thread) == 1}
        seconds = sorted(pinned - first)
        if not first or not seconds or len(pinned) == len(seconds):
            continue
        certain = len(pinned) > e.machine.allotment.allowed_cores
        yield Finding(
            0.2 if certain else 0.1,
            message(
                "limit-smt-siblings",
                certain="yes" if certain else "no",
                threads=len(pinned),
                host=named_hosts(hosts),
                number=len(seconds),
                processors=_numbers(seconds),
                cores=e.machine.allotment.allowed_cores,
                usable=_numbers(e.machine.allotment.one_per_core),
            ),
            cause="siblings",
        )


def idle_cores(e: Evidence) -> Iterator[Finding]:
    """Find cores left idle although memory bounds the figure and more threads were not tried."""
    share = Usage.of(e.record.groups, e.machine)
    measured = any("threads" in o.difference and o.record.threads > e.record.threads for o in e.others)
    own = e.record.metrics[e.figure.metric].bounds
    if (
        not (e.compute_bound or e.link_bound or own or share.whole or measured)
        and e.figure.fraction_of_limit is not None
    ):
        yield Finding(
            0.3 * (1 - share.cores / share.available),
            message("limit-idle-cores", cores=share.cores, available=share.available),
        )


def small_pages(e: Evidence) -> Iterator[Finding]:
    """Find memory of which less than half is on huge pages, with a remedy that the kernel's setting permits."""
    fraction, footprint = e.condition("huge_page_fraction"), e.condition("footprint")
    if fraction is None or fraction < 0 or fraction >= 0.5 or (footprint is not None and footprint < SOME_HUGE_PAGES):
        return
    setting = e.machine.partition.kernel.get("transparent_hugepages")
    without = "enable" if setting == "never" else "free"
    remedy = "ask" if value(e.record, "pages") == "base" else without
    yield Finding(
        (0.05 if e.compute_bound else 0.1) * (1 - fraction),
        message("limit-small-pages", share=Share(fraction), setting=setting or "unknown", remedy=remedy),
        cause="pages",
    )


def page_migration(e: Evidence) -> Iterator[Finding]:
    setting = e.machine.partition.kernel.get("numa_balancing")
    if setting not in (None, "0") and len(e.machine.node.numa) > 1:
        yield Finding(
            0.03,
            message("limit-page-migration", setting=setting or "", nodes=len(e.machine.node.numa)),
        )


def named_hosts(names: Sequence[str]) -> Fact:
    """Name hosts that are alike; a run on thousands has one finding for all of them."""
    if len(names) == 1:
        return names[0]
    return message("limit-each-host", number=len(names), hosts=Listed(tuple(names), SHOWN_HOSTS))


def _numbers(cpus: Sequence[int]) -> Listed:
    return Listed(tuple(map(str, cpus)), SHOWN)
