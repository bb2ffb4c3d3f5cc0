"""What was measured, on one screen: each headline with its limit, what holds it back, and its rank."""

from collections.abc import Sequence
from itertools import islice

from rich.cells import cell_len

from banzuke.cli import tables
from banzuke.cli.console import Console, out
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import GAP, terminal_table
from banzuke.judge.launches import disturbed
from banzuke.judge.model import OWN_BEST
from banzuke.machine.model import Machine
from banzuke.report.first.costs import Cost, costs
from banzuke.report.first.headlines import HeadlineLine, headline_lines
from banzuke.report.first.peers import compare
from banzuke.report.first.screen import MOST_CAUSES, doubts, losses, standing
from banzuke.report.model import Evaluation
from banzuke.units import percent, span
from banzuke.words import Listed, Message, Quantity, message
from banzuke.words.language import words

BAR = 16
"""Characters of a bar that reaches the limit."""
MOST_FAILED = 3
"""Benchmarks of which the first failed case is explained."""
MOST_DOUBTS = 3
MOST_PLACES = 4
"""Figures whose rank among published machines is printed."""
FEW = 12
"""Most cases whose table `run` prints without `-v`: a short sweep is itself the answer."""


def show_answer(evaluation: Evaluation, console: Console = out) -> None:
    """Print at most 40 lines of 100 characters for all benchmarks of one machine; `-v` and the report have the rest."""
    say = words()
    lines = headline_lines(evaluation, compare(evaluation, say)[0], say)
    costly = costs(evaluation)
    console.say((say(described(evaluation.machine)), "bold"))
    _show_headlines(lines, console)
    for name, why in islice(_failed(evaluation).items(), MOST_FAILED):
        console.say((name, "bold red"), f": {why}")
    doubtful = doubts(evaluation, lines, costly)
    doubted = next((cost for cost in costly if cost.doubtful), None)  # the first doubt, which says what to do
    _show_reasons(evaluation, doubtful, [cost for cost in costly if cost is not doubted], console)
    for stands in standing(lines, MOST_PLACES):
        console.say(say(stands))


def show_run(evaluation: Evaluation, *, verbose: bool, console: Console = out) -> None:
    """Print the headlines of the benchmarks that ran and what holds them back; then the cases, if they are few.

    `verbose`: first all cases with their details, then the answer.
    """
    few = len(evaluation.assessments) <= FEW
    if verbose:
        tables.show(evaluation.assessments, evaluation.benchmarks, verbose=True, console=console)
    lines, costly = headline_lines(evaluation, (), words()), costs(evaluation)
    records = [record for assessment in evaluation.assessments for record in assessment.records]
    if disturbed(records, evaluation.benchmarks):  # which the tables say
        costly = [cost for cost in costly if cost.finding.taker != "others"]
    _show_headlines(lines, console)
    _show_reasons(evaluation, doubts(evaluation, lines, ()), costly, console)
    if not verbose:
        tables.show(evaluation.assessments, evaluation.benchmarks, verbose=False, cases=few, console=console)


def _show_headlines(lines: Sequence[HeadlineLine], console: Console) -> None:
    console.print(terminal_table(headlines(lines, console.width)))
    if any(line.own_ceiling for line in lines):
        console.say((words()(message("answer-own-best", own=OWN_BEST)), "dim"))


def _show_reasons(
    evaluation: Evaluation, doubtful: Sequence[Message], costly: Sequence[Cost], console: Console
) -> None:
    """Print what makes the figures doubtful, and what costs most."""
    for doubt in doubtful[:MOST_DOUBTS]:
        console.say(("warning:", "yellow"), f" {words()(doubt)}")
    if costly:
        console.say((words()(message("first-costs-title")), "bold"))
        console.print(terminal_table(_causes(costly[:MOST_CAUSES], evaluation)))


def described(machine: Machine) -> Message:
    """Describe the machine in one line."""
    node = machine.partition.node
    models = dict.fromkeys(processor.model or processor.architecture or "–" for processor in node.processors)
    devices = tuple(f"{device.count} × {device.name}" for device in node.devices)
    return message(
        "answer-machine",
        name=machine.name,
        processors=Listed(tuple(models)),
        cores=sum(processor.cores or 0 for processor in node.processors),
        memory=Quantity(node.memory.total or 0.0, "B"),
        devices=Listed(devices),
        accelerated="yes" if devices else "no",
    )


def headlines(lines: Sequence[HeadlineLine], width: int) -> Table:
    """Return the table of headlines, one line each: in a narrow `width` without intervals, else with titles folded."""
    say = words()
    titles = ["", *map(say, (message("answer-median"), message("answer-of-limit"), message("answer-interval")))]
    rows = [(line.title, line.shown, _bar(line), _interval(line)) for line in lines]
    needed = [max(map(cell_len, column)) for column in zip(titles, *rows, strict=True)]
    shown = len(titles) if sum(needed) + GAP * (len(titles) - 1) <= width else len(titles) - 1
    columns = tuple(Column(title, numeric=place > 0) for place, title in enumerate(titles[:shown]))
    return Table(columns, tuple(Row(tuple(map(Cell, row[:shown]))) for row in rows))


def _bar(line: HeadlineLine) -> str:
    """Draw a bar as long as the share of the limit, followed by the share; without a share, say why there is none."""
    if line.of_limit is None:
        return words()(line.without_share)
    full = round(BAR * min(1.0, max(0.0, line.of_limit)))
    own = "*" if line.own_ceiling else ""
    return f"{'█' * full}{'░' * (BAR - full)} {percent(line.of_limit) + own:>6}"


def _interval(line: HeadlineLine) -> str:
    return span(*line.interval, line.unit) if line.interval else "–"


def _failed(evaluation: Evaluation) -> dict[str, str]:
    """Return, for each benchmark with a failed case, why its first one failed."""
    failed = [
        case for case in evaluation.assessments if case.record.status != "ok" and not case.record.lacks_environment
    ]
    return {case.record.benchmark: words().joined(case.verdict) for case in reversed(failed)}


def _causes(costly: Sequence[Cost], evaluation: Evaluation) -> Table:
    say = words()
    rows = []
    for place, cost in enumerate(costly, 1):
        confirm = say.attribute(cost.finding.message, "confirm")
        cause = message(
            "answer-cause",
            what=cost.finding.message,
            cost=losses(cost, evaluation),
            confirm=confirm,
            checked="yes" if confirm else "no",
        )
        rows.append(Row((Cell(f"{place}."), Cell(say(cause)))))
    return Table((Column(""), Column("")), tuple(rows))
