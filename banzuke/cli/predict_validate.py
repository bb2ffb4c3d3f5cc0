"""`banzuke predict --validate`: compares published figures with their predictions."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from banzuke.cli.console import errors, out, write_json, write_text
from banzuke.cli.drawing import ChartFile, check_chart, draw
from banzuke.cli.options import OUTPUT, Json
from banzuke.document.markdown import blocks_markdown
from banzuke.document.terminal import terminal
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks, modelled
from banzuke.predict.left_out import left_out
from banzuke.predict.public_page import public_blocks, public_rows, public_summary
from banzuke.predict.validate import Summary, Validated, summaries, validated
from banzuke.predict.validation_page import figure_blocks, summary_blocks, validation_blocks
from banzuke.text import nearest


def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="BENCHMARK", help="Benchmarks.", show_default="all"),
    ] = None,
    chart: ChartFile = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.", rich_help_panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> None:
    """Predict every published figure, and print how far off each prediction is; the same as `--validate`."""
    if json and markdown:
        raise BanzukeError("--json and --markdown exclude each other", remedy="Give one of them")
    check_chart(chart)
    models = modelled()
    for name in names or ():
        if name not in models:
            raise BanzukeError(f"no model of '{name}'", remedy=nearest(name, models))
    every = {name: benchmarks()[name] for name in names or benchmarks()}
    with errors.busy("predicting published figures ..."):
        figures = validated(every, published.load())
    by_benchmark = summaries(figures)
    public = [figure for figure in left_out() if figure.benchmark in every]
    if chart:
        from banzuke.predict.charts import errors_chart  # noqa: PLC0415  (brings Altair)

        draw(errors_chart(figures, by_benchmark, every), chart)
    if json:
        document = {"benchmarks": list(map(_summary, by_benchmark)), "figures": list(map(_figure, figures))}
        write_json({**document, "public": [asdict(figure) for figure in public]})
        return
    if markdown:
        blocks = [*validation_blocks(figures, by_benchmark, every), *public_blocks(public, every)]
        write_text("\n".join(blocks_markdown(blocks)))
        return
    for block in terminal([*public_rows(public, every), *figure_blocks(figures, every)]):
        out.print(block)
    out.say(("* outside the interval", "dim"))
    out.print()
    for block in terminal(
        [*public_summary(public, every), *summary_blocks(by_benchmark, every)]
    ):  # last, so that a terminal still shows it
        out.print(block)


def _summary(summary: Summary) -> dict[str, Any]:
    return {**asdict(summary), "beats_linear": summary.beats_linear, "beats_baseline": summary.beats_baseline}


def _figure(result: Validated) -> dict[str, Any]:
    prediction = result.forecast
    return {
        "benchmark": result.benchmark,
        "machine": result.machine,
        "measured_on": result.what,
        "nodes": result.figure.nodes,
        "metric": result.metric,
        "unit": result.unit,
        "published": result.printed,
        "predicted": prediction and prediction.estimate.figure,
        "interval": [prediction.low, prediction.high] if prediction else None,
        "within": result.within,
        "error": result.error,
        "linear": prediction and prediction.naive,
        "linear_error": result.naive_error,
        "baseline": result.baseline,
        "baseline_error": result.baseline_error,
        "refitted_error": result.refitted_error,
        "call": prediction and prediction.estimate.call,
        "bound_by": prediction and prediction.estimate.bound_by,
        "left_out": result.left_out,
        "excused": result.excused,
        "source": result.where,
    }
