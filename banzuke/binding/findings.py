"""What of a program's placement costs it time: threads that share, move or are far from their memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.binding.sample import BindingSight, SeenThread
from banzuke.cpu_lists import format_cpus
from banzuke.machine.topology import Topology

BUSY = 0.05
"""Share of a processor from which a thread counts as working."""
READY = 0.5
"""Share of the samples at which it ran or waited for a processor from which it does, too."""
FAR = 0.1
"""Share of a process's memory on other nodes from which it is told."""
MOST_NAMED = 4


@dataclass(frozen=True)
class BindingFinding:
    """A cause that costs time, with what to do."""

    code: str
    what: str
    remedy: str


@dataclass(frozen=True)
class WorkingThread:
    """A thread that worked while the program was observed."""

    thread: SeenThread
    rank: int | None
    share: float


def working(sight: BindingSight) -> list[WorkingThread]:
    """Return the working threads of the program, by rank, process and thread."""
    busy_threads = [
        WorkingThread(thread, process.rank, sight.share(thread))
        for process in sight.processes.values()
        for thread in process.threads.values()
        if sight.share(thread) >= BUSY or (thread.samples > 1 and thread.ready / thread.samples >= READY)
    ]
    return sorted(busy_threads, key=lambda own: (own.rank is None, own.rank or 0, own.thread.pid, own.thread.tid))


def neighbours(sight: BindingSight, cpus: set[int]) -> list[SeenThread]:
    """Return the threads of others that worked on these processors, the busiest first."""
    busy = [own for own in sight.others.values() if sight.share(own) >= BUSY and own.ran & cpus]
    return sorted(busy, key=lambda own: -own.seconds)


def findings(sight: BindingSight, topology: Topology) -> Iterator[BindingFinding]:
    """Yield what costs time, the gravest first."""
    threads = working(sight)
    cpus = {cpu for own in threads for cpu in own.thread.ran}
    yield from _crowded(threads)
    yield from _beside(sight, cpus)
    yield from _siblings(threads, topology)
    yield from _loose(threads)
    yield from _far(sight, topology)


def _crowded(threads: Sequence[WorkingThread]) -> Iterator[BindingFinding]:
    """Find processors to which several working threads are bound, and threads that outnumber their processors."""
    bound: dict[int, list[WorkingThread]] = defaultdict(list)
    for own in threads:
        if len(own.thread.allowed) == 1:
            bound[own.thread.allowed[0]].append(own)
    shared = {cpu: several for cpu, several in bound.items() if len(several) > 1}
    if shared:
        several = sum(map(len, shared.values()))
        yield BindingFinding(
            "shared-processor",
            f"{several} threads are bound to {_processors(shared)}: each waits while another runs",
            "Give each thread a processor of its own: fewer threads, or other places (OMP_PLACES, mpiexec -bind-to)",
        )
    allowed = {cpu for own in threads for cpu in own.thread.allowed}
    if not shared and allowed and len(threads) > len(allowed):
        yield BindingFinding(
            "too-many-threads",
            f"{len(threads)} working threads share {_processors(allowed)}",
            f"Run {len(allowed)} in all: ranks times OMP_NUM_THREADS",
        )


def _beside(sight: BindingSight, cpus: set[int]) -> Iterator[BindingFinding]:
    """Find other programs on the same processors."""
    by_process: dict[int, list[SeenThread]] = defaultdict(list)
    for own in neighbours(sight, cpus):
        by_process[own.pid].append(own)
    if by_process:
        names = [
            f"{threads[0].name} ({pid}) {sum(map(sight.share, threads)):.0%} of processor "
            f"{format_cpus(sorted(set().union(*(own.ran for own in threads)) & cpus))}"
            for pid, threads in list(by_process.items())[:MOST_NAMED]
        ]
        more = [f"{len(by_process) - MOST_NAMED} more"] if len(by_process) > MOST_NAMED else []
        yield BindingFinding(
            "neighbours",
            f"others ran on the same processors: {', '.join(names + more)}",
            "Stop them, or keep them off: banzuke isolate -- COMMAND",
        )


def _siblings(threads: Sequence[WorkingThread], topology: Topology) -> Iterator[BindingFinding]:
    """Find working threads on two hardware threads of a core while other cores were idle."""
    core_of = {cpu: number for number, core in enumerate(topology.cores) for cpu in core}
    on: dict[int, set[int]] = defaultdict(set)
    for own in threads:
        if len(own.thread.allowed) == 1 and own.thread.allowed[0] in core_of:
            on[core_of[own.thread.allowed[0]]].add(own.thread.allowed[0])
    doubled = [core for core, used in on.items() if len(used) > 1]
    idle = len(topology.cores) - len(on)
    if doubled and idle > 0:
        cpus = {cpu for core in doubled for cpu in topology.cores[core]}
        yield BindingFinding(
            "smt-siblings",
            f"threads share the cores of {_processors(cpus)}, and {idle} cores have none",
            "Use one hardware thread of each core first (OMP_PLACES=cores, --cpu-bind=cores)",
        )


def _loose(threads: Sequence[WorkingThread]) -> Iterator[BindingFinding]:
    """Find working threads that may move between processors."""
    loose = [own for own in threads if len(own.thread.allowed) > 1]
    moved = [own for own in loose if len(own.thread.ran) > 1]
    if loose:
        seen = f", and {len(moved)} did while it was observed" if moved else ""
        yield BindingFinding(
            "unbound",
            f"{len(loose)} of {len(threads)} working threads may move between {_processors(_allowed(loose))}{seen}",
            "Bind them: OMP_PROC_BIND=close OMP_PLACES=cores, mpiexec -bind-to core, srun --cpu-bind=cores",
        )


def _far(sight: BindingSight, topology: Topology) -> Iterator[BindingFinding]:
    """Find processes whose memory is on other NUMA nodes than their threads; a node without memory is near to none."""
    node_of = {cpu: node.node for node in topology.numa for cpu in node.cpus}
    bare = {node.node for node in topology.numa if node.bytes == 0}
    if len(topology.numa) < 2:
        return
    for process in sight.processes.values():
        near = {
            node_of[cpu]
            for thread in process.threads.values()
            if sight.share(thread) >= BUSY
            for cpu in thread.ran
            if cpu in node_of
        }
        total = sum(process.memory.values())
        far = sum(size for node, size in process.memory.items() if node not in near)
        if near and not near & bare and total and far / total >= FAR:
            yield BindingFinding(
                "far-memory",
                f"{far / total:.0%} of the memory of {process.name} ({process.pid}) is on other NUMA nodes than its "
                "threads",
                "Let the threads that use the memory write it first, or run under numactl --localalloc",
            )


def _allowed(threads: Sequence[WorkingThread]) -> set[int]:
    return {cpu for own in threads for cpu in own.thread.allowed}


def _processors(cpus: Mapping[int, object] | set[int]) -> str:
    return f"{'processor' if len(cpus) == 1 else 'processors'} {format_cpus(sorted(cpus))}"
