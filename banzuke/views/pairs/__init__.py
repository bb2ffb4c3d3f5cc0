"""Judges and shows a figure of every pair of ranks: slow ranks and pairs, and a map of all."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from banzuke.cpu_lists import format_cpus
from banzuke.document import Block, Cell, Column, Heading, Item, Items, Paragraph, Row, Table
from banzuke.judge.evidence import Evidence
from banzuke.judge.finding import Finding
from banzuke.machine.model import Machine
from banzuke.plan.wording import metric_title
from banzuke.record.figures import Pairs
from banzuke.record.model import Record
from banzuke.text import slug
from banzuke.units import quantity
from banzuke.views.pairs.clusters import GAP
from banzuke.views.pairs.outliers import SHOWN, PairOutlier, Slow, of_what
from banzuke.views.pairs.slow import SLOW, locations, slow_of
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import Listed, Message, declared, message

MOST_OUTLIERS = 20
"""Most outliers in the page's list."""

Seen = tuple[Slow, ...]
"""Slow ranks and pairs of each figure of many pairs, in the record's order."""


class RankPairs(View[Seen]):
    name = "pairs"
    warns = True

    def judge(self, record: Record, machine: Machine) -> Seen | None:
        return slow_of(record, machine) or None

    def findings(self, seen: Seen, evidence: Evidence) -> Iterator[Finding]:  # noqa: ARG002
        """Report the ranks and pairs that stand out, each with all figures in which it is slow."""
        by_kind: dict[str, dict[Message, list[PairOutlier]]] = defaultdict(lambda: defaultdict(list))
        for outlier in _outliers(seen):
            by_kind[outlier.kind][outlier.who].append(outlier)
        for named in by_kind.values():
            for who, outliers in list(named.items())[:SHOWN]:
                worst = max(outlier.ratio for outlier in outliers)
                yield Finding(1 - 1 / worst, _finding(who, outliers), odd=True, against="peers")

    def remark(self, seen: Seen, launches: Sequence[Seen]) -> Message | None:  # noqa: ARG002
        worst: dict[Message, PairOutlier] = {}
        for outlier in _outliers(seen):
            worst[outlier.who] = max(outlier, worst.get(outlier.who, outlier), key=lambda candidate: candidate.ratio)
        if not worst:
            return next((apart for slow in seen if (apart := slow.apart)), None)
        slowest = max(worst.values(), key=lambda candidate: candidate.ratio)
        way = "both" if slowest.kind == "pair" else slowest.way  # a pair's name includes the direction
        return message("views-slow", who=slowest.who, way=way, ratio=slowest.ratio, others=len(worst) - 1)

    def method(self) -> Message:
        return message("views-method-of-pairs", ratio=SLOW, gap=GAP)

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return what is slow in each figure of each case, and a map of all pairs."""
        from banzuke.views.pairs.charts import pairs_chart  # noqa: PLC0415  (see LATE in tests/test_architecture.py)

        words = section.words
        cases = [(case, seen) for case in section.cases if (seen := self.of(case.assessment))]
        blocks: list[Block] = []
        for index, (case, seen) in enumerate(cases, 1):
            for slow in seen:
                title = _title(section, slow.metric)
                record = case.assessment.record
                matrix = record.pairs[slow.metric]
                name = slug(slow.metric) + (f"-{index}" if len(cases) > 1 else "")
                drawn = pairs_chart(section, name, title, matrix, locations(record, matrix), slow)
                blocks += [
                    Heading(
                        words(message("views-between-all", metric=title, of=of_what(memory=bool(matrix.ends)))),
                        of=case.label if len(section.cases) > 1 else "",
                    ),
                    _outcome(section, slow, [value for value in matrix.worst.values() if value]),
                    *_sharing(section, slow),
                    *(Paragraph(words(shown)) for shown in slow.clusters_shown),
                    *([drawn.block] if drawn else []),
                ]
        return blocks

    def tables(self, section: ViewSection) -> Mapping[str, Table]:
        """Return all figures of pairs.

        Ranks that all met have a row each, with figures by the other rank. Else, and for memories, there is a row for
        each pair, or for each pair and direction.
        """
        matrices = [
            (case, slow.metric, case.assessment.record.pairs[slow.metric])
            for case in section.cases
            for slow in self.of(case.assessment) or ()
        ]
        memories = [matrix for matrix in matrices if matrix[2].ends]
        full = [matrix for matrix in matrices if matrix[2].full and not matrix[2].ends]
        some = [matrix for matrix in matrices if not matrix[2].full and not matrix[2].ends]
        return {
            **({"pairs": _matrices(section, full)} if full else {}),
            **({"some_pairs": _met(some)} if some else {}),
            **({"memories": _memories(section, memories)} if memories else {}),
        }


def _outliers(seen: Seen) -> Iterator[PairOutlier]:
    for slow in seen:
        yield from slow.outliers


Matrix = tuple[ViewCase, str, Pairs]


def _matrices(section: ViewSection, matrices: Sequence[Matrix]) -> Table:
    most = max(matrix.count for _, _, matrix in matrices)
    rows = [
        Row(
            (
                *map(Cell, (case.id, metric, matrix.unit)),
                Cell(value=place.rank),
                Cell(section.words(place.message)),
                *(Cell(value=figures.get((place.rank, other))) for other in range(most)),
            )
        )
        for case, metric, matrix in matrices
        for figures in (_by_ends(matrix),)
        for place in locations(case.assessment.record, matrix)
    ]
    names = ["case", "metric", "unit", "rank", "where", *map(str, range(most))]
    return Table(tuple(map(Column, names)), tuple(rows))


def _met(matrices: Sequence[Matrix]) -> Table:
    rows = [
        Row((*map(Cell, (case.id, metric, matrix.unit)), *(Cell(value=amount) for amount in (*pair, value))))
        for case, metric, matrix in matrices
        for pair, value in sorted(
            _by_ends(matrix).items()
            if matrix.both_ways
            else ((pair[::-1], value) for pair, value in matrix.worst.items())
        )
    ]
    return Table(tuple(map(Column, ("case", "metric", "unit", "rank", "other", "value"))), tuple(rows))


def _by_ends(matrix: Pairs) -> Mapping[tuple[int, int], float]:
    """Return values by sender and receiver; if only one direction was measured, with the higher rank first."""
    return matrix.each if matrix.both_ways else matrix.worst


def _memories(section: ViewSection, matrices: Sequence[Matrix]) -> Table:
    rows = [
        Row((*map(Cell, (case.id, metric, matrix.unit, names[a], names[b])), Cell(value=value)))
        for case, metric, matrix in matrices
        for names in [[section.words(place.message) for place in locations(case.assessment.record, matrix)]]
        for a, b, value in zip(matrix.origins, matrix.targets, matrix.values, strict=True)
    ]
    return Table(tuple(map(Column, ("case", "metric", "unit", "from", "to", "value"))), tuple(rows))


def _finding(who: Message, outliers: Sequence[PairOutlier]) -> Message:
    first = outliers[0]
    seen = Listed(tuple(outlier.seen for outlier in outliers))
    way = first.way if len({outlier.way for outlier in outliers}) == 1 else "both"
    match first.kind:
        case "together":
            return message("views-slow-together", ranks=who, way=way, seen=seen)
        case "rank":
            return message("views-slow-rank", rank=who, way=way, seen=seen)
        case "memory":
            return message("views-slow-memory", memory=who, seen=seen)
        case "pair":
            return message("views-slow-pair", pair=who, way=way, seen=seen)


def _title(section: ViewSection, name: str) -> Message:
    metric = next((metric for metric in section.benchmark.metrics if metric.name == name), None)
    return metric_title(section.benchmark.name, metric) if metric else declared("", name.replace("_", " "))


def _outcome(section: ViewSection, slow: Slow, values: Sequence[float]) -> Block:
    words, outliers = section.words, list(slow.outliers)
    if outliers:
        items = [Item(f"{words(outlier.who)}: {words(outlier.seen)}") for outlier in outliers[:MOST_OUTLIERS]]
        if (more := len(outliers) - MOST_OUTLIERS) > 0:
            items.append(Item(words(message("views-more", number=more))))
        return Items(tuple(items))
    if len(values) == 1:
        return Paragraph(words(message("views-one-pair", figure=quantity(values[0], slow.unit))))
    return Paragraph(words(message("views-no-slow-pair")))


def _sharing(section: ViewSection, slow: Slow) -> Iterator[Block]:
    if slow.sharing:
        yield Paragraph(section.words(message("views-pairs-sharing", ranks=format_cpus([*slow.sharing]))))
