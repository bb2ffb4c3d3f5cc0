"""Finds periodic noise in a spectrum by the family of its lines: a frequency and its multiples.

The family of the highest peak is removed from the transforms of the series, line by line, and the rest is searched
again, because the lines of one family hide those of others near them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-5
"""Smallest peak, as a share of the highest amplitude; a removed line leaves 3e-6 of it beyond `TAIL`."""
BLOCK = 64
"""Places of a block; the level near a peak is estimated from its block and the one on each side."""
HIGH = 6.0
"""Least height of a peak over the usual level; the highest of 8,192 random places exceeds this once in 100 times."""
SEEN = 3.0
"""Least height over the usual level of a line that a family is expected to have."""
EDGE = 4
"""Places at each end without peaks, as the window smears the mean over the lowest; also the least distance of a peak to
a higher one.
"""
CLOSEST = 6.0
"""Least distance of a family's lines, in places; closer ones cannot be separated."""
MOST_FAMILIES = 8
"""Most families that are removed."""
TRIED = 5
"""Peaks that are tried for a further family, the highest first."""
MULTIPLES = 680
"""Most multiples that are followed, including those above the highest frequency, which are reflected."""
EQUAL = 2.2
"""Most that a line may exceed the lowest one: lines of a family are about equal, and those of two may coincide."""
MAJORITY = 0.6
"""Least share of a family's lines that must be seen, or be where others were removed."""
HIDDEN = 8
"""Most times its frequency of the lowest visible peak, if lower lines are too weak or were removed with others."""
FEW, NEARLY_ALL = 3, 0.75
"""For lines that are no multiples of that peak: fewest needed as evidence, and the share of them that must be seen."""
FIRST = 6
"""Multiples below this number show whether a line has any."""
STARTS = (0.0, -0.2, 0.2)
"""Offsets from the peak, in places, from which its frequency is refined, because other lines shift it."""
CLOSE, ERROR = 0.4, 0.1
"""Places by which a line may be off, and those added for each multiple of a frequency."""
TAIL = 48
"""Places to each side of a line over which the window spreads it noticeably."""
TAKEN = 1.0
"""Places from a removed line within which nothing else is seen."""
LEFT = ((1.5, 0.5), (4.0, 0.1))
"""Places from a removed line, and the share of its height that may remain there, because intervals vary slightly."""
BESIDE = 2.5
"""Least distance between lines of two families, in places, at which their heights are known."""
SUMS = 3.0
"""Most that lines at sums and differences of two families may exceed their expected height."""

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Family:
    place: float
    """Place of the lowest line, in steps of the transform, as all places here."""
    amplitude: float
    """Height of the lowest line."""
    last: int
    """The multiple up to which most lines were seen."""
    multiples: int
    """Number of multiples that were seen, up to the highest frequency."""


class FamilySearch:
    """A search in the transforms of some series, each under a Hann window."""

    def __init__(self, transforms: Numbers) -> None:
        self._transforms = transforms.copy()
        self._half = transforms.shape[1] - 1
        self._floor = FLOOR * float(amplitudes(transforms).max())
        self._masked = np.zeros(self._half + 1, dtype=bool)
        self._left = np.zeros(self._half + 1)
        self._taken = np.zeros(self._half + 1)

    def families(self) -> list[Family]:
        """Return at most `MOST_FAMILIES` families, the lowest first."""
        families: list[Family] = []
        while len(families) < MOST_FAMILIES and (family := self._next(alone=not families)):
            self._take(family)
            families.append(family)
        return sorted(families, key=lambda family: family.place)

    def _next(self, *, alone: bool) -> Family | None:
        """Return the next family; `alone`: none was removed yet, so a line without multiples is no trace of one."""
        self._now = amplitudes(self._transforms)
        self._usual = _usual(self._now)
        self._line = np.lib.stride_tricks.sliding_window_view(np.pad(self._now, 1), 3).max(axis=1)
        self._covered = self._masked | (self._line <= self._left)
        self._seen = (self._line > SEEN * self._usual) & (self._line > self._left)
        least = np.maximum(self._left, self._floor)
        peaks = [at for at in _peaks(self._now, self._usual) if not self._masked[at] and self._now[at] > least[at]]
        for highest in sorted(peaks, key=lambda at: -self._now[at])[:TRIED]:
            lowest = self._lowest(highest, peaks)
            place = max(
                (self._refined(lowest + off) for off in STARTS), key=lambda candidate: self._reach(candidate)[2]
            )
            if alone or self._has_multiples(place):
                return Family(place, float(self._line[round(place)]), *self._reach(place)[:2])
        return None

    def _lowest(self, highest: int, peaks: Sequence[int]) -> float:
        """Return the lowest line of the highest peak's family, whose other lines are not much higher."""
        target = _between(self._now, highest)
        lower = (place for at in peaks if (place := _between(self._now, at)) <= target)
        place = next((candidate for candidate in lower if self._leads(candidate, target, highest)), target)
        return next((place / times for times in range(HIDDEN, 1, -1) if self._hides(place / times, times)), place)

    def _leads(self, place: float, target: float, highest: int) -> bool:
        """Return whether the highest peak is a multiple of this place, and the lines between are there."""
        times = round(target / place)
        if abs(target - times * place) > min(CLOSE + times * ERROR, CLOSE * place):
            return False
        at = np.round(np.arange(1, times + 1) * (target / times)).astype(int)
        there = (self._line[at] > self._now[highest] / EQUAL) | self._covered[at]
        return bool(there[0] and there.mean() > MAJORITY)

    def _hides(self, place: float, times: int) -> bool:
        """Return whether the peak is multiple `times` of this place, whose lower lines are unseen because they are
        hidden.
        """
        if place < CLOSEST:
            return False
        numbers = np.array([k for k in range(1, 6 * times) if k % times and round(k * place) < self._half])
        at = np.round(numbers * place).astype(int)
        height = self._line[round(times * place)] / (2 * EQUAL)
        there = self._seen[at] & (self._line[at] > height)
        drowned = self._covered[at] | (SEEN * self._usual[at] > height)
        rest = there[~drowned]
        return bool((there | drowned)[numbers < times].all() and len(rest) >= FEW and rest.mean() > NEARLY_ALL)

    def _lines(self, place: float) -> tuple[Numbers, Numbers]:
        """Return where the multiples appear, with -1 for those that are reflected there."""
        size = 2 * self._half
        at = np.arange(1, max(MULTIPLES * size >> 14, int(self._half / place), 1) + 1) * place % size
        return np.minimum(at, size - at), np.where(at > self._half, -1.0, 1.0)

    def _refined(self, place: float) -> float:
        """Refine the place by its multiples; the higher they are, the more exactly they determine it."""
        bottom, refined, missed = float(self._line[round(place)]), place, 0
        top = bottom * place
        for k in range(1, len(self._lines(place)[0])):
            turned = k * refined % (2 * self._half)
            expected = min(turned, 2 * self._half - turned)
            at = round(expected)
            if not EDGE <= at < self._half - 1 or (self._masked[at] and k > 1):
                continue
            peak = at - 1 + int(np.argmax(self._now[at - 1 : at + 2]))
            off = _between(self._now, peak) - expected
            if not self._seen[at] or abs(off) > CLOSE:
                missed += 1
                if missed > FEW + k // 2:
                    break
                continue
            height = float(self._now[peak])
            top += height * k * (k * refined + (off if turned <= self._half else -off))
            bottom += height * k * k
            refined = top / bottom
        return refined

    def _has_multiples(self, place: float) -> bool:
        """Return whether the line has multiples, as all short periodic noise has; a single line may be a trace of
        others.
        """
        at = np.round(self._lines(place)[0][1:FIRST]).astype(int)
        beyond = np.maximum(1.0, np.arange(2, 2 + len(at)) * place / self._half)
        drowned = self._covered[at] | (SEEN * self._usual[at] > self._line[round(place)] / (EQUAL * beyond))
        rest = self._seen[at[~drowned]]
        return bool(len(rest) > 1 and rest.mean() > MAJORITY)

    def _reach(self, place: float) -> tuple[int, int, int]:
        """Return the last multiple up to which most were seen, and how many up to the highest frequency and in all."""
        at = np.round(self._lines(place)[0]).astype(int)
        there = self._seen[at] & ~self._masked[at]
        there[0] = True
        share = np.cumsum(there | self._covered[at]) / np.arange(1, len(at) + 1)
        last = int(np.flatnonzero(share > MAJORITY)[-1]) + 1
        return last, int(there[1 : min(last, int(self._half / place))].sum()), int(there[:last].sum())

    def _take(self, family: Family) -> None:
        """Remove the family's lines from the transforms, and mark what may remain of them as no peaks."""
        lines, masked = np.zeros(self._half + 1), []
        for k, at in enumerate(self._lines(family.place)[0][: family.last], 1):
            place, height = round(at), float(self._line[round(at)])
            beyond = k * family.place / self._half
            if not self._seen[place] or (beyond > 1 and height > 2 * family.amplitude / beyond):
                continue  # the line of another family: reflected ones fall with their frequency
            self._remove(float(at))
            lines[place] = max(lines[place], height)
            beside = self._masked[_around(at, BESIDE)].any()
            for reach, share in (*LEFT, *([(BESIDE, 1.0)] if beside else [])):
                near = _around(at, reach)
                self._left[near] = np.maximum(self._left[near], share * height)
            masked.append(_around(at, TAKEN))
        for near in masked:
            self._masked[near] = True
        # Noise that takes the whole processor leaves nothing for other noise to take: one modulates the other.
        sums = np.fft.rfft(np.fft.irfft(lines) * np.fft.irfft(self._taken)).real * self._half
        widened = np.lib.stride_tricks.sliding_window_view(np.pad(sums, 2), 5).max(axis=1)
        self._left = np.maximum(self._left, SUMS * widened)
        self._taken += lines + sums

    def _remove(self, at: float) -> None:
        """Remove a line, which has its own height and phase in each series."""
        near, around = (np.arange(max(0, round(at) - far), min(self._half, round(at) + far) + 1) for far in (2, TAIL))
        shape = _window_transform(near - at)
        heights = self._transforms[:, near] @ shape.conj() / (np.abs(shape) ** 2).sum()
        self._transforms[:, around] -= heights[:, None] * _window_transform(around - at)


def amplitudes(transforms: Numbers) -> Numbers:
    """Return the amplitudes by the mean power of the series."""
    heights: Numbers = 2 * np.sqrt((np.abs(transforms) ** 2).mean(axis=0))
    return heights


def _window_transform(offset: Numbers) -> Numbers:
    """Return the window's transform at these offsets from a line, as a share of its height."""
    beside = np.abs(np.abs(offset) - 1) < 1e-9
    shape = np.where(beside, 0.5, np.sinc(offset) / np.where(beside, 1.0, 1 - offset**2))
    transform: Numbers = shape * np.exp(-1j * np.pi * offset)
    return transform


def _around(at: float, reach: float) -> slice:
    return slice(max(0, math.ceil(at - reach)), math.floor(at + reach) + 1)


def _usual(heights: Numbers) -> Numbers:
    """Return the usual level near each place: the median of the medians of its block and those beside it."""
    count = len(heights) // BLOCK
    medians = np.median(heights[: count * BLOCK].reshape(count, BLOCK), axis=1) if count else np.median(heights)[None]
    smoothed = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(medians, 1, mode="edge"), 3), axis=1)
    usual = np.repeat(smoothed, BLOCK)
    return np.pad(usual, (0, max(0, len(heights) - len(usual))), mode="edge")[: len(heights)]


def _peaks(heights: Numbers, usual: Numbers) -> list[int]:
    """Return the places of peaks, the lowest first."""
    highest = np.lib.stride_tricks.sliding_window_view(np.pad(heights, EDGE), 2 * EDGE + 1).max(axis=1)
    peaks = (heights == highest) & (heights > HIGH * usual)
    peaks[:EDGE] = peaks[-EDGE:] = False
    return [int(place) for place in np.flatnonzero(peaks)]


def _between(heights: Numbers, place: int) -> float:
    """Return the place of a line between two steps, by the heights there under a Hann window."""
    before, height, after = (float(value) for value in heights[place - 1 : place + 2])
    if height <= 0:
        return float(place)
    beside = max(before, after) / height
    off = (2 * beside - 1) / (beside + 1)
    return place + (off if after > before else -off)
