"""Causes in how the case was set up: parameters, library, variables, stores."""

from collections.abc import Iterator

from banzuke.limit.evidence import Evidence, Sibling
from banzuke.limit.finding import Finding, times
from banzuke.machine.blas import steering
from banzuke.record.figures import MOVED
from banzuke.units import number, quantity

BETTER = 1.05
"""A comparable record counts as better from this ratio: runs repeat to within a few per cent."""


def better_setting(e: Evidence) -> Iterator[Finding]:
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
            continue  # one of these settings explains as much by itself
        shown = ", ".join(
            f"{value} {name.rstrip('s') if value == '1' else name}"
            if name in ("threads", "ranks")
            else f"{name}={value}"
            for name, value in other.difference.items()
        )
        yield Finding(
            1 - 1 / other.ratio,
            f"the setting of {', '.join(names)}",
            f"{shown} gave {times(other.ratio)} in {_run(e, other)}",
            f"run with {shown}",
            odd=True,
        )


def better_repetition(e: Evidence) -> Iterator[Finding]:
    repeats = [other for other in e.others if not other.difference]
    best = max(repeats, key=lambda other: other.ratio, default=None)
    if best is not None and best.ratio > BETTER:
        yield Finding(
            1 - 1 / best.ratio,
            "something that changed between runs",
            f"the same case gave {times(best.ratio)} on {best.record.started:%Y-%m-%d at %H:%M}, in {_run(e, best)}",
            "run it again on the quiet machine; if it stays slow, compare software and kernel settings",
            odd=True,
        )


def slow_blas(e: Evidence) -> Iterator[Finding]:
    if e.blas is None or any("blas" in other.difference for other in e.others):
        return
    rates = [library for library in e.machine.software.blas if library.flop_rate]
    fastest = max(rates, key=lambda library: library.flop_rate or 0.0, default=None)
    best, used = fastest.flop_rate if fastest else None, e.blas.flop_rate
    if fastest and best and used and best > BETTER * used:
        yield Finding(
            1 - used / best,
            "a slower BLAS library than this machine has",
            f"{e.blas.name} probed at {quantity(used, 'flop/s')}, {fastest.name} at "
            f"{quantity(best, 'flop/s')}: {times(best / used)}",
            f"run with {fastest.path}",
            odd=True,
        )


def slowing_variable(e: Evidence) -> Iterator[Finding]:
    if e.record.provenance is None:
        return
    variables = e.record.provenance.variables
    slowing = set(e.blas.unset if e.blas else ())
    for name in sorted(slowing | set(steering(e.blas.name, variables) if e.blas else ())):
        if variables.get(name) and "blas" in e.record.software:
            yield Finding(
                0.3,
                f"{name} steers the BLAS library to other kernels than it would choose itself",
                f"{name}={variables[name]} was set for this run",
                f"run without {name}",
            )
        elif name in slowing and name not in variables:
            yield Finding(
                0.3,
                f"{name} slows this BLAS library",
                f"{name} was found to slow {e.blas.name if e.blas else 'it'}, and this run did not remove it",
                f"run with {name} unset",
            )


def plain_stores(e: Evidence) -> Iterator[Finding]:
    counted = e.record.metrics[e.figure.metric].counted
    moved = e.record.metrics[e.figure.metric].demanded(MOVED)
    measured = any("stores" in other.difference for other in e.others)
    if e.stores != "plain" or not counted or e.compute_bound or measured:
        return
    allocates = moved > counted
    yield Finding(
        1 - counted / moved if allocates else 0.25,
        "plain stores, which make the processor read each line before it writes it",
        f"stores were plain: {number(moved / counted)} bytes move for each byte counted"
        if allocates
        else "stores were plain, and the traffic of reading those lines is not counted",
        "run with stores=nontemporal",
        odd=allocates,
    )


def _run(e: Evidence, other: Sibling) -> str:
    mine, theirs = e.record.provenance, other.record.provenance
    same = mine is not None and theirs is not None and mine.run == theirs.run
    return "the same run" if same else "another run"
