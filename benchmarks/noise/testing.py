"""How it is tested, and series of a processor from which others take time at known periods; not installed."""

import numpy as np

from .families import Numbers

BRIEF = "--set seconds=0.1"
WORD = True
"""What delays ranks."""
ALONE = {
    "banzuke/plan/aspect.py": "what of a machine a benchmark is about",
    "banzuke/slowdown/data.py": "the noise that was given, as JSON",
    **dict.fromkeys(
        ("banzuke/predict/hardware.py", "banzuke/predict/model.py", "banzuke/predict/residual.py"),
        "what of a machine can be changed",
    ),
    "banzuke/predict/resources.py": "a part of a predicted time",
    **dict.fromkeys(
        (f"banzuke/predict/explore/{name}.py" for name in ("axes", "data", "sampled")),
        "what of a machine a slider moves",
    ),
}

RATE = 1000
"""Intervals a second."""
WORK = 50_000
"""Work of an interval that is not disturbed."""

Disturbance = tuple[float, float]
"""Period, and how long it takes the processor each time, in seconds."""


def taken(*sources: Disturbance, seconds: int = 17, jitter: float = 0.0, wander: float = 0.0, seed: int = 3) -> Numbers:
    """Work per millisecond, with a little lost at random.

    `jitter`: by so much of the period each comes early or late; `wander`: by so much each interval differs, so that
    what comes late makes all that follow late.
    """
    source = np.random.default_rng(seed)
    lost = np.abs(source.normal(0, 2e-7, seconds * RATE))
    for period, length in sources:
        times = np.arange(1, seconds / period - 1) * period
        times += source.random() * period + source.normal(0, 1, len(times)) * jitter * period
        if wander:
            times += np.cumsum(source.normal(0, 1, len(times))) * wander * period
        for begin, end in zip(times, times + length, strict=True):
            for interval in range(max(0, int(begin * RATE)), min(len(lost), int(end * RATE) + 1)):
                lost[interval] += min(end, (interval + 1) / RATE) - max(begin, interval / RATE)
    return np.round(WORK * (1 - np.minimum(lost, 1 / RATE) * RATE))
