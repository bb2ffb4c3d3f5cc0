"""The cases of a collection as content: families, problems, and one way of solving them beside another."""

from collections.abc import Sequence
from itertools import groupby

from banzuke.limit import collection as seen
from banzuke.limit.model import Figure
from banzuke.plan.benchmark import Collection as Declared
from banzuke.plan.benchmark import Statistic
from banzuke.record.model import Record
from banzuke.report.base import Number
from banzuke.report.content import Case, Collection, Family, Mean, Member, Ratio, RatioFamily, Versus
from banzuke.units import number, percent, quantity


def collection(declared: Declared, members: Sequence[seen.Member], cases: Sequence[Case]) -> Collection:
    """`cases` in the order of `members`."""
    identity = {id(member): case.id for member, case in zip(members, cases, strict=True)}
    return Collection(
        noun=declared.noun,
        along=declared.along.title,
        titles=[statistic.title for statistic in declared.statistics],
        families=[_family(group, identity) for group in seen.summaries(members)],
        members=[_member(declared, member, identity[id(member)]) for member in members],
        versus=[
            _versus(declared, list(of), identity)
            for _, of in groupby(seen.ratios(members), key=lambda ratio: ratio.other)
        ],
    )


def beside(
    declared: Declared,
    mine: tuple[str, Sequence[seen.Member], Sequence[Case]],
    theirs: tuple[str, Sequence[seen.Member]],
) -> Versus | None:
    """One run's problems over another's, both in the way that each solved its first problem in. None: none is shared.

    Of each its name and its members; of the first their cases, too, in the same order.
    """
    name, members, cases = mine
    other, others = theirs
    identity = {id(member): case.id for member, case in zip(members, cases, strict=True)}
    here, there = ([member for member in of if member.way == of[0].way] for of in (members, others))
    found = seen.over(here, there, _named(name, members[0].way), _named(other, others[0].way))
    return _versus(declared, found, identity) if found else None


def _named(run: str, way: str) -> str:
    return f"{run} with {way}" if way else run


def mean(value: float | None, unit: str) -> Mean | None:
    if value is None:
        return None
    return Mean(value=value, unit=unit, text=percent(value) if unit == "" else quantity(value, unit))


def _member(declared: Declared, member: seen.Member, case: str) -> Member:
    record = member.assessment.record
    return Member(
        case=case,
        name=member.problem.name,
        family=member.problem.family,
        way=member.way,
        place=member.place or "",
        choice=str(record.conditions.get(declared.choice or "", "")),
        along=_fact(record, declared.along, case),
        facts=[_fact(record, statistic, case) for statistic in declared.statistics],
    )


def _fact(record: Record, statistic: Statistic, case: str) -> Number | None:
    value = record.conditions.get(statistic.condition)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    whole = float(value).is_integer() and statistic.unit == "1"
    text = f"{int(value):,}" if whole else number(value) if statistic.unit == "1" else quantity(value, statistic.unit)
    return Number(value=value, unit=statistic.unit, text=text, case=case, metric=statistic.condition, stat="condition")


Identity = dict[int, str]
"""Of a member its case."""


def _family(group: seen.FamilySummary, identity: Identity) -> Family:
    def figure_of(member: seen.Member | None) -> Figure | None:
        return member.figure if member else None

    worst, least = figure_of(group.worst), figure_of(group.worst_of_limit)
    return Family(
        family=group.family,
        way=group.way,
        count=group.count,
        verified=group.verified,
        mean=mean(group.mean, group.unit),
        worst=None
        if worst is None
        else Number(
            value=worst.value,
            unit=worst.unit,
            text=quantity(worst.value, worst.unit),
            case=identity[id(group.worst)],
            metric=worst.metric,
            stat="median",
        ),
        worst_name=group.worst.problem.name if group.worst else "",
        in_cache=group.places["in cache"],
        partly=group.places["partly in cache"],
        in_memory=group.places["in memory"],
        of_limit=mean(group.of_limit, ""),
        worst_of_limit=None
        if least is None or least.fraction_of_limit is None
        else Number(
            value=least.fraction_of_limit,
            unit="1",
            text=percent(least.fraction_of_limit),
            case=identity[id(group.worst_of_limit)],
            metric=least.metric,
            stat="fraction_of_limit",
        ),
        worst_of_limit_name=group.worst_of_limit.problem.name if group.worst_of_limit else "",
    )


def _versus(declared: Declared, found: Sequence[seen.Ratio], identity: Identity) -> Versus:
    families = [_ratio_family(group) for group in seen.family_ratios(found)]
    return Versus(
        way=found[0].way,
        other=found[0].other,
        mean=families[-1].mean,
        families=families,
        ratios=[_ratio(declared, ratio, identity) for ratio in found],
    )


def _ratio_family(group: seen.FamilyRatios) -> RatioFamily:
    return RatioFamily(
        family=group.family,
        count=group.count,
        mean=Mean(value=group.mean, unit="1", text=number(group.mean)),
        least=group.least.ratio,
        least_text=number(group.least.ratio),
        least_name=group.least.problem.name,
        most=group.most.ratio,
        most_text=number(group.most.ratio),
        most_name=group.most.problem.name,
    )


def _ratio(declared: Declared, ratio: seen.Ratio, identity: Identity) -> Ratio:
    mine, theirs = ratio.member, ratio.against
    provenance = theirs.assessment.record.provenance
    size = mine.assessment.record.conditions.get(declared.along.condition)
    return Ratio(
        name=ratio.problem.name,
        family=ratio.problem.family,
        along=float(size) if isinstance(size, int | float) else 0.0,
        case=identity[id(mine)],
        against=identity.get(id(theirs)) or (provenance.id if provenance else ""),
        ratio=ratio.ratio,
        text=number(ratio.ratio),
        figure=_figure(mine),
        other_figure=_figure(theirs),
    )


def _figure(member: seen.Member) -> str:
    return quantity(member.figure.value, member.figure.unit) if member.figure else ""
