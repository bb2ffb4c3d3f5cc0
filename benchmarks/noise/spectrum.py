"""Noise that comes at fixed intervals: the spectrum of work done in fixed times, and its peaks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
"""Peaks that are kept."""
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
"""Times what chance shows, from which a cost is known."""
_NEAR = 1.5
"""Frequencies within which two are one."""
_ERROR = 0.1
"""Of a frequency, in steps of the transform."""
_EQUAL = 1.2
"""Times as high as another peak that one may be and still its multiple."""

Numbers = NDArray[Any]


@dataclass(frozen=True)
class SpectralPeak:
    frequency: float
    """Hz."""
    amplitude: float
    """Share of the work."""
    multiples: int = 0
    """Peaks at multiples of its frequency, which are not kept by themselves."""

    @property
    def lost(self) -> float:
        """Seconds that each event takes, if they are short and come at even intervals."""
        return self.amplitude / (2 * self.frequency)


@dataclass(frozen=True)
class Spectrum:
    step: float
    """Hz from one amplitude to the next; the first is that of 0 Hz."""
    amplitudes: Numbers
    """Shares of the work."""
    peaks: tuple[SpectralPeak, ...]
    """The lowest frequency first."""

    @property
    def highest(self) -> float:
        """Hz; what comes more often appears at a lower frequency."""
        return self.step * (len(self.amplitudes) - 1)

    def seen(self, rate: float) -> float:
        """Where noise that comes so often appears."""
        folded = rate % (2 * self.highest)
        return min(folded, 2 * self.highest - folded)

    def at(self, rate: float) -> SpectralPeak | None:
        """The peak of noise that comes so often."""
        near = [peak for peak in self.peaks if abs(peak.frequency - self.seen(rate)) <= _NEAR * self.step]
        return near[0] if near else None


def spectrum(series: Sequence[Numbers], interval: float) -> Spectrum | None:
    """Mean over the processors of Welch's method, from half overlapping segments under von Hann's window.

    `series`: work done in each interval, of each processor. None: too short, or no work.
    """
    usable = [values for values in series if len(values) >= LEAST and values.max() > 0]
    if not usable or interval <= 0:
        return None
    length = min(SEGMENT, 1 << (min(map(len, usable)).bit_length() - 1))
    window = (1 - np.cos(2 * np.pi * np.arange(length) / length)) / length
    powers = []
    for values in usable:
        segments = np.lib.stride_tricks.sliding_window_view(values / values.max(), length)[:: length // 2]
        centred = segments - segments.mean(axis=1, keepdims=True)
        powers.append(np.abs(np.fft.rfft(centred * window)) ** 2)
    amplitudes = 2 * np.sqrt(np.concatenate(powers).mean(axis=0))
    step = 1 / (interval * length)
    return Spectrum(step, amplitudes, _peaks(amplitudes, step))


def repeated(lost: Numbers, interval: float, rate: float) -> float | None:
    """Cost of one event of so many a second, in the unit of `lost`, which is what each interval lost.

    It is the least that intervals with the event lose again and again, beyond the others: a process that a tick lets
    run is not the tick. None: too few events, more than one in two intervals, or none that stands out from chance.
    """
    if 2 * rate * interval >= 1:
        return None
    cost, *others = (_folded(lost[:FOLDED], times * rate * interval) for times in (1, *ELSEWHERE))
    return cost if cost > CLEAR * max(others) else None


def _folded(lost: Numbers, step: float) -> float:
    """Loss of the phase that loses most, beyond the median phase, of events that come `step` times an interval."""
    length, parts = round(TURNS / step), PHASES * round(1 / step)
    costs = []
    for begin in range(0, len(lost) - length + 1, length):
        phases = np.round(np.arange(begin, begin + length) * step % 1 * parts).astype(int) % parts
        turn = lost[begin : begin + length]
        usual = [np.quantile(turn[phases == phase], USUAL) for phase in np.unique(phases)]
        costs.append(max(usual) - np.median(usual))
    return float(np.median(costs)) if costs else 0.0


def _peaks(amplitudes: Numbers, step: float) -> tuple[SpectralPeak, ...]:
    medians = [np.median(amplitudes[at : at + BLOCK]) for at in range(0, len(amplitudes), BLOCK)]
    found = []
    for place in range(EDGE, len(amplitudes)):
        height, block = amplitudes[place], place // BLOCK
        if height == amplitudes[place - EDGE : place + EDGE + 1].max():
            usual = np.median(medians[max(0, block - 1) : block + 2])
            if height > HIGH * usual:
                found.append(SpectralPeak(_between(amplitudes, place) * step, float(height)))
    families = sorted(_families(found, step), key=lambda peak: -peak.amplitude)
    return tuple(sorted(families[:MOST], key=lambda peak: peak.frequency))


def _between(amplitudes: Numbers, place: int) -> float:
    """The frequency between two of the transform, by the neighbours' heights."""
    if place + 1 >= len(amplitudes):
        return float(place)
    before, height, after = amplitudes[place - 1 : place + 2].tolist()
    bend = before - 2 * height + after
    return place + ((before - after) / (2 * bend) if bend else 0.0)


def _families(peaks: Sequence[SpectralPeak], step: float) -> list[SpectralPeak]:
    """Without the multiples of others: what comes at even intervals has peaks at all multiples, none higher."""
    families: list[SpectralPeak] = []
    for peak in peaks:
        lower = next((place for place, of in enumerate(families) if _multiple(peak, of, step)), None)
        if lower is None:
            families.append(peak)
        else:
            families[lower] = replace(families[lower], multiples=families[lower].multiples + 1)
    return families


def _multiple(peak: SpectralPeak, of: SpectralPeak, step: float) -> bool:
    times = round(peak.frequency / of.frequency)
    near = abs(peak.frequency - times * of.frequency) <= step * (1 + times * _ERROR)
    return times > 1 and near and peak.amplitude <= _EQUAL * of.amplitude
