"""Official codes: reads the input file or command line of one (`--input`, `--ior`), and prints its output."""

from collections.abc import Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import errors
from banzuke.cli.options import WHAT
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases, InputFile
from banzuke.plan.outcome import outcome
from banzuke.record.model import Record

LINE = "_line"
"""Suffix of a parameter that holds a command line; the benchmark's name precedes it."""


def line_options() -> list[Parameter]:
    """Return an option for each benchmark whose official code has a command line that can be read."""
    try:
        specs = benchmarks()
    except BanzukeError:
        specs = {}  # whichever needs them reports the error
    examples = {name: spec.official.command_line.example for name, spec in specs.items() if spec.official.command_line}
    return [
        Parameter(
            f"{name}{LINE}",
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(
                    f"--{name}", metavar="LINE", help=f"Command line of {name}: {example}", rich_help_panel=WHAT
                ),
            ],
        )
        for name, example in examples.items()
    ]


def asked_for(specs: Mapping[str, Benchmark], path: Path | None, command_lines: Mapping[str, str]) -> InputCases | None:
    """Return the cases that the official code's input file or command line asks for; None if neither is given. Raises
    BanzukeError.
    """
    options = [*(["--input"] if path else []), *(f"--{name}" for name in command_lines)]
    if len(options) > 1:
        raise BanzukeError(f"{' and '.join(options)} each say what to run", remedy="Give one of them")
    if path:
        return read(file_of(specs), path)
    for name, line in command_lines.items():
        if list(specs) != [name]:
            raise BanzukeError(
                f"--{name} is only for the benchmark {name}", remedy=f"Write banzuke run {name} --{name} ..."
            )
        reader = specs[name].official.command_line
        return _tell_notes(reader.read(line), f"--{name}") if reader else None
    return None


def area_of(asked: InputCases, area: list[str] | None) -> list[str] | None:
    """Return the areas of --area, or the folder that the official code would write to. Raises BanzukeError if both are
    given.
    """
    if asked.folder is None:
        return area
    if area:
        raise BanzukeError(
            f"--area and the command line each name a folder: {', '.join(area)} and {asked.folder}",
            remedy="Leave one of them out",
        )
    return [asked.folder]


def _tell_notes(asked: InputCases, where: str) -> InputCases:
    for note in asked.notes:
        errors.say(f"{where} {note}")
    return asked


def file_of(specs: Mapping[str, Benchmark]) -> InputFile:
    """Return the reader of the benchmark's input file. Raises BanzukeError."""
    if len(specs) != 1:
        raise BanzukeError("--input is for one benchmark", why=f"{len(specs)} were given", remedy="Run one at a time")
    (spec,) = specs.values()
    if spec.official.input_file is None:
        raise BanzukeError(f"{spec.name} reads no input file", remedy="Set its parameters with --set")
    return spec.official.input_file


def read(file: InputFile, path: Path) -> InputCases:
    """Read the file, and print what is done differently from what it asks. Raises BanzukeError."""
    return _tell_notes(file.read(Lines.of(path)), f"{path}:")


def check(specs: Mapping[str, Benchmark], *, json: bool) -> None:
    """Raise BanzukeError for a benchmark whose official output format is not known, or if `--json` is also given."""
    if json:
        raise BanzukeError("--official and --json exclude each other", remedy="Leave one of them out")
    for spec in specs.values():
        if spec.official.output is None:
            raise BanzukeError(
                f"{spec.name} has no official code whose output it could print", remedy="Leave --official out"
            )


def results(specs: Mapping[str, Benchmark], records: Sequence[Record]) -> str:
    """Return what the official codes would print of these records, for each benchmark that has one."""
    return "".join(
        spec.official.output([outcome(record) for record in records if record.benchmark == spec.name])
        for spec in specs.values()
        if spec.official.output
    )
