"""`--input`: the file that steers a benchmark's official code, and the text that this code prints of its cases."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.markup import escape

from banzuke.cli.console import errors
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Asked, Benchmark, InputFile
from banzuke.plan.lines import Lines
from banzuke.record.model import Record
from banzuke.record.outcome import outcome


def file_of(specs: Mapping[str, Benchmark]) -> InputFile:
    """What reads the file. Raises BanzukeError."""
    if len(specs) != 1:
        raise BanzukeError("--input steers one benchmark", why=f"{len(specs)} are named", remedy="Run them one by one")
    (spec,) = specs.values()
    if spec.input_file is None:
        raise BanzukeError(f"{spec.name} reads no input file", remedy="Set its parameters with --set")
    return spec.input_file


def read(file: InputFile, path: Path) -> Asked:
    """Says what is done otherwise than the file asks. Raises BanzukeError."""
    asked = file.read(Lines.of(path))
    for note in asked.notes:
        errors.print(f"{escape(str(path))}: {escape(note)}", soft_wrap=True)
    return asked


def results(file: InputFile, records: Sequence[Record]) -> str:
    return file.results([outcome(record) for record in records])
