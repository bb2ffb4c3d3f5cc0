"""Who makes the noise of fixed quanta, as far as the kernel's counters, a trace or the figures themselves tell."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from statistics import median

from banzuke.limit.evidence import Evidence
from banzuke.limit.finding import Finding
from banzuke.limit.noise import Noise, joined
from banzuke.limit.spectrum import Peak, repeated
from banzuke.record.matching import neighbours
from banzuke.units import percent
from banzuke.words import Listed, Quantity, Share, message

TELLING = 0.05
"""Share of the noise from which a source is named."""
OFTEN = 1.0
"""Interrupts a second on each processor from which they are named."""
TIMERS = ("loc", "timer")
"""In the names of timer interrupts, as kernels call them."""
TICKS = (100, 250, 300, 1000)
"""Rates with which kernels are built."""
NEARLY = 0.95
"""Of the ticks that must have been counted as interrupts."""
UNKNOWN_LENGTH = 0.02
"""Weight of what is known to come, but not how long it takes."""
SHOWN = 8
"""Traced sources that are named."""


def clock(e: Evidence) -> Iterator[Finding]:
    if not e.noise or not e.noise.clock_share or e.noise.clock_share < TELLING:
        return
    resolution = e.noise.clock_resolution
    yield Finding(
        e.noise.clock_share,
        message(
            "limit-noise-clock",
            share=Share(e.noise.clock_share),
            resolved="yes" if resolution else "no",
            resolution=Quantity(resolution or 0.0, "s"),
        ),
    )


def hypervisor(e: Evidence) -> Iterator[Finding]:
    stolen = e.condition("stolen_seconds")
    if e.noise and stolen and e.noise.lost and stolen > TELLING * e.noise.lost:
        yield Finding(
            min(1.0, stolen / e.noise.lost),
            message(
                "limit-noise-hypervisor",
                hypervisor=e.machine.partition.hypervisor or message("limit-hypervisor"),
                stolen=Quantity(stolen, "s"),
                lost=Quantity(e.noise.lost, "s"),
            ),
        )


def other_processes(e: Evidence) -> Iterator[Finding]:
    waited = e.condition("run_delay")
    if e.noise and waited and e.noise.lost and waited > TELLING * e.noise.lost:
        switches = e.condition("involuntary_switches")
        yield Finding(
            min(1.0, waited / e.noise.lost),
            message(
                "limit-noise-processes",
                started=neighbours(e.record),
                waited=Quantity(waited, "s"),
                preempted=int(switches or 0),
                lost=Quantity(e.noise.lost, "s"),
                named="yes" if "blame" in e.record.conditions else "no",
            ),
        )


def traced(e: Evidence) -> Iterator[Finding]:
    """Each by name, where the kernel's events were traced."""
    blame = e.record.conditions.get("blame")
    if not e.noise or not e.noise.lost or not isinstance(blame, list):
        return
    known = [one for one in blame if isinstance(one, dict) and _number(one.get("seconds"))]
    for one in sorted(known, key=lambda one: -_number(one["seconds"]))[:SHOWN]:
        seconds, events, longest = (_number(one.get(name)) for name in ("seconds", "events", "longest"))
        kind, share = str(one.get("kind", "")), min(1.0, seconds / e.noise.lost)
        yield Finding(
            share,
            message(
                "limit-noise-traced",
                who=str(one.get("who", "?")),
                kind=kind,
                seconds=Quantity(seconds, "s"),
                events=round(events),
                longest=Quantity(longest, "s"),
                share=Share(share),
            ),
        )


def _number(value: object) -> float:
    """0: it is none."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0
    return float(value) if usable and isinstance(value, int | float) else 0.0


def ticks(noise: Noise) -> float | None:
    """Timer interrupts a second on each processor; None: not counted."""
    seconds = noise.number("timed_seconds")
    counted = noise.counts("interrupts")
    found = [count for name, count in counted.items() if any(word in name.lower() for word in TIMERS)]
    return sum(found) / (seconds * noise.processors) if seconds and found else None


@dataclass(frozen=True)
class Tick:
    """Of the kernel."""

    rate: int
    """Of each processor, a second."""
    peak: Peak
    lost: float | None
    """Seconds that each takes at least; None: other noise hides it."""


def tick(noise: Noise) -> Tick | None:
    """Where so many timer interrupts came, and the spectrum has a peak at their rate.

    That peak alone tells the mean of all that comes with ticks, such as processes that the scheduler lets run at one.
    The quietest processor tells best what a tick itself takes.
    """
    counted = ticks(noise) or 0.0
    found = noise.spectrum
    peaks = [(hz, peak) for hz in TICKS if found and counted >= NEARLY * hz and (peak := found.at(hz))]
    if not peaks:
        return None
    rate, peak = max(peaks, key=lambda one: one[1].amplitude)
    quietest = min(noise.traces, key=lambda trace: sum(trace.lengths) * trace.resolution)
    cost = repeated(quietest.lengths, noise.quantum, rate)
    return Tick(rate, peak, None if cost is None else min(cost * quietest.resolution, peak.lost))


def timer(e: Evidence) -> Iterator[Finding]:
    rate = ticks(e.noise) if e.noise else None
    if not e.noise or not rate or rate < OFTEN:
        return
    found = tick(e.noise)
    if found and found.lost:
        share = min(1.0, found.lost * found.rate / e.noise.all.share) if e.noise.all.share else 0.0
        lost = Quantity(found.lost, "s")
        yield Finding(share, message("limit-noise-tick", rate=rate, regular=found.rate, lost=lost, share=Share(share)))
    else:
        yield Finding(UNKNOWN_LENGTH, message("limit-noise-timer", rate=rate))


def interrupts(e: Evidence) -> Iterator[Finding]:
    seconds = e.condition("timed_seconds")
    if not e.noise or not seconds:
        return
    rates = {name: count / (seconds * e.noise.processors) for name, count in e.noise.counts("interrupts").items()}
    often = {
        name: rate for name, rate in rates.items() if rate >= OFTEN and not any(word in name.lower() for word in TIMERS)
    }
    if often:
        rated = Listed(tuple(message("limit-noise-rate", name=name, rate=rate) for name, rate in often.items()), SHOWN)
        yield Finding(UNKNOWN_LENGTH, message("limit-noise-interrupts", rates=rated))


def worse_processors(e: Evidence) -> Iterator[Finding]:
    if not e.noise or not e.noise.worse:
        return
    usual = median(core.share for core in e.noise.cores)
    first = e.noise.worse[0]
    yield Finding(
        1 - usual / first.share,
        message(
            "limit-noise-worse",
            processors=Listed(tuple(map(str, e.noise.worse)), SHOWN),
            first=str(first),
            share=Share(first.share),
            usual=Share(usual),
            longest=Quantity(first.maximum, "s"),
        ),
        odd=True,
    )


def told(noise: Noise | None) -> str:
    """For a verdict: `0.41% of the time is noise, 0.12% without the clock's part`; empty: there are no quanta."""
    if noise is None:
        return ""
    text = f"{percent(noise.all.share)} of the time is noise"
    if noise.beyond and noise.clock_share and noise.clock_share >= TELLING:
        text += f", {percent(noise.beyond.share)} without the clock's part"
    if noise.worse:
        text += f"; noisiest: {joined(map(str, noise.worse), 2)}"
    return text
