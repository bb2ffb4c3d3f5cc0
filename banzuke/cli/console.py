"""Where output goes: results to the output stream, everything said on the way to the error stream.

All that the commands print passes through here, and nothing in it steers a terminal, reorders what is read, or is taken
for markup, wherever it came from.
"""

import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import rich.console
import typer
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from banzuke.errors import BanzukeError
from banzuke.text import json_text, printable

if TYPE_CHECKING:  # records bring Pydantic, which takes longer than a small command
    from banzuke.results.lines import Reading


class Console(rich.console.Console):
    """Prints text as it is: no markup, no emoji codes, and visible escapes for what cannot be read.

    Only Rich's own segments (`Segment.control`) and styles steer the terminal.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)
        if not (self.is_terminal or "width" in options or "COLUMNS" in os.environ):
            self.width = 160  # a file or a pipe has no width; tables there should not be cut

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def say(self, *parts: str | tuple[str, str]) -> None:
        """One line, which the terminal wraps; a part with a style is a pair of both, and a line break is a space."""
        pairs = (part if isinstance(part, tuple) else (part, "") for part in parts)
        self.print(Text.assemble(*((_line(text), style) for text, style in pairs)), soft_wrap=True)

    @contextmanager
    def busy(self, text: str) -> Iterator[Callable[[str], None]]:
        """A line that moves while something takes a moment; what is yielded changes its text."""
        with self.status(Text(_line(text))) as status:
            yield lambda text: status.update(Text(_line(text)))


def _line(text: str) -> str:
    return printable(text).replace("\n", " ")


out = Console()
errors = Console(stderr=True)


def check_output() -> None:
    """Raises BanzukeError where the output stream is closed, as by `>&-`: Python drops what is printed there."""
    if sys.stdout is None:
        raise BanzukeError(
            "the output has nowhere to go",
            why="standard output is closed",
            remedy="Send it to a file, or to /dev/null if nobody is to see it",
        )


def write_text(text: str) -> None:
    """Text for other programs to read, on the output stream, neither wrapped nor styled."""
    typer.echo(printable(text), nl=False)


def write_json(document: Any, *, to_errors: bool = False, indent: int | None = 1) -> None:
    """One JSON document: see `json_text`."""
    typer.echo(json_text(document, indent), err=to_errors)


def warn(text: str) -> None:
    errors.say(("warning:", "yellow"), f" {text}")


def warn_of(reading: "Reading") -> None:
    """Names what was ignored while records were read."""
    for problem in reading.unreadable:
        errors.say(("ignored:", "yellow"), f" {problem}")


def fail(text: str, *more: str) -> None:
    """`more`: a line each."""
    errors.say(("error:", "bold red"), f" {text}")
    for line in more:
        errors.say(f"  {line}")


def crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A traceback, as `sys.excepthook` prints it; its message may quote a record."""
    errors.print("".join(traceback.format_exception(kind, error, trace)), soft_wrap=True, end="")
