"""Completes the parser's messages about wrong calls: what was given, and what to write."""

import typer
from pydantic import ValidationError

from banzuke.files.remedies import NOT_READABLE, NOT_THERE
from banzuke.text import nearest, printable

_FILES = {
    " is a file.": "Name a folder",
    " is a directory.": "Name a file",
    " does not exist.": NOT_THERE,
    " is not readable.": NOT_READABLE,
    " is not writable.": "Name one that you can write",
}
"""Endings of the parser's messages about files, and what to do."""


def explained(error: typer.TyperException) -> str:
    """Return a message that quotes the wrong call and says what to write."""
    message = _plain_message(error)
    parameter, context = getattr(error, "param", None), getattr(error, "ctx", None)
    if not message and (about := getattr(parameter, "help", None)):  # "Missing argument 'BENCHMARK'."
        message = about.replace("`", "")
    if message.startswith("Got unexpected extra argument") and context:
        message += f". {context.command_path} takes no more names; options begin with --"
    if message.startswith("No such command") and "Did you mean" not in message and context:
        commands = context.command.list_commands(context)
        message += f" {nearest(message.split(chr(39))[1], commands)}"
    if message.endswith("requires an argument.") and (option := getattr(error, "option_name", "")):
        message += f" Write {option} and its value"
    message += next((f" {remedy}" for end, remedy in _FILES.items() if message.endswith(end)), "")
    if "--trust-group" in message:
        message += " (it goes before the command: banzuke --trust-group GROUP run ...)"
    return printable(message)


def _plain_message(error: typer.TyperException) -> str:
    """Return the parser's message in plain words, with the value that does not fit."""
    message, refused = str(error.message), error.__cause__
    if not isinstance(refused, ValidationError):
        return message
    (first, *_) = refused.errors()
    plain = message.removeprefix("Value error, ").replace(
        "Input should be a valid integer, unable to parse string as an integer", "write a whole number, such as 4"
    )
    plain = plain.replace("Input should be a valid number, unable to parse string as a number", "write a number")
    plain = plain.replace("Input should be", "it has to be")
    return plain if repr(first["input"]) in plain else f"{first['input']!r} does not fit: {plain}"
