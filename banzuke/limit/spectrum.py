"""Noise that comes at fixed intervals: the spectrum of work done in fixed times, and its peaks."""

from cmath import exp as cexp
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import cos, pi, sqrt
from statistics import fmean, median

from banzuke.record.statistics import quantile

SEGMENT = 1 << 14
"""Most samples of a transform: of longer series the powers of several are averaged, which lowers what is no peak."""
LEAST = 64
"""Samples below which there is nothing to see."""
BLOCK = 64
"""Frequencies that tell what is usual near a peak, together with as many on each side."""
HIGH = 6.0
"""Times what is usual near it that a peak has: of the highest of 8,192 random ones, the chance is 1 in 100."""
EDGE = 4
"""The lowest frequencies, which the window smears together with the mean."""
MOST = 8
"""Peaks that are told."""
FOLDED = 1 << 16
"""Most intervals that are folded by the phase of an event."""
TURNS = 64
"""Events after which folding starts again, before the kernel's clock and the program's drift apart."""
PHASES = 4
"""Parts of an interval into which phases are sorted, so that of one part all intervals have the event, or none."""
USUAL = 0.1
"""Quantile of what intervals of one phase lost: low enough for what coincides with nine of ten events not to count."""
ELSEWHERE = (0.93, 1.07)
"""Times an event's rate, where folding shows chance and no event."""
CLEAR = 2.0
"""Times what chance shows, from which a cost is told."""
_NEAR = 1.5
"""Frequencies within which two are one."""
_ERROR = 0.1
"""Of a frequency, in steps of the transform."""
_EQUAL = 1.2
"""Times as high as another peak that one may be and still its multiple."""


@dataclass(frozen=True)
class Peak:
    frequency: float
    """Hz."""
    amplitude: float
    """Share of the work."""
    multiples: int = 0
    """Peaks at multiples of its frequency, which are not told by themselves."""

    @property
    def lost(self) -> float:
        """Share of a second's work that each event takes, if they are short and come at even intervals."""
        return self.amplitude / (2 * self.frequency)


@dataclass(frozen=True)
class Spectrum:
    step: float
    """Hz from one amplitude to the next; the first is that of 0 Hz."""
    amplitudes: tuple[float, ...]
    peaks: tuple[Peak, ...]
    """The lowest frequency first."""

    @property
    def highest(self) -> float:
        """Hz; what comes more often appears at a lower frequency."""
        return self.step * (len(self.amplitudes) - 1)

    def seen(self, rate: float) -> float:
        """Where noise that comes so often appears."""
        folded = rate % (2 * self.highest)
        return min(folded, 2 * self.highest - folded)

    def at(self, rate: float) -> Peak | None:
        """The peak of noise that comes so often."""
        near = [peak for peak in self.peaks if abs(peak.frequency - self.seen(rate)) <= _NEAR * self.step]
        return near[0] if near else None


def spectrum(series: Sequence[Sequence[float]], interval: float) -> Spectrum | None:
    """`series`: work done in each interval, of each processor. None: too short, or no work."""
    usable = [values for values in series if len(values) >= LEAST and max(values) > 0]
    if not usable or interval <= 0:
        return None
    length = min(SEGMENT, 1 << (min(map(len, usable)).bit_length() - 1))
    segments = [
        _windowed(values[begin : begin + length], max(values), length)
        for values in usable
        for begin in range(0, len(values) - length + 1, length // 2)
    ]
    count = len(segments)
    if count % 2:
        segments.append([0.0] * length)
    powers = [0.0] * (length // 2 + 1)
    for one, other in zip(segments[::2], segments[1::2], strict=True):
        _add_powers(powers, one, other)
    found = tuple(2 * sqrt(power / count) for power in powers)
    step = 1 / (interval * length)
    return Spectrum(step, found, _peaks(found, step))


def repeated(lost: Sequence[float], interval: float, rate: float) -> float | None:
    """Cost of one event of so many a second, in the unit of `lost`, which is what each interval lost.

    It is the least that intervals with the event lose again and again, beyond the others: a process that a tick lets
    run is not the tick. None: too few events, more than one in two intervals, or none that stands out from chance.
    """
    if 2 * rate * interval >= 1:
        return None
    cost, *others = (_folded(lost[:FOLDED], times * rate * interval) for times in (1, *ELSEWHERE))
    return cost if cost > CLEAR * max(others) else None


def _folded(lost: Sequence[float], step: float) -> float:
    """Loss of the phase that loses most, beyond the median phase, of events that come `step` times an interval."""
    length, parts = round(TURNS / step), PHASES * round(1 / step)
    costs = []
    for begin in range(0, len(lost) - length + 1, length):
        phases: dict[int, list[float]] = {}
        for place in range(begin, begin + length):
            phases.setdefault(round(place * step % 1 * parts) % parts, []).append(lost[place])
        usual = [quantile(values, USUAL) for values in phases.values()]
        costs.append(max(usual) - median(usual))
    return median(costs) if costs else 0.0


def _windowed(values: Sequence[float], most: float, length: int) -> list[float]:
    """What is missing of the most work, as a share, without its mean, under a window of mean 1 (von Hann's)."""
    mean = fmean(values)
    return [(mean - value) / most * factor for value, factor in zip(values, _window(length), strict=True)]


@cache
def _window(length: int) -> list[float]:
    return [(1 - cos(2 * pi * place / length)) / length for place in range(length)]


def _add_powers(powers: list[float], one: Sequence[float], other: Sequence[float]) -> None:
    """Those of both: real series are the two parts of a complex one."""
    both = _transformed([complex(a, b) for a, b in zip(one, other, strict=True)])
    length = len(both)
    for place in range(length // 2 + 1):
        at, mirrored = both[place], both[-place % length].conjugate()
        powers[place] += (abs(at + mirrored) ** 2 + abs(at - mirrored) ** 2) / 4


def _transformed(values: list[complex]) -> list[complex]:
    """The Fourier transform of a power of two of values."""
    length = len(values)
    if length == 1:
        return values
    even, odd = _transformed(values[::2]), _transformed(values[1::2])
    turned = [factor * value for factor, value in zip(_turns(length), odd, strict=True)]
    return [a + b for a, b in zip(even, turned, strict=True)] + [a - b for a, b in zip(even, turned, strict=True)]


@cache
def _turns(length: int) -> list[complex]:
    return [cexp(-2j * pi * place / length) for place in range(length // 2)]


def _peaks(amplitudes: Sequence[float], step: float) -> tuple[Peak, ...]:
    medians = [median(amplitudes[at : at + BLOCK]) for at in range(0, len(amplitudes), BLOCK)]
    found = []
    for place in range(EDGE, len(amplitudes)):
        height = amplitudes[place]
        block = place // BLOCK
        usual = median(medians[max(0, block - 1) : block + 2])
        beside = amplitudes[max(0, place - EDGE) : place + EDGE + 1]
        if height > HIGH * usual and height == max(beside):
            found.append(Peak(_between(amplitudes, place) * step, height))
    families = _families(found, step)
    return tuple(sorted(sorted(families, key=lambda peak: -peak.amplitude)[:MOST], key=lambda peak: peak.frequency))


def _between(amplitudes: Sequence[float], place: int) -> float:
    """The frequency between two of the transform, by the neighbours' heights."""
    if place + 1 >= len(amplitudes):
        return float(place)
    before, height, after = amplitudes[place - 1 : place + 2]
    bend = before - 2 * height + after
    return place + ((before - after) / (2 * bend) if bend else 0.0)


def _families(peaks: Sequence[Peak], step: float) -> list[Peak]:
    """Without the multiples of others: what comes at even intervals has peaks at all multiples, none higher."""
    families: list[Peak] = []
    for peak in peaks:
        lower = next((of for of in families if _multiple(peak, of, step)), None)
        if lower is None:
            families.append(peak)
        else:
            families[families.index(lower)] = replace(lower, multiples=lower.multiples + 1)
    return families


def _multiple(peak: Peak, of: Peak, step: float) -> bool:
    times = round(peak.frequency / of.frequency)
    near = abs(peak.frequency - times * of.frequency) <= step * (1 + times * _ERROR)
    return times > 1 and near and peak.amplitude <= _EQUAL * of.amplitude
