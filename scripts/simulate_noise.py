"""Measure how often the spectrum of noise finds periodic disturbances, and how often it finds some that are not there.

    python -m scripts.simulate_noise                # the table of benchmarks/noise/README.md
    python -m scripts.simulate_noise --quiet 100    # with fewer series without a source

Each series lasts 17 s, in intervals of 1 ms.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from benchmarks.noise.spectrum import spectrum
from benchmarks.noise.testing import RATE, Disturbance, taken

EIGHT: Sequence[Disturbance] = (
    (2.3, 20e-3),
    (1.0, 50e-3),
    (0.413, 5e-3),
    (0.097, 1e-3),
    (0.0317, 0.1e-3),
    (0.0117, 10e-6),
    (0.00731, 10e-6),
    (0.0037, 3e-6),
)
LONG = EIGHT[1]
UNEVEN = tuple(combinations(EIGHT[:6], 2))
BASE = 0.0997137
"""A period that is no multiple of an interval."""

Sources = Sequence[Disturbance]


def at_random(count: int) -> Iterator[Sources]:
    """Yield two to four sources of 0.4 to 270 Hz, which take 3 us to 50 ms and at most a quarter of their period."""
    rng = np.random.default_rng(1)
    for _ in range(count):
        periods = [float(np.exp(rng.uniform(np.log(0.0037), np.log(2.5)))) for _ in range(rng.integers(2, 5))]
        yield [(period, float(np.exp(rng.uniform(np.log(3e-6), np.log(min(50e-3, period / 4)))))) for period in periods]


def row(title: str, series: Sequence[Sources], jitter: float = 0.0, wander: float = 0.0) -> str:
    there = seen_peaks = wrong = 0
    for seed, sources in enumerate(series):
        seen = spectrum([taken(*sources, jitter=jitter, wander=wander, seed=seed)], 1 / RATE)
        if seen is None:
            raise RuntimeError("too short a series")
        peaks = [seen.at(1 / period) for period, _ in sources]
        there += len(sources)
        seen_peaks += sum(peak is not None for peak in peaks)
        wrong += any(peak not in peaks for peak in seen.peaks)
    return f"| {title} | {len(series):,} | {f'{seen_peaks} of {there}' if there else ''} | {wrong} |"


def rows(quiet: int) -> Iterator[str]:
    """Yield the table's rows; the first, of `quiet` series without a source, has only false peaks."""
    yield row("none", [()] * quiet)
    for count, name in enumerate(("one", "two", "three", "four"), 1):
        yield row(f"{name} of eight", list(combinations(EIGHT, count)))
    short = product((0.097, 0.0317, 0.0117, 0.00731), (3e-6, 10e-6, 0.1e-3, 1e-3))
    yield row("50 ms each second, and 3 us to 1 ms", [(LONG, source) for source in short])
    beside = [((BASE, 2e-3), (BASE / times, 0.3e-3)) for times in np.linspace(1.95, 11.1, 20)]
    yield row("2 ms, and 0.3 ms at 1.95 to 11.1 times its rate", beside)
    yield row("two to four, periods and lengths at random", list(at_random(40)))
    yield row("two, each up to 1% of its period early or late (standard deviation)", UNEVEN, jitter=0.01)
    yield row("the same with 5%", UNEVEN, jitter=0.05)
    yield row("two whose intervals wander, 0.1% each", UNEVEN, wander=0.001)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quiet", type=int, default=2000, help="series of no source")
    asked = parser.parse_args()
    print("| sources | series | found | wrong |\n| --- | ---: | ---: | ---: |")
    for line in rows(asked.quiet):
        print(line, flush=True)


if __name__ == "__main__":
    main()
