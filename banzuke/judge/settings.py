"""Finds causes in how the case was set up: parameters, library, variables, stores."""

from collections.abc import Iterator

from banzuke.environment import cross_memory
from banzuke.judge.evidence import Evidence, Sibling
from banzuke.judge.finding import Finding
from banzuke.machine import mpi
from banzuke.machine.blas import steering
from banzuke.machine.user_variables import WAITING
from banzuke.record.figures import MOVED
from banzuke.words import Listed, Message, Quantity, message

BETTER = 1.05
"""Ratio from which a comparable record counts as better; runs repeat to within a few per cent."""

PRELOADING = ("LD_PRELOAD", "LD_AUDIT")
"""Variables whose libraries are loaded before a program's own."""


def better_setting(e: Evidence) -> Iterator[Finding]:
    """Find other values of a setting with which comparable records were better."""
    best: dict[tuple[str, ...], Sibling] = {}
    for other in e.others:
        names = tuple(other.difference)
        if e.compute_bound and names in (("threads",), ("ranks",)):
            continue  # the limit already scales with the cores
        if names and other.ratio > max(BETTER, best[names].ratio if names in best else 0.0):
            best[names] = other
    alone = {names[0] for names in best if len(names) == 1}
    for names, other in best.items():
        if len(names) > 1 and alone.intersection(names):
            continue  # one of these settings alone explains as much
        shown = Listed(tuple(_setting(name, value) for name, value in other.difference.items()))
        yield Finding(
            1 - 1 / other.ratio,
            message("limit-setting", names=Listed(names), shown=shown, ratio=other.ratio, run=_run(e, other)),
            odd=True,
            against="setting",
            cause=f"setting {' '.join(names)}",
        )


def _setting(name: str, value: str) -> Message:
    if name in ("threads", "ranks") and value.isdecimal():
        return message("limit-so-many", number=int(value), of=name)
    return message("limit-set", name=name, value=value or message("limit-default"))


def better_repetition(e: Evidence) -> Iterator[Finding]:
    """Find another launch of the same case that was better."""
    repeats = [other for other in e.others if not other.difference]
    best = max(repeats, key=lambda other: other.ratio, default=None)
    if best is not None and best.ratio > BETTER:
        yield Finding(
            1 - 1 / best.ratio,
            message(
                "limit-repetition",
                ratio=best.ratio,
                date=f"{best.record.started:%Y-%m-%d}",
                time=f"{best.record.started:%H:%M}",
                run=_run(e, best),
            ),
            odd=True,
            against="run",
            cause="repetition",
        )


def slow_blas(e: Evidence) -> Iterator[Finding]:
    """Find a BLAS library slower than another one that the machine's probe measured."""
    if e.blas is None or any("blas" in other.difference for other in e.others):
        return
    rates = [library for library in e.machine.software.blas if library.flop_rate]
    fastest = max(rates, key=lambda library: library.flop_rate or 0.0, default=None)
    best, used = fastest.flop_rate if fastest else None, e.blas.flop_rate
    if fastest and best and used and best > BETTER * used:
        yield Finding(
            1 - used / best,
            message(
                "limit-slow-blas",
                used=e.blas.name,
                rate=Quantity(used, "flop/s"),
                fastest=fastest.name,
                path=fastest.path,
                best=Quantity(best, "flop/s"),
                ratio=best / used,
            ),
            odd=True,
            against="library",
        )


def slow_mpi(e: Evidence) -> Iterator[Finding]:
    """Find an MPI library clearly slower than another one, by the machine's probe of messages within a host."""
    if not e.messages or e.mpi is None or len(e.record.hosts) > 1 or e.record.ranks < 2:
        return
    if any("build" in other.difference for other in e.others):
        return
    figure = "bandwidth" if e.figure.unit == "B/s" else "latency" if e.record.ranks == 2 else "allreduce"
    best = mpi.clearly_faster(e.machine.software.mpi_libraries, e.mpi, figure)
    if best is None:
        return
    unit = "B/s" if figure == "bandwidth" else "s"
    ratio = mpi.advantage(best, figure) / mpi.advantage(e.mpi, figure)
    yield Finding(
        1 - 1 / ratio,
        message(
            "limit-slow-mpi",
            figure=figure,
            used=mpi.named(e.mpi),
            value=Quantity(getattr(e.mpi, figure), unit),
            fastest=mpi.named(best),
            best=Quantity(getattr(best, figure), unit),
            ratio=ratio,
            build=best.builds[0] if best.builds else mpi.short(best),
            folder="" if best.builds else mpi.home(best),
            built="yes" if best.builds else "no",
        ),
        odd=True,
        against="library",
    )


def slowing_variable(e: Evidence) -> Iterator[Finding]:
    if e.record.provenance is None:
        return
    variables = e.record.provenance.variables
    slowing = set(e.blas.unset if e.blas else ())
    for name in sorted(slowing | set(steering(e.blas.name, variables) if e.blas else ())):
        if variables.get(name) and "blas" in e.record.software:
            yield Finding(0.3, message("limit-steered-blas", variable=name, value=variables[name]))
        elif name in slowing and name not in variables:
            yield Finding(0.3, message("limit-slowed-blas", variable=name, blas=e.blas.name if e.blas else "BLAS"))


def preloaded_library(e: Evidence) -> Iterator[Finding]:
    variables = e.record.provenance.variables if e.record.provenance else {}
    for name in PRELOADING:
        if value := variables.get(name):
            yield Finding(0.02, message("limit-preloaded", variable=name, value=value), odd=True)


def steered_threads(e: Evidence) -> Iterator[Finding]:
    """Find variables of the user's shell that change how threads wait."""
    variables, varied = {}, {}
    if e.record.provenance:
        variables, varied = e.record.provenance.variables, e.record.provenance.variant
    set_ = tuple(f"{name}={variables[name]}" for name in WAITING if variables.get(name) and name not in varied)
    if set_:
        yield Finding(0.02, message("limit-steered-threads", variables=Listed(set_), number=len(set_)))


def copied_twice(e: Evidence) -> Iterator[Finding]:
    """Find messages between ranks of a host that were copied twice, because copying once is impossible or disabled."""
    largest = e.record.parameters.get("max_size")
    if isinstance(largest, int) and largest <= cross_memory.SMALL:
        return
    if e.record.provenance is None or not any(len(host.ranks) > 1 for host in e.record.hosts):
        return
    without = {**cross_memory.READING, **cross_memory.BOTH}
    variables = e.record.provenance.variables
    set_ = tuple(f"{name}={value}" for name, value in variables.items() if without.get(name) == value)
    reason = e.record.provenance.environment_details.get(cross_memory.REFUSED, "")
    if set_ or reason:
        yield Finding(
            0.05,
            message(
                "limit-copied-twice",
                refused="yes" if reason else "no",
                reason=reason,
                variables=Listed(set_),
                number=len(set_),
            ),
            odd=True,
        )


def plain_stores(e: Evidence) -> Iterator[Finding]:
    """Find stores that read the lines that they overwrite."""
    counted = e.record.metrics[e.figure.metric].counted
    moved = e.record.metrics[e.figure.metric].demanded(MOVED)
    measured = any("stores" in other.difference for other in e.others)
    if e.stores != "plain" or not counted or e.compute_bound or e.link_bound or measured:
        return
    allocates = moved > counted
    yield Finding(
        1 - counted / moved if allocates else 0.25,
        message("limit-plain-stores", counted="yes" if allocates else "no", ratio=moved / counted),
        odd=allocates,
        cause="stores",
    )


def _run(e: Evidence, other: Sibling) -> str:
    mine, theirs = e.record.provenance, other.record.provenance
    same = mine is not None and theirs is not None and mine.run == theirs.run
    return "same" if same else "other"
