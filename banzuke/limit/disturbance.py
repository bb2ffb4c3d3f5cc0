"""Causes in what else went on: clock, neighbours, hypervisor, quota, noise."""

from collections.abc import Iterator

from banzuke.limit.curve import outliers
from banzuke.limit.evidence import Evidence
from banzuke.limit.finding import Finding
from banzuke.record.model import MIGRATED
from banzuke.record.statistics import quantile
from banzuke.units import count, number, percent, quantity

SLOWED = 0.03
"""Part of its clock that a processor lacks, from which that is told."""
BUSY = 0.02
"""Share of the processors' time that others had, from which that is told."""
STOLEN = 0.01
"""The same, of the hypervisor."""
SWITCHES = 50
"""Involuntary switches of a thread in a second, from which they are told."""
SAVING_GOVERNORS = ("powersave", "conservative")
MANY = 100
"""Samples from which the best is a stroke of luck."""
FEW = 0.1
"""Share of samples above which slow ones are no single ones."""


def low_clock(e: Evidence) -> Iterator[Finding]:
    seen = e.condition("clock_hz")
    measured = [hz for hz in (e.machine.allotment.scalar_hz, e.machine.allotment.vector_hz) if hz]
    reference = min(measured, default=e.machine.node.processor.nominal_hz)
    if seen and reference and seen < (1 - SLOWED) * reference:
        kind = "measured when the machine was described" if measured else "nominal"
        yield Finding(
            (1 - seen / reference) * (1.0 if e.compute_bound else 0.3),
            "a low processor clock",
            f"{quantity(seen, 'Hz')} right after the run, {quantity(reference, 'Hz')} {kind}",
            "watch clock, temperature and power limit during a run; run `banzuke machine` again",
        )


def below_nominal(e: Evidence) -> Iterator[Finding]:
    seen, nominal = e.machine.allotment.vector_hz, e.machine.node.processor.nominal_hz
    if seen and nominal and seen < (1 - SLOWED) * nominal:
        yield Finding(
            (1 - seen / nominal) * (1.0 if e.compute_bound else 0.3),
            "processors that stay below their nominal clock",
            f"{quantity(seen, 'Hz')} under vector load on all cores, {quantity(nominal, 'Hz')} nominal",
            "wide vectors may lower the clock by design; else look at power limit, cooling and governor",
        )


def saving_governor(e: Evidence) -> Iterator[Finding]:
    governor = e.machine.partition.kernel.get("governor") or ""
    if any(saving in governor.split(", ") for saving in SAVING_GOVERNORS):
        yield Finding(
            0.05,
            "a frequency governor that saves power",
            f"the kernel's governor is {governor}",
            "as root: cpupower frequency-set -g performance, then run again",
        )


def preempted(e: Evidence) -> Iterator[Finding]:
    switches, seconds = e.condition("involuntary_switches"), e.condition("timed_seconds") or e.seconds
    if not switches or seconds <= 0:
        return
    rate = switches / (seconds * e.record.threads)
    if rate > SWITCHES:
        yield Finding(
            min(0.3, rate * 1e-3),
            "other work that took the processors",
            f"{number(switches)} involuntary switches in {quantity(seconds, 's')}, {number(rate)}/s per thread",
            "stop other work, or leave one core to it, and run again",
        )


def busy_neighbours(e: Evidence) -> Iterator[Finding]:
    busy = e.condition("other_busy_fraction")
    if busy is not None and busy > BUSY:
        yield Finding(
            busy,
            "other processes that were running",
            f"others used {percent(busy)} of the machine's processor time during the run",
            "stop them (see top) and run again",
        )


def near_processors(e: Evidence) -> Iterator[Finding]:
    """Virtual processors on neighbouring cores share a path to memory that those far apart have each for themselves."""
    mine = e.record.distance
    if e.compute_bound or mine is None or e.machine.partition.hypervisor is None:
        return
    farthest = e.siblings.farthest(e.record)
    if farthest > MIGRATED * mine:
        yield Finding(
            0.4,
            "virtual processors that the hypervisor moved near each other, where they share a path to memory",
            f"a cache line passed between the threads' processors in {quantity(mine, 's')}, "
            f"and in {quantity(farthest, 's')} in another launch on the same processors",
            "compare cases of equal distance; ask for virtual processors that stay where they are",
            odd=True,
        )


def stolen_time(e: Evidence) -> Iterator[Finding]:
    stolen = e.condition("steal_fraction")
    if stolen is not None and stolen > STOLEN:
        host = f" ({e.machine.partition.hypervisor})" if e.machine.partition.hypervisor else ""
        yield Finding(
            stolen,
            "processor time taken by the hypervisor",
            f"{percent(stolen)} of the time was stolen{host}",
            "run at another hour, or on a virtual machine with dedicated processors",
        )


def throttled(e: Evidence) -> Iterator[Finding]:
    lost = e.condition("throttled_seconds")
    if lost and e.seconds > 0:
        yield Finding(
            min(0.9, lost / e.seconds),
            "the processor quota of the control group",
            f"processes were stopped for {quantity(lost, 's')} in a run of {quantity(e.seconds, 's')}",
            "ask for a larger quota (cpu.max), or run with fewer threads",
        )


def quota(e: Evidence) -> Iterator[Finding]:
    allowed = e.machine.allotment.quota
    if allowed and allowed < e.used and e.condition("throttled_seconds") is None:
        yield Finding(
            1 - allowed / e.used,
            "the processor quota of the control group",
            f"a quota of {count(allowed, 'processor')} for {count(e.used, 'thread')}",
            f"run with {count(max(1, int(allowed)), 'thread')}, or ask for a larger quota (cpu.max)",
        )


def load(e: Evidence) -> Iterator[Finding]:
    before = e.condition("load_before")
    if before is not None and before >= 0.5 and e.condition("other_busy_fraction") is None:
        yield Finding(
            min(0.2, 0.1 * before / max(1, e.machine.allotment.allowed_cores)),
            "work that was running before this case",
            f"the load was {number(before)} when it started, which may be the case before it",
            "run the case alone on the idle machine",
        )


def noise(e: Evidence) -> Iterator[Finding]:
    figure, count = e.figure, len(e.figure.samples)
    best, of = figure.best, "the best of them"
    if count >= MANY:
        best, of = quantile(figure.samples, 0.95 if figure.better == "higher" else 0.05), "their best twentieth"
    gap = abs(best - figure.value) / max(abs(best), abs(figure.value)) if figure.value else 0.0
    if count >= 3 and gap > 0.05 and not e.record.pairs:
        yield Finding(
            gap,
            "disturbance that comes and goes during the run",
            f"the median of {count:,} samples is {percent(gap)} worse than {of}",
            "run it again on the quiet machine; if the spread stays, watch the clock and the neighbours",
            odd=True,
        )


def slow_samples(e: Evidence) -> Iterator[Finding]:
    """A few samples that take much of the time, which an average holds and a median hides."""
    times = e.figure.samples if e.figure.unit == "s" else tuple(1 / sample for sample in e.figure.samples if sample > 0)
    found = outliers(times)
    if len(times) >= MANY and found.share <= FEW and found.time_share > 0.05 and not e.record.pairs:
        yield Finding(
            found.time_share,
            "single calls that take far longer than the others",
            f"{percent(found.share)} of {len(times):,} samples took {percent(found.time_share)} of the time, "
            f"the slowest {number(found.farthest)} times the median",
            "look for what interrupts the processors: the kernel's timer, daemons, the hypervisor",
            odd=True,
        )
