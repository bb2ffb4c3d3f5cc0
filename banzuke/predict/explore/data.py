"""Gathers the tables of all requested machines as the page reads them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from banzuke import __version__
from banzuke.errors import BanzukeError
from banzuke.machine.public import known_machines
from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import benchmark_title, metric_title
from banzuke.predict.by_family import DEVICES, PROCESSORS, SMALL
from banzuke.predict.calibration import class_of
from banzuke.predict.explore.axes import AXES, NOISE, factors
from banzuke.predict.explore.interpolant import PLACES, Family, Interpolant, places_of, widths
from banzuke.predict.explore.sampled import FIXED, OTHER, at_scale
from banzuke.predict.explore.table import (
    CHECKED,
    MOST_POINTS,
    STEPS,
    ExplorationTable,
    Spread,
    grown,
    steps,
    tabulate,
)
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.left_out import coverage_as_printed, errors_of, left_out
from banzuke.predict.model import constants_of, forecast, model_of
from banzuke.predict.resources import resource_titles
from banzuke.ranking.editions import edition_name, ranking_of
from banzuke.words import Duration, Message, message
from banzuke.words.errors import said_by
from banzuke.words.language import LANGUAGES, Words, words
from banzuke.words.written import printed_amount, printed_place

ENGLISH = words()
"""In these words the page's data name refusals and remarks."""


@dataclass(frozen=True)
class Explored:
    """A machine with a table for each benchmark."""

    id: str
    """Name of the machine, as the command takes it."""
    machine: PredictedMachine
    tables: Mapping[str, ExplorationTable]
    refused: Mapping[str, Message | str] = field(default_factory=dict)
    """Reasons by benchmark why there is no table."""


def explore(
    name: str,
    machine: PredictedMachine,
    benchmarks: Sequence[Benchmark],
    published: Sequence[PublishedFigure] = (),
    most: int = MOST_POINTS,
    checked: int = CHECKED,
) -> Explored:
    """Tabulate each benchmark on the machine with about `most` points; `checked`: number of random points to check."""
    tables, refused = {}, {}
    for benchmark in benchmarks:
        try:
            tables[benchmark.name] = tabulate(benchmark, machine, published, most, checked)
        except BanzukeError as error:
            refused[benchmark.name] = said_by(error)
    return Explored(name, machine, tables, refused)


def content(
    machines: Sequence[Explored], omitted: Mapping[str, Sequence[Message | str]], benchmarks: Sequence[Benchmark]
) -> dict[str, Any]:
    """Return the page's data; `omitted`: machines without any table, and why."""
    used = {name for machine in machines for table in machine.tables.values() for name in table.resources}
    titles = {**resource_titles(), OTHER: message("explore-on-other")}
    said = {name: titles.get(name, name) for name in sorted(used)}
    rankings = filter(None, map(ranking_of, benchmarks))
    editions = sorted({edition for ranking in rankings for edition in ranking.editions})
    return {
        "axes": {axis.name: {"unit": axis.unit, "shape": axis.shape, "span": axis.span} for axis in AXES},
        "families": {family: {axis.name: _places(family, axis.nominal) for axis in AXES} for family in PLACES},
        "nominal": {axis.name: axis.nominal for axis in AXES},
        "interval": NOISE.interval,
        "steps": STEPS,
        "fixed": len(FIXED),
        "machines": [_machine(machine, benchmarks) for machine in machines],
        "omitted": {name: ENGLISH.joined(reasons) for name, reasons in omitted.items()},
        "errors": {benchmark.name: _errors(benchmark) for benchmark in benchmarks},
        "lists": {
            benchmark.name: {"title": ranking.title, "editions": ranking.editions}
            for benchmark in benchmarks
            if any(benchmark.name in machine.tables for machine in machines) and (ranking := ranking_of(benchmark))
        },
        "words": {
            language: {
                "said": _in_words(machines, omitted, words(language)),
                "own": {name: words(language)(text) for name, text in WORDS.items()},
                "axes": {name: words(language)(text) for name, text in _AXES.items()},
                "resources": {name: words(language)(text) for name, text in said.items()},
                "benchmarks": {benchmark.name: words(language)(benchmark_title(benchmark)) for benchmark in benchmarks},
                "editions": {edition: words(language)(edition_name(edition)) for edition in editions},
                "metrics": {benchmark.name: words(language)(_metric(benchmark)) for benchmark in benchmarks},
            }
            for language in LANGUAGES
        },
    }


def _in_words(
    machines: Sequence[Explored], omitted: Mapping[str, Sequence[Message | str]], say: Words
) -> dict[str, str]:
    """Return refusals and remarks in words, by the English ones."""
    tables = [table for machine in machines for table in machine.tables.values()]
    said = [why for machine in machines for why in machine.refused.values()]
    said += [remark for table in tables for remark in table.remarks]
    dots = [dot for table in tables for dot in table.dots]
    return {
        **{ENGLISH.joined(reasons): say.joined(reasons) for reasons in omitted.values()},
        **{ENGLISH(text): say(text) for text in said},
        **{dot.where: _where(dot.where, say) for dot in dots},
        **{dot.printed: say(printed_amount(dot.printed)) for dot in dots},
    }


def _where(where: str, say: Words) -> str:
    """Return `flow2020, section 3.1` in words."""
    report, _, place = where.partition(", ")
    return say(message("fact-comma")).join([report, say.fact(printed_place(place))])


def _places(family: Family, nominal: float) -> dict[str, Any]:
    places = places_of(family, nominal)
    return {"at": places, "widths": widths(places)}


def _metric(benchmark: Benchmark) -> Message:
    return metric_title(benchmark.name, benchmark.metric_of(model_of(benchmark).metric))


def _machine(explored: Explored, benchmarks: Sequence[Benchmark]) -> dict[str, Any]:
    values: dict[str, float] = {}
    for benchmark in benchmarks:
        if benchmark.name in explored.tables:
            constants = {
                name: constant.value for name, constant in constants_of(model_of(benchmark), explored.machine).items()
            }
            described = hardware(at_scale(grown(explored.machine)[0], 1, factors([], [])), constants)
            values = {axis.name: axis.value(described) for axis in AXES}
    return {
        "id": explored.id,
        "name": explored.machine.name,
        "values": {name: value for name, value in values.items() if math.isfinite(value)},
        "tables": {
            benchmark.name: {**_table(table), **_trust(benchmark, explored.machine, table)}
            for benchmark in benchmarks
            if (table := explored.tables.get(benchmark.name))
        },
        "refused": {name: ENGLISH(why) for name, why in explored.refused.items()},
    }


def _trust(benchmark: Benchmark, machine: PredictedMachine, table: ExplorationTable) -> dict[str, Any]:
    """Return the interval's probability, and the errors on public machines of this class; None: they are unknown."""
    described = at_scale(grown(machine)[0], table.stops[-1], factors([], []))
    made = forecast(benchmark, described, {}, upgrades=False)
    own = (benchmark.name, class_of(described, made.kind))
    figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == own]
    without_machine, without_family = (errors_of(figures, way) for way in ("machine_out", "family_out"))
    public = (
        without_machine
        and without_family
        and {"figures": len(figures), "machine": asdict(without_machine), "family": asdict(without_family)}
    )
    return {"probability": made.probability, "public": public}


def _errors(benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return the errors on public machines by class, as `banzuke predict validate` has them."""
    rows = []
    for kind in (PROCESSORS, DEVICES, SMALL):
        figures = [figure for figure in left_out() if (figure.benchmark, figure.kind) == (benchmark.name, kind)]
        for way in LEFT_OUT_WAYS:
            if errors := errors_of(figures, way):
                held = coverage_as_printed(figures, way)
                rows.append({"kind": kind, "way": way, "figures": len(figures), "held": held, **asdict(errors)})
    return rows


def _table(table: ExplorationTable) -> dict[str, Any]:
    return {
        "unit": table.unit,
        "stops": table.stops,
        "axes": [axis.name for axis in table.axes],
        "resources": table.resources,
        "peak": table.has_peak,
        "alternatives": [
            {
                "call": alternative.call,
                "figures": _terms(alternative.figures, steps(table.resources), len(table.stops)),
                "interval": _terms(alternative.interval, [STEPS["share"]] * 2, len(table.stops)),
            }
            for alternative in table.alternatives
        ],
        "best": table.best,
        "dots": [asdict(dot) for dot in table.dots],
        "deviation": {
            name: value._asdict() if isinstance(value, Spread) else value
            for name, value in vars(table.deviation).items()
        },
        "remarks": [ENGLISH(remark) for remark in table.remarks],
    }


def _terms(interpolant: Interpolant, step: Sequence[float], stops: int) -> dict[str, Any]:
    """Return the coefficients in whole steps: by stop, output and point."""
    whole = np.round(
        interpolant.coefficients.reshape(len(interpolant.indices), stops, len(step)) / np.array(step)
    ).astype(int)
    return {
        "family": interpolant.family,
        "indices": interpolant.indices,
        "coefficients": whole.transpose(1, 2, 0).tolist(),
    }


LEFT_OUT_WAYS = ("machine_out", "family_out")
"""What a prediction does not know, by its column in `machines/left_out.csv`."""
WORDS: Mapping[str, Message] = {
    "kind": message("explore-kind"),
    "title": message("explore-title"),
    "lead": message("explore-lead"),
    "machine": message("explore-machine"),
    "benchmark": message("explore-benchmark"),
    "changes": message("explore-changes"),
    "nodes": message("explore-nodes"),
    "reset": message("explore-reset"),
    "unmoved": message("explore-unmoved", names="{names}"),
    "no-tables": message("explore-no-tables"),
    "answer": message("explore-answer"),
    "likely": message("explore-likely", low="{low}", high="{high}"),
    "within": message("explore-within", low="{low}", high="{high}", share="{share}"),
    "public": message(
        "explore-public",
        figures="{figures}",
        median="{median}",
        most="{most}",
        other="{other}",
        most_other="{mostOther}",
    ),
    "errors": message("explore-errors"),
    "class": message("explore-class"),
    "without": message("explore-without"),
    "figures": message("explore-figures"),
    "median": message("explore-median"),
    "most": message("explore-most"),
    "held": message("explore-held"),
    "processors": message("explore-processors"),
    "devices": message("explore-devices"),
    "small machines": message("explore-small-machines"),
    "machine_out": message("explore-without-machine"),
    "family_out": message("explore-without-family"),
    "place": message("explore-place", list="{list}"),
    "rank-led": message("rank-led", edition="{edition}"),
    "rank-best": message("rank-best", place="{place}", edition="{edition}"),
    "rank-newest": message("rank-newest", place="{place}", edition="{edition}"),
    "rank-last": message("rank-last", place="{place}", edition="{edition}"),
    "rank-none": message("explore-rank-none"),
    "others": message("explore-others", machines=len(known_machines())),
    "share-of-peak": message("explore-share-of-peak"),
    "time": message("explore-time"),
    "naive": message("explore-naive"),
    "bound": message("explore-bound"),
    "bound-by": message("explore-bound-by", resource="{resource}", share="{share}"),
    "resource": message("explore-resource"),
    "seconds": message("explore-seconds"),
    "share": message("explore-share"),
    "over-nodes": message("explore-over-nodes"),
    "per-node": message("explore-per-node"),
    "in-all": message("explore-in-all"),
    "curve": message("explore-curve"),
    "curve-naive": message("explore-curve-naive"),
    "dots": message("explore-dots"),
    "chart-said": message(
        "explore-chart-said", metric="{metric}", first="{first}", last="{last}", least="{least}", most="{most}"
    ),
    "published": message("explore-published"),
    "printed": message("explore-printed"),
    "predicted": message("explore-predicted"),
    "where": message("explore-where"),
    "exactness": message("explore-exactness"),
    "deviation": message(
        "explore-deviation", points="{points}", median="{median}", most="{most}", worst="{worst}", share="{share}"
    ),
    "interval-said": message("explore-interval-said", points="{points}", median="{median}", worst="{worst}"),
    "loose": message("explore-loose"),
    "exact": message("explore-exact"),
    "omitted": message("explore-omitted"),
    "no-script": message("explore-no-script"),
    "light": message("explore-light"),
    "dark": message("explore-dark"),
    "language": message("explore-language"),
    "of-node": message("explore-of-node"),
    "none": message("explore-none"),
    "one-node": message("explore-one-node"),
    "footer": message("explore-footer", version=__version__),
}
"""Texts of the page, which fills in the facts in braces."""
_AXES = {
    "flops": message("explore-axis-flops"),
    "memory.bandwidth": message("explore-axis-memory-bandwidth"),
    "memory": message("explore-axis-memory"),
    "link.bandwidth": message("explore-axis-link-bandwidth"),
    "link.latency": message("explore-axis-link-latency"),
    "host_link": message("explore-axis-host-link"),
    "spread": message("explore-axis-spread"),
    "noise": message("explore-axis-noise", interval=Duration(NOISE.interval)),
}
