"""A collection's figures on the terminal: a line a family; each problem's own are in the report and the records."""

from collections.abc import Sequence
from itertools import groupby

from rich.table import Table

from banzuke.cli.console import Console
from banzuke.limit.collection import (
    BOUNDED,
    FamilyRatios,
    FamilySummary,
    Member,
    family_ratios,
    ratios,
    sentence,
    summaries,
)
from banzuke.plan.benchmark import Collection
from banzuke.plan.problems import ALL
from banzuke.units import number, percent, quantity

NOTHING = "–"


def show(collection: Collection, members: Sequence[Member], console: Console) -> None:
    """Families as they were solved first, all of them together in every way, and by how much the first is better."""
    first = members[0].way
    found = [group for group in summaries(members) if group.way == first or group.family == ALL]
    compared = {
        other: {group.family: group for group in family_ratios(list(of))}
        for other, of in groupby(ratios(members), key=lambda ratio: ratio.other)
    }
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("family", overflow="fold")
    for heading in (collection.noun, "mean", "lowest", "in cache", "of limit", "lowest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for other in compared:
        table.add_column(f"over {other}", justify="right", no_wrap=True)
        table.add_column("lowest", justify="right", no_wrap=True)
    for group in found:
        versus = [of.get(group.family) if group.way == first else None for of in compared.values()]
        table.add_row(*_cells(group), *(cell for each in versus for cell in _ratio(each)))
    console.print(table)
    console.say((f"Means are geometric. Of the limit: of those {BOUNDED}.", "dim"))
    console.say(sentence(collection, members))
    for other, of in compared.items():
        *_, whole = of.values()
        console.say(_sentence(first, other, whole))


def _cells(group: FamilySummary) -> list[str]:
    worst = group.worst.figure if group.worst else None
    least = group.worst_of_limit.figure if group.worst_of_limit else None
    cached, partly = group.places["in cache"], group.places["partly in cache"]
    name = f"{group.family} with {group.way}" if group.way and group.family == ALL else group.family
    return [
        name,
        str(group.count) if group.verified == group.count else f"{group.verified} of {group.count}",
        NOTHING if group.mean is None else quantity(group.mean, group.unit),
        NOTHING if worst is None else quantity(worst.value, worst.unit),
        f"{cached}" + (f" + {partly} partly" if partly else ""),
        NOTHING if group.of_limit is None else percent(group.of_limit),
        NOTHING if least is None else percent(least.fraction_of_limit),
    ]


def _ratio(group: FamilyRatios | None) -> list[str]:
    return [f"{group.mean:.2f}", f"{group.least.ratio:.2f}"] if group else [NOTHING, NOTHING]


def _sentence(way: str, other: str, whole: FamilyRatios) -> str:
    least, most = (f"{number(of.ratio)} ({of.problem.name})" for of in (whole.least, whole.most))
    return (
        f"{way} over {other}: {number(whole.mean)} in the geometric mean of {whole.count}, from {least} to {most}; "
        "above 1 the former is better"
    )
