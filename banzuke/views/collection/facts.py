"""Properties of a problem as cells and text."""

from banzuke.judge.collection import Member
from banzuke.plan.benchmark import Collection, Statistic
from banzuke.record.model import Record
from banzuke.units import number, quantity
from banzuke.words import Message, message

NOTHING = "–"


def place_of(member: Member) -> Message:
    """Return where its data was."""
    match member.place:
        case "in cache":
            return message("views-in-cache")
        case "partly in cache":
            return message("views-partly-in-cache")
        case "in memory":
            return message("views-in-memory")
        case _:
            return message("views-unknown")


def choice_of(collection: Collection, member: Member) -> str:
    return str(member.assessment.record.conditions.get(collection.choice or "", ""))


def number_of(record: Record, statistic: Statistic) -> float | str:
    value = record.conditions.get(statistic.condition)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else ""


def fact_text(record: Record, statistic: Statistic) -> str:
    value = number_of(record, statistic)
    if isinstance(value, str):
        return NOTHING
    if statistic.unit != "1":
        return quantity(value, statistic.unit)
    return f"{int(value):,}" if float(value).is_integer() else number(value)
