"""Noise in the report: tables and charts that compare cases which differ only in their environment."""

from collections.abc import Mapping, Sequence

from banzuke.compare.matching import environment
from banzuke.document import Block, Cell, Charts, Column, Details, Heading, Item, Items, Paragraph, Row, Table
from banzuke.judge.effects import meaningless
from banzuke.units import percent, quantity
from banzuke.views.view import ViewSection
from banzuke.words import Listed, Message, Quantity, Share, message
from banzuke.words.language import Words

from .charts import charts_of
from .families import HIGH
from .groups import EnvironmentGroup, NoiseCase, Seen, groups, peaks, runs
from .quanta import ABOVE, PERCENTILES, POINTS, PROCESSORS, Core, NoiseStatistics
from .sources import NONE, TELLING, processor

WORST = 8
"""Most of the noisiest processors that are listed."""
DASH = "–"
METHODS = {"neighbours of 64 chunks": "chunks", "counter of user time": "counter"}
"""Words for the methods that separate the clock's part, by the program's names for them."""
PROCESSORS_FILE = "processors"


def show(section: ViewSection, seen: Seen) -> Sequence[Block]:
    cases = runs(section, seen)
    emulated = dict.fromkeys(run.label for run in cases if meaningless([run.noise.record]))
    blocks = [
        block
        for group in groups([run for run in cases if run.label not in emulated], section.words)
        for block in _group(section, group)
    ]
    left_out = Paragraph(section.words(message("noise-left-out", environments=Listed(tuple(emulated)))), small=True)
    return [*blocks, *([left_out] if blocks and emulated else [])]


def _group(section: ViewSection, group: EnvironmentGroup) -> list[Block]:
    drawn = charts_of(section, group)
    return [
        Heading(group.title),
        _statistics(group, section.words),
        *(Paragraph(text, small=True) for text in _facts(group, section.words)),
        *([Charts(tuple(drawn))] if drawn else []),
        *_peaks(group, section.words),
        *_noisiest(section, group),
    ]


def _statistics(group: EnvironmentGroup, say: Words) -> Table:
    fractions = [
        fraction for fraction in PERCENTILES if any(fraction in run.noise.all.percentiles for run in group.runs)
    ]
    columns = [
        Column(say(message("noise-environment"))),
        Column(say(message("noise-noise"))),
        *_numeric(say, message("noise-longest"), message("noise-mean"), message("noise-share")),
        *_numeric(say, *map(_percentile, fractions)),
        *_numeric(say, *(message("noise-above", length=Quantity(least, "s")) for least in ABOVE)),
        *_numeric(say, message("noise-quanta")),
    ]
    rows = []
    for run in group.runs:
        rows.append(_row(Cell(run.label), say(message("noise-all")), run.noise.all, fractions))
        if run.noise.beyond:
            first = Cell(run.label, above=True)
            rows.append(_row(first, say(message("noise-beyond-clock")), run.noise.beyond, fractions))
    return _apart(Table(tuple(columns), tuple(rows), say(message("noise-caption", kind=group.kind)), heads=2), group)


def _row(first: Cell, what: str, statistics: NoiseStatistics, fractions: Sequence[float]) -> Row:
    lengths = [statistics.maximum, statistics.mean, *(statistics.percentiles.get(fraction) for fraction in fractions)]
    cells = [Cell(DASH) if length is None else Cell(quantity(length, "s"), length, "s") for length in lengths]
    cells.insert(2, Cell(percent(statistics.share), statistics.share, "1"))
    counts = [Cell(f"{count:,}", count) for count in (*statistics.above.values(), statistics.count)]
    return Row((first, Cell(what), *cells, *counts))


def _percentile(fraction: float) -> Message:
    return message("noise-percentile", percentile="median" if fraction == 0.5 else f"{100 * fraction:g}%")


def _numeric(say: Words, *titles: Message) -> list[Column]:
    return [Column(say(title), numeric=True) for title in titles]


def _apart(table: Table, group: EnvironmentGroup) -> Table:
    """Return the table without its column of environments if there is only one."""
    if len(group.runs) > 1:
        return table
    rows = tuple(Row(row.cells[1:]) for row in table.rows)
    return Table(table.columns[1:], rows, table.caption, heads=max(1, table.heads - 1))


def _facts(group: EnvironmentGroup, say: Words) -> list[str]:
    """Return what was measured, once if it holds for all environments, and how the clock's part was determined."""
    by_fact: dict[Message, list[str]] = {}
    for run in group.runs:
        by_fact.setdefault(_fact(run), []).append(run.label)
    facts = [
        message("noise-facts-of", environments=Listed(tuple(labels)), facts=fact) if len(by_fact) > 1 else fact
        for fact, labels in by_fact.items()
    ]
    methods = dict.fromkeys(run.noise.clock_method for run in group.runs if run.noise.beyond)
    return [*map(say, facts), *(say(message("noise-clock", method=METHODS.get(method, NONE))) for method in methods)]


def _fact(run: NoiseCase) -> Message:
    noise = run.noise
    resolution = noise.clock_resolution if noise.beyond else None
    return message(
        "noise-facts",
        quanta=noise.quanta,
        quantum=Quantity(noise.quantum, "s"),
        processors=noise.processors,
        launches=len(run.case.assessment.each),
        resolution=Quantity(resolution, "s") if resolution else NONE,
        missing=noise.left_out,
        kept=noise.processors - noise.left_out,
    )


def _peaks(group: EnvironmentGroup, say: Words) -> list[Table]:
    """Return the table of peaks in the spectra of all environments; empty if there are none."""
    rows = []
    for run in group.runs:
        for index, named in enumerate(peaks(run.noise)):
            peak, lost = named.peak, named.lost
            cells = (
                Cell(quantity(peak.frequency, "Hz"), peak.frequency, "Hz"),
                Cell(percent(peak.amplitude), peak.amplitude, "1"),
                Cell(DASH) if lost is None else Cell(quantity(lost, "s"), lost, "s"),
                Cell(f"{peak.multiples}", peak.multiples),
                Cell(say(named.name)),
            )
            rows.append(Row((Cell(run.label, above=index > 0), *cells)))
    columns = (
        Column(say(message("noise-environment"))),
        *_numeric(say, message("noise-frequency"), message("noise-amplitude")),
        *_numeric(say, message("noise-takes"), message("noise-multiples")),
        Column(say(message("noise-cause"))),
    )
    return [_apart(Table(columns, tuple(rows), say(message("noise-peaks"))), group)] if rows else []


def _noisiest(section: ViewSection, group: EnvironmentGroup) -> list[Block]:
    if all(len(run.noise.cores) < 2 for run in group.runs):
        return []
    say = section.words
    rows = [
        Row((Cell(run.label, above=index > 0), Cell(say(processor(core))), *_lost(core)))
        for run in group.runs
        for index, core in enumerate(sorted(run.noise.cores, key=lambda core: -core.share)[:WORST])
    ]
    columns = (
        Column(say(message("noise-environment"))),
        Column(say(message("noise-processor-column"))),
        *_numeric(say, message("noise-longest"), message("noise-share")),
    )
    title = say(message("noise-noisiest"))
    whole = Item(say(message("noise-all-processors")), link=f"{section.slug}-{PROCESSORS_FILE}.csv")
    return [Details(title, (_apart(Table(columns, tuple(rows), title, heads=2), group), Items((whole,))))]


def _lost(core: Core) -> tuple[Cell, Cell]:
    return Cell(quantity(core.maximum, "s"), core.maximum, "s"), Cell(percent(core.share), core.share, "1")


def processors(section: ViewSection, seen: Seen) -> Mapping[str, Table]:
    """Return the table of each processor of each case, also of emulated ones."""
    rows = [
        Row(
            (
                Cell(run.case.id),
                Cell(environment(run.noise.record)),
                Cell(core.host),
                Cell(str(core.cpu), core.cpu),
                *_lost(core),
            )
        )
        for run in runs(section, seen)
        for core in run.noise.cores
    ]
    names = ("case", "environment", "host", "processor", "maximum_noise", "noise_share")
    return {PROCESSORS_FILE: Table(tuple(map(Column, names)), tuple(rows))} if rows else {}


def method() -> Message:
    return message("noise-method", least=Share(TELLING), processors=PROCESSORS, high=HIGH, points=POINTS)
