"""Explains where the formula and the measurement differ, by which factor, and why."""

import math

from banzuke.slowdown.noise import Delays, Measured, PeriodicNoise
from banzuke.units import number, percent, quantity

ALIKE = 1.2
"""Ratio up to which the two agree."""
RANKS = tuple(10**power for power in range(8))


def remarks(noise: PeriodicNoise | None, measured: Measured, delays: Delays) -> list[str]:
    """Return the remarks; `noise`: as the formula describes it; None: the formula does not hold, or
    there is no noise.
    """
    if not measured.worst():
        return ["No quantum took longer than any other: there is no noise to predict from."]
    block = delays.period / measured.quantum
    said = _factors(noise, measured, delays) if noise else []
    if noise is None:
        said.append(
            "The formula does not apply: it allows one such noise per period at most, and there is more than one."
        )
    if delays.chance < 1:
        said.append(
            f"A period is {percent(delays.chance)} of a quantum, so it is assumed to meet all noise of a quantum with "
            "that probability; several noises in one quantum cannot be separated."
        )
    elif block > 1 and noise:
        said.append(
            f"A period is {number(block)} quanta, whose noises add up in the measured order; "
            "the formula allows one per period at most."
        )
    if block > 1 and measured.counted and sum(map(len, measured.lines)) < measured.quanta:
        said.append(
            f"The record has the single quanta of only {len(measured.lines):,} processors, those with the longest "
            "noise; such periods are drawn from these."
        )
    capped, (longest, count) = delays.capped, delays.counted[-1]
    if capped:
        total = sum(seen for _, seen in delays.counted)
        time = measured.quantum * measured.quanta
        share = f"{count:,} of {total:,} {'blocks of quanta' if block > 1 else 'quanta'}"
        said.append(
            f"From {ranks_text(capped)}, every other period meets the longest measured delay "
            f"({quantity(longest, 's')}, {share}), and the prediction saturates at {percent(longest / delays.period)}. "
            f"From {ranks_text(math.log(2) * time / delays.period)}, noise too rare to be seen in "
            f"{quantity(time, 's')} of measurement may come every other period."
        )
    return said


def _factors(noise: PeriodicNoise, measured: Measured, delays: Delays) -> list[str]:
    slowdowns = [(count, noise.slowdown(count, delays.period), delays.slowdown(count)) for count in RANKS]
    ratios = [(seen / formula, count) for count, formula, seen in slowdowns if formula > 0 and seen > 0]
    if not ratios:
        return []
    said = []
    most, least = max(ratios), min(ratios)
    if most[0] > ALIKE:
        said.append(
            f"At {ranks_text(most[1])} the distribution gives {number(most[0])} times the formula, which has only "
            f"noise of {quantity(noise.length, 's')} every {quantity(noise.interval, 's')}; "
            f"all noise together takes {percent(measured.share)} of the time."
        )
    if least[0] < 1 / ALIKE:
        said.append(
            f"At {ranks_text(least[1])} the formula gives {number(1 / least[0])} times the distribution: "
            "it counts each noise of at least half the longest as the longest."
        )
    return said or ["The formula and the distribution agree within 20% at all numbers of ranks."]


def ranks_text(ranks: float) -> str:
    """Return `1 rank`, `6,008 ranks`."""
    count = math.ceil(ranks)
    return "1 rank" if count == 1 else f"{count:,} ranks"
