"""Tables and sentences of the command and the page on published figures and their predictions."""

from collections.abc import Mapping, Sequence

from banzuke.document import Block, Cell, Column, Paragraph, Row, Table
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.validate import Errors, Summary, Validated
from banzuke.units import count, percent, quantity, span

NOTHING = "–"
SCALED = "one node × N"
"""Heading for errors of the number of nodes times the prediction for one node."""
OTHERS = "others' % of peak"
"""Heading for errors of the median share of the peak that other machines reach."""
FITTED = "leave-one-out"
"""Heading for errors of the model with constants fitted to all other machines."""


def validation_blocks(
    figures: Sequence[Validated], summaries: Sequence[Summary], benchmarks: Mapping[str, Benchmark]
) -> list[Block]:
    """Return the errors of each way to predict, each figure, and those that were left out."""
    return [*summary_blocks(summaries, benchmarks), *figure_blocks(figures, benchmarks)]


def summary_blocks(summaries: Sequence[Summary], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    return [_summary(summaries, benchmarks), *(Paragraph(_verdict(summary, benchmarks)) for summary in summaries)]


def figure_blocks(figures: Sequence[Validated], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Return every figure, with its errors or the reason why it has none."""
    out = [figure for figure in figures if not figure.forecast]
    tables: list[Block] = [_figures([figure for figure in figures if figure.forecast], benchmarks)]
    return [*tables, _left_out(out, benchmarks)] if out else tables


def _summary(summaries: Sequence[Summary], benchmarks: Mapping[str, Benchmark]) -> Table:
    titles = (
        "figures",
        "in interval",
        "median error",
        "worst",
        "several nodes",
        SCALED,
        OTHERS,
        FITTED,
        f"{FITTED}, worst",
        "excused",
    )
    columns = (Column("benchmark"), *(Column(title, numeric=True) for title in titles))
    rows = [
        Row(
            (
                Cell(benchmarks[summary.benchmark].title),
                Cell(str(summary.model.figures)),
                Cell(NOTHING if summary.within is None else str(summary.within)),
                Cell(percent(summary.model.median)),
                Cell(percent(summary.model.worst)),
                Cell(_median(summary.several)),
                Cell(_median(summary.linear)),
                Cell(_median(summary.baseline)),
                Cell(_median(summary.refitted)),
                Cell(percent(summary.refitted.worst) if summary.refitted else NOTHING),
                Cell(str(summary.excused)),
            )
        )
        for summary in summaries
    ]
    return Table(columns, tuple(rows), caption="How far predictions are off")


def _median(errors: Errors | None) -> str:
    return percent(errors.median) if errors else NOTHING


def _verdict(summary: Summary, benchmarks: Mapping[str, Benchmark]) -> str:
    """Return a sentence on whether the model is better than predictions without one."""
    title = benchmarks[summary.benchmark].title
    said = []
    for name, ours, theirs in (
        ("assuming other machines' share of the peak", summary.comparable, summary.baseline),
        ("multiplying one node's figure", summary.several, summary.linear),
    ):
        if ours is None or theirs is None:
            said.append(f"published figures do not show whether it is better than {name}")
            continue
        better = ours.median < theirs.median
        errors = f"{percent(ours.median)} against {percent(theirs.median)}"
        verdict = "better" if better else "no better"
        said.append(f"{verdict} than {name} on {count(ours.figures, 'figure')} (median error {errors})")
    return f"{title}: {'; '.join(said)}."


def track_record(summaries: Sequence[Summary]) -> list[str]:
    """Return sentences on a benchmark's errors on published figures, and on what does as well without the model."""
    if not summaries:
        return ["This model has not been checked: no published figure can be predicted with it."]
    (summary,) = summaries
    ours = summary.model
    figures = count(ours.figures, "published figure")
    errors = f"the median error of this model is {percent(ours.median)}, the worst {percent(ours.worst)}"
    said = [f"Checked against {figures}, with the settings that the reports give: {errors}."]
    if summary.several is None or summary.linear is None:
        said.append("Published figures do not show whether this is better than multiplying one node's figure.")
    elif not summary.beats_linear:
        said.append(
            f"On {count(summary.several.figures, 'figure')} of several nodes, multiplying one node's figure is "
            f"no worse: its median error is {percent(summary.linear.median)}, "
            f"the model's {percent(summary.several.median)}."
        )
    if summary.beats_baseline is False and summary.comparable and summary.baseline:
        said.append(
            "Assuming the share of the peak that other machines reach is no worse: its median error is "
            f"{percent(summary.baseline.median)}, the model's {percent(summary.comparable.median)}."
        )
    return said


def _figures(figures: Sequence[Validated], benchmarks: Mapping[str, Benchmark]) -> Table:
    columns = (
        Column("benchmark"),
        Column("machine"),
        Column("measured on"),
        *(
            Column(title, numeric=True)
            for title in ("published", "predicted", "error", "interval", SCALED, OTHERS, FITTED)
        ),
    )
    rows = []
    before = ""
    for figure in figures:
        if figure.forecast is None or figure.printed is None:
            continue
        title = title_of(figure, benchmarks)
        rows.append(
            Row(
                (
                    Cell(title, above=title == before),
                    Cell(figure.name),
                    Cell(figure.what),
                    Cell(quantity(figure.printed, figure.unit), figure.printed, figure.unit),
                    Cell(
                        quantity(figure.forecast.estimate.figure, figure.unit),
                        figure.forecast.estimate.figure,
                        figure.unit,
                    ),
                    Cell(_error(figure.error)),
                    Cell(
                        span(figure.forecast.low, figure.forecast.high, figure.unit) + ("" if figure.within else " *")
                    ),
                    Cell(_error(figure.naive_error)),
                    Cell(_error(figure.baseline_error)),
                    Cell(_error(figure.refitted_error)),
                )
            )
        )
        before = title
    return Table(columns, tuple(rows), caption="Each published figure", file="validation.csv")


def title_of(figure: Validated, benchmarks: Mapping[str, Benchmark]) -> str:
    """Return a title such as `HPL`, `STREAM Triad` or `IOR Write`."""
    benchmark = benchmarks[figure.benchmark]
    title = benchmark.metric_of(figure.metric).title
    return title if benchmark.title in title else f"{benchmark.title} {title}"


def _error(error: float | None) -> str:
    if error is None:
        return NOTHING
    return f"{'+' if error > 0 else ''}{percent(error)}"


def _left_out(figures: Sequence[Validated], benchmarks: Mapping[str, Benchmark]) -> Table:
    columns = (
        Column("benchmark"),
        Column("machine"),
        Column("measured on"),
        Column("published", numeric=True),
        Column("why"),
    )
    rows = [
        Row(
            (
                Cell(_left_out_title(figure, benchmarks)),
                Cell(figure.name),
                Cell(figure.what),
                Cell(NOTHING if figure.printed is None else quantity(figure.printed, figure.unit)),
                Cell(f"{'excused: ' if figure.excused else ''}{figure.left_out}"),
            )
        )
        for figure in figures
    ]
    return Table(columns, tuple(rows), caption="Left out")


def _left_out_title(figure: Validated, benchmarks: Mapping[str, Benchmark]) -> str:
    """Return the title with the metric, even if the benchmark does not have it: `STREAM, bandwidth ratio`."""
    benchmark = benchmarks[figure.benchmark]
    if figure.metric in {metric.name for metric in benchmark.metrics}:
        return title_of(figure, benchmarks)
    return f"{benchmark.title}, {figure.metric.replace('_', ' ')}"
