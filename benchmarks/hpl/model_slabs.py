"""HPL's matrix beyond one device's memory, as our program computes it: which columns stream, how many bytes, and when.

The last columns stay on the device, the others are in host memory and come there in slabs. A panel is applied to the
rest of its slab and to the columns that stay at once, and to each later slab while the slab before it is factorised,
for which its factors go to the device again.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.float64]
USABLE = 0.96
"""Share of a device's memory that the driver and the library leave; `usable_share` of gpu_memory.cpp."""
WIDEST = 8192
"""Most columns of a slab; `widest` of gpu_memory.cpp."""


@dataclass(frozen=True)
class Slabs:
    n: int
    nb: int
    columns: int
    """Columns in host memory."""
    slab: int
    """Columns of a slab; the last may have fewer."""

    @property
    def bytes_to_device(self) -> float:
        """Bytes of factors and of slabs that go to the device while the matrix is factorised."""
        ends = [min((number + 1) * self.slab, self.columns) for number in range(math.ceil(self.columns / self.slab))]
        factors = sum(self._factors(end) for end in ends[:-1])
        return float(factors + 8.0 * self.n * max(self.columns - 2 * self.slab, 0))  # the first two are there before

    def _factors(self, end: Steps | float) -> Steps | float:
        """Return the bytes of the factors of all columns before this one."""
        return 8.0 * (self.n * end - end**2 / 2)

    def streamed(self, first: Steps) -> "Streamed":
        """Return what belongs to the panels that begin at these columns."""
        inside = first < self.columns
        begin = np.floor(first / self.slab) * self.slab
        end = np.minimum(begin + self.slab, self.columns)
        following = np.where(inside, np.minimum(end + self.slab, self.columns) - end, 0.0)
        panels = np.maximum((end - begin) / self.nb, 1.0)
        staying = self.n - self.columns
        now = np.where(inside, end - first - self.nb + staying, self.n - first - self.nb)
        loaded = np.where(begin > 0, 8.0 * self.n * following, 0.0)  # the first two slabs are there before
        return Streamed(
            now=np.maximum(now, 0.0),
            later=following,
            behind=np.where(following > 0, end / panels, 0.0),
            height=np.maximum(self.n - end / 2, 0.0),
            to_device=np.where(following > 0, (self._factors(end) + loaded) / panels, 0.0),
        )


@dataclass(frozen=True)
class Streamed:
    """For each panel, the columns that it is applied to at once, and what is done for the next slab meanwhile."""

    now: Steps
    later: Steps
    """Columns of the next slab."""
    behind: Steps
    """Columns of earlier panels that are applied to it."""
    height: Steps
    """Rows of these products, the mean."""
    to_device: Steps
    """Bytes that go to the device meanwhile."""


def slabs_of(n: int, nb: int, device_bytes: float, held: int) -> Slabs | None:
    """Return the slabs of a matrix of which a device holds `held` columns at a time, or as many as fit; None: all."""
    if not held:
        # Columns of n rows that fit beside two panels on the device and the factors of two that arrive there.
        held = math.floor(USABLE * device_bytes / (8.0 * n)) - 4 * nb if math.isfinite(device_bytes) else n + 1
        if held + 2 * nb >= n + 1:  # without slabs no factors arrive
            return None
    held = max(held, 2 * nb + 1)
    if held > n:
        return None
    slab = max(1, min(WIDEST, held // 3) // nb) * nb
    columns = min(n, _whole(n + 1 - (held - 2 * slab), nb))
    slab = _whole(math.ceil(columns / math.ceil(columns / slab)), nb)
    return Slabs(n, nb, min(n, _whole(n + 1 - (held - 2 * slab), nb)), slab)


def _whole(columns: int, nb: int) -> int:
    return math.ceil(columns / nb) * nb
