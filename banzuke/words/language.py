"""Puts messages into words, with Project Fluent's files of each language and those in each benchmark's folder."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banzuke.errors import BanzukeError
from banzuke.paths import BENCHMARKS
from banzuke.units import ends, number, percent, quantity
from banzuke.words import (
    Derived,
    Duration,
    Fact,
    Listed,
    Message,
    NodeSetting,
    Quantity,
    Reason,
    Share,
    Span,
    Translated,
    message,
)
from banzuke.words.derivation import derivation
from banzuke.words.written import node_setting, reason

if TYPE_CHECKING:
    from banzuke.words.bundle import Bundle

LANGUAGES = {"en": "English", "ja": "日本語"}
"""Each language's name for itself, by code, in characters that its reports need."""
_OWN = Path(__file__).parent


@dataclass(frozen=True)
class Words:
    """Puts messages into words of one language; where that lacks words, English is used."""

    language: str
    bundles: "tuple[Bundle, ...]"
    """Those of this language, then of English."""

    def __call__(self, said: Message | str) -> str:
        """Return a message in words; a string already is words, or belongs to no language."""
        return said if isinstance(said, str) else self._format(said, "")

    def attribute(self, said: Message, name: str) -> str:
        """Return an attribute of a message, such as its `.evidence`, with the same facts; empty: it has none."""
        return self._format(said, name)

    def joined(self, said: Iterable[Message | str]) -> str:
        """Return statements as one sentence, without the final full stop."""
        end = self(message("fact-full-stop"))
        return self(message("fact-next")).join(text.removesuffix(end) for text in map(self, said) if text)

    def sentences(self, said: Iterable[Message | str]) -> str:
        """Return whole sentences, one after the other."""
        return self(message("fact-between-sentences")).join(filter(None, map(self, said)))

    def sentence(self, said: Message | str) -> str:
        """Return a statement as a sentence, with its final full stop."""
        return self(said) + self(message("fact-full-stop"))

    def date(self, at: datetime) -> str:
        return at.strftime(self(message("fact-date")))

    def moment(self, at: datetime) -> str:
        """Return the date and time to the minute, with the time zone where it is known."""
        return f"{self.date(at)} {at:%H:%M %Z}".rstrip()

    def fact(self, fact: Fact) -> str:  # noqa: C901, PLR0911, PLR0912  (one for each kind)
        """Return a fact as it stands in a sentence: numbers with their units, lists with commas, messages in words."""
        match fact:
            case Message():
                return self(fact)
            case Quantity(value, unit, digits):
                return quantity(value, unit, digits) if isfinite(value) else self._not_finite()
            case Share(value):
                return percent(value) if isfinite(value) else self._not_finite()
            case Duration(seconds):
                return self._duration(seconds)
            case Span(low, high, unit):
                first, last = ends(low, high, unit)
                return self(message("fact-span", first=first, last=last)) if first != last else first
            case Derived(text):
                return self(derivation(text)) if text else ""
            case Reason(text):
                return self(reason(text))
            case NodeSetting(text):
                return self(node_setting(text))
            case Translated(text, others):
                return dict(others).get(self.language, text)
            case Listed(items, most):
                return self._listed(items, most)
            case int():
                return f"{fact:,}"
            case float():
                return number(fact) if isfinite(fact) else self._not_finite()
            case _:
                return fact

    def _not_finite(self) -> str:
        return self(message("fact-not-finite"))

    def _duration(self, seconds: float) -> str:
        if not 60 <= seconds < inf:
            return self.fact(Quantity(seconds, "s"))
        minutes, rest = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return self(message("fact-hours", hours=hours, minutes=minutes))
        return self(message("fact-minutes", minutes=minutes, seconds=rest))

    def _listed(self, items: tuple[Fact, ...], most: int | None) -> str:
        shown = [self.fact(item) for item in items[:most]]
        comma = self(message("fact-comma"))
        if more := len(items) - len(shown):
            return self(message("fact-list-more", items=comma.join(shown), more=more))
        if len(shown) < 2:
            return "".join(shown)
        return self(message("fact-list", items=comma.join(shown[:-1]), last=shown[-1]))

    def _format(self, said: Message, attribute: str) -> str:
        for bundle in self.bundles:
            if bundle.has_message(said.code):
                pattern = bundle.pattern(said.code, attribute)
                if pattern is not None:
                    return self._pattern(bundle, pattern, said)
            elif bundle is self.bundles[-1] and said.english is None:
                raise KeyError(f"no words for {said.code}")
        return "" if attribute else said.english or ""

    def _pattern(self, bundle: "Bundle", pattern: Any, said: Message) -> str:
        """Return a pattern with the facts; numbers of things stay numbers, which select the plural."""
        facts = {
            name: fact if isinstance(fact, int) and not isinstance(fact, bool) else self.fact(fact)
            for name, fact in said.facts.items()
        }
        text, errors = bundle.formatted(pattern, facts)
        if errors:
            raise ValueError(f"words of {said.code} in {self.language}: {errors}")
        return text


@cache
def words(language: str = "en") -> Words:
    """Return the words of a language. Raises BanzukeError for an unknown language."""
    if language not in LANGUAGES:
        choices = ", ".join(LANGUAGES)
        raise BanzukeError(f"unknown language '{language}'", remedy=f"Choose one of: {choices}")
    return Words(language, tuple(bundle(name) for name in dict.fromkeys((language, "en"))))


@cache
def bundle(language: str) -> "Bundle":
    from banzuke.words.bundle import Bundle  # noqa: PLC0415

    return Bundle(language, files(language))


def files(language: str) -> list[Path]:
    """Return the files of Banzuke, then those of the benchmarks."""
    return [*sorted((_OWN / language).glob("*.ftl")), *sorted(BENCHMARKS.glob(f"*/{language}.ftl"))]
