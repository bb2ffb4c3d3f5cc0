"""The command `screen` for programs that read its output: it prints a JSON document even when it refuses a call."""

import os
from collections.abc import Collection, Sequence
from typing import Any

import typer

from banzuke.cli.console import write_json
from banzuke.cli.options import OptionsCommand, variable
from banzuke.errors import BanzukeError
from banzuke.fleet.verdict import NOTHING_JUDGED, SCHEMA_VERSION

JSON, IN_A_LINE = "--json", ("--boot", "--epilog")
"""The option that prints one JSON document, and those that print it on one line, with or without `--json`."""
_OFF = {"", "0", "false", "f", "no", "n", "off"}
"""Values of a variable for which the parser takes a flag as not given."""
NODES = "--nodes"
"""Former name of `--hosts`; other commands take a number with it, so it is refused, not ignored."""


class JsonCommand(OptionsCommand):
    """A command that prints a document for what its parser or a BanzukeError refuses, before the usual message."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        words = [*args, *filter(_by_environment, (JSON, *IN_A_LINE))]
        try:
            _check_spelling(words)
            return super().make_context(info_name, args, parent, **extra)
        except (typer.TyperException, BanzukeError) as error:  # parsing has removed words from `args`
            _refuse(error, words)
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BanzukeError as error:
            _refuse(error, [option for option in (JSON, *IN_A_LINE) if ctx.params[option.removeprefix("--")]])
            raise


def _refuse(error: Exception, words: Collection[str]) -> None:
    if JSON in words or _in_a_line(words):
        write_refusal(str(error), in_a_line=_in_a_line(words))


def _by_environment(option: str) -> bool:
    return os.environ.get(variable(option), "").strip().lower() not in _OFF


def _in_a_line(words: Collection[str]) -> bool:
    return any(option in words for option in IN_A_LINE)


def _check_spelling(words: Sequence[str]) -> None:
    """Raise BanzukeError if `--nodes` is used."""
    written = [word for word in words if word.partition("=")[0] == NODES]
    if written or os.environ.get(variable(NODES)):
        raise BanzukeError(
            f"screen takes no {written[0] if written else variable(NODES)}",
            why="the nodes to screen are named by --hosts",
            remedy=f"Write --hosts n1,n2{'' if written else f', and unset {variable(NODES)}'}",
        )


def write_refusal(why: str, *, in_a_line: bool = False, exit_status: int = NOTHING_JUDGED, **more: str) -> None:
    document = {"schema_version": SCHEMA_VERSION, "nodes": [], "why": why, **more, "exit_status": exit_status}
    write_json(document, indent=None if in_a_line else 1)
