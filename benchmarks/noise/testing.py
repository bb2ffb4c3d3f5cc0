"""Settings for the tests of this benchmark, and series of a processor that loses time periodically; not installed."""

import numpy as np

from .families import Numbers

BRIEF = "--set seconds=0.1"
WORD = True
"""Noise also delays ranks in predictions."""
ALONE = {
    "banzuke/report/settings.py": "its condition `method` has a title of its own",
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
"""Intervals per second."""
WORK = 50_000
"""Work of an undisturbed interval."""

Disturbance = tuple[float, float]
"""Period, and the time that it takes the processor each time, in seconds."""


def taken(*sources: Disturbance, seconds: int = 17, jitter: float = 0.0, wander: float = 0.0, seed: int = 3) -> Numbers:
    """Return work per millisecond, with a little lost at random.

    `jitter`: deviation of each event, as a share of the period. `wander`: deviation of each interval, so that a late
    event delays all that follow.
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
