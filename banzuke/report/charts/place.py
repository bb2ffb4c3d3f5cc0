"""Placing labels so that they do not cover each other, in the pixels of the assumed plot size."""

import math
from collections.abc import Sequence

LINE = 14.0
CHARACTER = 6.2


def spread_out(positions: Sequence[float], low: float, high: float, gap: float = LINE) -> list[float]:
    """Positions moved as little as needed to be `gap` apart and within [low, high], in the given order."""
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
    """The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(step * power for step in steps if step * power >= value * (1 - 1e-12))


Box = tuple[float, float, float, float]


def beside(
    points: Sequence[tuple[float, float]], texts: Sequence[str], width: float, obstacles: Sequence[Box] = ()
) -> list[str]:
    """For each point the side of its label: the first of right, left, above, below that is free."""
    taken: list[Box] = list(obstacles) + [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    sides = []
    for (x, y), text in zip(points, texts, strict=True):
        length = len(text) * CHARACTER
        options: dict[str, Box] = {
            "right": (x + 8, y - 6, x + 8 + length, y + 6),
            "left": (x - 8 - length, y - 6, x - 8, y + 6),
            "above": (x - length / 2, y - 20, x + length / 2, y - 8),
            "below": (x - length / 2, y + 8, x + length / 2, y + 20),
        }
        inside = {side: box for side, box in options.items() if box[0] >= 0 and box[2] <= width} or options
        free = [side for side, box in inside.items() if not any(_overlap(box, other) for other in taken)]
        side = free[0] if free else next(iter(inside))
        taken.append(options[side])
        sides.append(side)
    return sides


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
