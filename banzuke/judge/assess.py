"""Judges each figure of a case against its limits, and how good the headline is."""

import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from banzuke.compare.matching import median_launch
from banzuke.compare.sizes import headline_size
from banzuke.judge.causes import causes
from banzuke.judge.devices import throttling
from banzuke.judge.evidence import Evidence
from banzuke.judge.excess import warnings
from banzuke.judge.launches import among, together, unverified
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.placement import crowded, placed
from banzuke.judge.rules import ruling, violations
from banzuke.judge.siblings import Siblings
from banzuke.judge.sight import Sight, sights
from banzuke.judge.states import hosts_apart
from banzuke.limit.best_time import NOISE, TimeBound, fraction, own_bound
from banzuke.limit.capacity import Capacities, Usage, noted
from banzuke.limit.model import Ceiling, Residence
from banzuke.limit.residence import cached_rate, residence
from banzuke.limit.work_bound import UNBOUNDED, work_bound
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.wording import check_title, state_title
from banzuke.record.figures import MOVED, Samples
from banzuke.record.model import Record
from banzuke.record.state import ONE_STATE, State
from banzuke.words import Fact, Message, Quantity, Reason, Share, message

_RUN = ("benchmark", "backend", "parameters", "groups", "started", "ended", "provenance")
"""Fields of a record that say what was run, but nothing about the outcome."""


class Bounding(Protocol):
    """Ceilings for each state of the machine; see `CeilingsByState`."""

    def state(self, record: Record, /) -> State: ...

    def bounding(self, record: Record, /) -> Sequence[Ceiling]: ...


def assess(
    record: Record,
    *,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Sequence[Ceiling],
    state: State = ONE_STATE,
) -> Assessment:
    """Judge `record`; `siblings` are records to compare it with, of any benchmark, with or without itself.

    `state`: state of the machine during the launch; the ceilings were measured in it, too, if possible.

    If judging fails, for example in a benchmark's own rules, only this record is lost; see `withhold`.
    """
    try:
        return _assess(record, siblings, machine, benchmarks, ceilings, state)
    except Exception as error:  # noqa: BLE001  (whatever it is, the other records are to be reported)
        return withhold(record, error)


def assess_case(
    records: Sequence[Record],
    *,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Bounding,
) -> Assessment:
    """Judge all launches of a case together, and each by itself; see `Assessment.launches`.

    Figures are those of the verified launches. If none was verified, the first launch stands for the case.
    """
    launches = tuple(
        assess(
            record,
            siblings=siblings,
            machine=machine,
            benchmarks=benchmarks,
            ceilings=ceilings.bounding(record),
            state=ceilings.state(record),
        )
        for record in sorted(records, key=lambda record: record.started)
    )
    verified = [launch for launch in launches if launch.record.status == "ok"]
    if len(launches) == 1:
        return launches[0]
    if not verified:
        remark = unverified(launches)
        return replace(launches[0], verdict=(*launches[0].verdict, *remark), launches=launches, remark=remark)
    main = next((figure for figure in verified[0].figures if figure.headline), verified[0].figures[0]).metric
    middle = median_launch([launch.record for launch in verified if main in launch.record.metrics], main)
    try:
        return _assess(
            middle, siblings, machine, benchmarks, ceilings.bounding(middle), ceilings.state(middle), launches
        )
    except Exception as error:  # noqa: BLE001  (as above)
        return replace(withhold(middle, error), launches=launches)


def fault(error: Exception) -> str:
    """Return what happened, and where."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"


def withhold(record: Record, error: Exception) -> Assessment:
    """Return the assessment of a record that cannot be judged or shown: failed, with the reason, no figures."""
    reason = (
        f"its figures are left out, because judging or showing them failed: {fault(error)}. "
        "The record is damaged, or this is a defect of Banzuke"
    )
    failed = Record(status="failed", reason=reason, **{name: getattr(record, name) for name in _RUN})
    return Assessment(failed, (), verdict=(_withheld(failed),))


def _assess(
    record: Record,
    siblings: Siblings,
    machine: Machine,
    benchmarks: Mapping[str, Benchmark],
    ceilings: Sequence[Ceiling],
    state: State,
    launches: tuple[Assessment, ...] = (),
) -> Assessment:
    """Judge one record; `launches`: all of its case, whose figures are combined; `record` is the median one."""
    if record.status != "ok":
        return Assessment(record, (), verdict=(_withheld(record),))
    benchmark = benchmarks.get(record.benchmark)
    where_data_lay = residence(record, machine)
    resources = {
        resource.name: (resource, other.name) for other in benchmarks.values() for resource in other.resources.measures
    }
    judge = _Judge(Capacities(record, machine, ceilings, resources), where_data_lay)
    judged = [judge.figure(metric, record.metrics[metric.name]) for metric in _metrics(record, benchmark)]
    if launches:
        judged = [(together(figure, launches), bound) for figure, bound in judged]
    main, main_bound = next((pair for pair in judged if pair[0].headline), judged[0])
    compute = main_bound.compute if main_bound.roof else main.unit == "flop/s"
    tunable = benchmark.tuning.tunable if benchmark else ()
    own = next((launch for launch in launches if launch.record is record), None)
    seen = own.seen if own else _seen(record, machine, benchmark)
    evidence = Evidence(
        record,
        siblings,
        machine,
        main,
        compute,
        main_bound.link or bool(record.areas),
        tunable,
        messages=bool(benchmark and benchmark.messages),
    )
    remark, apart = among(launches, main) if launches else ((), ())
    violated = violations(record, benchmark, machine)
    sharing = crowded(record, machine)
    usage = Usage.of(record.groups, machine)
    figures = tuple(figure for figure, _ in judged)
    no_headline = (*sharing, *_cached(figures, record, machine, benchmark))
    verdict = (
        _subject(main, record, usage, placed(record, benchmark, machine)),
        *_verdict(main, main_bound, where_data_lay, usage),
        *_in_states(state, launches),
        *hosts_apart([(launch.record, launch.state) for launch in launches] or [(record, state)]),
        *sharing,
        *remark,
        *throttling(record),
        *_remarks(sights(benchmark), seen, launches),
        *ruling(violated),
    )
    return Assessment(
        record,
        figures,
        (*apart, *(own.causes if own else causes(evidence, sights(benchmark), seen))),
        (*warnings(record, judged, machine, where_data_lay), *no_headline),
        verdict,
        where_data_lay,
        violated,
        seen,
        launches,
        no_headline,
        remark,
        state,
        tuple(ceilings),
    )


def _in_states(state: State, launches: Sequence[Assessment]) -> Iterator[Message]:
    """Report the machine's states if launches like these were in several, the most frequent first."""
    counts = Counter(launch.state for launch in launches if launch.record.status == "ok") or Counter([state])
    for met, number in counts.most_common():
        if met.levels:
            yield message("limit-in-state", state=state_title(met), launches=number, total=counts.total())


def _seen(record: Record, machine: Machine, benchmark: Benchmark | None) -> Mapping[str, object]:
    observations = {view.name: view.judge(record, machine) for view in sights(benchmark)}
    return {name: observation for name, observation in observations.items() if observation is not None}


def _cached(
    figures: Sequence[Figure], record: Record, machine: Machine, benchmark: Benchmark | None
) -> Iterator[Message]:
    """Report why figures that a cache served are no headlines, once for the whole case."""
    for figure in figures:
        if figure.headline and (cached := cached_rate(record, figure.metric, machine, benchmark)):
            size, cache = Quantity(cached.working_set, "B"), Quantity(cached.cache, "B")
            yield message("limit-no-headline-cached", size=size, cache=cache)
            return


def _remarks(
    views: Sequence[Sight[Any]], seen: Mapping[str, object], launches: Sequence[Assessment]
) -> Iterator[Message]:
    """Yield the remarks of views on a case, based on all its launches."""
    for view in views:
        if view.name in seen:
            mine = seen[view.name]
            every = [observation for launch in launches if (observation := view.of(launch)) is not None]
            if said := view.remark(mine, every or [mine]):
                yield said


def _metrics(record: Record, benchmark: Benchmark | None) -> list[Metric]:
    """Return the record's metrics in the order of the specification, then those that it does not declare."""
    declared = [metric for metric in benchmark.metrics if metric.name in record.metrics] if benchmark else []
    names = {metric.name for metric in declared}
    others = [
        Metric(name, samples.unit, "lower" if samples.unit == "s" else "higher", name.replace("_", " "))
        for name, samples in record.metrics.items()
        if name not in names
    ]
    return declared + others


@dataclass(frozen=True)
class _Judge:
    capacities: Capacities
    residence: Residence | None

    def figure(self, metric: Metric, samples: Samples) -> tuple[Figure, TimeBound]:
        """Return the metric's median and best sample with its limit and peak, and what sets the limit."""
        value = median(samples.samples)
        best = (max if metric.better == "higher" else min)(samples.samples)
        limit_bound, limit, limit_source = self._limit(samples, "measured", metric.name)
        _, peak, peak_source = self._limit(samples, "theoretical", metric.name)
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
            own_ceiling=limit is not None and limit_bound.measured_by(metric.name),
        )
        return figure, limit_bound

    def _limit(self, samples: Samples, kind: str, metric: str) -> tuple[TimeBound, float | None, Message]:
        # The rate of a link does not bound the time of small messages, which headlines report.
        tells = kind == "measured" or samples.unit != "s"
        own = own_bound(samples, kind) if tells else None
        time_bound = own or work_bound(samples, kind, self.capacities, self.residence)
        if time_bound.seconds is None or time_bound.roof is None:
            return time_bound, None, time_bound.reason or UNBOUNDED
        value = samples.value_at(time_bound.seconds)
        if value is None:
            return time_bound, None, message("limit-other-unit", unit=samples.unit)
        source = time_bound.roof.source
        if time_bound.memory:
            if note := _bytes_note(samples):
                source = noted(source, note)
            if self.residence and not time_bound.roof.cached and (note := self.residence.partly_nearer):
                source = noted(source, note)
        if time_bound.measured_by(metric):
            source = noted(source, message("limit-own-ceiling"))
        return time_bound, value, source


def _bytes_note(samples: Samples) -> Message | None:
    """Return how counted and moved bytes differ, which a reader needs to follow a limit; None: they agree."""
    moved = samples.demanded(MOVED)
    if samples.unit != "B/s" or not samples.counted or not moved or moved == samples.counted:
        return None
    return message("limit-moved", ratio=moved / samples.counted)


def _withheld(record: Record) -> Message:
    failed = [check for check in record.verification if not check.passed]
    reason = record.reason or record.status
    if record.status == "skipped":
        return message("limit-skipped", reason=Reason(reason))
    if failed:
        check = failed[0]
        return message(
            "limit-withheld",
            quantity=check_title(record.benchmark, check.quantity),
            value=message("limit-not-finite") if check.value is None else check.value,
            tolerance=check.tolerance,
        )
    return message("limit-no-figure", reason=Reason(reason))


def _subject(main: Figure, record: Record, usage: Usage, on: Fact) -> Message:
    """Return `21 GB/s on 1 of 2 cores`, `210 ns at 8 B (two cores of one NUMA node)`."""
    size = headline_size(record)
    return message(
        "limit-subject",
        value=Quantity(main.value, main.unit),
        sized="yes" if size else "no",
        size=size,
        where="placed" if on else "all" if usage.whole or usage.devices else "part",
        on=on,
        cores=usage.cores,
        available=usage.available,
        launches=main.launches,
    )


def _verdict(main: Figure, bound: TimeBound, where: Residence | None, usage: Usage) -> Iterator[Message]:
    if bound.roof is None and where and where.place == "in cache":
        yield bound.reason or where.message
    elif bound.reason == UNBOUNDED:
        if main.fraction_of_peak is not None:
            yield message("limit-of-peak", share=Share(main.fraction_of_peak), source=main.peak_source)
    elif main.fraction_of_limit is None or bound.roof is None:
        yield message("limit-unknown", reason=main.limit_source)
    else:
        yield message(
            "limit-of-limit",
            share=Share(main.fraction_of_limit),
            kind="time" if main.unit == "s" else "rate",
            own="itself" if main.own_ceiling else "yes" if bound.own else "no",
            of=(None if bound.own else bound.roof.title) or bound.roof.source,
            part="yes" if bound.compute and not (usage.whole or usage.devices) else "no",
        )
        if bound.memory and where and where.place == "partly in cache":
            yield message("limit-partly-cached")
        if main.fraction_of_limit > 1 + NOISE:
            yield message("limit-see-warning")
