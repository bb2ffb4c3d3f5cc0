"""What comes at even intervals, told apart by its lines in a spectrum: a frequency and its multiples.

The family of the highest peak is taken out of the transforms of the series, line by line, and what is left is searched
again, because the lines of one family hide those of others beside them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-5
"""Share of the highest amplitude below which nothing is a peak: a line taken out leaves 3e-6 of it beyond `TAIL`."""
BLOCK = 64
"""Places that tell what is usual near a peak, together with as many on each side."""
HIGH = 6.0
"""Times what is usual near it that a peak has: of the highest of 8,192 random ones, the chance is 1 in 100."""
SEEN = 3.0
"""Times what is usual that a line has where a family's is expected."""
EDGE = 4
"""The lowest places, which the window smears together with the mean, and the highest; no peak is nearer to a higher."""
CLOSEST = 6.0
"""Places between lines, below which they are not told apart."""
MOST_FAMILIES = 8
"""Families that are taken out."""
TRIED = 5
"""Peaks that are tried for a further family, the highest first."""
MULTIPLES = 680
"""Most that are followed, also above the highest frequency, where they are reflected."""
EQUAL = 2.2
"""Times as high as the lowest line that another may be: all are about equal, and those of two may coincide."""
MAJORITY = 0.6
"""Share of a family's lines that must be seen, or be where others were taken out."""
HIDDEN = 8
"""How many times its frequency the lowest peak may be, where the lines below drown or were taken out with others."""
FEW, NEARLY_ALL = 3, 0.75
"""Lines that are no multiples of that peak: fewest that tell, and the share that must be seen."""
FIRST = 6
"""Multiples below this show whether there are any."""
STARTS = (0.0, -0.2, 0.2)
"""Places beside the peak from which its frequency is sought: others pull it aside."""
CLOSE, ERROR = 0.4, 0.1
"""Places by which a line may be off, and those for each time that a frequency is multiplied."""
TAIL = 48
"""Places to each side of a line that the window spreads it over, as far as it matters."""
TAKEN = 1.0
"""Places from a line that was taken out, within which nothing else is seen."""
LEFT = ((1.5, 0.5), (4.0, 0.1))
"""Places from such a line, and of its height how much may be left there: intervals are not quite even."""
BESIDE = 2.5
"""Places between lines of two families, within which neither's height is known."""
SUMS = 3.0
"""Times their expected height that lines at sums and differences of two families may have."""

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Family:
    place: float
    """Place of the lowest line, in steps of the transform; so are all places here."""
    amplitude: float
    """Its height."""
    last: int
    """The multiple up to which most were seen."""
    multiples: int
    """How many were, up to the highest frequency."""


class FamilySearch:
    """In the transforms of some series, each under von Hann's window."""

    def __init__(self, transforms: Numbers) -> None:
        self._transforms = transforms.copy()
        self._half = transforms.shape[1] - 1
        self._floor = FLOOR * float(amplitudes(transforms).max())
        self._masked = np.zeros(self._half + 1, dtype=bool)
        self._left = np.zeros(self._half + 1)
        self._taken = np.zeros(self._half + 1)

    def families(self) -> list[Family]:
        """At most `MOST_FAMILIES`, the lowest first."""
        families: list[Family] = []
        while len(families) < MOST_FAMILIES and (family := self._next(alone=not families)):
            self._take(family)
            families.append(family)
        return sorted(families, key=lambda family: family.place)

    def _next(self, *, alone: bool) -> Family | None:
        """`alone`: nothing was taken out yet, so that a line without multiples is no trace of what was."""
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
        """The lowest line of the family of the highest peak: none is much higher than it."""
        target = _between(self._now, highest)
        lower = (place for at in peaks if (place := _between(self._now, at)) <= target)
        place = next((candidate for candidate in lower if self._leads(candidate, target, highest)), target)
        return next((place / times for times in range(HIDDEN, 1, -1) if self._hides(place / times, times)), place)

    def _leads(self, place: float, target: float, highest: int) -> bool:
        """Whether the highest is one of its multiples, and the lines between them are there."""
        times = round(target / place)
        if abs(target - times * place) > min(CLOSE + times * ERROR, CLOSE * place):
            return False
        at = np.round(np.arange(1, times + 1) * (target / times)).astype(int)
        there = (self._line[at] > self._now[highest] / EQUAL) | self._covered[at]
        return bool(there[0] and there.mean() > MAJORITY)

    def _hides(self, place: float, times: int) -> bool:
        """Whether the peak is so many times this frequency, whose lines below it are not seen but could not be."""
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
        """Where its multiples appear, and -1 for those that are reflected there."""
        size = 2 * self._half
        at = np.arange(1, max(MULTIPLES * size >> 14, int(self._half / place), 1) + 1) * place % size
        return np.minimum(at, size - at), np.where(at > self._half, -1.0, 1.0)

    def _refined(self, place: float) -> float:
        """By the multiples, which tell it the better the higher they are."""
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
        """As all has that is short and comes at even intervals: beside others a single line is a trace of them."""
        at = np.round(self._lines(place)[0][1:FIRST]).astype(int)
        beyond = np.maximum(1.0, np.arange(2, 2 + len(at)) * place / self._half)
        drowned = self._covered[at] | (SEEN * self._usual[at] > self._line[round(place)] / (EQUAL * beyond))
        rest = self._seen[at[~drowned]]
        return bool(len(rest) > 1 and rest.mean() > MAJORITY)

    def _reach(self, place: float) -> tuple[int, int, int]:
        """The last multiple up to which most were seen, and how many up to the highest frequency, and in all."""
        at = np.round(self._lines(place)[0]).astype(int)
        there = self._seen[at] & ~self._masked[at]
        there[0] = True
        share = np.cumsum(there | self._covered[at]) / np.arange(1, len(at) + 1)
        last = int(np.flatnonzero(share > MAJORITY)[-1]) + 1
        return last, int(there[1 : min(last, int(self._half / place))].sum()), int(there[:last].sum())

    def _take(self, family: Family) -> None:
        """Its lines out of the transforms; what may be left of them, and of their sums with others, is no peak."""
        lines, masked = np.zeros(self._half + 1), []
        for k, at in enumerate(self._lines(family.place)[0][: family.last], 1):
            place, height = round(at), float(self._line[round(at)])
            beyond = k * family.place / self._half
            if not self._seen[place] or (beyond > 1 and height > 2 * family.amplitude / beyond):
                continue  # the line of another: reflected ones fall with their frequency
            self._remove(float(at))
            lines[place] = max(lines[place], height)
            beside = self._masked[_around(at, BESIDE)].any()
            for reach, share in (*LEFT, *([(BESIDE, 1.0)] if beside else [])):
                near = _around(at, reach)
                self._left[near] = np.maximum(self._left[near], share * height)
            masked.append(_around(at, TAKEN))
        for near in masked:
            self._masked[near] = True
        # What takes the whole processor leaves nothing for another to take: one modulates the other.
        sums = np.fft.rfft(np.fft.irfft(lines) * np.fft.irfft(self._taken)).real * self._half
        widened = np.lib.stride_tricks.sliding_window_view(np.pad(sums, 2), 5).max(axis=1)
        self._left = np.maximum(self._left, SUMS * widened)
        self._taken += lines + sums

    def _remove(self, at: float) -> None:
        """A line, of each series with its own height and phase."""
        near, around = (np.arange(max(0, round(at) - far), min(self._half, round(at) + far) + 1) for far in (2, TAIL))
        shape = _window_transform(near - at)
        heights = self._transforms[:, near] @ shape.conj() / (np.abs(shape) ** 2).sum()
        self._transforms[:, around] -= heights[:, None] * _window_transform(around - at)


def amplitudes(transforms: Numbers) -> Numbers:
    """By the mean power of the series."""
    heights: Numbers = 2 * np.sqrt((np.abs(transforms) ** 2).mean(axis=0))
    return heights


def _window_transform(offset: Numbers) -> Numbers:
    """Its transform, so many places beside a line, in parts of its height."""
    beside = np.abs(np.abs(offset) - 1) < 1e-9
    shape = np.where(beside, 0.5, np.sinc(offset) / np.where(beside, 1.0, 1 - offset**2))
    transform: Numbers = shape * np.exp(-1j * np.pi * offset)
    return transform


def _around(at: float, reach: float) -> slice:
    return slice(max(0, math.ceil(at - reach)), math.floor(at + reach) + 1)


def _usual(heights: Numbers) -> Numbers:
    """Near each place: the median of the medians of its block and those beside it."""
    count = len(heights) // BLOCK
    medians = np.median(heights[: count * BLOCK].reshape(count, BLOCK), axis=1) if count else np.median(heights)[None]
    smoothed = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(medians, 1, mode="edge"), 3), axis=1)
    usual = np.repeat(smoothed, BLOCK)
    return np.pad(usual, (0, max(0, len(heights) - len(usual))), mode="edge")[: len(heights)]


def _peaks(heights: Numbers, usual: Numbers) -> list[int]:
    """Their places, the lowest first."""
    highest = np.lib.stride_tricks.sliding_window_view(np.pad(heights, EDGE), 2 * EDGE + 1).max(axis=1)
    peaks = (heights == highest) & (heights > HIGH * usual)
    peaks[:EDGE] = peaks[-EDGE:] = False
    return [int(place) for place in np.flatnonzero(peaks)]


def _between(heights: Numbers, place: int) -> float:
    """Place of a line between two steps, by the heights there under von Hann's window."""
    before, height, after = (float(value) for value in heights[place - 1 : place + 2])
    if height <= 0:
        return float(place)
    beside = max(before, after) / height
    off = (2 * beside - 1) / (beside + 1)
    return place + (off if after > before else -off)
