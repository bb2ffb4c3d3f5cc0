"""Finds causes in what else happened: clock, neighbours, hypervisor, quota, noise."""

from collections.abc import Iterator

from banzuke.compare.statistics import quantile
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.judge.model import Figure
from banzuke.judge.outliers import outliers
from banzuke.machine.core_speeds import loaded_clocks
from banzuke.record.model import MIGRATED
from banzuke.words import Quantity, Share, message

SLOWED = 0.03
"""Share of its clock that a processor must lack to be reported."""
BUSY = 0.02
"""Share of the processors' time that others must have used to be reported."""
STOLEN = 0.01
"""Share of the processors' time that the hypervisor must have taken to be reported."""
SWITCHES = 50
"""Involuntary context switches of a thread per second from which they are reported."""
LEAST = 0.01
"""Smallest cost of a finding that is reported."""
DISTANCE = "distance"
"""Common cause of everything that follows from the distance between processors."""
SAVING_GOVERNORS = ("powersave", "conservative")
MANY_SAMPLES = 100
"""Fewest samples among which the best one is a stroke of luck."""
FEW_SLOW = 0.1
"""Largest share of samples that still count as single slow ones."""


def low_clock(e: Evidence) -> Iterator[Finding]:
    """Find a clock after the run below the one measured under load, or below the nominal one if that is unknown."""
    seen = e.condition("clock_hz")
    measured = [hz for hz in (e.machine.allotment.scalar_hz, e.machine.allotment.vector_hz) if hz]
    reference = min(measured, default=e.machine.node.processor.nominal_hz)
    if seen and reference and seen < (1 - SLOWED) * reference:
        yield Finding(
            (1 - seen / reference) * (1.0 if e.compute_bound else 0.3),
            message(
                "limit-low-clock",
                clock=Quantity(seen, "Hz"),
                reference=Quantity(reference, "Hz"),
                kind="measured" if measured else "nominal",
            ),
            against="clock",
            cause="clock",
        )


def below_nominal(e: Evidence) -> Iterator[Finding]:
    seen, nominal = min(loaded_clocks(e.machine), key=lambda pair: pair[0] / pair[1], default=(0.0, 0.0))
    if seen < (1 - SLOWED) * nominal:
        yield Finding(
            (1 - seen / nominal) * (1.0 if e.compute_bound else 0.3),
            message("limit-below-nominal", clock=Quantity(seen, "Hz"), nominal=Quantity(nominal, "Hz")),
            against="clock",
            cause="clock",
        )


def saving_governor(e: Evidence) -> Iterator[Finding]:
    governor = e.machine.partition.kernel.get("governor") or ""
    if any(saving in governor.split(", ") for saving in SAVING_GOVERNORS):
        yield Finding(0.05, message("limit-governor", governor=governor))


def preempted(e: Evidence) -> Iterator[Finding]:
    """Find preemption, unless it is known how much of the processors others used, which explains it."""
    switches, seconds = e.condition("involuntary_switches"), e.condition("timed_seconds") or e.seconds
    if not switches or seconds <= 0 or (e.condition("other_busy_fraction") or 0.0) > BUSY:
        return
    rate = switches / (seconds * e.record.threads)
    if rate > SWITCHES:
        yield Finding(
            min(0.3, rate * 1e-3),
            message("limit-preempted", switches=switches, seconds=Quantity(seconds, "s"), rate=rate),
            taker="others",
        )


def busy_neighbours(e: Evidence) -> Iterator[Finding]:
    busy = e.condition("other_busy_fraction")
    if busy is not None and busy > BUSY:
        yield Finding(busy, message("limit-busy-neighbours", share=Share(busy)), taker="others")


def near_processors(e: Evidence) -> Iterator[Finding]:
    """Find virtual processors on neighbouring cores, which share a path to memory; distant ones have one each."""
    mine = e.record.distance
    if e.used == 1:  # it shares the path with no other; its distance is that to idle processors
        return
    if e.compute_bound or mine is None or e.machine.partition.hypervisor is None:
        return
    farthest = e.siblings.farthest(e.record)
    if farthest > MIGRATED * mine:
        yield Finding(
            0.4,
            message("limit-near-processors", time=Quantity(mine, "s"), farthest=Quantity(farthest, "s")),
            odd=True,
            against="state",
            cause=DISTANCE,
        )


def stolen_time(e: Evidence) -> Iterator[Finding]:
    stolen = e.condition("steal_fraction")
    if stolen is not None and stolen > STOLEN:
        hypervisor = e.machine.partition.hypervisor or message("limit-hypervisor")
        said = message("limit-stolen-time", share=Share(stolen), hypervisor=hypervisor)
        yield Finding(stolen, said, taker="hypervisor")


def throttled(e: Evidence) -> Iterator[Finding]:
    lost = e.condition("throttled_seconds")
    if lost and e.seconds > 0:
        yield Finding(
            min(0.9, lost / e.seconds),
            message("limit-throttled", lost=Quantity(lost, "s"), seconds=Quantity(e.seconds, "s")),
            taker="quota",
        )


def changed_quota(e: Evidence) -> Iterator[Finding]:
    """Find a quota that was changed while the case ran: part of it ran with another one than the machine's."""
    before, after = e.condition("quota_before"), e.condition("quota_after")
    if before and after and before != after:
        yield Finding(
            1 - min(before, after) / max(before, after),
            message("limit-quota-changed", before=before, after=after),
            odd=True,
            taker="quota",
        )


def quota(e: Evidence) -> Iterator[Finding]:
    allowed = e.machine.allotment.quota
    if allowed and allowed < e.used and e.condition("throttled_seconds") is None:
        yield Finding(
            1 - allowed / e.used,
            message("limit-quota", quota=allowed, threads=e.used, fewer=max(1, int(allowed))),
            taker="quota",
        )


def load(e: Evidence) -> Iterator[Finding]:
    before = e.condition("load_before")
    if before is not None and before >= 0.5 and e.condition("other_busy_fraction") is None:
        yield Finding(
            min(0.2, 0.1 * before / max(1, e.machine.allotment.allowed_cores)),
            message("limit-load", load=before),
            taker="others",
        )


def noise(e: Evidence) -> Iterator[Finding]:
    """Find a median that is much worse than the best samples."""
    figure, count = e.figure, len(e.figure.samples)
    many = count >= MANY_SAMPLES
    best = quantile(figure.samples, 0.95 if figure.better == "higher" else 0.05) if many else figure.best
    gap = abs(best - figure.value) / max(abs(best), abs(figure.value)) if figure.value else 0.0
    if count >= 3 and gap > 0.05 and not e.record.pairs:
        yield Finding(
            gap if many else _gap_of_several(figure),
            message("limit-varying", samples=count, gap=Share(gap), than="fastest" if many else "best"),
            odd=True,
            against="samples",
            cause="samples",
        )


def _gap_of_several(figure: Figure) -> float:
    """Return what the median costs against the second best sample, because a single better one may be luck."""
    ranked = sorted(figure.samples, reverse=figure.better == "higher")
    worse, better = sorted((figure.value, ranked[1]))
    return max(LEAST, 1 - worse / better) if worse > 0 else LEAST


def slow_samples(e: Evidence) -> Iterator[Finding]:
    """Find a few samples that take much of the time: an average includes them, a median hides them."""
    times = e.figure.samples if e.figure.unit == "s" else tuple(1 / sample for sample in e.figure.samples if sample > 0)
    slow = outliers(times)
    if len(times) >= MANY_SAMPLES and slow.share <= FEW_SLOW and slow.time_share > 0.05 and not e.record.pairs:
        yield Finding(
            slow.time_share,
            message(
                "limit-slow-samples",
                share=Share(slow.share),
                samples=len(times),
                time=Share(slow.time_share),
                ratio=slow.farthest,
            ),
            odd=True,
            against="samples",
        )
