"""Causes in where threads and memory are: binding, shared cores, pages, NUMA nodes."""

from collections.abc import Iterator

from banzuke.limit.capacity import Share
from banzuke.limit.evidence import Evidence, shared_processors
from banzuke.limit.finding import Finding, on, processor_names
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.record.matching import value
from banzuke.record.model import Record
from banzuke.units import count, percent

SOME_HUGE_PAGES = 32 << 20
"""Bytes below which a process cannot have half of its memory on huge pages, nor needs to."""
"""Pages from this size relieve the TLB; base pages are 4 to 64 KiB."""


def placed(record: Record, benchmark: Benchmark | None, machine: Machine) -> str:
    """Where the ranks stood, for people: `two cores of one NUMA node`; empty: nowhere in particular."""
    name = record.provenance.placement if record.provenance else None
    if name is None:
        return ""
    known = benchmark.placements(machine) if benchmark and benchmark.placements else ()
    return next((placement.title for placement in known if placement.name == name), name.replace("-", " "))


def shared_processor(e: Evidence) -> Iterator[Finding]:
    for host, threads in e.placement:
        if shared := shared_processors(threads):
            doubled = sum(thread in {(cpu,) for cpu in shared} for thread in threads)
            yield Finding(
                0.5,
                "threads that take turns on one processor",
                f"{doubled} threads are pinned to {processor_names(shared)}{on(host)}",
                "run without a binding of your own, or with one processor for each thread",
                odd=True,
            )


def unbound(e: Evidence) -> Iterator[Finding]:
    for host, threads in e.placement:
        loose = [thread for thread in threads if len(thread) > 1]
        if loose:
            yield Finding(
                0.15,
                "threads that are not bound and may move between processors",
                f"{len(loose)} of {len(threads)} threads may run on more than one processor{on(host)}, "
                f"one of them on {len(loose[0])}",
                "bind each thread to one processor; the figure should then rise or vary less",
            )


def too_many_threads(e: Evidence) -> Iterator[Finding]:
    hosts = e.record.nodes
    processors = len(e.machine.allotment.allowed) * hosts
    if e.used > processors > 0:
        yield Finding(
            1 - processors / e.used,
            "more threads than processors",
            f"{count(e.used, 'thread')} share {count(processors, 'processor')}",
            f"run with {count(processors, 'thread')} in all",
            odd=True,
        )


def smt_siblings(e: Evidence) -> Iterator[Finding]:
    first = set(e.machine.allotment.one_per_core)
    if e.record.provenance and e.record.provenance.placement:
        return  # it was asked for
    for host, threads in e.placement:
        pinned = {thread[0] for thread in threads if len(thread) == 1}
        seconds = sorted(pinned - first)
        if not first or not seconds or len(pinned) == len(seconds):
            continue
        certain = len(pinned) > e.machine.allotment.allowed_cores
        yield Finding(
            0.2 if certain else 0.1,
            f"threads that {'share' if certain else 'may share'} a core",
            f"{len(pinned)} threads are pinned{on(host)}, {len(seconds)} to the second hardware thread of "
            f"a core ({processor_names(seconds)}); {e.machine.allotment.allowed_cores} cores are allowed",
            f"run with one thread for each core, on {processor_names(e.machine.allotment.one_per_core)}",
        )


def idle_cores(e: Evidence) -> Iterator[Finding]:
    share = Share.of(e.record.groups, e.machine)
    measured = any("threads" in o.difference and o.record.threads > e.record.threads for o in e.others)
    own = e.record.metrics[e.figure.metric].bounds
    if not (e.compute_bound or own or share.whole or measured) and e.figure.fraction_of_limit is not None:
        yield Finding(
            0.3 * (1 - share.cores / share.available),
            "too few cores to draw the whole memory bandwidth",
            f"{share} were used",
            f"run with {count(share.available, 'thread')} in all",
        )


def small_pages(e: Evidence) -> Iterator[Finding]:
    fraction, footprint = e.condition("huge_page_fraction"), e.condition("footprint")
    if fraction is None or fraction < 0 or fraction >= 0.5 or (footprint is not None and footprint < SOME_HUGE_PAGES):
        return
    setting = e.machine.partition.kernel.get("transparent_hugepages")
    seen = f"{percent(fraction)} of the process's memory was on huge pages"
    if setting:
        seen += f"; transparent huge pages are set to {setting}"
    if value(e.record, "pages") == "base":
        remedy = "ask for others than base pages"
    elif setting == "never":
        remedy = "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
    else:
        remedy = "free memory so that the kernel finds contiguous pages"
    yield Finding(
        (0.05 if e.compute_bound else 0.1) * (1 - fraction),
        "small pages, which cost address translation",
        seen,
        f"{remedy}, then run again",
    )


def page_migration(e: Evidence) -> Iterator[Finding]:
    setting = e.machine.partition.kernel.get("numa_balancing")
    if setting not in (None, "0") and len(e.machine.node.numa) > 1:
        yield Finding(
            0.03,
            "the kernel's NUMA balancing, which unmaps pages to see who uses them",
            f"numa_balancing is {setting} on {len(e.machine.node.numa)} NUMA nodes",
            "as root: sysctl kernel.numa_balancing=0, then run again",
        )
