"""What the command and the page say of published figures beside their predictions."""

from collections.abc import Mapping, Sequence

from banzuke.document import Block, Cell, Column, Paragraph, Row, Table
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.validate import Errors, Summary, Validated
from banzuke.units import count, percent, quantity, span

NOTHING = "–"
SCALED = "one node × N"
"""Heads errors of as many times what one node is predicted to do."""
OTHERS = "others' % of peak"
"""Heads errors of the median share of the peak that other machines reach."""
FITTED = "leave-one-out"
"""Heads errors of the model with constants fitted to all other machines."""


def validation_blocks(
    figures: Sequence[Validated], found: Sequence[Summary], benchmarks: Mapping[str, Benchmark]
) -> list[Block]:
    """How far off each way to predict is, each figure, and those that were left out."""
    return [*summary_blocks(found, benchmarks), *figure_blocks(figures, benchmarks)]


def summary_blocks(found: Sequence[Summary], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    return [_summary(found, benchmarks), *(Paragraph(_verdict(each, benchmarks)) for each in found)]


def figure_blocks(figures: Sequence[Validated], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Every figure, with its errors or the reason why it has none."""
    out = [each for each in figures if not each.found]
    tables: list[Block] = [_figures([each for each in figures if each.found], benchmarks)]
    return [*tables, _left_out(out, benchmarks)] if out else tables


def _summary(found: Sequence[Summary], benchmarks: Mapping[str, Benchmark]) -> Table:
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
                Cell(benchmarks[each.benchmark].title),
                Cell(str(each.model.figures)),
                Cell(NOTHING if each.within is None else str(each.within)),
                Cell(percent(each.model.median)),
                Cell(percent(each.model.worst)),
                Cell(_median(each.several)),
                Cell(_median(each.linear)),
                Cell(_median(each.baseline)),
                Cell(_median(each.refitted)),
                Cell(percent(each.refitted.worst) if each.refitted else NOTHING),
                Cell(str(each.excused)),
            )
        )
        for each in found
    ]
    return Table(columns, tuple(rows), caption="How far predictions are off")


def _median(errors: Errors | None) -> str:
    return percent(errors.median) if errors else NOTHING


def _verdict(of: Summary, benchmarks: Mapping[str, Benchmark]) -> str:
    """Whether the model is worth its trouble."""
    title = benchmarks[of.benchmark].title
    said = []
    for name, ours, theirs in (
        ("assuming other machines' share of the peak", of.comparable, of.baseline),
        ("multiplying one node's figure", of.several, of.linear),
    ):
        if ours is None or theirs is None:
            said.append(f"published figures do not show whether it is better than {name}")
            continue
        better = ours.median < theirs.median
        errors = f"{percent(ours.median)} against {percent(theirs.median)}"
        verdict = "better" if better else "no better"
        said.append(f"{verdict} than {name} on {count(ours.figures, 'figure')} (median error {errors})")
    return f"{title}: {'; '.join(said)}."


def grounds(found: Sequence[Summary]) -> list[str]:
    """Of one benchmark: how far its model was off on published figures, and what was no worse without a model."""
    if not found:
        return ["This model has not been checked: no published figure can be predicted with it."]
    (of,) = found
    ours = of.model
    told = count(ours.figures, "published figure")
    errors = f"the median error of this model is {percent(ours.median)}, the worst {percent(ours.worst)}"
    said = [f"Checked against {told}, with the settings that the reports give: {errors}."]
    if of.several is None or of.linear is None:
        said.append("Published figures do not show whether this is better than multiplying one node's figure.")
    elif not of.beats_linear:
        said.append(
            f"On {count(of.several.figures, 'figure')} of several nodes, multiplying one node's figure is no worse: "
            f"its median error is {percent(of.linear.median)}, the model's {percent(of.several.median)}."
        )
    if of.beats_baseline is False and of.comparable and of.baseline:
        said.append(
            "Assuming the share of the peak that other machines reach is no worse: its median error is "
            f"{percent(of.baseline.median)}, the model's {percent(of.comparable.median)}."
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
    for each in figures:
        if each.found is None or each.printed is None:
            continue
        title = title_of(each, benchmarks)
        rows.append(
            Row(
                (
                    Cell(title, above=title == before),
                    Cell(each.name),
                    Cell(each.what),
                    Cell(quantity(each.printed, each.unit), each.printed, each.unit),
                    Cell(quantity(each.found.estimate.figure, each.unit), each.found.estimate.figure, each.unit),
                    Cell(_error(each.error)),
                    Cell(span(each.found.low, each.found.high, each.unit) + ("" if each.within else " *")),
                    Cell(_error(each.naive_error)),
                    Cell(_error(each.baseline_error)),
                    Cell(_error(each.refitted_error)),
                )
            )
        )
        before = title
    return Table(columns, tuple(rows), caption="Each published figure", file="validation.csv")


def title_of(of: Validated, benchmarks: Mapping[str, Benchmark]) -> str:
    """`HPL`, `STREAM Triad`, `IOR Write`."""
    known = benchmarks[of.benchmark]
    title = next((metric.title for metric in known.metrics if metric.name == of.metric), known.title)
    return title if known.title in title else f"{known.title} {title}"


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
                Cell(_left_out_title(each, benchmarks)),
                Cell(each.name),
                Cell(each.what),
                Cell(NOTHING if each.printed is None else quantity(each.printed, each.unit)),
                Cell(f"{'excused: ' if each.excused else ''}{each.left_out}"),
            )
        )
        for each in figures
    ]
    return Table(columns, tuple(rows), caption="Left out")


def _left_out_title(of: Validated, benchmarks: Mapping[str, Benchmark]) -> str:
    """With the metric, also where it is none of the benchmark's: `STREAM, bandwidth ratio`."""
    known = benchmarks[of.benchmark]
    if of.metric in {metric.name for metric in known.metrics}:
        return title_of(of, benchmarks)
    return f"{known.title}, {of.metric.replace('_', ' ')}"
