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


def decades(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, with 2 and 5 between where few, thinned where many."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    powers = [10.0**power for power in range(first, last + 1)]
    if len(powers) > 8:
        return powers[:: math.ceil(len(powers) / 8)]
    if len(powers) > 3:
        return powers
    steps = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1, 2, 5)]
    return [step for step in steps if low * (1 - 1e-9) <= step <= high * (1 + 1e-9)]


Box = tuple[float, float, float, float]


def beside(
    points: Sequence[tuple[float, float]], texts: Sequence[str], width: float, obstacles: Sequence[Box] = ()
) -> list[str]:
    """For each point the side on which its label covers least."""
    taken: list[Box] = list(obstacles)
    sides = []
    for (x, y), text in zip(points, texts, strict=True):
        length = len(text) * CHARACTER
        options: dict[str, Box] = {
            "right": (x + 8, y - 6, x + 8 + length, y + 6),
            "left": (x - 8 - length, y - 6, x - 8, y + 6),
            "above": (x - length / 2, y - 20, x + length / 2, y - 8),
            "below": (x - length / 2, y + 8, x + length / 2, y + 20),
            "lower right": (x + 6, y + 6, x + 6 + length, y + 18),
            "upper left": (x - 6 - length, y - 18, x - 6, y - 6),
        }
        inside = {side: box for side, box in options.items() if box[0] >= 0 and box[2] <= width} or options
        side = min(inside, key=lambda name: sum(_overlap(inside[name], other) for other in taken))
        taken.append(options[side])
        sides.append(side)
    return sides


def _overlap(a: Box, b: Box) -> float:
    """Shared area."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
