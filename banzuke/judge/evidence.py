"""Reads what causes may look at, once, into plain values; a value that the record does not have is None."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from banzuke.cpu_lists import parse_cpus
from banzuke.judge.model import Figure
from banzuke.judge.siblings import Siblings
from banzuke.limit.best_time import CACHE_FACTOR, last_level_cache
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, Mpi
from banzuke.record.figures import FLOPS, MOVED
from banzuke.record.model import Record


@dataclass(frozen=True)
class Evidence:
    record: Record
    siblings: Siblings
    machine: Machine
    figure: Figure
    """The figure to explain."""
    compute_bound: bool
    link_bound: bool = False
    """Whether a link or storage bounds the figure, so that more cores or memory of the host do not make it faster."""
    tunable: tuple[str, ...] = ()
    """Parameters that change how the problem is solved, but not the problem."""
    messages: bool = False
    """Whether the figure is about messages."""

    @property
    def used(self) -> int:
        return self.record.cores

    @property
    def seconds(self) -> float:
        return (self.record.ended - self.record.started).total_seconds()

    def condition(self, key: str) -> float | None:
        value = self.record.conditions.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    @property
    def flop_limit(self) -> float | None:
        """flop/s at which arithmetic bounds the figure; None: it does not."""
        limit, flops = self.figure.limit, self.record.metrics[self.figure.metric].demanded(FLOPS)
        if not self.compute_bound or not limit or not flops:
            return None
        return flops / limit if self.figure.unit == "s" else limit

    @cached_property
    def stores(self) -> str | None:
        value = self.record.conditions.get("stores", self.record.parameters.get("stores"))
        return value if isinstance(value, str) else None

    @cached_property
    def blas(self) -> Blas | None:
        """The probed library that this record used."""
        software, probed = self.record.software, self.machine.software.blas
        path, name = software.get("blas_path"), software.get("blas", "")
        by_path = [library for library in probed if library.path == path]
        by_name = [library for library in probed if library.name in name and (library.version or "") in name]
        return next(iter(by_path + by_name), None)

    @cached_property
    def mpi(self) -> Mpi | None:
        """The probed MPI library that this record used."""
        version = self.record.software.get("mpi")
        return next((library for library in self.machine.software.mpi_libraries if library.version == version), None)

    @cached_property
    def placement(self) -> "HostPlaces":
        return host_places(self.record, self.machine.name)

    @cached_property
    def others(self) -> tuple["Sibling", ...]:
        """The best records of the same benchmark on this machine whose figures are comparable with this one."""
        figure = self.figure
        return tuple(
            Sibling(other, ratio, difference)
            for other, difference in self.siblings.others(self.record, figure.metric, figure.better, self.tunable)
            if (ratio := self._ratio(other)) is not None
        )

    def _ratio(self, other: Record) -> float | None:
        mine, theirs = self.record.metrics[self.figure.metric], other.metrics.get(self.figure.metric)
        if theirs is None or theirs.unit != mine.unit or not self.figure.value or self._may_sit_in_cache(other):
            return None
        if mine.unit == "s" and mine.demand != theirs.demand:
            return None
        if self.figure.better == "higher":
            pairs = ((median(theirs.samples), self.figure.value), (max(theirs.samples), self.figure.best))
        else:
            pairs = ((self.figure.value, median(theirs.samples)), (self.figure.best, min(theirs.samples)))
        return min(over / under for over, under in pairs) if all(under for _, under in pairs) else None

    def _may_sit_in_cache(self, other: Record) -> bool:
        cache = last_level_cache(self.machine.allotment.caches)
        mine, theirs = (record.metrics[self.figure.metric].demanded(MOVED) for record in (self.record, other))
        if self.compute_bound or not cache or not theirs:
            return False
        return theirs < CACHE_FACTOR * cache and (not mine or theirs < mine)


@dataclass(frozen=True)
class Sibling:
    record: Record
    ratio: float
    """How many times better it is in both median and best sample (the smaller ratio), so that noise is no gain."""
    difference: Mapping[str, str]
    """Settings that differ, with their values there; empty: a repetition of the same case."""


HostPlaces = Mapping[tuple[tuple[int, ...], ...], list[str]]
"""For each layout: the processors that each thread of a host's ranks may use, and the hosts that have this layout."""


def host_places(record: Record, name: str) -> HostPlaces:
    """Return the hosts of each layout of threads. `name`: of the host, if the record names none."""
    threads_of = {
        rank: tuple(tuple(parse_cpus(text)) for text in binding.threads)
        for binding in record.binding
        for rank in parse_cpus(binding.ranks)
    }
    hosts = [(host.name, tuple(host.ranks)) for host in record.hosts] or [("", tuple(threads_of))]
    alike: dict[tuple[tuple[int, ...], ...], list[str]] = {}
    for host, ranks in hosts:
        threads = tuple(thread for rank in ranks for thread in threads_of.get(rank, ()))
        alike.setdefault(threads, []).append(host or name)
    return alike


def overfull(threads: Iterable[Sequence[int]]) -> list[int]:
    """Return processors that are fewer than the threads that may run only on them, bound or not."""
    places = Counter(frozenset(thread) for thread in threads if thread)
    apart: list[frozenset[int]] = []
    for place in places:
        met = [other for other in apart if other & place]
        apart = [other for other in apart if not other & place] + [place.union(*met)]
    shared: set[int] = set()
    for some in {*places, *apart}:
        if sum(many for place, many in places.items() if place <= some) > len(some):
            shared |= some
    return sorted(shared)
