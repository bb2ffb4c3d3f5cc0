"""Turns assessments into cases: figures with their origin, settings, checks, and how to get them again."""

import json
import math
import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import TypeGuard

from banzuke.limit.model import Assessment, Figure
from banzuke.limit.view import views
from banzuke.plan.benchmark import Benchmark
from banzuke.record.figures import FLOPS, MOVED, Area, Verification
from banzuke.record.model import Binding, Record
from banzuke.record.settings import figure_text, label_of, setting_text, settings
from banzuke.record.sizes import headline_size
from banzuke.record.statistics import median_interval, spread
from banzuke.report.base import Number
from banzuke.report.content import CaseData, Check, Launch, Measurement, Reproduction, State
from banzuke.units import NOT_FINITE, layout, number, percent, quantity
from banzuke.words.language import Words


def state(record: Record) -> State:
    if record.status == "ok":
        return "verified"
    if record.status == "skipped":
        return "skipped"
    return "did not verify" if any(not check.passed for check in record.verification) else "failed"


def case(
    assessment: Assessment,
    columns: Sequence[Sequence[str]],
    short: str,
    benchmark: str,
    wording: Words,
    declared: Benchmark | None = None,
) -> CaseData:
    record = assessment.record
    identity = record.provenance.id if record.provenance else short
    values = settings(record)
    cells = [setting_text(values.get(names[0])) for names in columns]
    return CaseData(
        id=identity,
        anchor=f"case-{short}",
        label=label_of(values, columns) or record.benchmark,
        settings=values,
        cells=cells,
        state=state(record),
        reason=record.reason or "",
        log=(record.provenance.log or "") if record.provenance else "",
        measurements=[_measurement(identity, figure, record, benchmark, wording) for figure in assessment.figures],
        checks=[_check(identity, check) for check in record.verification],
        conditions={name: float(v) for name, v in record.conditions.items() if _is_number(v)},
        amounts=_amounts(identity, assessment, declared),
        reproduction=_reproduction(record),
        launches=_launches(assessment) if assessment.launches else [],
    )


def _launches(assessment: Assessment) -> list[Launch]:
    found = []
    for place, one in enumerate(assessment.launches, 1):
        record = one.record
        identity = record.provenance.id if record.provenance else f"launch {place}"
        found.append(
            Launch(
                id=identity,
                name=f"launch {place} of {len(assessment.launches)}",
                state=state(record),
                reason=record.reason or "",
                log=(record.provenance.log or "") if record.provenance else "",
                medians={
                    figure.metric: Number(
                        value=figure.value,
                        unit=figure.unit,
                        text=figure_text(figure.value, figure.unit),
                        case=identity,
                        metric=figure.metric,
                        stat="median",
                    )
                    for figure in one.figures
                },
                checks=[_check(identity, check) for check in record.verification],
                conditions=dict(_condition(name, value) for name, value in record.conditions.items()),
                started=_moment(record.started),
                ended=_moment(record.ended),
                shown=record is assessment.record,
            )
        )
    return found


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S %Z}"


def _measurement(identity: str, figure: Figure, record: Record, benchmark: str, wording: Words) -> Measurement:
    def number_of(value: float, stat: str) -> Number:
        return Number(
            value=value,
            unit=figure.unit,
            text=figure_text(value, figure.unit),
            case=identity,
            metric=figure.metric,
            stat=stat,
        )

    def fraction_of(value: float | None, stat: str) -> Number | None:
        if value is None:
            return None
        return Number(value=value, unit="1", text=percent(value), case=identity, metric=figure.metric, stat=stat)

    one = not figure.medians
    interval = median_interval(figure.samples) if one else None
    between = figure.interval
    count = len(figure.samples)
    samples = record.metrics.get(figure.metric)
    size = headline_size(record)
    return Measurement(
        metric=figure.metric,
        title=(figure.title.removeprefix(benchmark).strip() or figure.title) + (f" at {size}" if size else ""),
        unit=figure.unit,
        better=figure.better,
        headline=figure.headline,
        median=number_of(figure.value, "median"),
        medians=list(figure.medians),
        between_low=number_of(between.low, "between_low") if between else None,
        between_high=number_of(between.high, "between_high") if between else None,
        between_spread=fraction_of(figure.spread, "between_spread"),
        low=number_of(interval[0], "low") if interval else None,
        high=number_of(interval[1], "high") if interval else None,
        best=number_of(figure.best, "best"),
        spread=fraction_of(spread(figure.samples), "spread") if one else None,
        count=Number(value=count, unit="1", text=f"{count:,}", case=identity, metric=figure.metric, stat="count"),
        limit=None if figure.limit is None else number_of(figure.limit, "limit"),
        limit_source=wording(figure.limit_source),
        of_limit=fraction_of(figure.fraction_of_limit, "fraction_of_limit"),
        peak=None if figure.peak is None else number_of(figure.peak, "peak"),
        peak_source=wording(figure.peak_source),
        of_peak=fraction_of(figure.fraction_of_peak, "fraction_of_peak"),
        flops=samples.demanded(FLOPS) if samples else None,
        bytes=samples.demanded(MOVED) if samples else None,
        samples=list(figure.samples),
    )


def _check(identity: str, check: Verification) -> Check:
    value = None
    if check.value is not None:
        text = number(check.value)
        value = Number(value=check.value, unit="1", text=text, case=identity, metric=check.quantity, stat="check")
    return Check(
        quantity=check.quantity,
        value=value,
        tolerance=check.tolerance,
        tolerance_text=number(check.tolerance),
        passed=check.passed,
    )


def _amounts(identity: str, assessment: Assessment, benchmark: Benchmark | None) -> list[Number]:
    return [
        Number(
            value=amount.value,
            unit=amount.unit,
            text=quantity(amount.value, amount.unit),
            case=identity,
            metric=name,
            stat="amount",
        )
        for view in views(benchmark)
        if (seen := view.of(assessment)) is not None
        for name, amount in view.amounts(seen).items()
    ]


def _reproduction(record: Record) -> Reproduction:
    provenance = record.provenance
    variables = dict(provenance.variables) if provenance else {}
    removed = sorted(name for name, value in variables.items() if value == "")
    kept = {name: value for name, value in sorted(variables.items()) if value != ""}
    return Reproduction(
        command=_command(provenance.command, kept, removed) if provenance else "",
        variables=kept,
        removed=removed,
        software=dict(record.software),
        banzuke=provenance.banzuke if provenance else "unknown",
        commit=provenance.commit if provenance else None,
        environment=provenance.environment if provenance else "unknown",
        programs=[f"{group.program}: {layout(group.ranks, group.threads)}" for group in record.groups],
        areas=[_area(name, area) for name, area in record.areas.items()],
        hosts=[f"{hosts.names}: ranks {hosts.ranks}" for group in record.groups for hosts in group.hosts],
        binding=[f"ranks {place.ranks}: {_place(place)}" for place in record.binding],
        conditions=dict(_condition(name, value) for name, value in record.conditions.items()),
        started=_moment(record.started),
        ended=_moment(record.ended),
    )


def _area(name: str, area: Area) -> str:
    """`scratch: /scratch/user, lustre, stripe_count 4`"""
    return ", ".join([f"{name}: {area.path}", area.type, *(f"{key} {value}" for key, value in area.settings.items())])


def _command(command: list[str], variables: dict[str, str], removed: list[str]) -> str:
    words = [f"-u {shlex.quote(name)}" for name in removed]
    words += [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    prefix = " ".join((["env"] if words else []) + words)
    return f"{prefix} {shlex.join(command)}".strip()


def _place(place: Binding) -> str:
    told = [_threads(place.threads)]
    told += [f"memory policy {place.memory}"] if place.memory else []
    told += [f"{place.pages} pages"] if place.pages else []
    told += [f"devices {' '.join(place.devices)}"] if place.devices else []
    return "; ".join(told)


def _threads(threads: list[str]) -> str:
    if len(set(threads)) == 1 and len(threads) > 1:
        return f"all {len(threads)} threads on {threads[0]}"
    return "; ".join(f"thread {index} on {cpus}" for index, cpus in enumerate(threads))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _condition(name: str, value: object) -> tuple[str, str]:
    """Name and value as people read them; the record's names end in their unit."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        for ending, unit in (("_hz", "Hz"), ("_seconds", "s"), ("_bytes", "B")):
            if name.endswith(ending):
                return name.removesuffix(ending), quantity(float(value), unit)
        if name.endswith("_fraction"):
            return name.removesuffix("_fraction"), percent(float(value))
        return name, number(float(value))
    if value is None:
        return name, NOT_FINITE
    return name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
