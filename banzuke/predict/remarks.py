"""Where the formula and what was measured differ, by what factor and why, in words."""

import math

from banzuke.predict.noise import Delays, Measured, Noise
from banzuke.units import number, percent, quantity

ALIKE = 1.2
"""Factor up to which the two say the same."""
RANKS = tuple(10**power for power in range(8))


def remarks(noise: Noise | None, measured: Measured, delays: Delays) -> list[str]:
    """`noise`: as the formula takes it; None: it does not hold, or there is none."""
    if not measured.worst():
        return ["No quantum took longer than another: there is no noise to predict from."]
    block = delays.period / measured.quantum
    said = _factors(noise, measured, delays) if noise else []
    if noise is None:
        said.append("The formula does not hold: such noise comes at least once a period, and it knows but one of them.")
    if delays.chance < 1:
        said.append(
            f"A period is {percent(delays.chance)} of a quantum, so it is taken to meet the whole noise of a quantum "
            "with that chance: where a quantum holds several noises, they are not told apart."
        )
    elif block > 1 and noise:
        said.append(
            f"A period is {number(block)} quanta, whose noises add up as they followed each other; "
            "the formula has one at most in a period."
        )
    if block > 1 and measured.counted and sum(map(len, measured.lines)) < measured.quanta:
        said.append(
            f"Only {len(measured.lines):,} processors, those with the longest noise, are in the record quantum by "
            "quantum, so what is drawn for such periods is theirs."
        )
    capped, (longest, count) = delays.capped, delays.counted[-1]
    if capped:
        total = sum(seen for _, seen in delays.counted)
        time = measured.quantum * measured.quanta
        of = f"{count:,} of {total:,} {'blocks of quanta' if block > 1 else 'quanta'}"
        said.append(
            f"From {ranks_text(capped)} on, every other period meets the longest delay that was measured "
            f"({quantity(longest, 's')}, {of}), and what is told ends at {percent(longest / delays.period)}. Noise so "
            f"rare that {quantity(time, 's')} of measuring missed it may come every other period from "
            f"{ranks_text(math.log(2) * time / delays.period)} on."
        )
    return said


def _factors(noise: Noise, measured: Measured, delays: Delays) -> list[str]:
    known = [(count, noise.slowdown(count, delays.period), delays.slowdown(count)) for count in RANKS]
    ratios = [(seen / formula, count) for count, formula, seen in known if formula > 0 and seen > 0]
    if not ratios:
        return []
    said = []
    most, least = max(ratios), min(ratios)
    if most[0] > ALIKE:
        said.append(
            f"At {ranks_text(most[1])} the distribution gives {number(most[0])} times the formula: that knows only "
            f"noise of {quantity(noise.length, 's')} every {quantity(noise.interval, 's')}, "
            f"and all noises together take {percent(measured.share)} of the time."
        )
    if least[0] < 1 / ALIKE:
        said.append(
            f"At {ranks_text(least[1])} the formula gives {number(1 / least[0])} times the distribution: "
            "it takes each noise of at least half the longest for the longest."
        )
    return said or ["The formula and the distribution agree within a fifth at all numbers of ranks."]


def ranks_text(ranks: float) -> str:
    """`1 rank`, `6,008 ranks`."""
    count = math.ceil(ranks)
    return "1 rank" if count == 1 else f"{count:,} ranks"
