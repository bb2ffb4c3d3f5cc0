"""What each environment costs, as content."""

import re
from collections.abc import Mapping, Sequence

from banzuke.environment.model import NATIVE
from banzuke.limit.environments import Cost, costly, costs, environments, meaningless
from banzuke.plan.benchmark import Benchmark
from banzuke.record.compare import cautions
from banzuke.record.matching import environment, neighbours
from banzuke.record.model import Record
from banzuke.report.cases import busy, figure_text, full_title
from banzuke.report.content import Section
from banzuke.report.curve_content import Value
from banzuke.report.noise_content import Environments, Headline, Mark
from banzuke.units import number


def environments_of(
    records: Sequence[Record], sections: Sequence[Section], benchmarks: Mapping[str, Benchmark]
) -> Environments | None:
    """None: nothing ran both natively and in another environment."""
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {name for name, spec in benchmarks.items() if spec.collection}
    found = costs(records, metrics, collections)
    if not found:
        return None
    names = [name for name in environments(records) if any(cost.environment == name for cost in found)]
    by_name = {name: [record for record in records if environment(record) == name] for name in (NATIVE, *names)}
    return Environments(
        names=names,
        about={name: _about(of) for name, of in by_name.items() if _about(of)},
        headlines=_headlines(found, {section.name: section for section in sections}),
        cautions=_cautions(by_name, names),
    )


def _about(records: Sequence[Record]) -> str:
    told: dict[str, str] = {}
    for provenance in (record.provenance for record in records if record.provenance):
        told |= provenance.environment_details
        told |= {"image": provenance.image} if provenance.image else {}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items())


def _cautions(by_name: Mapping[str, Sequence[Record]], names: Sequence[str]) -> list[str]:
    """Why figures mean nothing, and what else differs between the environments."""
    told = [f"{name}: {why}; it is not drawn." for name in names if (why := meaningless(by_name[name]))]
    for name in names:
        for caution in cautions(by_name[NATIVE], by_name[name]):
            if not caution.startswith("environment: "):
                text = re.sub(r" in A and B\b", "", caution)
                text = re.sub(r" in B\b", f" in {name}", re.sub(r" in A\b", f" in {NATIVE}", text))
                told.append(f"{text[0].upper()}{text[1:]}.")
    return list(dict.fromkeys(told))


def _headlines(found: Sequence[Cost], sections: Mapping[str, Section]) -> list[Headline]:
    """One for each headline metric of each benchmark and backend: its first case, and the range over all of them."""
    groups: dict[tuple[str, str, str, int], dict[str, list[Cost]]] = {}
    for cost in found:
        line = cost.line
        key = (line.benchmark, line.backend, line.metric.name if line.metric else "", neighbours(line.case.record))
        groups.setdefault(key, {}).setdefault(cost.environment, []).append(cost)
    backends = {(benchmark, backend) for benchmark, backend, *_ in groups}
    headlines = []
    for (benchmark, backend, _, beside), by_environment in groups.items():
        first = next(iter(by_environment.values()))[0].line
        if first.metric is None or first.a is None:
            continue
        section = sections.get(benchmark)
        whole = full_title(section.title if section else benchmark, first.metric.title, ": ")
        title, colon, metric = whole.partition(": ")
        several = sum(name == benchmark for name, _ in backends) > 1
        apart = ", ".join(filter(None, (title, backend if several else "", busy(beside))))
        provenance = first.case.record.provenance
        headlines.append(
            Headline(
                title=f"{apart}{colon}{metric}",
                anchor=section.anchor if section else "",
                case=provenance.id if provenance else "",
                native=_figure(first.a.value, first.metric.unit),
                cases=max(map(len, by_environment.values())),
                marks=[_mark(name, of) for name, of in by_environment.items()],
            )
        )
    return headlines


def _mark(name: str, of: Sequence[Cost]) -> Mark:
    line = of[0].line
    unit = line.metric.unit if line.metric else "1"
    median = line.b.value if line.b else 0.0
    ratios = [cost.line.ratio for cost in of if cost.line.ratio is not None]
    several = len(ratios) > 1
    return Mark(
        environment=name,
        figure=_figure(median, unit),
        ratio=_ratio(line.ratio),
        low=line.interval.low if line.interval else None,
        high=line.interval.high if line.interval else None,
        said=of[0].meaningless or costly(line),
        least=_ratio(min(ratios)) if several else None,
        most=_ratio(max(ratios)) if several else None,
        drawn=line.ratio is not None and not of[0].meaningless,
    )


def _figure(value: float, unit: str) -> Value:
    return Value(value=value, text=figure_text(value, unit))


def _ratio(value: float | None) -> Value | None:
    return None if value is None else Value(value=value, text=number(value))
