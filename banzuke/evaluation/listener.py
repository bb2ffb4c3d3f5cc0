"""Who is told what happens before and around the launches."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol


class RunListener(Protocol):
    """Shows remarks of the steps to the user."""

    def say(self, *parts: str | tuple[str, str]) -> None:
        """Show a line of texts, and of pairs of a text and its style."""

    def warn(self, text: str) -> None: ...
    def busy(self, text: str) -> AbstractContextManager[Callable[[str], None]]:
        """Show that something takes a moment; the function that the context gives changes the text."""
