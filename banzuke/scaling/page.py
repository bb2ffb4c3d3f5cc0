"""Presents scaling studies on a page or a terminal: tables, and conclusions in words."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from banzuke.compare.settings import figure_text, setting_text, short_setting, varying
from banzuke.compare.statistics import Interval
from banzuke.document import Block, Cell, Charts, Column, Heading, Paragraph, Row, Table
from banzuke.plan.wording import benchmark_title, metric_title
from banzuke.scaling.fit import BETTER, FEWEST, FEWEST_FOR_TERMS, Fit, Next
from banzuke.scaling.model import Scaling, ScalingStudy
from banzuke.units import number, percent
from banzuke.words import Duration, Message, Share, message
from banzuke.words.language import Words

ABSENT = "–"
AHEAD = (2, 4)
"""Multiples of the largest number of nodes at which efficiencies are predicted."""
Group = Sequence[ScalingStudy]
"""Studies of one benchmark, metric and kind, shown together; they differ in partition, shape or settings."""


def blocks(scaling: Scaling, words: Words, drawn: Callable[[Group, Words], Charts] | None = None) -> list[Block]:
    """Return all studies, in groups. `drawn`: returns the charts of a group; None: no charts, as on a terminal."""
    shown: list[Block] = []
    for _, studies in groupby(scaling.studies, key=lambda study: (study.benchmark.name, study.metric.name, study.kind)):
        group = list(studies)
        shown.append(Heading(words(title(group[0]))))
        if drawn:
            shown.append(drawn(group, words))
        for study in group:
            shown += _study_blocks(study, words)
    shown += [Paragraph(text, small=True) for text in scaling.without]
    if scaling.studies:
        shown.append(Paragraph(words(message("scaling-method", better=Share(BETTER))), small=True))
    return shown


def title(study: ScalingStudy) -> Message:
    """Return the study's title; the name is enough for a benchmark with one headline."""
    single = study.metric.headline and sum(metric.headline for metric in study.benchmark.metrics) == 1
    name = benchmark_title(study.benchmark) if single else metric_title(study.benchmark.name, study.metric)
    return message("scaling-title", benchmark=name, kind=study.kind)


def label(study: ScalingStudy) -> str:
    """Return what distinguishes it from other studies of the group."""
    settings = [short_setting(name, value) for name, value in study.settings.items()]
    return ", ".join(filter(None, (study.partition, *settings)))


def _study_blocks(study: ScalingStudy, words: Words) -> Iterator[Block]:
    yield _figures(study, words)
    for remark in study.remarks:
        yield Paragraph(words(remark))
    if study.fits.models:
        yield _models(study, words)
    yield Paragraph(words.sentences(_conclusions(study)))


def _figures(study: ScalingStudy, words: Words) -> Table:
    unit = study.metric.unit
    sizes = varying([dict(count.sizes) for count in study.counts])
    layouts = len({count.layout for count in study.counts}) > 1
    columns = [
        Column(words(message("scaling-nodes")), numeric=True, name="nodes"),
        *(Column(name, numeric=True) for name in sizes),
        *([Column(words(message("scaling-layout")), name="layout")] if layouts else []),
        Column(words(message("scaling-rate")), numeric=True, name="rate"),
        Column(words(message("scaling-interval")), numeric=True, name="rate_interval"),
        Column(words(message("scaling-speed-up")), numeric=True, name="speed_up"),
        Column(words(message("scaling-efficiency")), numeric=True, name="efficiency"),
        Column(words(message("scaling-interval")), numeric=True, name="efficiency_interval"),
        Column(words(message("scaling-launches")), numeric=True, name="launches"),
    ]
    rows = []
    for count in study.counts:
        ends = count.interval
        cells = [
            Cell(f"{count.nodes:,}", count.nodes),
            *(Cell(setting_text(count.sizes.get(name)), count.sizes.get(name)) for name in sizes),
            *([Cell(count.layout)] if layouts else []),
            Cell(figure_text(count.rate, unit), count.rate, unit),
            Cell(" – ".join(figure_text(end, unit) for end in ends) if ends else ABSENT),
            Cell(number(study.speed_up(count)), study.speed_up(count)),
            Cell(percent(study.efficiency(count)), study.efficiency(count), "1"),
            Cell(shares(study.efficiency_interval(count))),
            Cell(str(len(count.medians)), len(count.medians)),
        ]
        rows.append(Row(tuple(cells)))
    said, distinction = words(title(study)), label(study)
    return Table(tuple(columns), tuple(rows), caption=f"{said}: {distinction}" if distinction else said)


def shares(interval: Interval | None) -> str:
    if interval is None:
        return ABSENT
    return " – ".join(map(percent, interval))


def _models(study: ScalingStudy, words: Words) -> Table:
    ahead = [times * study.counts[-1].nodes for times in AHEAD]
    columns = (
        Column(words(message("scaling-model"))),
        Column(words(message("scaling-fitted"))),
        Column(words(message("scaling-deviation")), numeric=True),
        Column(words(message("scaling-left-out")), numeric=True),
        *(Column(words(message("scaling-ahead", nodes=nodes)), numeric=True) for nodes in ahead),
    )
    perfect = [study.fits.perfect] if study.fits.perfect else []
    rows = [
        Row(
            (
                Cell(words(model_name(fit))),
                Cell(words(fitted(fit))),
                Cell(percent(fit.error, 2)),
                Cell(percent(fit.left_out, 2) if math.isfinite(fit.left_out) else ABSENT),
                *(Cell(_predicted(fit, nodes)) for nodes in ahead),
            ),
            kind="own" if fit is study.fits.believed else "",
        )
        for fit in (*perfect, *study.fits.models)
    ]
    return Table(columns, tuple(rows), caption=words(message("scaling-models")))


def model_name(fit: Fit) -> Message:
    return message("scaling-model-name", model=fit.form.name)


def fitted(fit: Fit) -> Message:
    """Return the model's parameters in words."""
    if fit.serial:
        share, interval = fit.serial
        return message("scaling-serial", share=Share(share), low=Share(interval.low), high=Share(interval.high))
    terms = [f"{number(value, 2)} {text}" for value, text in zip(fit.coefficients[1:], fit.form.labels, strict=True)]
    return message("scaling-terms", terms=" + ".join([number(fit.coefficients[0]), *terms]))


def efficiency_at(fit: Fit, nodes: float) -> tuple[float, Interval | None]:
    """Return the predicted efficiency over that of the fewest nodes, with the interval of a measurement there."""
    cost = fit.predict(nodes)
    if cost.value <= 0:
        return 0.0, None
    ends = cost.interval
    return 1 / cost.value, Interval(1 / ends.high, 1 / ends.low) if ends and ends.low > 0 else None


def _predicted(fit: Fit, nodes: int) -> str:
    value, interval = efficiency_at(fit, nodes)
    return f"{percent(value)} ({shares(interval)})"


def _conclusions(study: ScalingStudy) -> Iterator[Message]:
    fits = study.fits
    number_of = len(fits.counts)
    if number_of < FEWEST:
        yield message("scaling-too-few", number=number_of, least=FEWEST)
    elif fits.best is None:
        yield message("scaling-none-better")
    else:
        yield message("scaling-best", model=model_name(fits.best), fitted=fitted(fits.best))
    if FEWEST <= number_of < FEWEST_FOR_TERMS:
        yield message("scaling-few-for-terms", number=number_of, least=FEWEST_FOR_TERMS)
    if study.next:
        yield _next(study, study.next)


def _next(study: ScalingStudy, proposal: Next) -> Message:
    cost = Duration(study.cost(proposal.nodes))
    if proposal.separates:
        first, second = map(model_name, proposal.separates)
        return message("scaling-next-separates", nodes=proposal.nodes, cost=cost, one=first, other=second)
    if proposal.narrower < 1:
        return message("scaling-next-narrows", nodes=proposal.nodes, cost=cost, share=Share(proposal.narrower))
    return message("scaling-next", nodes=proposal.nodes, cost=cost)
