"""What each value of an axis does, as content."""

from collections.abc import Mapping, Sequence

from banzuke.limit.variants import Effect, change, effects, meaningless
from banzuke.plan.axes import Axis, axis_of, shown
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import axis_value
from banzuke.record.cautions import cautions
from banzuke.record.matching import value, variant
from banzuke.record.model import Record
from banzuke.record.settings import figure_text
from banzuke.report.base import Value
from banzuke.report.content import Section
from banzuke.report.varied_content import Headline, Mark, Varied
from banzuke.text import full_title, slug
from banzuke.units import number
from banzuke.words.language import words


def varied_of(
    records: Sequence[Record], sections: Sequence[Section], benchmarks: Mapping[str, Benchmark]
) -> list[Varied]:
    """One for each axis; empty: nothing ran with several values of one."""
    metrics = {(name, metric.name): metric for name, spec in benchmarks.items() for metric in spec.metrics}
    collections = {name for name, spec in benchmarks.items() if spec.collection}
    found = effects(records, metrics, collections)
    by_name = {section.name: section for section in sections}
    names = dict.fromkeys(effect.axis for effect in found)
    return [_varied(axis_of(name), [one for one in found if one.axis == name], records, by_name) for name in names]


def _varied(axis: Axis, found: Sequence[Effect], records: Sequence[Record], sections: Mapping[str, Section]) -> Varied:
    values = list(dict.fromkeys(effect.value for effect in found))
    references = list(dict.fromkeys(effect.against for effect in found))
    of_value = {
        one: [record for record in records if value(record, axis.name) == one] for one in (*references, *values)
    }
    about = {one: _about(of) for one, of in of_value.items() if _about(of)} if axis.name == "environment" else {}
    return Varied(
        axis=axis.name,
        title=axis.heading,
        slug=slug(axis.name),
        against=axis.text(references[0]) if len(references) == 1 else "the first",
        values=[axis.text(one) for one in values],
        about=about,
        headlines=_headlines(axis, found, sections),
        cautions=_cautions(axis, references[0], {one: of_value[one] for one in values}, of_value[references[0]]),
    )


def _about(records: Sequence[Record]) -> str:
    made: dict[str, str] = {}
    for provenance in (record.provenance for record in records if record.provenance):
        made |= provenance.environment_details
        made |= {"image": provenance.image} if provenance.image else {}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in made.items())


def _cautions(
    axis: Axis, against: str, of_value: Mapping[str, Sequence[Record]], reference: Sequence[Record]
) -> list[str]:
    """Why figures mean nothing, and what else differs between the values."""
    spoken = words()
    found = [f"{one}: {spoken(why)}; it is not drawn." for one, of in of_value.items() if (why := meaningless(of))]
    for one, of in of_value.items():
        names = (axis_value(against), axis_value(one))
        found += [f"{spoken(caution)}." for caution in cautions(reference, of, names, axis.name)]
    return list(dict.fromkeys(found))


def _headlines(axis: Axis, found: Sequence[Effect], sections: Mapping[str, Section]) -> list[Headline]:
    """One for each headline metric of each benchmark and backend: its first case, and the range over all of them."""
    groups: dict[tuple[str, ...], dict[str, list[Effect]]] = {}
    for effect in found:
        line = effect.line
        others = shown({name: one for name, one in variant(line.case.record).items() if name != axis.name})
        key = (line.benchmark, line.backend, line.metric.name if line.metric else "", ", ".join(others))
        groups.setdefault(key, {}).setdefault(effect.value, []).append(effect)
    backends = {(benchmark, backend) for benchmark, backend, *_ in groups}
    headlines = []
    for (benchmark, backend, _, rest), by_value in groups.items():
        effect = next(iter(by_value.values()))[0]
        first = effect.line
        if first.metric is None or first.a is None:
            continue
        section = sections.get(benchmark)
        whole = full_title(section.title if section else benchmark, first.metric.title, ": ")
        title, colon, metric = whole.partition(": ")
        several = sum(name == benchmark for name, _ in backends) > 1
        apart = ", ".join(filter(None, (title, backend if several else "", rest)))
        provenance = first.case.record.provenance
        headlines.append(
            Headline(
                title=f"{apart}{colon}{metric}",
                anchor=section.anchor if section else "",
                case=provenance.id if provenance else "",
                against=axis.text(effect.against),
                reference=_figure(first.a.value, first.metric.unit),
                cases=max(map(len, by_value.values())),
                marks=[_mark(axis.text(one), of) for one, of in by_value.items()],
            )
        )
    return headlines


def _mark(name: str, of: Sequence[Effect]) -> Mark:
    line = of[0].line
    unit = line.metric.unit if line.metric else "1"
    median = line.b.value if line.b else 0.0
    ratios = [effect.line.ratio for effect in of if effect.line.ratio is not None]
    several = len(ratios) > 1
    return Mark(
        value=name,
        figure=_figure(median, unit),
        ratio=_ratio(line.ratio),
        low=line.interval.low if line.interval else None,
        high=line.interval.high if line.interval else None,
        said=words()(of[0].meaningless or change(line)),
        least=_ratio(min(ratios)) if several else None,
        most=_ratio(max(ratios)) if several else None,
        drawn=line.ratio is not None and not of[0].meaningless,
    )


def _figure(value: float, unit: str) -> Value:
    return Value(value=value, text=figure_text(value, unit))


def _ratio(value: float | None) -> Value | None:
    return None if value is None else Value(value=value, text=number(value))
