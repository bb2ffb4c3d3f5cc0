"""Prints results as IOR does: a line for each phase of each round, the highest rates, the summary."""

from collections.abc import Iterator, Sequence
from statistics import fmean, pstdev

from banzuke.plan.official import Outcome

MEBI, MEGA, KIBI = 1 << 20, 10**6, 1 << 10
HEAD = """
access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
"""
SUMMARY = (
    f"{'Operation':9} {'Max(MiB)':>10} {'Min(MiB)':>10} {'Mean(MiB)':>10} {'StdDev':>10} {'Max(OPs)':>10} "
    f"{'Min(OPs)':>10} {'Mean(OPs)':>10} {'StdDev':>10} {'Mean(s)':>10} {'Stonewall(s)':>10} {'Stonewall(MiB)':>13}"
    " Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt "
    f"{' blksiz':>8} {'xsize':>8} {'aggs(MiB)':>9} {'API':>5} RefNum\n"
)
UNKNOWN = "   -       "
"""IOR's text for an unknown value."""
PARTS = ("latency", "open", "transfer", "close")
"""Parts of a round, in the order of IOR's columns."""
APIS = {"posix": "POSIX", "uring": "URING", "mpi": "MPIIO"}


def results(outcomes: Sequence[Outcome]) -> str:
    shown = [outcome for outcome in outcomes if outcome.status == "ok"]
    if not shown:
        return ""
    parts = [HEAD, *(line for outcome in shown for line in _rounds(outcome)), "\n"]
    parts += [line for outcome in shown for line in _highest(outcome)]
    parts += ["\nSummary of all tests:\n", SUMMARY]
    parts += [_summary(outcome, timed, number) for number, outcome in enumerate(shown) for timed in _timed(outcome)]
    return "".join(parts)


def _timed(outcome: Outcome) -> list[str]:
    return [timed for timed in ("write", "read") if _samples(outcome, timed)]


def _samples(outcome: Outcome, timed: str) -> Sequence[float]:
    """Return the rate of each round in B/s: the storage's, or else the cache's."""
    rates = outcome.samples.get(f"{timed}_bandwidth") or outcome.samples.get(f"cached_{timed}_bandwidth")
    return [value for value in rates or () if value > 0]


def _cached(outcome: Outcome, timed: str) -> bool:
    return f"{timed}_bandwidth" not in outcome.samples


def _bytes(outcome: Outcome) -> float:
    return outcome.number("storage_bytes") or 0.0


def _rounds(outcome: Outcome) -> Iterator[str]:
    timed = [(which, _samples(outcome, which)) for which in _timed(outcome)]
    block, transfer = (float(outcome.parameters[name]) for name in ("block", "transfer"))
    for index in range(max((len(samples) for _, samples in timed), default=0)):
        for which, samples in timed:
            if index < len(samples):
                rate = samples[index]
                numbers = [_number(value) for value in (rate / MEBI, rate / transfer)]
                sizes = [_number(value) for value in (block / KIBI, transfer / KIBI)]
                total = _number(_seconds(outcome, which, index, rate))
                latency, *parts = (_part(outcome, which, part, index) for part in PARTS)
                columns = [*numbers, latency + " ", *sizes, *parts, total]
                yield f"{which:10}{''.join(columns)}{index:<4}\n"


def _seconds(outcome: Outcome, which: str, index: int, rate: float) -> float:
    """Return the seconds of a round; one that its time limit ended moved less than all bytes."""
    totals = _parts(outcome, which, "total")
    return totals[index] if index < len(totals) else _bytes(outcome) / rate


def _part(outcome: Outcome, which: str, part: str, index: int) -> str:
    values = _parts(outcome, which, part)
    return _number(values[index]) if index < len(values) else UNKNOWN


def _parts(outcome: Outcome, which: str, part: str) -> Sequence[float]:
    """Return a part's seconds in each round; none in records of older versions."""
    parts = outcome.conditions.get("parts")
    timings = parts.get(which) if isinstance(parts, dict) else None
    values = timings.get(part) if isinstance(timings, dict) else None
    return [float(value) for value in values] if isinstance(values, list) else []


def _number(value: float) -> str:
    precision = 6 if value < 1 else 2 if value < 3600 else 0
    return f"{value:<10.{precision}f} "


def _highest(outcome: Outcome) -> Iterator[str]:
    for which in _timed(outcome):
        most = max(_samples(outcome, which))
        if _cached(outcome, which):
            yield f"WARNING: {which} was served by a cache: this is not the bandwidth of the storage.\n"
        yield f"Max {which.capitalize() + ':':6} {most / MEBI:.2f} MiB/sec ({most / MEGA:.2f} MB/sec)\n"


def _summary(outcome: Outcome, which: str, number: int) -> str:
    rates, asked = _samples(outcome, which), outcome.parameters
    transfer = float(asked["transfer"])
    operations = [rate / transfer for rate in rates]
    seconds = [_seconds(outcome, which, index, rate) for index, rate in enumerate(rates)]
    moved = fmean(rate * took for rate, took in zip(rates, seconds, strict=True))
    statistics = [*_statistics([rate / MEBI for rate in rates]), *_statistics(operations)]
    columns = " ".join(f"{value:10.2f}" for value in statistics)
    reorder = int(asked.get("shift", 0) != 0)
    return (
        f"{which:9} {columns} {fmean(seconds):10.5f} {'NA':>10} {'NA':>13} {number:5d} {outcome.ranks:6d} "
        f"{outcome.ranks // outcome.hosts:3d} {len(rates):4d} {int(asked['files'] == 'per-process'):3d} {reorder:5d} "
        f"{1:8d} {0:9d} {0:4d} {int(asked['segments']):6d} {int(asked['block']):8d} {int(transfer):8d} "
        f"{moved / MEBI:9.1f} {APIS.get(outcome.backend, outcome.backend):>3} {0:6d}\n"
    )


def _statistics(values: Sequence[float]) -> list[float]:
    return [max(values), min(values), fmean(values), pstdev(values)]
