"""Reports errors on lists and reports for the command and the page: by class, by figure, and of simpler rivals."""

import math
from collections.abc import Iterator, Mapping, Sequence

from banzuke.document import Block, Cell, Column, Paragraph, Row, Table
from banzuke.machine.public import known_machines, small_machines
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.by_family import DEVICES, PROCESSORS, SMALL
from banzuke.predict.left_out import ErrorsOfClass, LeftOut, coverage_as_printed, errors_of, left_out
from banzuke.predict.validation_page import NOTHING, SCALED
from banzuke.units import percent, quantity

WAYS: Mapping[str, str] = {
    "predicted": "fitted to all",
    "machine_out": "machine left out",
    "family_out": "family left out",
    "everybody": "constants of everybody",
    "linear": SCALED,
    "share": "family's % of peak",
}
RIVALS = {
    "linear": "multiplying one node's figure with the same constants",
    "share": "the share of the peak of the family's other machines",
}
"""Predictions that need no model, for the middle of a sentence."""
LEFT_OUT = ("machine_out", "family_out")
"""Predictions that an interval belongs to."""
ALL = "all"


def public_blocks(figures: Sequence[LeftOut], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Return the errors by class, conclusions from them, and each figure."""
    return [*public_summary(figures, benchmarks), *public_rows(figures, benchmarks)]


def public_summary(figures: Sequence[LeftOut], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Return the errors by class and conclusions from them; nothing where there are no figures."""
    if not figures:
        return []
    verdicts = [Paragraph(_conclude(figures, name, benchmarks)) for name in _list_benchmarks(figures)]
    return [_tabulate_classes(figures, benchmarks), *verdicts]


def public_record(benchmark: str, kind: str) -> list[str]:
    """Return sentences on the errors of public figures on processors or devices; nothing where there are none."""
    figures = _select(left_out(), benchmark, kind)
    without, unknown = (errors_of(figures, way) for way in ("machine_out", "family_out"))
    if without is None or unknown is None:
        return []
    said = (
        f"Of {len(figures)} figures of public machines on {kind}, each predicted without its machine, half are within "
        f"{percent(without.median)} and nine of ten within {percent(without.most_of_ten)}; without its family "
        f"within {percent(unknown.median)} and {percent(unknown.most_of_ten)}."
    )
    return [said, *(f"This is {verdict}." for verdict in _compare(figures, kind) if verdict.startswith("no better"))]


def _list_benchmarks(figures: Sequence[LeftOut]) -> list[str]:
    return list(dict.fromkeys(figure.benchmark for figure in figures))


def _select(figures: Sequence[LeftOut], benchmark: str, kind: str) -> list[LeftOut]:
    own = [figure for figure in figures if figure.benchmark == benchmark]
    return [figure for figure in own if figure.kind == kind or (kind == ALL and figure.kind != SMALL)]


def _tabulate_classes(figures: Sequence[LeftOut], benchmarks: Mapping[str, Benchmark]) -> Table:
    columns = (
        Column("benchmark"),
        Column("on"),
        Column("constants"),
        *(
            Column(title, numeric=True)
            for title in ("figures", "median error", "90th percentile", "worst", "in interval")
        ),
        Column("no better than"),
    )
    rows = []
    for name in _list_benchmarks(figures):
        for kind in (PROCESSORS, DEVICES, ALL, SMALL):
            selected = _select(figures, name, kind)
            for way, title in WAYS.items():
                errors = errors_of(selected, way)
                if errors is None:
                    continue
                held = percent(coverage_as_printed(selected, way)) if way in LEFT_OUT and kind != ALL else NOTHING
                texts = (
                    str(len(selected)),
                    percent(errors.median),
                    percent(errors.most_of_ten),
                    percent(errors.worst),
                    held,
                    _unbeaten(selected) if way == "machine_out" else NOTHING,
                )
                cells = (Cell(benchmarks[name].title), Cell(kind), Cell(title))
                rows.append(Row((*cells, *map(Cell, texts))))
    return Table(columns, tuple(rows), caption="Public machines: how far predictions are off")


def _unbeaten(figures: Sequence[LeftOut]) -> str:
    """Return the rivals that the model does not beat on these figures."""
    ours = errors_of(figures, "machine_out")
    rivals = [(way, errors_of(figures, way)) for way in RIVALS]
    return ", ".join(WAYS[way] for way, theirs in rivals if ours and theirs and not _beats(ours, theirs)) or NOTHING


def _beats(ours: ErrorsOfClass, theirs: ErrorsOfClass) -> bool:
    return ours.median < theirs.median and ours.most_of_ten <= theirs.most_of_ten


def _conclude(figures: Sequence[LeftOut], name: str, benchmarks: Mapping[str, Benchmark]) -> str:
    """Return whether the model beats methods without a model, where it does not know the machine."""
    said = [
        verdict for kind in (PROCESSORS, DEVICES, SMALL) for verdict in _compare(_select(figures, name, kind), kind)
    ]
    return f"{benchmarks[name].title} on public machines: {'; '.join(said)}."


def _compare(figures: Sequence[LeftOut], kind: str) -> Iterator[str]:
    """Compare the model with its rivals: better is the one with the smaller median and no larger 90th percentile."""
    ours = errors_of(figures, "machine_out")
    for way, rival in RIVALS.items():
        theirs = errors_of(figures, way)
        if ours is None or theirs is None:
            continue
        better = _beats(ours, theirs)
        errors = (
            f"median error {percent(ours.median)} against {percent(theirs.median)}, "
            f"nine of ten within {percent(ours.most_of_ten)} against {percent(theirs.most_of_ten)}"
        )
        yield f"{'better' if better else 'no better'} than {rival} on {kind} ({errors})"


def public_rows(figures: Sequence[LeftOut], benchmarks: Mapping[str, Benchmark]) -> list[Block]:
    """Return each figure with its errors; nothing where there are none."""
    if not figures:
        return []
    names = {machine.id: machine.name for machine in (*known_machines(), *small_machines())}
    titles = ("nodes", "published", "predicted", *WAYS.values())
    columns = (
        Column("benchmark"),
        Column("machine"),
        Column("family"),
        *(Column(title, numeric=True) for title in titles),
        Column("closer without the model"),
    )
    rows = []
    for figure in figures:
        texts = (
            f"{figure.nodes:,}",
            quantity(figure.published, "flop/s"),
            quantity(figure.machine_out, "flop/s"),
            *(_error(figure.error(way)) for way in WAYS),
        )
        cells = (
            Cell(benchmarks[figure.benchmark].title),
            Cell(names.get(figure.machine, figure.machine)),
            Cell(figure.family or "unknown"),
        )
        rows.append(Row((*cells, *map(Cell, texts), Cell(_closer(figure)))))
    return [Table(columns, tuple(rows), caption="Each figure of public machines", file="public.csv")]


def _closer(figure: LeftOut) -> str:
    """Return the rivals that are closer to the figure than the model, which does not know the machine."""
    rivals = [way for way in RIVALS if figure.score(way) < figure.score("machine_out")]
    return ", ".join(WAYS[way] for way in rivals) or NOTHING


def _error(error: float) -> str:
    return NOTHING if math.isnan(error) else f"{'+' if error > 0 else ''}{percent(error)}"
