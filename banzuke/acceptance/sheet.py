"""The sheet: what was agreed, measured and judged, as the content of a page to print and sign."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from banzuke import __version__
from banzuke.acceptance.cases import MeasuredRun
from banzuke.acceptance.contract import Contract, Rules, Term
from banzuke.acceptance.improvement import ImprovementResult
from banzuke.acceptance.judge import FigureResult, requirement_text, requirements_of, shown_value
from banzuke.compare.settings import figure_text
from banzuke.compare.verdict import Reached, overall
from banzuke.document import Block, Cell, Column, Document, Item, Items, Paragraph, Row, Section, Table, Tone
from banzuke.plan.wording import layout_of, metric_title
from banzuke.units import times, times_span
from banzuke.words import Listed, Message, Quantity, Share, Span, message
from banzuke.words.language import Words

NOTHING = "–"
FILE = "acceptance"
"""Name of the sheet's files, without their suffixes."""
MOST_NAMED = 12
"""Most runs or hosts that a cell lists."""
_TONES: dict[Reached, Tone] = {"pass": "better", "fail": "worse", "untold": "unsure"}


@dataclass(frozen=True)
class Acceptance:
    """A contract and what the runs say of it."""

    contract: Contract
    runs: tuple[MeasuredRun, ...]
    figures: tuple[FigureResult, ...]
    improvement: ImprovementResult | None
    at: datetime
    """When it was judged."""

    @property
    def verdict(self) -> Reached:
        """The verdict of the whole contract, in which a waived figure counts as passed."""
        verdicts: list[Reached] = ["pass" if figure.waived else figure.verdict for figure in self.figures]
        if self.improvement and self.improvement.verdict:
            verdicts.append(self.improvement.verdict)
        return overall(verdicts)

    @property
    def totals(self) -> Message:
        """Return how many figures passed, failed, were waived or are missing."""
        waived = sum(figure.waived for figure in self.figures)
        passed, failed, untold = (
            sum(figure.verdict == verdict and not figure.waived for figure in self.figures)
            for verdict in ("pass", "fail", "untold")
        )
        return message(
            "accept-totals",
            figures=len(self.figures),
            passed=passed,
            waived=waived,
            failed=failed,
            untold=untold,
            improvement=(self.improvement and self.improvement.verdict) or "none",
        )


def outcome(verdict: Reached) -> Message:
    """Return the verdict of the whole contract in words."""
    return message("accept-outcome", verdict=verdict)


def title_of(term: Term, words: Words) -> str:
    return term.name or words(metric_title(term.asked.benchmark, term.metric))


def sheet(acceptance: Acceptance, words: Words, notes: dict[str, str]) -> Document:
    """Return the document; `notes`: the texts of any page."""
    file = acceptance.contract.file
    say = _Sections(acceptance, words)
    return Document(
        language=words.language,
        title=file.title,
        subtitle=[words.moment(acceptance.at)],
        sections=tuple(say.all()),
        generator=f"Banzuke {__version__}",
        notes={**notes, "kind": words(message("accept-sheet"))},
    )


@dataclass(frozen=True)
class _Sections:
    acceptance: Acceptance
    words: Words

    def all(self) -> Iterator[Section]:
        """Yield the sections of the sheet: the result, then what it follows from."""
        words, acceptance = self.words, self.acceptance
        result: list[Block] = [
            Paragraph(words(message("accept-whole", outcome=outcome(acceptance.verdict), totals=acceptance.totals))),
            figures_table(acceptance, words),
        ]
        if said := reasons(acceptance, words):
            result.append(Items(tuple(map(Item, said)), style="prose"))
        yield Section("result", words(message("accept-result")), tuple(result))
        if acceptance.improvement:
            improved = acceptance.improvement
            blocks: list[Block] = [improvement_table(improved, words)]
            blocks += [Paragraph(words(why)) for why in improved.why]
            yield Section("improvement", words(message("accept-improvement")), tuple(blocks))
        if any(term.asked.waiver for term in acceptance.contract.terms):
            yield Section("waivers", words(message("accept-waivers")), (self._waivers(),))
        yield Section("evidence", words(message("accept-evidence")), (self._evidence(), self._rules()))
        yield Section("agreement", words(message("accept-agreement")), (self._agreement(),), "specification")
        yield Section("signatures", words(message("accept-signatures")), (self._signatures(),), "signatures")

    def _heads(self, *titles: Message) -> tuple[Column, ...]:
        return tuple(Column(self.words(title)) for title in titles)

    def _waivers(self) -> Table:
        rows = [
            (
                title_of(term, self.words),
                term.asked.waiver.reason,
                term.asked.waiver.name,
                self.words.date(_moment(term.asked.waiver.agreed)) if term.asked.waiver.agreed else NOTHING,
            )
            for term in self.acceptance.contract.terms
            if term.asked.waiver
        ]
        columns = self._heads(
            message("accept-figure"), message("accept-reason"), message("accept-by"), message("accept-date")
        )
        return Table.of_texts(columns, rows)

    def _evidence(self) -> Table:
        columns = self._heads(
            message("accept-figure"),
            message("accept-case"),
            message("accept-runs"),
            message("accept-launches"),
            message("accept-interval-of"),
            message("accept-state"),
        )
        rows = [self._evidence_of(result) for result in self.acceptance.figures]
        return Table.of_texts(columns, rows)

    def _evidence_of(self, result: FigureResult) -> tuple[str, ...]:
        words, nodes = self.words, result.nodes
        runs = tuple(dict.fromkeys(run for node in nodes for run in node.runs))
        counted, every = sum(node.launches for node in nodes), sum(node.of for node in nodes)
        between = {node.between_runs for node in nodes if node.interval}
        middle = result.middle
        basis = NOTHING
        if between:
            basis = words(message("accept-between", what="runs" if between == {True} else "launches"))
        case = NOTHING
        if middle and middle.counted:
            record = middle.counted.record
            parameters = (f"{name}={value}" for name, value in record.parameters.items())
            case = ", ".join([f"{record.benchmark} {record.backend}", words(layout_of(record)), *parameters])
        return (
            title_of(result.term, words),
            case,
            words.fact(Listed(runs, MOST_NAMED)) if runs else NOTHING,
            words(message("accept-counted", counted=counted, launches=every)) if every else NOTHING,
            basis,
            words.fact(Listed(result.states)) if result.states else NOTHING,
        )

    def _rules(self) -> Items:
        general = self.acceptance.contract.file.rules
        items = [Item(self.words.sentences(rule_texts(general)))]
        for term in self.acceptance.contract.terms:
            if term.rules != general:
                text = self.words.sentences(rule_texts(term.rules))
                title = title_of(term, self.words)
                items.append(Item(self.words(message("accept-of", figure=title, what=text))))
        return Items(tuple(items), style="facts")

    def _agreement(self) -> Table:
        words, contract = self.words, self.acceptance.contract
        file = contract.file
        machines = tuple(dict.fromkeys(run.machine.name for run in self.acceptance.runs if run.machine))
        hosts = {host for result in self.acceptance.figures for node in result.nodes for host in node.hosts}
        rows = [
            (message("accept-customer"), file.customer),
            (message("accept-vendor"), file.vendor),
            (message("accept-agreed"), words.date(_moment(file.agreed)) if file.agreed else ""),
            (message("accept-contract"), f"{contract.path.name} (SHA-256 {contract.digest})"),
            (message("accept-machine"), words.fact(Listed(machines, MOST_NAMED)) if machines else ""),
            (message("accept-measured-hosts"), words.fact(Listed(tuple(sorted(hosts)), MOST_NAMED)) if hosts else ""),
            (message("accept-measured-runs"), words.fact(Listed(tuple(run.name for run in self.acceptance.runs)))),
            (message("accept-note"), file.note),
        ]
        texts = [(words(title), text) for title, text in rows if text]
        return Table.of_texts((Column(""), Column("")), texts)

    def _signatures(self) -> Table:
        file, words = self.acceptance.contract.file, self.words
        columns = self._heads(
            message("accept-party"), message("accept-name"), message("accept-date"), message("accept-signature")
        )
        parties = ((message("accept-customer"), file.customer), (message("accept-vendor"), file.vendor))
        blank = "\u3000" * 8
        rows = (Row((Cell(words(title), note=name or " "), *[Cell(blank)] * 3)) for title, name in parties)
        return Table(columns, tuple(rows))


def _moment(day: object) -> datetime:
    return datetime.fromisoformat(str(day))


def figures_table(acceptance: Acceptance, words: Words) -> Table:
    """Return a line for each figure: asked, measured, verdict. For a terminal, too."""
    columns = (
        Column(words(message("accept-figure"))),
        Column(words(message("accept-asked")), right=True),
        Column(words(message("accept-measured")), right=True),
        Column(words(message("accept-interval")), right=True),
        Column(words(message("accept-nodes")), right=True),
        Column(words(message("accept-verdict"))),
    )
    rows = tuple(_figure_row(result, words) for result in acceptance.figures)
    return Table(columns, rows)


def _figure_row(result: FigureResult, words: Words) -> Row:
    term, unit = result.term, result.term.metric.unit
    value, worst = shown_value(result), result.worst
    requirements = requirements_of(result)
    middle = result.middle
    interval = middle.interval if middle else None
    several = len(result.nodes) > 1 and worst is not None and worst.side is not None
    lowest = words(message("accept-worst", value=Quantity(worst.side.value, unit))) if several and worst.side else ""  # type: ignore[union-attr]
    case = ", ".join(f"{name}={value}" for name, value in term.asked.case.items())
    verdict = words(verdict_text(result))
    return Row(
        (
            Cell(title_of(term, words), note=f"{term.asked.benchmark}{', ' if case else ''}{case}"),
            Cell(words(requirement_text(term, requirements)) if requirements else NOTHING, note=_agreed(term, words)),
            Cell(NOTHING if value is None else figure_text(value, unit), note=lowest),
            Cell(words.fact(Span(interval.low, interval.high, unit)) if interval else NOTHING),
            Cell(words(message("accept-reached", reached=result.reached, of=result.of))),
            Cell(verdict, tone=_TONES[result.verdict]),
        )
    )


def _agreed(term: Term, words: Words) -> str:
    """Return the tolerance of a reference."""
    if term.asked.reference is None:
        return ""
    return words(message("accept-tolerance", share=Share(term.asked.tolerance)))


def verdict_text(result: FigureResult) -> Message:
    return message("accept-verdict-of", verdict=result.verdict, waived="yes" if result.waived else "no")


def reasons(acceptance: Acceptance, words: Words) -> list[str]:
    """Return for each figure why it fails or cannot be told, what to do, and what was left out."""
    lines = []
    for result in acceptance.figures:
        title = title_of(result.term, words)
        lines += [words(message("accept-of", figure=title, what=why)) for why in result.why]
        nodes: dict[Message, list[str]] = {}
        for node in result.nodes:
            for why in node.why:
                nodes.setdefault(why, []).extend(node.hosts or node.runs)
        for why, hosts in nodes.items():
            if len(result.nodes) > 1:
                on = Listed(tuple(hosts), MOST_NAMED)
                lines.append(words(message("accept-of-hosts", figure=title, hosts=on, what=why)))
            else:
                lines.append(words(message("accept-of", figure=title, what=why)))
    return lines


def improvement_table(improved: ImprovementResult, words: Words) -> Table:
    """Return a line for each figure over the predecessor's, and their geometric mean."""
    columns = (
        Column(words(message("accept-figure"))),
        Column(words(message("accept-over", predecessor=improved.name)), right=True),
        Column(words(message("accept-interval")), right=True),
        Column(words(message("accept-verdict"))),
    )
    rows = [
        Row(
            tuple(
                map(
                    Cell,
                    (
                        title_of(figure.term, words),
                        times(figure.ratio, figure.interval) if figure.ratio else NOTHING,
                        _span(figure.interval, words),
                        words(figure.why) if figure.why else "",
                    ),
                )
            )
        )
        for figure in improved.figures
    ]
    asked = improved.asked.minimum
    mean = words(message("accept-mean"))
    if asked is not None:
        mean = words(message("accept-mean-asked", least=asked))
    verdict = improved.verdict
    total = (
        Cell(mean),
        Cell(times(improved.ratio, improved.interval) if improved.ratio else NOTHING),
        Cell(_span(improved.interval, words)),
        Cell(words(message("accept-verdict-of", verdict=verdict, waived="no")), tone=_TONES[verdict])
        if verdict
        else Cell(),
    )
    return Table(columns, (*rows, Row(total, "total")))


def _span(interval: tuple[float, float] | None, words: Words) -> str:
    if interval is None:
        return NOTHING
    first, last = times_span(*interval)
    return words(message("fact-span", first=first, last=last))


def rule_texts(rules: Rules) -> Sequence[Message]:
    """Return the rules in words."""
    return [
        message("accept-rule-confidence", confidence=rules.confidence),
        message("accept-rule-share", share=Share(rules.share)),
        *([message("accept-rule-nodes", number=rules.nodes)] if rules.nodes else []),
        message("accept-rule-launches", number=rules.launches),
        *([message("accept-rule-runs", number=rules.runs)] if rules.runs > 1 else []),
        message("accept-rule-verified", all="yes" if rules.verified else "no"),
        *([message("accept-rule-undisturbed")] if rules.undisturbed else []),
        *([message("accept-rule-official")] if rules.official else []),
    ]
