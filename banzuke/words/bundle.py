"""All words of one language, as Project Fluent formats them; brings Babel, which not every command needs."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fluent.runtime import FluentBundle, FluentResource, resolver
from fluent.runtime.types import FluentNone, fluent_number

_COUNTED = 1 << 63
"""Larger numbers do not select a plural, because the formatter has 28 digits."""
resolver.MAX_PART_LENGTH = sys.maxsize  # a limit against patterns of strangers; ours are safe, and facts may be long
_ENTRY = re.compile(r"^(?=([a-zA-Z][\w-]*) *=)", re.MULTILINE)
"""Matches before the code with which an entry begins."""


class Bundle(FluentBundle):
    """All words of a language, each parsed when it is first used: parsing all would take a tenth of a command's time.

    For this reason no entry may refer to another.
    """

    def __init__(self, language: str, files: Iterable[Path]) -> None:
        super().__init__([language], use_isolating=False)
        self._unread: dict[str, str] = {}
        for file in files:
            _, *parts = _ENTRY.split(file.read_text(encoding="utf-8"))
            self._unread |= zip(parts[::2], parts[1::2], strict=True)

    def has_message(self, message_id: str) -> bool:
        return message_id in self._unread or super().has_message(message_id)

    def get_message(self, message_id: str) -> Any:
        if text := self._unread.pop(message_id, None):
            self.add_resource(FluentResource(text))
        return super().get_message(message_id)

    def pattern(self, code: str, attribute: str) -> Any:
        """Return the pattern of a message, or of an attribute of it if one is named; None: it has no such attribute."""
        entry = self.get_message(code)
        return entry.attributes.get(attribute) if attribute else entry.value

    def formatted(self, pattern: Any, facts: Mapping[str, str | int]) -> tuple[str, Sequence[Exception]]:
        """Return the text of a pattern, and what is wrong with its facts."""
        text, errors = self.format_pattern(pattern, {name: _argument(fact) for name, fact in facts.items()})
        return "" if isinstance(text, FluentNone) else str(text), errors


def _argument(fact: str | int) -> object:
    if isinstance(fact, str):
        return fact
    return fluent_number(fact, useGrouping=True) if abs(fact) < _COUNTED else f"{fact:,}"
