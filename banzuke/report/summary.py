"""The summary: each benchmark's headline figures with their shares and a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Details, Item, Items, Paragraph, Row, Section, Table
from banzuke.judge.headline import Headline, headlines
from banzuke.judge.model import OWN_BEST, Figure, share_of_limit
from banzuke.limit.capacity import kinds_driven
from banzuke.machine.model import Machine
from banzuke.plan.wording import full_title
from banzuke.record.model import Record
from banzuke.report.benchmark import section_of
from banzuke.report.chapter import Chapter, figure_title
from banzuke.report.figures import NONE, lacking, limit_cell, peak_cell, value_cell
from banzuke.report.first.peers import PeerComparison, place_of, share_of_peak
from banzuke.report.first.screen import first_screen
from banzuke.report.model import Evaluation
from banzuke.report.residuals import residual_remark
from banzuke.units import percent
from banzuke.views.view import NamesKinds, ViewCase, remarks, views
from banzuke.words import Duration, Message, message
from banzuke.words.language import Words


@dataclass(frozen=True)
class SummaryLine:
    """One line of the summary."""

    chapter: Chapter
    case: ViewCase
    """Case of the figure."""
    figure: Figure | None
    """Figure; None: the case gave none."""
    title: str
    """Title of the figure; empty: the benchmark's own title."""
    first: bool
    """Whether this line has its case's verdict."""
    mean: float | None = None
    """Mean over all cases, instead of a figure."""
    mean_of_limit: float | None = None
    mean_own: bool = False
    """See `Headline.own_ceiling`."""
    mean_unit: str = ""

    @property
    def share(self) -> Message | None:
        """The share of its limit in words; None: there is none."""
        if self.figure:
            return self.figure.of_limit
        return None if self.mean_of_limit is None else share_of_limit(self.mean_of_limit, own=self.mean_own)


def summary_lines(evaluation: Evaluation, chapters: Sequence[Chapter], words: Words) -> list[SummaryLine]:
    means = headlines(evaluation.assessments, evaluation.benchmarks)
    return [
        line
        for chapter in chapters
        for line in (
            [_of_all(chapter, means, words)]
            if chapter.collected and chapter.name in means
            else _lines(chapter, evaluation.machine, words)
        )
    ]


def _of_all(chapter: Chapter, means: Mapping[str, Headline], words: Words) -> SummaryLine:
    headline = means[chapter.name]
    title = words(message("report-mean-of", number=len(chapter.cases)))
    share, own = headline.fraction_of_limit, headline.own_ceiling
    return SummaryLine(chapter, chapter.cases[0], None, title, True, headline.value, share, own, headline.unit)


def _lines(chapter: Chapter, machine: Machine, words: Words) -> Iterator[SummaryLine]:
    """Return the lines of a benchmark.

    They are the headline case's, then the first case's for each headline metric that this one lacks, and for each kind
    of device. If the headline case failed, no other replaces it; if this system cannot run it, the others follow. A
    case without headlines is not replaced either, except on devices, which are judged separately.
    """
    first = chapter.cases[0]
    of_first = first.assessment.figures
    own = () if first.assessment.no_headline else of_first
    if not own:
        yield SummaryLine(chapter, first, None, "", True)
        if not (first.assessment.record.unsupported or first.assessment.no_headline):
            return
    shown = [(first, figure) for figure in own if figure.headline] or [(first, figure) for figure in own[:1]]
    taken = [figure for figure in of_first if figure.headline] or of_first[:1]
    seen = {(figure.metric, kinds_driven(first.assessment.record, machine)) for figure in taken}
    for case in chapter.cases:
        kinds_of_case = kinds_driven(case.assessment.record, machine)
        if len(kinds_of_case) > 1 or case.assessment.no_headline:
            continue  # several kinds together do not show how good each is
        for figure in case.assessment.figures:
            place = figure.metric, kinds_of_case
            if figure.headline and place not in seen:
                seen.add(place)
                shown.append((case, figure))
    section = section_of(chapter, machine, words)
    naming = [view for view in views(chapter.benchmark) if isinstance(view, NamesKinds)] if section else []
    kinds = {case: kind for view in naming if section for case, kind in view.kinds(section).items()}
    said: set[str] = set()
    for case, figure in shown:
        title = figure_title(case.assessment.record, figure, chapter.title, words)
        kind = kinds.get(case.id, "")
        if kind not in ("", figure.metric):
            title = words(message("report-figure-of", title=title, kind=kind))
        elif case.assessment.record.devices:
            title = words(_on_devices(title, case.assessment.record, machine))
        yield SummaryLine(chapter, case, figure, "" if title == chapter.title else title, case.id not in said)
        said.add(case.id)


def _on_devices(title: str, record: Record, machine: Machine) -> Message:
    """Return the title with the devices, and with their kind where the node has several."""
    named = " + ".join(kinds_driven(record, machine)) if len(machine.device_kinds) > 1 else ""
    return message("report-figure-on-devices", title=title, devices=len(record.devices), kind=named or "none")


def summary_section(
    evaluation: Evaluation,
    chapters: Sequence[Chapter],
    compared: Sequence[PeerComparison],
    words: Words,
    prefix: str,
) -> Section:
    """Return how good the machine is, what holds it back and how it compares; then each headline figure."""
    cases = [case for chapter in chapters for case in chapter.cases]
    blocks: list[Block] = [Paragraph(words.sentences(_counted(evaluation, cases)))]
    if evaluation.incomplete:
        blocks.insert(0, Paragraph(words(evaluation.incomplete)))
    blocks += first_screen(evaluation, compared, words, prefix)
    if evaluation.cut_short:
        intro, *rest = evaluation.cut_short
        blocks.append(Details(words(intro), (Items(tuple(Item(words(line)) for line in rest)),)))
    if cases:
        blocks.append(
            _table(
                summary_lines(evaluation, chapters, words), evaluation.machine, compared, words, f"{prefix}headlines"
            )
        )
    return Section(f"{prefix}summary", words(message("report-summary")), tuple(blocks), "summary", whole=True)


def _counted(evaluation: Evaluation, cases: Sequence[ViewCase]) -> Iterator[Message]:
    if not cases:
        yield message("report-nothing-measured", planned=evaluation.planned)
        return
    launches = sum(len(case.assessment.records) for case in cases)
    verified = sum(case.assessment.record.status == "ok" for case in cases)
    yield message(
        "report-cases-ran",
        cases=len(cases),
        of=max(evaluation.standard or 0, evaluation.planned),
        launches=launches,
        time=Duration((evaluation.ended - evaluation.started).total_seconds()),
    )
    if verified == len(cases):
        yield message("report-all-verified", cases=verified)
    else:
        yield message("report-some-verified", verified=verified, cases=len(cases))


def _table(
    summary: Sequence[SummaryLine], machine: Machine, compared: Sequence[PeerComparison], words: Words, file: str
) -> Table:
    """Return the table without empty columns."""
    places = {
        (comparison.benchmark, comparison.metric, comparison.devices): words(place_of(comparison))
        for comparison in compared
        if comparison.place
    }
    rows = []
    for line in summary:
        key = _compared(line)
        rows.append(_row(line, machine, places.pop(key, "") if key else "", words))  # the first of several kinds
    if any(row.cells[-1] != NONE for row in rows):  # then a dash would read as not verified
        good = Cell(words(message("report-verified")), mark="verified")
        rows = [Row((*row.cells[:-1], good if row.cells[-1] == NONE else row.cells[-1])) for row in rows]
    kept = [place for place in range(len(rows[0].cells)) if place < 2 or any(row.cells[place] != NONE for row in rows)]
    titles = (
        message("report-benchmark"),
        message("report-figure"),
        message("report-of-limit"),
        message("report-of-peak"),
        message("first-column-place"),
        message("report-verification"),
    )
    return Table(
        tuple(Column(words(titles[place]), numeric=place in (1, 2, 3)) for place in kept),
        tuple(Row(tuple(row.cells[place] for place in kept)) for row in rows),
        caption=words(message("report-summary-caption")),
        file=file,
        cards=True,
    )


def line_title(line: SummaryLine, words: Words) -> str:
    """Return `STREAM Triad`, `HPL, 1 device`, `Point to point: Latency at 8 B`."""
    chapter, figure = line.chapter, line.figure
    if not line.title or line.title.startswith(chapter.title):
        return line.title or chapter.title
    whole = figure_title(line.case.assessment.record, figure, "", words) if figure else ""
    named = whole.startswith(chapter.title)
    return f"{chapter.title} {line.title}" if named else full_title(chapter.title, line.title, words)


def _compared(line: SummaryLine) -> tuple[str, str, bool] | None:
    """Return the key of comparisons with published figures: benchmark, metric, and whether it is of devices."""
    if line.figure is None:
        return None
    return line.chapter.name, line.figure.metric, bool(line.case.assessment.record.devices)


def _row(line: SummaryLine, machine: Machine, place: str, words: Words) -> Row:
    chapter, case, figure = line.chapter, line.case, line.figure
    assessment = case.assessment
    verdict = words.joined(_verdict(line)) if line.first and not chapter.collected else ""
    name = Cell(line_title(line, words), link=f"#{chapter.anchor}", note=verdict)
    good = sum(view_case.assessment.record.status == "ok" for view_case in chapter.cases)
    of_cases = message("report-verified-of", verified=good, cases=len(chapter.cases))
    sound = all(
        view_case.assessment.record.unsupported or view_case.assessment.record.status == "ok"
        for view_case in chapter.cases
    )
    checked = NONE if good == len(chapter.cases) else Cell(words(of_cases), mark="skipped" if sound else "failed")
    if line.mean is not None:
        share = line.mean_of_limit
        note = words(OWN_BEST) if line.mean_own else ""
        limit = NONE if share is None else Cell(percent(share), share, "1", share=share, note=note)
        mean = Cell(figure_text(line.mean, line.mean_unit), line.mean, line.mean_unit)
        return Row((name, mean, limit, NONE, NONE, checked))
    if figure is None:
        return Row((name, Cell(words(lacking(assessment))), NONE, NONE, NONE, checked))
    value = value_cell(case, figure, figure.value, "median")
    shares = limit_cell(case, figure, words), _node_peak_cell(case, figure, machine)
    return Row((name, value, *shares, Cell(place) if place else NONE, checked))


def _verdict(line: SummaryLine) -> Sequence[Message]:
    """Return the verdict of the case, and for the first case also remarks on the others."""
    every = views(line.chapter.benchmark)
    others = [remark for case in line.chapter.cases[1:] for remark in remarks(case.assessment, every)]
    residual = residual_remark(line.chapter, line.case)
    return [
        *line.case.assessment.verdict,
        *filter(None, [residual]),
        *(dict.fromkeys(others) if line.case is line.chapter.cases[0] else ()),
    ]


def _node_peak_cell(case: ViewCase, figure: Figure, machine: Machine) -> Cell:
    """Return the share of the nodes' flop rate, even where memory is the bound, as centres report it."""
    share = share_of_peak(machine, case.assessment.record, figure)
    if figure.fraction_of_peak is None and share is not None:
        return Cell(percent(share), share, "1", share=share)
    return peak_cell(case, figure)
