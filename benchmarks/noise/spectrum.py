"""Noise that comes at fixed intervals: the spectrum of work done in fixed times, and its peaks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .families import FamilySearch, Numbers, amplitudes

SEGMENT = 1 << 14
"""Most samples of a transform: of longer series the powers of several are averaged, which lowers what is no peak."""
LEAST = 64
"""Samples below which there is nothing to see."""
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
