"""The spectrum of work done in fixed times, whose peaks show periodic noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .families import FamilySearch, Numbers, amplitudes

SEGMENT = 1 << 14
"""Most samples of a transform; for longer series the powers of several are averaged, which reduces random peaks."""
LEAST = 64
"""Fewest samples for a spectrum."""
FOLDED = 1 << 16
"""Most intervals that are folded by the phase of an event."""
TURNS = 64
"""Events after which folding starts again, before the clocks of kernel and program drift apart."""
PHASES = 4
"""Parts of an interval into which phases are sorted, so that all intervals of one part have the event, or none has."""
USUAL = 0.1
"""Quantile of the loss of intervals with one phase, low enough to ignore what coincides with nine of ten events."""
ELSEWHERE = (0.93, 1.07)
"""Multiples of an event's rate at which folding shows only chance."""
CLEAR = 2.0
"""Least ratio of a cost to what chance shows."""
_NEAR = 1.5
"""Distance, in steps of the spectrum, within which two frequencies count as equal."""


@dataclass(frozen=True)
class SpectralPeak:
    frequency: float
    """Frequency in Hz."""
    amplitude: float
    """Amplitude as a share of the work."""
    multiples: int = 0
    """Number of peaks at multiples of its frequency, which are not kept separately."""

    @property
    def lost(self) -> float:
        """Return the seconds that each event takes, if events are short and evenly spaced."""
        return self.amplitude / (2 * self.frequency)


@dataclass(frozen=True)
class Spectrum:
    step: float
    """Distance of two amplitudes in Hz; the first is at 0 Hz."""
    amplitudes: Numbers
    """Amplitudes as shares of the work."""
    peaks: tuple[SpectralPeak, ...]
    """Peaks, the lowest frequency first."""

    @property
    def highest(self) -> float:
        """Return the highest frequency in Hz; more frequent events appear at a lower one."""
        return self.step * (len(self.amplitudes) - 1)

    def seen(self, rate: float) -> float:
        """Return the frequency at which noise of this rate appears."""
        folded = rate % (2 * self.highest)
        return min(folded, 2 * self.highest - folded)

    def at(self, rate: float) -> SpectralPeak | None:
        """Return the peak of noise of this rate."""
        near = [peak for peak in self.peaks if abs(peak.frequency - self.seen(rate)) <= _NEAR * self.step]
        return near[0] if near else None


def spectrum(series: Sequence[Numbers], interval: float) -> Spectrum | None:
    """Return the mean spectrum of the processors by Welch's method: half overlapping segments under a Hann window.

    `series`: work done in each interval, for each processor. Returns None if it is too short, or without work.
    """
    usable = [values for values in series if len(values) >= LEAST and values.max() > 0]
    if not usable or interval <= 0:
        return None
    length = min(SEGMENT, 1 << (min(map(len, usable)).bit_length() - 1))
    window = (1 - np.cos(2 * np.pi * np.arange(length) / length)) / length
    rows = np.concatenate(
        [np.lib.stride_tricks.sliding_window_view(values / values.max(), length)[:: length // 2] for values in usable]
    )
    transforms = np.fft.rfft((rows - rows.mean(axis=1, keepdims=True)) * window)
    step = 1 / (interval * length)
    peaks = [
        SpectralPeak(family.place * step, family.amplitude, family.multiples)
        for family in FamilySearch(transforms).families()
    ]
    return Spectrum(step, amplitudes(transforms), tuple(peaks))


def repeated(lost: Numbers, interval: float, rate: float) -> float | None:
    """Return the cost of one event at `rate` per second, in the unit of `lost`, the loss of each interval.

    It is the least that intervals with the event lose repeatedly, beyond the others, because a process that runs at a
    tick is not part of it. None if events are too few, occur in more than one of two intervals, or do not stand out
    from chance.
    """
    if 2 * rate * interval >= 1:
        return None
    cost, *others = (_folded(lost[:FOLDED], times * rate * interval) for times in (1, *ELSEWHERE))
    return cost if cost > CLEAR * max(others) else None


def _folded(lost: Numbers, step: float) -> float:
    """Return the loss of the phase that loses most, beyond the median phase, for events `step` times an interval."""
    length, parts = round(TURNS / step), PHASES * round(1 / step)
    costs = []
    for begin in range(0, len(lost) - length + 1, length):
        phases = np.round(np.arange(begin, begin + length) * step % 1 * parts).astype(int) % parts
        turn = lost[begin : begin + length]
        usual = [np.quantile(turn[phases == phase], USUAL) for phase in np.unique(phases)]
        costs.append(max(usual) - np.median(usual))
    return float(np.median(costs)) if costs else 0.0
