"""`banzuke predict --validate`: published figures beside their predictions."""

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
from banzuke.predict.validate import Summary, Validated, summaries, validated
from banzuke.predict.validation_page import figure_blocks, summary_blocks, validation_blocks
from banzuke.text import nearest


def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BENCHMARK]...", help="Benchmarks.", show_default="all"),
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
    known = modelled()
    for name in names or ():
        if name not in known:
            raise BanzukeError(f"no model of '{name}'", remedy=nearest(name, known))
    every = {name: benchmarks()[name] for name in names or benchmarks()}
    with errors.busy("predicting published figures ..."):
        figures = validated(every, published.load())
    found = summaries(figures)
    if chart:
        from banzuke.predict.charts import errors_chart  # noqa: PLC0415  (brings Altair)

        draw(errors_chart(figures, found, every), chart)
    if json:
        write_json({"benchmarks": [_summary(each) for each in found], "figures": [_figure(each) for each in figures]})
        return
    if markdown:
        write_text("\n".join(blocks_markdown(validation_blocks(figures, found, every))))
        return
    for block in terminal(figure_blocks(figures, every)):
        out.print(block)
    out.say(("* outside the interval", "dim"))
    out.print()
    for block in terminal(summary_blocks(found, every)):  # last, where a terminal leaves it in sight
        out.print(block)


def _summary(of: Summary) -> dict[str, Any]:
    return {**asdict(of), "beats_linear": of.beats_linear, "beats_baseline": of.beats_baseline}


def _figure(of: Validated) -> dict[str, Any]:
    found = of.forecast
    return {
        "benchmark": of.benchmark,
        "machine": of.machine,
        "measured_on": of.what,
        "nodes": of.figure.nodes,
        "metric": of.metric,
        "unit": of.unit,
        "published": of.printed,
        "predicted": found and found.estimate.figure,
        "interval": [found.low, found.high] if found else None,
        "within": of.within,
        "error": of.error,
        "linear": found and found.naive,
        "linear_error": of.naive_error,
        "baseline": of.baseline,
        "baseline_error": of.baseline_error,
        "refitted_error": of.refitted_error,
        "call": found and found.estimate.call,
        "bound_by": found and found.estimate.bound_by,
        "left_out": of.left_out,
        "excused": of.excused,
        "source": of.where,
    }
