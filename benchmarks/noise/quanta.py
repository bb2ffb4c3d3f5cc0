"""Noise computed from a record's samples: how long, how often, on which processors, and how much of it is the clock's.

For fixed work, noise is the time by which a quantum exceeds the shortest one of its processor; for fixed time, the work
by which it falls short of the most of its processor. The clock's part is what slows all chunks of a quantum alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, isfinite
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from banzuke.compare.statistics import median
from banzuke.cpu_lists import parse_cpus
from banzuke.record.figures import Distribution, Line
from banzuke.record.model import Record
from banzuke.slowdown.noise import FixedWork, Measured

from .spectrum import Spectrum, spectrum

PERCENTILES = (0.5, 0.99, 0.999, 0.9999)
ABOVE = (1e-6, 1e-5, 1e-4)
"""Seconds above which quanta are counted."""
EXACT = 1 + 1e-9
"""Ratio up to which two lengths count as equal: 1,000 steps of 1 ns are not more than 1 us."""
POINTS = 4
"""Most samples of a column that are drawn one by one."""
FAR = 1.1
"""Ratio to the next longest noise of its column from which a sample is drawn by itself."""
WORSE, LEAST_WORSE = 3.0, 1e-4
"""A processor is noisier than others if it loses this many times their median share of time, and at least this much
more.
"""
PROCESSORS = 8
"""Number of processors, the noisiest ones, from which the spectrum is computed."""

Kind = Literal["fwq", "ftq"]
Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Steps:
    """Number of occurrences of each length of noise."""

    lengths: Reals
    """Lengths in seconds, ascending."""
    counts: Integers

    @property
    def total(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True)
class NoiseStatistics:
    """The noise of many quanta, in seconds."""

    count: int
    maximum: float
    mean: float
    share: float
    """Share of the time."""
    percentiles: Mapping[float, float]
    """Percentiles that this number of quanta can show: at least one quantum lies beyond."""
    above: Mapping[float, int]
    """Number of quanta with more noise, by length."""


@dataclass(frozen=True)
class Core:
    """A processor, and the time it lost."""

    host: str
    """Name of the host; empty if there is only one."""
    cpu: int
    maximum: float
    share: float
    """Share of its time."""


@dataclass(frozen=True)
class Trace:
    """The noise of one processor, quantum by quantum."""

    line: Line
    resolution: float
    """Seconds of one step."""
    lengths: Integers
    """Noise in steps."""
    beyond: Integers | None
    """Noise without the clock's part, in steps; None if that is unknown."""
    time: float
    """Seconds of all quanta."""


@dataclass(frozen=True)
class Sample:
    number: int
    trace: int
    noise: float


@dataclass(frozen=True)
class Envelope:
    """All quanta of all processors in columns by number: each quantum lies in the band or is one of the points."""

    width: int
    """Quanta of a column."""
    low: Sequence[float]
    high: Sequence[float]
    points: Sequence[Sample]


@dataclass(frozen=True)
class RecordedNoise:
    """The noise in one record."""

    record: Record
    kind: Kind

    @classmethod
    def of(cls, record: Record) -> "RecordedNoise | None":
        """Return the noise; None if the record has no quanta."""
        kinds: dict[str, Kind] = {"time": "fwq", "work": "ftq"}
        return next((cls(record, kind) for name, kind in kinds.items() if _lines(record, name)), None)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """Return the traces of processors whose quanta the record has: all, or those with the longest noise."""
        if self.kind == "ftq":
            return tuple(_lost(line, self.quantum) for line in _lines(self.record, "work"))
        clock = {_where(line): line for line in _lines(self.record, "clock")}
        resolution = self.record.series["time"].resolution
        return tuple(_longer(line, clock.get(_where(line)), resolution) for line in _lines(self.record, "time"))

    @cached_property
    def quantum(self) -> float:
        """Return the seconds of an undisturbed quantum of work, or of an interval."""
        recorded = self.number("quantum")
        if recorded and recorded > 0:
            return recorded
        lines = _lines(self.record, "time")
        resolution = self.record.series["time"].resolution if lines else 0.0
        return min((line.base + min(line.values) * resolution for line in lines), default=0.0)

    @property
    def processors(self) -> int:
        return self.record.cores

    @property
    def quanta(self) -> int:
        """Return the quanta of each processor."""
        return max(len(trace.lengths) for trace in self.traces)

    @property
    def left_out(self) -> int:
        """Return the number of processors whose quanta the record does not have."""
        return max(series.left_out for series in self.record.series.values())

    @cached_property
    def seconds(self) -> float:
        """Return the time of all quanta of all processors."""
        share, mean = self._metric("noise_share"), self._metric("mean_noise")
        if share and mean:
            return mean / share * self.steps.total
        return sum(trace.time for trace in self.traces) * (len(self.traces) + self.left_out) / len(self.traces)

    @cached_property
    def steps(self) -> Steps:
        """Return the noise of all processors together."""
        distribution = self.record.distributions.get("noise")
        if distribution:
            return _steps(distribution, self._metric("maximum_noise"))
        every = np.concatenate([trace.lengths * trace.resolution for trace in self.traces])
        return Steps(*np.unique(every, return_counts=True))

    @cached_property
    def steps_beyond(self) -> Steps | None:
        """Return the noise without the clock's part; None if that is unknown."""
        distribution = self.record.distributions.get("noise_beyond_clock")
        return _steps(distribution, self._metric("maximum_noise_beyond_clock")) if distribution else None

    @cached_property
    def all(self) -> NoiseStatistics:
        return self._exact(statistics(self.steps, self.seconds), "noise_share")

    @cached_property
    def beyond(self) -> NoiseStatistics | None:
        if self.steps_beyond is None:
            return None
        return self._exact(statistics(self.steps_beyond, self.seconds), "noise_share_beyond_clock")

    def _exact(self, rounded: NoiseStatistics, share: str) -> NoiseStatistics:
        """Return the statistics with the record's exact share, and the mean from it, because distributions are rounded
        up.
        """
        lost = self._metric(share)
        return rounded if lost is None else replace(rounded, share=lost, mean=lost * self.seconds / rounded.count)

    @cached_property
    def clock_share(self) -> float | None:
        """Return the clock's share of the noise; None if it is unknown, or if there is no noise."""
        if self.beyond is None or not self.all.share:
            return None
        return max(0.0, 1 - self.beyond.share / self.all.share)

    @property
    def clock_resolution(self) -> float | None:
        """Return the seconds of noise below which it may also be the clock's."""
        return self.number("clock_resolution")

    @cached_property
    def lost(self) -> float:
        """Return the seconds of noise on all processors."""
        return self.all.share * self.seconds

    @cached_property
    def cores(self) -> tuple[Core, ...]:
        """Return every processor that was measured, in the order of ranks and threads."""
        longest, shares = (self._samples(name) for name in ("core_maximum_noise", "core_noise_share"))
        places = _places(self.record)
        if shares and len(places) == len(shares) == len(longest):
            return tuple(Core(*place, *lost) for place, *lost in zip(places, longest, shares, strict=True))
        return tuple(map(self.core, self.traces))

    @cached_property
    def _hosts(self) -> int:
        return len({trace.line.host for trace in self.traces})

    def core(self, trace: Trace) -> Core:
        """Return a processor with the noise of its quanta."""
        host = trace.line.host if self._hosts > 1 else ""
        lost = trace.lengths * trace.resolution
        share = float(lost.sum()) / trace.time if trace.time > 0 else 0.0
        return Core(host, trace.line.cpu or 0, float(lost.max()), share)

    @cached_property
    def usual_share(self) -> float:
        """Return the median over processors of the share of time lost."""
        return median([core.share for core in self.cores])

    @cached_property
    def worse(self) -> tuple[Core, ...]:
        """Return processors with far more noise than most, the noisiest first; none if many are like that."""
        if len(self.cores) < 3:
            return ()
        least = max(WORSE * self.usual_share, self.usual_share + LEAST_WORSE)
        noisy = [core for core in self.cores if core.share > least]
        return tuple(sorted(noisy, key=lambda core: -core.share)) if 3 * len(noisy) <= len(self.cores) else ()

    @cached_property
    def spectrum(self) -> Spectrum | None:
        """Return the spectrum of fixed times, which are evenly spaced; None if the record has none, or too few."""
        if self.kind != "ftq":
            return None
        noisiest = sorted(self.traces, key=lambda trace: -trace.lengths.sum())[:PROCESSORS]
        return spectrum([trace.line.base + np.array(trace.line.values) for trace in noisiest], self.quantum)

    @property
    def clock_method(self) -> str:
        """Return the program's name for the method that separated the clock's part; empty if unknown."""
        value = self.record.conditions.get("method")
        return value if isinstance(value, str) else ""

    @property
    def fixed_work(self) -> FixedWork | None:
        """Return the noise for predictions; None for fixed times, which do not show single events."""
        if self.kind != "fwq":
            return None
        resolution = self.traces[0].resolution

        def measured(lines: list[Integers], steps: Steps) -> Measured:
            counted = zip(steps.lengths.tolist(), steps.counts.tolist(), strict=True)
            return Measured(self.quantum, [line.tolist() for line in lines], resolution, tuple(counted))

        beyond = None
        if self.steps_beyond:
            without_clock = [trace.lengths if trace.beyond is None else trace.beyond for trace in self.traces]
            beyond = measured(without_clock, self.steps_beyond)
        return FixedWork(self.processors, measured([trace.lengths for trace in self.traces], self.steps), beyond)

    def envelope(self, columns: int) -> Envelope:
        width = max(1, ceil(self.quanta / columns))
        lengths: list[Reals] = [trace.lengths * trace.resolution for trace in self.traces]
        bands, points = [], []
        for begin in range(0, self.quanta, width):
            band, far = _column([trace[begin : begin + width] for trace in lengths])
            bands.append(band)
            points += [replace(sample, number=begin + sample.number) for sample in far]
        return Envelope(width, [low for low, _ in bands], [high for _, high in bands], points)

    def number(self, condition: str) -> float | None:
        value = self.record.conditions.get(condition)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def counts(self, condition: str) -> dict[str, float]:
        """Return interrupts by name, the most frequent first."""
        entries = self.record.conditions.get(condition)
        items = entries.items() if isinstance(entries, dict) else ()
        counts = {str(name): positive(count) for name, count in items if positive(count)}
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    def _samples(self, metric: str) -> list[float]:
        recorded = self.record.metrics.get(metric)
        return list(recorded.samples) if recorded else []

    def _metric(self, name: str) -> float | None:
        samples = self._samples(name)
        return median(samples) if samples else None


def positive(value: object) -> float:
    """Return the value if it is a finite number above 0, else 0."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0
    return float(value) if usable and isinstance(value, int | float) else 0.0


def statistics(steps: Steps, seconds: float) -> NoiseStatistics:
    """Return the statistics of noise that occurred within `seconds`."""
    total, lost = steps.total, float(steps.lengths @ steps.counts)
    passed = np.cumsum(steps.counts)
    fractions = [fraction for fraction in PERCENTILES if total * (1 - fraction) >= 1 - 1e-9]
    places = np.searchsorted(passed, np.ceil(np.array(fractions) * total))
    return NoiseStatistics(
        count=total,
        maximum=float(steps.lengths[-1]),
        mean=lost / total,
        share=lost / seconds if seconds > 0 else 0.0,
        percentiles=dict(zip(fractions, steps.lengths[places].tolist(), strict=True)),
        above={least: int(steps.counts[steps.lengths > least * EXACT].sum()) for least in ABOVE},
    )


def _lines(record: Record, name: str) -> Sequence[Line]:
    """Return the lines of threads on their own processors; a sensor's lines have no quanta."""
    lines = record.series[name].lines if name in record.series else ()
    return [line for line in lines if None not in (line.rank, line.thread, line.cpu)]


def _where(line: Line) -> tuple[str, int | None, int | None]:
    return line.host, line.rank, line.thread


def _longer(line: Line, clock: Line | None, resolution: float) -> Trace:
    values = np.array(line.values)
    lengths = values - values.min()
    beyond = None
    if clock is not None and len(clock.values) == len(values):
        part = np.array(clock.values)
        beyond = np.maximum(lengths - (part - part.min()), 0)
    time = line.base * len(values) + float(values.sum()) * resolution
    return Trace(line, resolution, lengths, beyond, time)


def _lost(line: Line, interval: float) -> Trace:
    """Return the trace of fixed times: the missing work, as the time that it takes."""
    values = np.array(line.values)
    most = line.base + values.max()
    return Trace(line, interval / most if most > 0 else 0.0, values.max() - values, None, interval * len(values))


def _steps(distribution: Distribution, longest: float | None) -> Steps:
    """Return the lengths, which are rounded up, except the longest, which the record has exactly."""
    lengths = np.array(distribution.values) * distribution.resolution
    return Steps(lengths if longest is None else np.minimum(lengths, longest), np.array(distribution.counts))


def _column(parts: Sequence[Reals]) -> tuple[tuple[float, float], list[Sample]]:
    """Return the band of these quanta of all processors, and the samples beyond it, numbered within the column."""
    values = np.concatenate(parts)
    begins = np.cumsum([0, *map(len, parts)])
    order = np.argsort(-values, kind="stable")[: POINTS + 1]
    rest = values[order[POINTS]] if len(order) > POINTS else 0.0
    far = [place for place in order[:POINTS] if values[place] > FAR * rest]
    low = float(values.min())
    high = float(values[order[len(far)]]) if len(far) < len(order) else low
    owners = np.searchsorted(begins, far, side="right") - 1
    return (low, high), [
        Sample(int(place - begins[owner]), int(owner), float(values[place]))
        for place, owner in zip(far, owners, strict=True)
    ]


def _places(record: Record) -> list[tuple[str, int]]:
    """Return host and processor of every thread, in the order of ranks; empty if some are unknown."""
    hosts = {rank: host.name for host in record.hosts for rank in host.ranks}
    threads = {rank: place.threads for place in record.binding for rank in parse_cpus(place.ranks)}
    several = len(set(hosts.values())) > 1
    places = []
    for rank in sorted(threads):
        for text in threads[rank][: record.threads]:
            cpus = parse_cpus(text)
            if len(cpus) != 1:
                return []
            places.append((hosts.get(rank, "") if several else "", cpus[0]))
    return places
