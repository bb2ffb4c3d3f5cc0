"""What cannot be as it looks: figures above their limit, and memory figures that caches may have served."""

from collections.abc import Sequence

from banzuke.limit.model import Figure, Residence
from banzuke.limit.roofline import CACHE_FACTOR, NOISE, Bound, last_level_cache
from banzuke.machine.model import Machine
from banzuke.record.figures import MOVED
from banzuke.record.model import Record
from banzuke.units import percent, quantity

Judged = tuple[Figure, Bound]
_AGAIN = "Measure the ceiling again on the quiet machine"


def warnings(
    record: Record, judged: Sequence[Judged], machine: Machine, where: Residence | None = None
) -> tuple[str, ...]:
    """One text for each kind of excess, about the figure that exceeds most.

    Where the record told that its data lay partly in cache, its memory figures are no excess.
    """
    if where:
        judged = [pair for pair in judged if not pair[1].memory or where.place == "in memory"]
    cached = "" if where else _cached(record, judged, machine)
    above = _above([(figure.fraction_of_limit, (figure, bound)) for figure, bound in judged])
    beyond = _above([(figure.fraction_of_peak, (figure, bound)) for figure, bound in judged])
    found = []
    if above is not None:
        (figure, bound), others = above
        why = f"It measures the caches: {cached}" if cached and bound.memory else _why(record, bound, machine)
        run = bound.roof.run if bound.roof else ""
        cannot = f"which is that of another run, {run}" if run else "which cannot be"
        found.append(
            f"{_value(figure)} is {percent(figure.fraction_of_limit)} of its limit ({figure.limit_source}), "
            f"{cannot}{others}. {why}"
        )
    elif cached:
        found.append(f"Part of the traffic may have come from cache, not from memory: {cached}")
    if beyond is not None:
        (figure, bound), others = beyond
        found.append(
            f"{_value(figure)} is {percent(figure.fraction_of_peak)} of the theoretical peak "
            f"({figure.peak_source}), so the peak is too low{others}: "
            + _low_operand(
                bound, machine, own=any(b.kind == "theoretical" for b in record.metrics[figure.metric].bounds)
            )
        )
    return tuple(found)


def _above(fractions: Sequence[tuple[float | None, Judged]]) -> tuple[Judged, str] | None:
    """The figure that exceeds most, and a note of how many others do."""
    excess = [(fraction, pair) for fraction, pair in fractions if fraction is not None and fraction > 1 + NOISE]
    if not excess:
        return None
    _, worst = max(excess, key=lambda found: found[0])
    return worst, f"; {len(excess) - 1} more of this record as well" if len(excess) > 1 else ""


def _value(figure: Figure) -> str:
    return f"{figure.title}: {quantity(figure.value, figure.unit)}"


def _cached(record: Record, judged: Sequence[Judged], machine: Machine) -> str:
    cache = last_level_cache(machine.allotment.caches)
    moved = [record.metrics[figure.metric].demanded(MOVED) for figure, bound in judged if bound.memory]
    if not cache or not moved or max(moved) >= CACHE_FACTOR * cache:
        return ""
    return (
        f"at most {quantity(max(moved), 'B')} move in a sample, less than {CACHE_FACTOR} times the "
        f"last-level cache of {quantity(cache, 'B')}"
    )


def _low_operand(bound: Bound, machine: Machine, *, own: bool) -> str:
    if own:
        return "the messages did not go the way that it stands for, or it is slower than what was built"
    if not bound.compute:
        return "it counts too few memory channels or too slow ones, or data stayed in cache"
    clock, nominal = machine.allotment.vector_hz, machine.node.processor.nominal_hz
    if clock and nominal and clock > nominal:
        return f"it takes {quantity(nominal, 'Hz')}, but a clock of {quantity(clock, 'Hz')} was measured"
    return "the clock ran above the one in the derivation, or it counts too few units"


def _why(record: Record, bound: Bound, machine: Machine) -> str:
    if bound.own:
        return "Either the machine was disturbed while that was measured, or there is a faster way. Run it again"
    if bound.roof and bound.roof.run:
        return "The machine was slower then, or data stayed in cache. Measure the ceiling again, best in the same run"
    if not bound.compute:
        return f"Either data stayed in cache or the ceiling was measured while the machine was busy. {_AGAIN}"
    clock, reference = record.conditions.get("clock_hz"), machine.allotment.vector_hz
    if isinstance(clock, int | float) and reference and clock > reference * (1 + NOISE):
        return (
            f"The clock was {quantity(clock, 'Hz')} in this run and {quantity(reference, 'Hz')} when the "
            f"ceiling was measured. {_AGAIN}"
        )
    return (
        "Either the ceiling was measured while the machine was busy or slower in clock, or the work is "
        f"counted too high. {_AGAIN}"
    )
