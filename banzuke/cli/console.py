"""Output: results go to the output stream, progress and remarks to the error stream.

All that commands print passes through here. Text cannot control the terminal, change the reading order or act as
markup, whatever its source.
"""

import io
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

import rich.console
import typer
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from banzuke.errors import BanzukeError
from banzuke.text import json_text, printable

if TYPE_CHECKING:  # importing records imports Pydantic, which takes longer than a short command
    from banzuke.results.lines import Reading


class Console(rich.console.Console):
    """A console that prints text as it is: no markup, no emoji codes, and visible escapes for unprintable characters.

    Only Rich's own segments (`Segment.control`) and styles control the terminal.
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
        """Print one line, which the terminal wraps; a pair is text and its style, and line breaks become spaces."""
        pairs = (part if isinstance(part, tuple) else (part, "") for part in parts)
        self.print(Text.assemble(*((_line(text), style) for text, style in pairs)), soft_wrap=True)

    def warn(self, text: str) -> None:
        self.say(("warning:", "yellow"), f" {text}")

    @contextmanager
    def busy(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show a moving status line while something takes a moment; call the yielded function to change its text."""
        with self.status(Text(_line(text))) as status:
            yield lambda text: status.update(Text(_line(text)))


def _line(text: str) -> str:
    return printable(text).replace("\n", " ")


UNREAD = 141
"""Exit status if nobody reads the output any more: as a shell shows it for tools that SIGPIPE ends."""
out = Console()
errors = Console(stderr=True)


class _Piped(io.FileIO):
    """A stream whose reader may end before us, as in `banzuke list | head -1`: we then end as quietly as other tools.

    Rich, Typer and Python would each end with another status or message.
    """

    def write(self, text: Any, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            discard(self)
            raise SystemExit(UNREAD) from None


def discard(stream: IO[Any]) -> None:
    """Let a stream lead nowhere: what is still in its buffer could not be written at the end either."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def tolerate_pipes() -> None:
    """Let the output and error streams replace characters that they cannot show, and end quietly at a closed pipe."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            piped = io.BufferedWriter(_Piped(stream.fileno(), "wb", closefd=False))
            replaced = io.TextIOWrapper(
                piped,
                stream.encoding,
                "replace",
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, replaced)


def check_output() -> None:
    """Raise BanzukeError if the output stream is closed, as by `>&-`: Python would silently drop the output."""
    if sys.stdout is None:
        raise BanzukeError(
            "the output has nowhere to go",
            why="standard output is closed",
            remedy="Send it to a file, or to /dev/null if nobody is to see it",
        )


def write_text(text: str) -> None:
    """Write text for other programs to the output stream, neither wrapped nor styled."""
    typer.echo(printable(text), nl=False)


def write_json(document: Any, *, to_errors: bool = False, indent: int | None = 1) -> None:
    """Write one JSON document (see `json_text`)."""
    typer.echo(json_text(document, indent), err=to_errors)


def warn(text: str) -> None:
    errors.warn(text)


def warn_of(reading: "Reading") -> None:
    """Print what was ignored while records were read."""
    for problem in reading.unreadable:
        errors.say(("ignored:", "yellow"), f" {problem}")


def fail(text: str, *more: str) -> None:
    """Print an error; each of `more` is a further line."""
    errors.say(("error:", "bold red"), f" {text}")
    for line in more:
        errors.say(f"  {line}")


def crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback; installed as `sys.excepthook`, because the message may quote a record."""
    errors.print("".join(traceback.format_exception(kind, error, trace)), soft_wrap=True, end="")
