"""Warns of impossible results: figures above their limit, and memory figures that caches may have served."""

from collections.abc import Sequence

from banzuke.judge.model import Figure
from banzuke.limit.best_time import CACHE_FACTOR, NOISE, TimeBound, last_level_cache
from banzuke.limit.model import Residence
from banzuke.machine.core_speeds import loaded_clocks
from banzuke.machine.model import Machine
from banzuke.plan.wording import code
from banzuke.record.figures import MOVED
from banzuke.record.model import Record
from banzuke.words import Message, Quantity, Share, declared, message

Judged = tuple[Figure, TimeBound]


def warnings(
    record: Record, judged: Sequence[Judged], machine: Machine, where: Residence | None = None
) -> tuple[Message, ...]:
    """Return one warning for each kind of excess, about the headline figure or else the one with the largest excess.

    If its data were partly in cache, and no more than that of what measured the memory, its memory figures are no
    excess.
    """
    if where and where.place != "in memory":
        judged = [pair for pair in judged if not (pair[1].memory and pair[1].roof and pair[1].roof.cached)]
    cached = None if where else _cached(record, judged, machine)
    beyond = _above([(figure.fraction_of_peak, (figure, bound)) for figure, bound in judged])
    # A figure above what a storage area can give set no ceiling, and says nothing of the ceiling that others set.
    reported = {beyond[0][0].metric} if beyond and _stored(record, beyond[0][0]) else set()
    above = _above(
        [(figure.fraction_of_limit, (figure, bound)) for figure, bound in judged if figure.metric not in reported]
    )
    messages = []
    if above is not None:
        (figure, bound), others = above
        messages.append(
            message(
                "limit-above",
                figure=_title(record, figure),
                value=Quantity(figure.value, figure.unit),
                share=Share(figure.fraction_of_limit or 0.0),
                source=figure.limit_source,
                others=others,
                why=message("limit-above-caches", why=cached)
                if cached and bound.memory
                else _why(record, bound, machine),
            )
        )
    elif cached:
        messages.append(message("limit-cached", why=cached))
    if beyond is not None:
        messages.append(_beyond(record, *beyond, machine))
    return tuple(messages)


def _beyond(record: Record, judged: Judged, others: int, machine: Machine) -> Message:
    """Return the warning that a figure is above its theoretical peak."""
    figure, bound = judged
    samples = record.metrics[figure.metric]
    title, value = _title(record, figure), Quantity(figure.value, figure.unit)
    share, source = Share(figure.fraction_of_peak or 0.0), figure.peak_source
    if _stored(record, figure):
        return message("limit-beyond-area", figure=title, value=value, share=share, source=source, others=others)
    own = any(b.kind == "theoretical" for b in samples.bounds)
    why = _low_operand(bound, machine, own=own)
    return message("limit-beyond-peak", figure=title, value=value, share=share, source=source, others=others, why=why)


def _stored(record: Record, figure: Figure) -> bool:
    """Return whether a storage area served the figure."""
    return any(demand.area for demand in record.metrics[figure.metric].demand)


def _above(fractions: Sequence[tuple[float | None, Judged]]) -> tuple[Judged, int] | None:
    """Return the headline if it has an excess, else the figure with the largest, and how many others have one."""
    excess = [(fraction, pair) for fraction, pair in fractions if fraction is not None and fraction > 1 + NOISE]
    if not excess:
        return None
    _, worst = max(excess, key=lambda pair: (pair[1][0].headline, pair[0]))
    return worst, len(excess) - 1


def _title(record: Record, figure: Figure) -> Message:
    return declared(code(record.benchmark, "metric", figure.metric), figure.title)


def _cached(record: Record, judged: Sequence[Judged], machine: Machine) -> Message | None:
    cache = last_level_cache(machine.allotment.caches)
    moved = [record.metrics[figure.metric].demanded(MOVED) for figure, bound in judged if bound.memory]
    if not cache or not moved or max(moved) >= CACHE_FACTOR * cache:
        return None
    return message("limit-may-fit", moved=Quantity(max(moved), "B"), factor=CACHE_FACTOR, cache=Quantity(cache, "B"))


def _low_operand(bound: TimeBound, machine: Machine, *, own: bool) -> Message:
    if own:
        return message("limit-peak-other-path")
    if bound.link:
        return message("limit-peak-of-link")
    if not bound.compute:
        return message("limit-peak-of-memory")
    clock, nominal = max(loaded_clocks(machine), key=lambda pair: pair[0] / pair[1], default=(0.0, 0.0))
    if clock > nominal:
        return message("limit-peak-of-clock", nominal=Quantity(nominal, "Hz"), clock=Quantity(clock, "Hz"))
    return message("limit-peak-of-units")


def _why(record: Record, bound: TimeBound, machine: Machine) -> Message:
    if bound.own:
        return message("limit-above-own")
    if bound.roof and bound.roof.run:
        return message("limit-above-other-run", run=bound.roof.run)
    if bound.area:
        return message("limit-above-area")
    if not bound.compute:
        return message("limit-above-memory")
    fastest = max((rates.vector_hz or 0.0 for rates in machine.allotment.kinds.values()), default=None)
    clock, reference = record.conditions.get("clock_hz"), fastest or machine.allotment.vector_hz
    if isinstance(clock, int | float) and reference and clock > reference * (1 + NOISE):
        return message("limit-above-clock", clock=Quantity(clock, "Hz"), reference=Quantity(reference, "Hz"))
    return message("limit-above-compute")
