"""Causes of the noise, as shown by the kernel's counters, a trace or the figures themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banzuke.compare.matching import neighbours
from banzuke.compare.statistics import median
from banzuke.judge.disturbance import BUSY, STOLEN
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.words import Listed, Message, Quantity, Share, message

from .quanta import Core, RecordedNoise, positive
from .spectrum import SpectralPeak, repeated

TELLING = 0.05
"""Share of the noise from which a cause is named."""
OFTEN = 1.0
"""Interrupts per second on each processor from which they are named."""
TIMERS = ("loc", "timer")
"""Words in the kernels' names of timer interrupts."""
TICKS = (100, 250, 300, 1000)
"""Timer rates with which kernels are built, in Hz."""
NEARLY = 0.95
"""Least share of the ticks that must have been counted as interrupts."""
UNKNOWN_LENGTH = 0.02
"""Weight of a cause that is known to occur, but not for how long."""
MOST_TRACED = 8
"""Most causes from a trace that are named."""
NAMED = 4
"""Most interrupts and processors that are named."""
NONE = "none"
"""Stands for an unknown fact."""


def findings(noise: RecordedNoise, evidence: Evidence) -> Iterator[Finding]:
    yield from clock(noise)
    if noise.lost:
        yield from hypervisor(noise, evidence)
        yield from other_processes(noise, evidence)
        yield from traced(noise)
    yield from timer(noise)
    yield from interrupts(noise)
    yield from worse_processors(noise)


def clock(noise: RecordedNoise) -> Iterator[Finding]:
    share, resolution = noise.clock_share, noise.clock_resolution
    if share and share >= TELLING:
        finest = Quantity(resolution, "s") if resolution else NONE
        yield Finding(share, message("noise-cause-clock", share=Share(share), resolution=finest))


def hypervisor(noise: RecordedNoise, e: Evidence) -> Iterator[Finding]:
    """Yield the time that the hypervisor gave to others, if it explains enough of the noise."""
    stolen = e.condition("stolen_seconds")
    if stolen and stolen > TELLING * noise.lost:
        yield Finding(
            min(1.0, stolen / noise.lost),
            message(
                "noise-cause-hypervisor",
                hypervisor=e.machine.partition.hypervisor or NONE,
                stolen=Quantity(stolen, "s"),
                noise=Quantity(noise.lost, "s"),
            ),
            taker="hypervisor" if (e.condition("steal_fraction") or 0.0) > STOLEN else "",
        )


def other_processes(noise: RecordedNoise, e: Evidence) -> Iterator[Finding]:
    """Yield the time that ranks waited for their processors, if it explains enough of the noise."""
    waited = e.condition("run_delay")
    if waited and waited > TELLING * noise.lost:
        yield Finding(
            min(1.0, waited / noise.lost),
            message(
                "noise-cause-processes",
                waited=Quantity(waited, "s"),
                noise=Quantity(noise.lost, "s"),
                switches=int(e.condition("involuntary_switches") or 0),
                started=neighbours(e.record),
                traced="yes" if "blame" in e.record.conditions else "no",
            ),
            taker="others" if (e.condition("other_busy_fraction") or 0.0) > BUSY else "",
        )


def traced(noise: RecordedNoise) -> Iterator[Finding]:
    """Yield each cause by name, if the kernel's events were traced."""
    blame = noise.record.conditions.get("blame")
    entries = [entry for entry in blame if isinstance(entry, dict)] if isinstance(blame, list) else []
    ranked = sorted(((positive(entry.get("seconds")), entry) for entry in entries), key=lambda item: -item[0])
    for seconds, entry in ranked[:MOST_TRACED]:
        share, longest = min(1.0, seconds / noise.lost), positive(entry.get("longest"))
        if seconds:
            yield Finding(
                share,
                message(
                    "noise-cause-traced",
                    who=str(entry.get("who", "?")),
                    kind=str(entry.get("kind", "?")),
                    seconds=Quantity(seconds, "s"),
                    events=int(positive(entry.get("events"))),
                    longest=Quantity(longest, "s") if longest else NONE,
                    share=Share(share),
                ),
            )


def rates(noise: RecordedNoise, *, timers: bool) -> dict[str, float]:
    """Return interrupts per second on each processor by name, of timers or of all others; empty if not counted."""
    seconds = noise.number("timed_seconds")
    if not seconds:
        return {}
    return {
        name: count / (seconds * noise.processors)
        for name, count in noise.counts("interrupts").items()
        if any(word in name.lower() for word in TIMERS) == timers
    }


@dataclass(frozen=True)
class Tick:
    """The kernel's timer tick, and the time that it takes."""

    rate: int
    """Ticks per second of each processor."""
    peak: SpectralPeak
    lost: float | None
    """Seconds that each tick takes at least; None if other noise hides it."""


def tick(noise: RecordedNoise) -> Tick | None:
    """Return the timer tick if that many timer interrupts were counted, and the spectrum has a peak at their rate.

    The peak shows only the mean of everything that happens at ticks, such as processes that the scheduler then runs.
    The quietest processor shows best how long a tick itself takes.
    """
    counted, spectrum = sum(rates(noise, timers=True).values()), noise.spectrum
    peaks = [(hz, peak) for hz in TICKS if spectrum and counted >= NEARLY * hz and (peak := spectrum.at(hz))]
    if not peaks:
        return None
    rate, peak = max(peaks, key=lambda candidate: candidate[1].amplitude)
    quietest = min(noise.traces, key=lambda trace: float(trace.lengths.sum()) * trace.resolution)
    cost = repeated(quietest.lengths, noise.quantum, rate)
    return Tick(rate, peak, None if cost is None else min(cost * quietest.resolution, peak.lost))


def timer(noise: RecordedNoise) -> Iterator[Finding]:
    """Yield the timer tick with its time from the spectrum, or with unknown time."""
    counted = sum(rates(noise, timers=True).values())
    if counted < OFTEN:
        return
    kernel_tick = tick(noise)
    lost = kernel_tick.lost if kernel_tick else None
    share = min(1.0, lost * kernel_tick.rate / noise.all.share) if kernel_tick and lost and noise.all.share else 0.0
    yield Finding(
        share if lost else UNKNOWN_LENGTH,
        message(
            "noise-cause-tick",
            counted=counted,
            rate=kernel_tick.rate if kernel_tick else 0,
            cost=Quantity(lost, "s") if lost else NONE,
            share=Share(share),
        ),
    )


def interrupts(noise: RecordedNoise) -> Iterator[Finding]:
    often = [
        message("noise-interrupts", name=name, rate=rate)
        for name, rate in rates(noise, timers=False).items()
        if rate >= OFTEN
    ]
    if often:
        yield Finding(UNKNOWN_LENGTH, message("noise-cause-interrupts", rates=Listed(tuple(often), NAMED)))


def worse_processors(noise: RecordedNoise) -> Iterator[Finding]:
    """Yield processors with far more noise than the others, weighted by their excess."""
    if not noise.worse:
        return
    usual, first = noise.usual_share, noise.worse[0]
    yield Finding(
        1 - usual / first.share,
        message(
            "noise-cause-processors",
            processors=Listed(tuple(map(processor, noise.worse)), NAMED),
            first=processor(first),
            share=Share(first.share),
            usual=Share(usual),
            ratio=first.share / usual if usual else NONE,
            longest=Quantity(first.maximum, "s"),
        ),
        odd=True,
    )


def processor(core: Core) -> Message:
    return message("noise-processor", cpu=str(core.cpu), host=core.host or NONE)


def remark(noise: RecordedNoise, launches: Sequence[RecordedNoise]) -> Message:
    """Summarize the noise: shares are medians of the launches, as the figures beside it are; processors are those of
    `noise`.
    """
    clocked = noise.clock_share is not None and noise.clock_share >= TELLING
    beyond = [launch.beyond.share for launch in launches if launch.beyond]
    return message(
        "noise-remark",
        share=Share(median([launch.all.share for launch in launches])),
        beyond=Share(median(beyond)) if beyond and clocked else NONE,
        noisiest=Listed(tuple(map(processor, noise.worse)), 2) if noise.worse else NONE,
    )
