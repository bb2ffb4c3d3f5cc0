"""The command `screen` where programs read what it prints: a document comes whatever happens."""

import os
from typing import Any

import typer

from banzuke.cli.console import write_json
from banzuke.cli.options import OptionsCommand, variable
from banzuke.errors import BanzukeError
from banzuke.fleet.verdict import NOTHING_JUDGED, SCHEMA_VERSION

JSON, IN_A_LINE = "--json", ("--boot", "--epilog")
"""Options with which one document is printed, and with which it is one line."""


class JsonCommand(OptionsCommand):
    """Prints a document also of what it refuses, before the error is told as usual."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        given = list(args)  # parsing takes words out
        try:
            return super().make_context(info_name, args, parent, **extra)
        except (typer.TyperException, BanzukeError) as error:
            if JSON in given or os.environ.get(variable(JSON)) or set(IN_A_LINE) & set(given):
                write_refusal(str(error), in_a_line=JSON not in given)
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BanzukeError as error:
            in_a_line = any(ctx.params[option.removeprefix("--")] for option in IN_A_LINE)
            if ctx.params["json"] or in_a_line:
                write_refusal(str(error), in_a_line=in_a_line)
            raise


def write_refusal(why: str, *, in_a_line: bool = False, exit_status: int = NOTHING_JUDGED, **more: str) -> None:
    document = {"schema_version": SCHEMA_VERSION, "nodes": [], "why": why, **more, "exit_status": exit_status}
    write_json(document, indent=None if in_a_line else 1)
