"""Each figure of a case against its limits, and one sentence that says how good it is."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from banzuke.limit import noise_sources
from banzuke.limit.capacity import Capacities, Share
from banzuke.limit.causes import causes
from banzuke.limit.evidence import Evidence
from banzuke.limit.excess import warnings
from banzuke.limit.launches import among, together, unverified
from banzuke.limit.model import Assessment, Ceiling, Figure, Residence
from banzuke.limit.noise import Noise
from banzuke.limit.pairs import slow, told
from banzuke.limit.placement import placed
from banzuke.limit.residence import residence
from banzuke.limit.roofline import NOISE, Asked, Bound, bound, fraction, own_bound
from banzuke.limit.rules import breaches, ruling
from banzuke.limit.siblings import Siblings
from banzuke.limit.view import views
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.record.figures import MOVED, Demand, Samples
from banzuke.record.matching import median_launch
from banzuke.record.model import Record
from banzuke.record.sizes import headline_size
from banzuke.units import NOT_FINITE, number, percent, quantity
from banzuke.words.language import words

ENGLISH = words()
UNBOUNDED = "no limit is defined for this figure"


def assess(
    record: Record,
    *,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Sequence[Ceiling],
) -> Assessment:
    """Judge `record`; `siblings` are records to compare it with, of any benchmark, with or without itself.

    Where that fails, as in a benchmark's own rules, the record alone is lost: see `withhold`.
    """
    try:
        return _assess(record, siblings, machine, benchmarks, ceilings)
    except Exception as error:  # noqa: BLE001  (whatever it is, the other records are to be reported)
        return withhold(record, error)


def assess_case(
    records: Sequence[Record],
    *,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Sequence[Ceiling],
) -> Assessment:
    """Judge all launches of a case together, and each by itself: see `Assessment.launches`.

    Figures are those of the launches that verified. Of a case that never did, the first launch speaks.
    """
    launches = tuple(
        assess(record, siblings=siblings, machine=machine, benchmarks=benchmarks, ceilings=ceilings)
        for record in sorted(records, key=lambda record: record.started)
    )
    verified = [one for one in launches if one.record.status == "ok"]
    if len(launches) == 1:
        return launches[0]
    if not verified:
        remark = ENGLISH.joined(unverified(launches))
        return replace(launches[0], verdict=f"{launches[0].verdict}; {remark}", launches=launches, remark=remark)
    main = next((figure for figure in verified[0].figures if figure.headline), verified[0].figures[0]).metric
    middle = median_launch([one.record for one in verified if main in one.record.metrics], main)
    try:
        return _assess(middle, siblings, machine, benchmarks, ceilings, launches)
    except Exception as error:  # noqa: BLE001  (as above)
        return replace(withhold(middle, error), launches=launches)


def withhold(record: Record, error: Exception) -> Assessment:
    """A record that cannot be judged or shown as a failed one, which says why and has no figures."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    reason = (
        f"its figures are passed over, for judging or showing them failed: {type(error).__name__}: {error} "
        f"({Path(frame.filename).name}, line {frame.lineno}). The record is damaged, or this is a defect of Banzuke"
    )
    nothing: dict[str, Any] = {name: {} for name in ("metrics", "matrices", "series", "distributions", "conditions")}
    failed = record.model_copy(
        update={**nothing, "breakdown": None, "curve": None, "status": "failed", "reason": reason}
    )
    return Assessment(failed, (), verdict=_withheld(failed))


def _assess(
    record: Record,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Sequence[Ceiling],
    launches: tuple[Assessment, ...] = (),
) -> Assessment:
    """`launches`: all of the case, of which `record` is the median one, for their figures to be taken together."""
    if record.status != "ok":
        return Assessment(record, (), verdict=_withheld(record))
    benchmark = benchmarks.get(record.benchmark)
    where_data_lay = residence(record, machine)
    resources = {one.name: (one, other.name) for other in benchmarks.values() for one in other.resources.measures}
    judge = _Judge(Capacities(record, machine, ceilings, resources), where_data_lay)
    judged = [judge.figure(metric, record.metrics[metric.name]) for metric in _metrics(record, benchmark)]
    if launches:
        judged = [(together(figure, launches), bound) for figure, bound in judged]
    main, main_bound = next((pair for pair in judged if pair[0].headline), judged[0])
    compute = main_bound.compute if main_bound.roof else main.unit == "flop/s"
    tunable = benchmark.tuning.tunable if benchmark else ()
    own = next((one for one in launches if one.record is record), None)
    stand_out = own.slow if own else slow(record, machine)
    noise = own.noise if own else Noise.of(record)
    seen = own.seen if own else _seen(record, machine, benchmark)
    evidence = Evidence(record, siblings, machine, main, compute, tunable, stand_out, noise)
    remarks, apart = among(launches, main) if launches else ((), ())
    remark = ENGLISH.joined(remarks)
    breached = breaches(record, benchmark, machine)
    share = Share.of(record.groups, machine)
    subject = _subject(main, record, share, placed(record, benchmark, machine))
    said = [
        _verdict(main, main_bound, subject, where_data_lay, share),
        remark,
        noise_sources.told(noise),
        told(stand_out),
        *(ENGLISH(said) for view in views(benchmark) if view.name in seen and (said := view.remark(seen[view.name]))),
        ruling(breached),
    ]
    return Assessment(
        record,
        tuple(figure for figure, _ in judged),
        (*apart, *(own.causes if own else causes(evidence, views(benchmark), seen))),
        warnings(record, judged, machine, where_data_lay),
        "; ".join(filter(None, said)),
        where_data_lay,
        breached,
        stand_out,
        noise,
        seen,
        launches,
        remark,
    )


def _seen(record: Record, machine: Machine, benchmark: Benchmark | None) -> Mapping[str, object]:
    found = {view.name: view.judge(record, machine) for view in views(benchmark)}
    return {name: seen for name, seen in found.items() if seen is not None}


def _metrics(record: Record, benchmark: Benchmark | None) -> list[Metric]:
    """The record's metrics in the order of the specification, then those that it does not know."""
    declared = [metric for metric in benchmark.metrics if metric.name in record.metrics] if benchmark else []
    known = {metric.name for metric in declared}
    others = [
        Metric(name, samples.unit, "lower" if samples.unit == "s" else "higher", name.replace("_", " "))
        for name, samples in record.metrics.items()
        if name not in known
    ]
    return declared + others


@dataclass(frozen=True)
class _Judge:
    capacities: Capacities
    residence: Residence | None

    def figure(self, metric: Metric, samples: Samples) -> tuple[Figure, Bound]:
        value = median(samples.samples)
        best = (max if metric.better == "higher" else min)(samples.samples)
        limit_bound, limit, limit_source = self._limit(samples, "measured")
        _, peak, peak_source = self._limit(samples, "theoretical")
        figure = Figure(
            metric=metric.name,
            title=metric.title,
            unit=samples.unit,
            better=metric.better,
            headline=metric.headline,
            value=value,
            best=best,
            samples=tuple(samples.samples),
            limit=limit,
            limit_source=limit_source,
            fraction_of_limit=fraction(value, limit, metric.better),
            peak=peak,
            peak_source=peak_source,
            fraction_of_peak=fraction(value, peak, metric.better),
        )
        return figure, limit_bound

    def _limit(self, samples: Samples, kind: str) -> tuple[Bound, float | None, str]:
        # The rate of a link says nothing of a time that small messages take, and headlines tell small ones.
        tells = kind == "measured" or samples.unit != "s"
        found = (own_bound(samples, kind) if tells else None) or self._bound(samples, kind)
        if found.seconds is None or found.roof is None:
            return found, None, found.reason
        value = samples.value_at(found.seconds)
        if value is None:
            return found, None, f"no work is counted in the unit of this metric, {samples.unit}"
        source = found.roof.source
        if found.memory:
            source += _bytes_note(samples)
            source += f"; {self.residence}" if self._place == "partly in cache" else ""
            if kind == "measured" and self.capacities.measures(found.resource):
                source += "; its own ceiling: the best rate of any of its verified kernels"
        return found, value, source

    def _bound(self, samples: Samples, kind: str) -> Bound:
        if not samples.demand:
            return Bound(None, reason=UNBOUNDED)
        found = bound([self._asked(one, kind) for one in samples.demand])
        if not any(self._from_cache(one) for one in samples.demand):
            return found
        # Where memory would bind, a cache does, whose rate is unknown; what binds before it binds in the caches too.
        rest = bound([self._asked(one, kind) for one in samples.demand if not self._from_cache(one)])
        same = found.resource != "" and found.resource == rest.resource
        return rest if same else Bound(None, reason=str(self.residence))

    def _from_cache(self, demand: Demand) -> bool:
        known = self.capacities.resources.get(demand.resource)
        return self._place == "in cache" and known is not None and known[0].cached

    def _asked(self, demand: Demand, kind: str) -> Asked:
        resource, _ = self.capacities.resources.get(demand.resource, (None, ""))
        within, at_least = (resource.within, resource.at_least) if resource else ("", {})
        return Asked(demand.amount, demand.resource, self.capacities.roof(demand, kind), within, at_least)

    @property
    def _place(self) -> str | None:
        return self.residence.place if self.residence else None


def _bytes_note(samples: Samples) -> str:
    """How counted and moved bytes differ, which a reader needs to follow a limit; empty where they agree."""
    moved = samples.demanded(MOVED)
    if samples.unit != "B/s" or not samples.counted or not moved or moved == samples.counted:
        return ""
    return f"; {number(moved / samples.counted)} bytes move for each byte counted"


def _withheld(record: Record) -> str:
    failed = [check for check in record.verification if not check.passed]
    reason = record.reason or record.status
    if record.status == "skipped":
        return f"skipped: {reason}"
    if failed:
        check = failed[0]
        value = NOT_FINITE if check.value is None else f"{check.value:.3g}"
        return f"withheld: verification failed: {check.quantity} is {value}, allowed is {check.tolerance:.3g}"
    return f"no figure: {reason}"


def _subject(main: Figure, record: Record, share: Share, on: str) -> str:
    """`21 GB/s on 1 of 2 cores`, `210 ns at 8 B (two cores of one NUMA node)`."""
    size = headline_size(record)
    at = f" at {size}" if size else ""
    used = f" ({on})" if on else "" if share.whole else f" on {share}"
    median_of = f" (median of {main.launches} launches)" if main.launches > 1 else ""
    return f"{quantity(main.value, main.unit)}{at}{used}{median_of}"


def _verdict(main: Figure, main_bound: Bound, text: str, where: Residence | None, share: Share) -> str:
    if main_bound.roof is None and where and where.place == "in cache":
        return f"{text}; verified; {where}"
    if main_bound.reason == UNBOUNDED:
        if main.fraction_of_peak is not None:
            text += f", {percent(main.fraction_of_peak)} of the theoretical rate ({main.peak_source})"
        return f"{text}; verified"
    if main.fraction_of_limit is None or main_bound.roof is None:
        return f"{text}; verified; share of the limit unknown: {main.limit_source}"
    of = main_bound.roof.source if main_bound.own else f"the measured {main_bound.roof.title}"
    if main_bound.compute and not share.whole:
        of += " of that many"
    if main.unit == "s":
        of = f"the speed of {of}" if main_bound.own else f"the speed that {of} allows"
    text += f", {percent(main.fraction_of_limit)} of {of}"
    if main_bound.memory and where and where.place == "partly in cache":
        text += ", part of which may not have come from it"
    elif main.fraction_of_limit > 1 + NOISE:
        text += ", above what it allows: see the warning"
    return f"{text}; verified"
