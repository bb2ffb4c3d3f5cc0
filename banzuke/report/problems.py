"""A collection's problems as a CSV file of their own: one line each."""

from banzuke.document.csv import csv_text
from banzuke.report.base import Number
from banzuke.report.content import Collection, Section


def problems_csv(section: Section, collection: Collection) -> str:
    """One line a problem: what it is, and its figures. Values are in SI units, in full."""
    metrics = {m.metric: m.unit for entry in section.cases for m in entry.measurements}
    facts = [collection.along, *collection.titles]
    figures = [f"{name}_{kind}" for name in metrics for kind in ("median", "best", "fraction_of_limit")]
    header = ["name", "family", "solved_with", "state", "data", "solved_by", *facts, *figures, "case", "reason"]
    rows: list[list[object]] = []
    for member, entry in zip(collection.members, section.cases, strict=True):
        known = {m.metric: m for m in entry.measurements}
        values: list[object] = [member.name, member.family, member.way, entry.state, member.place, member.choice]
        values += [value(fact) for fact in (member.along, *member.facts)]
        for name in metrics:
            m = known.get(name)
            values += [value(figure) for figure in ((m.median, m.best, m.of_limit) if m else (None,) * 3)]
        rows.append([*values, entry.id, entry.reason])
    return csv_text(header, rows)


def value(figure: Number | None) -> str | float:
    return "" if figure is None else figure.value
