"""Messages as data: a code and its facts. The words themselves are in one folder for each language.

Code that judges makes messages and never reads text; `banzuke.words.language` puts them into words at the edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Quantity:
    """A number with a unit: `41.3 GB/s` for 4.13e10 and `B/s`."""

    value: float
    unit: str
    digits: int = 3


@dataclass(frozen=True)
class Share:
    """A share: `41.3%` for 0.413."""

    value: float


@dataclass(frozen=True)
class Duration:
    """A length of time in seconds: `2 h 5 min`."""

    seconds: float


@dataclass(frozen=True)
class Span:
    """A range: `20 to 30 GB/s`."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Listed:
    """A list: `a, b and 3 more`, with `most` of them shown; None: all."""

    items: tuple["Fact", ...]
    most: int | None = None


@dataclass(frozen=True)
class Derived:
    """The derivation of a theoretical peak, in English as in a machine's description."""

    told: str

    def __bool__(self) -> bool:
        return bool(self.told)


@dataclass(frozen=True)
class Reason:
    """Why a launch gave no figure, in English as in its record."""

    told: str


@dataclass(frozen=True)
class NodeSetting:
    """The name of a setting that a node reports of itself: `governor`."""

    told: str


@dataclass(frozen=True)
class Translated:
    """A text of a machine's description, in English and in the other languages in which the description has it."""

    told: str
    others: tuple[tuple[str, str], ...] = ()
    """Texts by language."""

    def __bool__(self) -> bool:
        return bool(self.told)


@dataclass(frozen=True)
class Message:
    """Something to say, in no particular language."""

    code: str
    """Code of its words in `en/*.ftl`, `ja/*.ftl`, or in the benchmark's folder."""
    facts: Mapping[str, "Fact"] = field(default_factory=dict)
    english: str | None = None
    """English text where the language files have none for this code: declared beside what it names, such as a
    metric's title.
    """

    def __hash__(self) -> int:
        return hash((self.code, tuple(self.facts.items()), self.english))


Fact: TypeAlias = (
    str
    | int
    | float
    | Quantity
    | Share
    | Duration
    | Span
    | Listed
    | Derived
    | Reason
    | NodeSetting
    | Translated
    | Message
)
"""A string is shown as it is: a name, a path, a command. An int selects the plural (`1 core`, `2 cores`); a float is
shown with three significant digits.
"""


def message(code: str, /, **facts: Fact) -> Message:
    """Return a message; its code and the names of its facts are written out at the call, where a test reads them."""
    return Message(code, facts)


def declared(code: str, english: str) -> Message:
    """Return a message whose English text is part of a benchmark's policy; the benchmark's folder has other languages'
    words for `code`.
    """
    return Message(code, english=english)


def data(fact: Fact) -> object:  # noqa: PLR0911  (one for each kind)
    """Return the fact for JSON: values in SI units, messages as code and facts."""
    match fact:
        case Message(code, facts):
            return {"code": code, "facts": {name: data(value) for name, value in facts.items()}}
        case Quantity(value, unit):
            return {"value": value, "unit": unit}
        case Share(value):
            return {"value": value, "unit": "1"}
        case Duration(seconds):
            return {"value": seconds, "unit": "s"}
        case Span(low, high, unit):
            return {"low": low, "high": high, "unit": unit}
        case Listed(items):
            return [data(item) for item in items]
        case Derived(text) | Reason(text) | NodeSetting(text) | Translated(text):
            return text
        case _:
            return fact
