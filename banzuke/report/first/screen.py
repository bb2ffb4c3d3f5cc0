"""A report's first screen: each headline as a share of its limit, its place, and what holds the machine back."""

from collections.abc import Sequence
from itertools import groupby

from banzuke.document import (
    Block,
    Drawing,
    FindingEntry,
    Findings,
    Heading,
    Item,
    Items,
    Panel,
    Paragraph,
)
from banzuke.document.drawing import SMALL, Pen
from banzuke.judge.finding import Finding
from banzuke.judge.launches import used_by_others
from banzuke.judge.model import OWN_BEST, share_of_limit
from banzuke.judge.states import changes, judged_by_the_best
from banzuke.limit.remarks import remarks
from banzuke.plan.aspect import Aspect
from banzuke.report.first.costs import Cost, costs
from banzuke.report.first.headlines import HeadlineLine, headline_lines
from banzuke.report.first.peers import PeerComparison, place_of
from banzuke.report.model import Evaluation
from banzuke.units import percent
from banzuke.words import Listed, Message, Share, message
from banzuke.words.language import Words

WIDTH = 330.0
_BAR, _HEIGHT = 262.0, 9.0
MOST_CAUSES = 3
"""Most causes shown; the others are in their benchmarks' sections."""
_MOST_BENCHMARKS = 4
"""Most benchmarks named with a cause."""


def first_screen(
    evaluation: Evaluation, comparisons: Sequence[PeerComparison], words: Words, prefix: str = ""
) -> Sequence[Block]:
    """Return the first screen; empty where nothing was measured."""
    lines = headline_lines(evaluation, comparisons, words)
    measured, costly = any(line.value is not None for line in lines), costs(evaluation)
    if not measured and not costly:
        return []
    used = _used(evaluation)
    blocks: list[Block] = [Paragraph(words.sentences([*_summary(lines, costly), *changes(evaluation.assessments)]))]
    doubted = doubts(evaluation, lines, costly)
    blocks += [Items(tuple(Item(words(said)) for said in doubted), style="warnings")] if doubted else []
    blocks += [_drawing(lines, words, prefix)] if measured else []
    if costly:
        blocks.append(Heading(words(message("first-costs-title"))))
        blocks.append(
            Findings(
                tuple(_finding(cost, evaluation, used, words) for cost in costly[:MOST_CAUSES]),
                words(message("first-evidence")),
                words(message("first-confirm")),
            )
        )
    return blocks


def _summary(lines: Sequence[HeadlineLine], costly: Sequence[Cost]) -> Sequence[Message]:
    said = []
    judged = [
        (line.of_limit, line.title)
        for line in lines
        if line.of_limit is not None and not line.above and not line.own_ceiling
    ]
    if judged:
        own = _yes(any(line.own_ceiling for line in lines if line.of_limit is not None))
        (most, best), (least, worst) = max(judged), min(judged)
        said.append(
            message(
                "first-range",
                own=own,
                count=len(judged),
                best=best,
                most=Share(most),
                worst=worst,
                least=Share(least),
            )
        )
    if costly:
        cause = costly[0].finding
        what = message("first-cause", kind="others" if _by_others(cause) else "other", what=cause.message)
        said.append(message("first-held-back", what=what))
    return [*said, *standing(lines)]


def standing(lines: Sequence[HeadlineLine], most: int | None = None) -> Sequence[Message]:
    """Return the machine's places among published ones, for at most this many figures; empty: it has none."""
    placed = [place_of(line.comparison, line.title) for line in lines if line.comparison]
    return [message("first-standing", places=Listed(tuple(placed), most))] if placed else []


def doubts(evaluation: Evaluation, lines: Sequence[HeadlineLine], costly: Sequence[Cost]) -> Sequence[Message]:
    """Return the reasons why the figures say little about the machine, or their shares of limits little about them."""
    disturbed = [_disturbed(cost, evaluation, _used(evaluation)) for cost in costly if cost.doubtful][:1]
    above = [line for line in lines if line.above]
    of_ceilings = [*judged_by_the_best(evaluation.assessments), *remarks(evaluation.ceilings)]
    return [*disturbed, *of_ceilings, *map(_doubt, above)]


def _used(evaluation: Evaluation) -> Message | None:
    return used_by_others([record for case in evaluation.assessments for record in case.records], evaluation.benchmarks)


def _yes(true: bool) -> str:  # noqa: FBT001
    return "yes" if true else "no"


def _doubt(line: HeadlineLine) -> Message:
    return message("first-above", title=line.title, share=Share(line.of_limit or 0.0))


def _by_others(finding: Finding) -> bool:
    return finding.message.code == "limit-busy-neighbours"


def _disturbed(cost: Cost, evaluation: Evaluation, used: Message | None) -> Message:
    return message(
        "first-disturbed",
        what=cost.finding.message,
        used=used if used and _by_others(cost.finding) else "none",
        count=len(cost.shares),
        all=cost.benchmarks,
        effect=_effects(cost, evaluation)[0],
    )


def _effects(cost: Cost, evaluation: Evaluation) -> Sequence[Message]:
    """Return the effects, largest first: `98.3% of OS noise`."""
    return [
        message("first-cost", title=evaluation.title_of(name), share=Share(share))
        for name, share in cost.shares.items()
    ]


def _drawing(lines: Sequence[HeadlineLine], words: Words, prefix: str) -> Drawing:
    """Draw two panels of about the same height."""
    groups = [(aspect, list(group)) for aspect, group in groupby(lines, key=lambda line: line.aspect)]
    ends = [sum(len(group) + 0.5 for _, group in groups[: place + 1]) for place in range(len(groups))]
    half = next(place for place, end in enumerate(ends) if 2 * end >= ends[-1]) + 1
    panels = [_panel(part, words) for part in (groups[:half], groups[half:]) if part]
    return Drawing(
        f"{prefix}headlines",
        words(message("first-drawing-title")),
        words.sentences(map(_described, lines)),
        tuple(panels),
    )


def _described(line: HeadlineLine) -> Message:
    share = line.without_share if line.of_limit is None else share_of_limit(line.of_limit, own=line.own_ceiling)
    place: Message | str = place_of(line.comparison) if line.comparison else "–"
    placed = _yes(line.comparison is not None)
    return message("first-described", title=line.title, value=line.shown, share=share, placed=placed, place=place)


def _panel(groups: Sequence[tuple[Aspect | None, Sequence[HeadlineLine]]], words: Words) -> Panel:
    pen, y = Pen(WIDTH), 0.0
    for aspect, lines in groups:
        if aspect or len(groups) > 1:
            y = pen.text(0, y, words(_aspect(aspect)), width=WIDTH, size=SMALL, fill="soft")
            pen.line(0, y + 1, WIDTH, y + 1, "rule", thick=1)
            y += 4
        for line in lines:
            y = _row(pen, y, line, words) + 6
        y += 4
    return pen.panel(y)


def _aspect(aspect: Aspect | None) -> Message:
    return message("first-aspect", aspect=aspect or "other")


def _row(pen: Pen, y: float, line: HeadlineLine, words: Words) -> float:
    """Draw a title with its value, a bar where there is a share, and the place."""
    pen.text(WIDTH, y, line.shown, width=100, anchor="end", bold=True, most=1)
    y = pen.text(0, y, line.title, width=WIDTH - 100, most=2) + 3
    share = line.lost if line.of_limit is None else line.of_limit
    if share is not None:
        colour = "c2" if line.of_limit is None else "accent" if line.above else "c1"
        pen.box(0, y, _BAR, _HEIGHT, "hair", "", radius=0)
        pen.box(0, y, _BAR * max(0.0, min(1.0, share)), _HEIGHT, colour, "", radius=0)
        if line.of_limit is not None:
            pen.text(WIDTH, y - 4, percent(share), width=68, anchor="end", most=1)
        y += _HEIGHT + 2
    about = [words(line.without_share)] if line.of_limit is None else []
    about += [words(OWN_BEST)] if line.own_ceiling else []
    about += [words(place_of(line.comparison))] if line.comparison else []
    return pen.text(0, y - 1, " · ".join(about), width=WIDTH, size=SMALL, fill="soft") if about else y


def _finding(cost: Cost, evaluation: Evaluation, used: Message | None, words: Words) -> FindingEntry:
    """Return a cost with the evidence of one case, or of all launches where others disturbed the run."""
    said = cost.finding.message
    evidence = words.attribute(said, "evidence")
    if used and _by_others(cost.finding):
        evidence = words(message("first-others-used", used=used))
    return FindingEntry(words(said), evidence, words.attribute(said, "confirm"), of=words(losses(cost, evaluation)))


def losses(cost: Cost, evaluation: Evaluation) -> Message:
    """Return which figures it may cost how much, and compared with what."""
    named = Listed(tuple(_effects(cost, evaluation)), _MOST_BENCHMARKS)
    return message(
        "first-costs", count=len(cost.shares), all=cost.benchmarks, shares=named, against=cost.finding.compared
    )
