"""Reports how far off predictions of machines are to which nothing was fitted: by class, and each figure."""

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from banzuke.document import Block, Cell, Column, Row, Table
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.blind import Blind
from banzuke.units import percent, quantity, span


def blind_blocks(figures: Sequence[Blind], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Return errors by class, and each figure."""
    classes = dict.fromkeys((figure.benchmark, figure.kind) for figure in figures)
    of_class = {key: [figure for figure in figures if (figure.benchmark, figure.kind) == key] for key in classes}
    rows = [
        Row(tuple(Cell(text) for text in (benchmarks[benchmark].title, kind, *_statistics(selected))))
        for (benchmark, kind), selected in of_class.items()
    ]
    titles = ("figures", "median error", "90th percentile", "worst", "median with its sign", "in interval")
    columns = (Column("benchmark"), Column("on"), *(Column(title, numeric=True) for title in titles))
    caption = "Machines to which nothing is fitted: how far predictions are off"
    return [Table(columns, tuple(rows), caption=caption), _each(figures, benchmarks)]


def _statistics(figures: Sequence[Blind]) -> list[str]:
    sizes = [abs(figure.error) for figure in figures]
    most_of_ten = quantiles(sizes, n=10, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]
    held = sum(figure.within for figure in figures) / len(figures)
    signed = _signed(median(figure.error for figure in figures))
    return [str(len(figures)), *map(percent, (median(sizes), most_of_ten, max(sizes))), signed, percent(held)]


def _each(figures: Sequence[Blind], benchmarks: Mapping[str, Benchmark]) -> Table:
    titles = ("nodes", "published", "predicted", "error", "interval")
    columns = (
        Column("benchmark"),
        Column("machine"),
        Column("family"),
        *(Column(title, numeric=True) for title in titles),
    )
    rows = [
        Row(
            (
                Cell(benchmarks[figure.benchmark].title),
                Cell(figure.machine.name),
                Cell(figure.family or "unknown"),
                Cell(f"{figure.nodes:,}"),
                Cell(quantity(figure.published, "flop/s")),
                Cell(quantity(figure.predicted, "flop/s")),
                Cell(_signed(figure.error)),
                Cell(span(figure.low, figure.high, "flop/s") + ("" if figure.within else " *")),
            )
        )
        for figure in figures
    ]
    return Table(columns, tuple(rows), caption="Each figure of machines to which nothing is fitted", file="blind.csv")


def _signed(error: float) -> str:
    return f"{'+' if error > 0 else ''}{percent(error)}"
