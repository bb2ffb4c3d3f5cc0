"""Shows figures over sizes: statistics of each size, fits t(n) = alpha + n / beta, and what a computation hides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.settings import settings
from banzuke.document import Block, Cell, Column, Details, Heading, Paragraph, Row, Table
from banzuke.judge.outliers import FAR, LEAST_FAR
from banzuke.machine.model import Machine
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.wording import along, noun
from banzuke.record.figures import Curve
from banzuke.record.model import Record
from banzuke.units import quantity
from banzuke.views.curve.lines import LineGroup, Value, group_title, grouped, main_lines, other_lines, size_line
from banzuke.views.curve.overlap import OverlapMetrics, overlap_table, overlaps
from banzuke.views.curve.regimes import FEWEST, ODD_SHARE, SHARP, TOLERANCE, TOO_NOISY, FitParameter
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Message, Quantity, Share, message
from banzuke.words.language import Words

STATISTICS = (
    *("median", "average", "minimum", "p1", "p5", "p25", "p75", "p95", "p99", "p99.9", "maximum"),
    *("outliers", "outlier_time", "farthest", "limit", "of_limit", "peak", "of_peak", "message_rate"),
)
NOTHING = "–"
GREEK = ("α", "β", "n½")  # noqa: RUF001


@dataclass(frozen=True)
class Curves(View[Curve]):
    hidden: tuple[str, ...] = ()
    """Parameters that set the sizes, which labels need not name."""
    compared: tuple[str, ...] = ()
    """Parameters whose values are drawn together, whatever else varies."""
    along: str = "message size"
    also_along: tuple[str, ...] = ()
    """What sizes are of in records of some backends."""
    noun: str = "message"
    """What a size belongs to, in the singular."""
    nouns: str = "Messages"
    """The same as the title of a column with the number per second."""
    messages: bool = True
    """Whether sizes are those of messages, whose times are fitted by α + n/β."""  # noqa: RUF001
    overlap: OverlapMetrics | None = None
    """Metrics of a non-blocking operation; None: the benchmark has none."""
    name = "curve"
    samples = True

    def judge(self, record: Record, machine: Machine) -> Curve | None:  # noqa: ARG002
        return record.curve

    def declared(self, benchmark: str) -> Sequence[Message]:  # noqa: ARG002
        return [*map(along, (self.along, *self.also_along)), noun(self.noun), noun(self.nouns)]

    def method(self) -> Message:
        """Return how curves are judged: those of messages, or of sizes."""
        if not self.messages:
            return message("views-method-of-sizes", least=Share(LEAST_FAR), far=FAR)
        return message(
            "views-method-of-curves",
            tolerance=Share(TOLERANCE),
            fewest=FEWEST,
            odd=ODD_SHARE,
            sharp=Share(SHARP),
            noisy=Share(TOO_NOISY),
            least=Share(LEAST_FAR),
            far=FAR,
        )

    def kinds(self, section: ViewSection) -> Mapping[str, str]:
        return {line.case.id: line.kind for line in main_lines(section) if line.kind != line.metric.name}

    def brief(self, benchmark: Benchmark, case: ViewCase, words: Words) -> Sequence[Block]:
        curve = self.of(case.assessment)
        if curve is None:
            return []
        group = LineGroup("", (size_line(benchmark, case, curve),))
        title = words(group_title(benchmark, group))
        return [self._statistics(words, title, group, group.shown), *self._regimes(words, group)]

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return charts, tables and regimes of each group of lines, then what a computation hides."""
        from banzuke.views.curve.charts import line_charts, overlap_chart  # noqa: PLC0415  (see LATE)

        lines, words = main_lines(section), section.words
        blocks: list[Block] = []
        for group in grouped(lines, self.hidden, self.compared):
            title = words(group_title(section.benchmark, group))
            several = len(group.lines) > 1
            medians = _medians(words, title, group) if several else self._statistics(words, title, group, group.shown)
            every = self._statistics(words, title, group, group.sizes)
            about = Paragraph(words(message("views-all-sizes-note", file=f"{section.slug}-sizes.csv")), small=True)
            blocks += [
                Heading(title),
                *(drawn.block for drawn in line_charts(section, group)),
                medians,
                Details(words(message("views-all-sizes")), (about, every)),
                *self._regimes(words, group),
            ]
        hidden = overlaps(lines, self.hidden, self.overlap) if self.overlap else []
        if hidden:
            drawn = overlap_chart(section, hidden)
            table = Details(words(message("views-all-sizes-of-overlap")), (overlap_table(words, hidden),))
            blocks += [Heading(words(message("views-hidden"))), *([drawn.block] if drawn else []), table]
        return blocks

    def tables(self, section: ViewSection) -> Mapping[str, Table]:
        """Return a row for each metric of each case at each size."""
        main = main_lines(section)
        if not main:
            return {}
        cases = {line.case.id: settings(line.record) for line in main}
        names = list(dict.fromkeys(name for parameters in cases.values() for name in parameters))
        rows = [
            Row(
                (
                    Cell(line.case.id),
                    *(Cell(value=cases[line.case.id].get(name, "")) for name in names),
                    Cell(value=point.at),
                    Cell(line.metric.name),
                    Cell(line.metric.unit),
                    Cell(value=point.count),
                    *(Cell(value=plain(point.values[name]) if name in point.values else "") for name in STATISTICS),
                )
            )
            for line in [*main, *other_lines(section.benchmark, main)]
            for point in line.points
        ]
        titles = ["case", *names, main[0].curve.along, "metric", "unit", "samples", *STATISTICS]
        return {"sizes": Table(tuple(map(Column, titles)), tuple(rows))}

    def _statistics(self, words: Words, title: str, group: LineGroup, sizes: Sequence[float]) -> Table:
        """Return the statistics of all lines at these sizes."""
        several = len(group.lines) > 1
        shown = self._shown(group)
        rows = []
        for line in group.lines:
            points = [point for point in line.points if point.at in sizes]
            for at, point in enumerate(points):
                rows.append(
                    Row(
                        (
                            *((Cell(line.label, above=at > 0),) if several else ()),
                            Cell(quantity(point.at, line.curve.unit), point.at),
                            *(_cell(words, point.values.get(name)) for name in shown),
                            Cell(f"{point.count:,}", point.count),
                        )
                    )
                )
        columns = (
            *((Column(words(message("views-case"))),) if several else ()),
            _numeric(words, message("views-size")),
            *(_numeric(words, name) for name in shown.values()),
            _numeric(words, message("views-samples")),
        )
        return Table(columns, tuple(rows), title, heads=2 if several else 1)

    def _shown(self, group: LineGroup) -> Mapping[str, Message]:
        """Return the statistics that any size has; low rates are slow."""
        rate = group.metric.better == "higher"
        wanted = {
            "median": message("views-median"),
            "average": message("views-average"),
            "p5" if rate else "p95": message("views-slowest-share", share=Share(0.05)),
            "p1" if rate else "p99": message("views-slowest-share", share=Share(0.01)),
            "minimum" if rate else "maximum": message("views-slowest"),
            "outlier_time": message("views-in-outliers"),
            "message_rate": noun(self.nouns),
            "of_limit": message("views-of-limit"),
            "of_peak": message("views-of-peak"),
        }
        present = {name for line in group.lines for point in line.points for name in point.values}
        return {name: title for name, title in wanted.items() if name in present}

    def _regimes(self, words: Words, group: LineGroup) -> Sequence[Table]:
        if not self.messages:
            return []
        several = len(group.lines) > 1
        linked = [(line, line.asymptote, line.points[-1].at, line.regimes) for line in group.lines]
        rows = []
        for line, link, last, regimes in linked:
            unit = line.curve.unit
            for at, regime in enumerate(regimes):
                beta = regime.beta.known if regime.beta else None
                share = Share(beta / link) if beta and link and regime.last == last else None
                ends = message("views-sizes", first=quantity(regime.first, unit), last=quantity(regime.last, unit))
                rows.append(
                    Row(
                        (
                            *((Cell(line.label, above=at > 0),) if several else ()),
                            Cell(words(ends)),
                            _parameter(words, regime.alpha, "s"),
                            _parameter(words, regime.beta, "B/s")
                            if regime.beta
                            else Cell(words(message("views-flat"))),
                            _cell(words, Quantity(regime.half_size, "B") if regime.half_size else None),
                            _cell(words, share),
                            _cell(words, Share(regime.worst)),
                            Cell(", ".join(quantity(size, unit) for size in regime.odd)),
                        )
                    )
                )
        if not rows:
            return []
        columns = (
            *((Column(words(message("views-case"))),) if several else ()),
            Column(words(message("views-sizes-of-regime"))),
            *(Column(name, numeric=True) for name in GREEK),
            *(_numeric(words, title) for title in (message("views-of-link"), message("views-deviation"))),
            Column(words(message("views-left-out"))),
        )
        caption = [message("views-regimes", of=noun(self.noun), sharp=Share(SHARP))]
        caption += [message("views-link", rate=Quantity(group.link, "B/s"))] if group.link else []
        return [Table(columns, tuple(rows), words.sentences(caption), heads=2 if several else 1)]


def plain(value: Value) -> float:
    return value.value if isinstance(value, Quantity | Share) else value


def _cell(words: Words, value: Value | None) -> Cell:
    return Cell(NOTHING) if value is None else Cell(words.fact(value), plain(value))


def _medians(words: Words, title: str, group: LineGroup) -> Table:
    """Return the median of every line at the shown sizes."""
    unit = group.lines[0].curve.unit
    points = [{point.at: point for point in line.points} for line in group.lines]
    rows = [
        Row(
            (
                Cell(quantity(size, unit), size),
                *(_cell(words, by_size[size].values["median"] if size in by_size else None) for by_size in points),
            )
        )
        for size in group.shown
    ]
    columns = (_numeric(words, message("views-size")), *(Column(line.label, numeric=True) for line in group.lines))
    return Table(columns, tuple(rows), words(message("views-medians", title=title)))


def _numeric(words: Words, title: Message) -> Column:
    return Column(words(title), numeric=True)


def _parameter(words: Words, parameter: FitParameter, unit: str) -> Cell:
    """Return its value, or half of its 95% interval where it is not known well enough."""
    if parameter.known is not None:
        return _cell(words, Quantity(parameter.known, unit))
    half = Share(round(parameter.error, 2)) if parameter.error <= 1 else Share(1.0)
    return Cell(words(message("views-half-interval", half=half, beyond="yes" if parameter.error > 1 else "no")))
