"""What a record of fixed quanta says of noise: how long, how often, on which processors, and how much the clock is.

Noise is what a quantum of fixed work took longer than the shortest of its processor, or what a fixed time lost of the
most work of its processor. The clock's part of it is what all of a quantum's pieces took longer alike.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest
from itertools import accumulate
from math import ceil
from statistics import median
from typing import Literal, TypeGuard

from banzuke.limit.spectrum import Spectrum, spectrum
from banzuke.machine.tree import parse_cpus
from banzuke.record.figures import Distribution, Line
from banzuke.record.model import Record

PERCENTILES = (0.5, 0.99, 0.999, 0.9999)
ABOVE = (1e-6, 1e-5, 1e-4)
"""Seconds from which noise is counted."""
EXACT = 1 + 1e-9
"""Times as long as another that is no longer: 1,000 steps of 1 ns are no more than 1 us."""
POINTS = 4
"""Most samples of a column that are told one by one."""
FAR = 1.1
"""Times the next longest noise of its column from which one is told by itself."""
WORSE, LEAST_WORSE = 3.0, 1e-4
"""A processor is noisier than others from so many times their median share of the time, and this much more, on."""

PROCESSORS = 8
"""Of these, the noisiest, a spectrum is taken."""

Kind = Literal["fwq", "ftq"]


@dataclass(frozen=True)
class Statistics:
    """Of the noise of many quanta. Seconds."""

    count: int
    maximum: float
    mean: float
    share: float
    """Of the time."""
    percentiles: Mapping[float, float]
    """Those that so many quanta can tell: at least one lies beyond."""
    above: Mapping[float, int]
    """Length -> quanta with more noise than that."""


@dataclass(frozen=True)
class Core:
    """A processor, and what it lost."""

    host: str
    cpu: int
    maximum: float
    share: float
    """Of its time."""

    def __str__(self) -> str:
        return f"processor {self.cpu}" + (f" of {self.host}" if self.host else "")


@dataclass(frozen=True)
class Trace:
    """The noise of one processor, quantum by quantum."""

    line: Line
    resolution: float
    """Seconds that 1 stands for."""
    lengths: Sequence[int]
    beyond: Sequence[int] | None
    """Without the clock's part; None: it was not told apart."""
    time: float
    """Of all quanta."""

    def statistics(self, *, beyond: bool = False) -> Statistics:
        found = self.beyond if beyond and self.beyond is not None else self.lengths
        steps = [(value * self.resolution, count) for value, count in sorted(Counter(found).items())]
        return statistics(steps, self.time)


@dataclass(frozen=True)
class Sample:
    number: int
    trace: int
    noise: float


@dataclass(frozen=True)
class Envelope:
    """All quanta of all processors, column by column of their numbers: each lies in the band or is among the points."""

    width: int
    """Quanta of a column."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    points: tuple[Sample, ...]


@dataclass(frozen=True)
class Noise:
    """Of one record."""

    record: Record
    kind: Kind

    @classmethod
    def of(cls, record: Record) -> "Noise | None":
        """None: the record has no quanta."""
        kinds: dict[str, Kind] = {"time": "fwq", "work": "ftq"}
        return next((cls(record, kind) for name, kind in kinds.items() if _lines(record, name)), None)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """Of the processors whose quanta the record has: all, or those with the longest noise."""
        clock = {_where(line): line.values for line in _lines(self.record, "clock")}
        if self.kind == "ftq":
            return tuple(_lost(line, self.quantum) for line in _lines(self.record, "work"))
        resolution = self.record.series["time"].resolution
        return tuple(_longer(line, clock.get(_where(line)), resolution) for line in _lines(self.record, "time"))

    @cached_property
    def quantum(self) -> float:
        """Seconds of one undisturbed, or of one interval."""
        told = self.number("quantum")
        if told and told > 0:
            return told
        lines = _lines(self.record, "time")
        resolution = self.record.series["time"].resolution if lines else 0.0
        return min((line.base + min(line.values) * resolution for line in lines), default=0.0)

    @property
    def processors(self) -> int:
        return self.record.cores

    @property
    def left_out(self) -> int:
        return max(series.left_out for series in self.record.series.values())

    @cached_property
    def seconds(self) -> float:
        """Of all quanta of all processors."""
        share, mean = self._metric("noise_share"), self._metric("mean_noise")
        if share and mean:
            return mean / share * sum(count for _, count in self.steps)
        known = sum(trace.time for trace in self.traces)
        return known * (len(self.traces) + self.left_out) / len(self.traces)

    @cached_property
    def steps(self) -> tuple[tuple[float, int], ...]:
        """How often each noise came on all processors together, ascending."""
        told = self.record.distributions.get("noise")
        if told:
            return _steps(told, self._metric("maximum_noise"))
        seen: Counter[float] = Counter()
        for trace in self.traces:
            seen.update({value * trace.resolution: count for value, count in Counter(trace.lengths).items()})
        return tuple(sorted(seen.items()))

    @cached_property
    def steps_beyond(self) -> tuple[tuple[float, int], ...] | None:
        """The same without the clock's part; None: it was not told apart."""
        told = self.record.distributions.get("noise_beyond_clock")
        return _steps(told, self._metric("maximum_noise_beyond_clock")) if told else None

    @cached_property
    def all(self) -> Statistics:
        return self._exact(statistics(self.steps, self.seconds), "noise_share")

    @cached_property
    def beyond(self) -> Statistics | None:
        if self.steps_beyond is None:
            return None
        return self._exact(statistics(self.steps_beyond, self.seconds), "noise_share_beyond_clock")

    def _exact(self, found: Statistics, share: str) -> Statistics:
        """A distribution is rounded up; the share the record has in full, and the mean follows."""
        lost = self._metric(share)
        return found if lost is None else replace(found, share=lost, mean=lost * self.seconds / found.count)

    @cached_property
    def clock_share(self) -> float | None:
        """Of the noise: what is the clock's part; None: it was not told apart, or there is no noise."""
        if self.beyond is None or not self.all.share:
            return None
        return max(0.0, 1 - self.beyond.share / self.all.share)

    @property
    def clock_resolution(self) -> float | None:
        """Noise shorter than this cannot be told from the clock."""
        return self.number("clock_resolution")

    @cached_property
    def lost(self) -> float:
        """Seconds of noise on all processors."""
        return self.all.share * self.seconds

    @cached_property
    def cores(self) -> tuple[Core, ...]:
        """Every processor that was measured, in the order of ranks and threads."""
        longest, shares = (self._samples(name) for name in ("core_maximum_noise", "core_noise_share"))
        places = _places(self.record)
        if shares and len(places) == len(shares) == len(longest):
            return tuple(
                Core(host, cpu, most, share) for (host, cpu), most, share in zip(places, longest, shares, strict=True)
            )
        found = [(trace.line, trace.statistics()) for trace in self.traces]
        return tuple(Core(line.host, line.cpu, of.maximum, of.share) for line, of in found if line.cpu is not None)

    @cached_property
    def worse(self) -> tuple[Core, ...]:
        """Processors with far more noise than most, the noisiest first; of many such it is no exception."""
        if len(self.cores) < 3:
            return ()
        usual = median(core.share for core in self.cores)
        found = [core for core in self.cores if core.share > max(WORSE * usual, usual + LEAST_WORSE)]
        return tuple(sorted(found, key=lambda core: -core.share)) if 3 * len(found) <= len(self.cores) else ()

    @cached_property
    def spectrum(self) -> Spectrum | None:
        """Of fixed times, which are even in time; None: the record has no such, or too few."""
        if self.kind != "ftq":
            return None
        noisiest = nlargest(PROCESSORS, self.traces, key=lambda trace: sum(trace.lengths))
        return spectrum([[trace.line.base + value for value in trace.line.values] for trace in noisiest], self.quantum)

    def envelope(self, columns: int) -> Envelope:
        longest = max(len(trace.lengths) for trace in self.traces)
        width = max(1, ceil(longest / columns))
        low, high, points = [], [], []
        for begin in range(0, longest, width):
            bottom, top, told = _column(self.traces, begin, begin + width)
            low.append(bottom)
            high.append(top)
            points += told
        return Envelope(width, tuple(low), tuple(high), tuple(points))

    def number(self, condition: str) -> float | None:
        value = self.record.conditions.get(condition)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def counts(self, condition: str) -> dict[str, float]:
        """Of interrupts or softirqs by name, the most frequent first."""
        found = self.record.conditions.get(condition)
        known = {str(n): float(v) for n, v in found.items() if _is_count(v)} if isinstance(found, dict) else {}
        return dict(sorted(known.items(), key=lambda item: -item[1]))

    def _samples(self, metric: str) -> list[float]:
        found = self.record.metrics.get(metric)
        return list(found.samples) if found else []

    def _metric(self, name: str) -> float | None:
        found = self._samples(name)
        return median(found) if found else None


def statistics(steps: Sequence[tuple[float, int]], seconds: float) -> Statistics:
    """`steps`: lengths, ascending, and how often each came in so many seconds."""
    total = sum(count for _, count in steps)
    passed = list(accumulate(count for _, count in steps))
    lost = sum(length * count for length, count in steps)

    def at(fraction: float) -> float:
        return steps[bisect_left(passed, ceil(fraction * total))][0]

    return Statistics(
        count=total,
        maximum=steps[-1][0],
        mean=lost / total,
        share=lost / seconds if seconds > 0 else 0.0,
        percentiles={fraction: at(fraction) for fraction in PERCENTILES if total * (1 - fraction) >= 1 - 1e-9},
        above={least: sum(count for length, count in steps if length > least * EXACT) for least in ABOVE},
    )


def _lines(record: Record, name: str) -> Sequence[Line]:
    """Those that threads took on a processor of their own; a sensor's are no quanta."""
    lines = record.series[name].lines if name in record.series else ()
    return [line for line in lines if None not in (line.rank, line.thread, line.cpu)]


def _where(line: Line) -> tuple[str, int | None, int | None]:
    return line.host, line.rank, line.thread


def _longer(line: Line, clock: Sequence[int] | None, resolution: float) -> Trace:
    shortest = min(line.values)
    lengths = array("q", (value - shortest for value in line.values))
    beyond = None
    if clock is not None and len(clock) == len(lengths):
        least = min(clock)
        beyond = array(
            "q",
            (rest if (rest := length - part + least) > 0 else 0 for length, part in zip(lengths, clock, strict=True)),
        )
    time = line.base * len(lengths) + sum(line.values) * resolution
    return Trace(line, resolution, lengths, beyond, time)


def _lost(line: Line, interval: float) -> Trace:
    """Of fixed times: the work that is missing, as the time that it takes."""
    most = line.base + max(line.values)
    top = max(line.values)
    lengths = array("q", (top - value for value in line.values))
    return Trace(line, interval / most if most > 0 else 0.0, lengths, None, interval * len(lengths))


def _steps(of: Distribution, longest: float | None) -> tuple[tuple[float, int], ...]:
    """Rounded up, but for the longest, which the record has in full."""
    most = of.values[-1] * of.resolution if longest is None else longest
    return tuple((min(value * of.resolution, most), count) for value, count in zip(of.values, of.counts, strict=True))


def _column(traces: Sequence[Trace], begin: int, end: int) -> tuple[float, float, list[Sample]]:
    """The band of these quanta, and those beyond it."""
    low: list[float] = []
    longest: list[tuple[float, int, int]] = []
    for index, trace in enumerate(traces):
        part = trace.lengths[begin:end]
        if part:
            low.append(min(part) * trace.resolution)
            longest += [(value * trace.resolution, index, value) for value in nlargest(POINTS + 1, part)]
    told = sorted(longest, reverse=True)[: POINTS + 1]
    rest = told[-1][0] if len(told) > POINTS else 0.0
    far = [one for one in told[:POINTS] if one[0] > FAR * rest]
    band = told[len(far)][0] if len(far) < len(told) else min(low)
    points, used = [], Counter[tuple[int, int]]()
    for noise, index, value in far:
        found = _nth(traces[index].lengths, value, begin, end, used[index, value])
        used[index, value] += 1
        points.append(Sample(found, index, noise))
    return min(low), band, points


def _nth(values: Sequence[int], value: int, begin: int, end: int, number: int) -> int:
    """Where `value` stands for the so many-th time."""
    at = begin - 1
    for _ in range(number + 1):
        at = values.index(value, at + 1, end)
    return at


def _places(record: Record) -> list[tuple[str, int]]:
    """Host and processor of every thread, ranks in order; empty: not all are known."""
    hosts = {rank: host.name for host in record.hosts for rank in host.ranks}
    threads = {rank: place.threads for place in record.binding for rank in parse_cpus(place.ranks)}
    several = len(set(hosts.values())) > 1
    places = []
    for rank in sorted(threads):
        for text in threads.get(rank, ())[: record.threads]:
            cpus = parse_cpus(text)
            if len(cpus) != 1:
                return []
            places.append((hosts.get(rank, "") if several else "", cpus[0]))
    return places


def _is_count(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def joined(names: Iterable[str], most: int = 4) -> str:
    """`a, b and 3 more`."""
    known = list(names)
    return ", ".join(known[:most]) + (f" and {len(known) - most} more" if len(known) > most else "")
