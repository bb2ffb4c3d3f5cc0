"""Places labels so that they do not cover each other, in pixels of the assumed plot size."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

LINE = 14.0
CHARACTER = 6.2


def spread_out(positions: Sequence[float], low: float, high: float, gap: float = LINE) -> list[float]:
    """Move positions as little as needed to be `gap` apart and within [low, high], in the given order."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    placed = [0.0] * len(positions)
    edge = low
    for index in order:
        placed[index] = max(positions[index], edge)
        edge = placed[index] + gap
    edge = high
    for index in reversed(order):
        placed[index] = min(placed[index], edge)
        edge = placed[index] - gap
    return placed


def nice_ceiling(value: float) -> float:
    """Return the next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-12))


def decades(low: float, high: float) -> list[float]:
    """Return ticks of a logarithmic axis: powers of ten, with 2 and 5 between if there are few, thinned if many."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    powers = [10.0**power for power in range(first, last + 1)]
    if len(powers) > 8:
        return powers[:: math.ceil(len(powers) / 8)]
    if len(powers) > 3:
        return powers
    steps = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1, 2, 5)]
    return [step for step in steps if low * (1 - 1e-9) <= step <= high * (1 + 1e-9)]


Box = tuple[float, float, float, float]
OFFSETS: Mapping[str, tuple[Literal["left", "right", "center"], int, int]] = {
    "right": ("left", 9, 0),
    "left": ("right", -9, 0),
    "above": ("center", 0, -13),
    "below": ("center", 0, 14),
    "lower right": ("left", 6, 12),
    "upper left": ("right", -6, -12),
}
"""For a label on each side of its point: alignment, and pixels to the right and down."""


def label_sides(
    points: Sequence[tuple[float, float]], texts: Sequence[str], width: float, obstacles: Sequence[Box] = ()
) -> list[str]:
    """Return for each point the side on which its label covers least."""
    taken: list[Box] = list(obstacles)
    sides = []
    for (x, y), text in zip(points, texts, strict=True):
        options = _beside(x, y, text)
        inside = {side: box for side, box in options.items() if box[0] >= 0 and box[2] <= width} or options
        side = min(inside, key=lambda name: sum(_overlap(inside[name], other) for other in taken))
        taken.append(options[side])
        sides.append(side)
    return sides


def free_sides(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    size: tuple[float, float],
    obstacles: Sequence[Box] = (),
    marks: Sequence[Box] = (),
) -> list[str | None]:
    """Return sides as `label_sides` does, in order of importance, within width and height; `marks` may be covered.

    None: on each side it would cover another label or an obstacle.
    """
    taken: list[Box] = list(obstacles)
    sides: list[str | None] = []
    for (x, y), text in zip(points, texts, strict=True):
        free = {
            side: box
            for side, box in _beside(x, y, text).items()
            if box[0] >= 0 and box[2] <= size[0] and box[1] >= 0 and box[3] <= size[1]
            if not any(_overlap(box, other) for other in taken)
        }
        side = min(free, key=lambda name: sum(_overlap(free[name], mark) for mark in marks), default=None)
        if side is not None:
            taken.append(free[side])
        sides.append(side)
    return sides


def _beside(x: float, y: float, text: str) -> dict[str, Box]:
    """Return the boxes of a label on each side of a point, where the `OFFSETS` of a text mark put it."""
    length = len(text) * CHARACTER
    return {
        "right": (x + 8, y - 6, x + 8 + length, y + 6),
        "left": (x - 8 - length, y - 6, x - 8, y + 6),
        "above": (x - length / 2, y - 20, x + length / 2, y - 8),
        "below": (x - length / 2, y + 8, x + length / 2, y + 20),
        "lower right": (x + 6, y + 6, x + 6 + length, y + 18),
        "upper left": (x - 6 - length, y - 18, x - 6, y - 6),
    }


def _overlap(a: Box, b: Box) -> float:
    """Return the shared area."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
