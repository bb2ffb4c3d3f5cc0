"""The official codes: the file that steers one (`--input`), and the text that it prints (`--official`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke.cli.console import errors
from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases, InputFile
from banzuke.record.model import Record
from banzuke.record.outcome import outcome


def file_of(specs: Mapping[str, Benchmark]) -> InputFile:
    """What reads the file. Raises BanzukeError."""
    if len(specs) != 1:
        raise BanzukeError("--input is for one benchmark", why=f"{len(specs)} were given", remedy="Run one at a time")
    (spec,) = specs.values()
    if spec.official.input_file is None:
        raise BanzukeError(f"{spec.name} reads no input file", remedy="Set its parameters with --set")
    return spec.official.input_file


def read(file: InputFile, path: Path) -> InputCases:
    """Says what is done otherwise than the file asks. Raises BanzukeError."""
    asked = file.read(Lines.of(path))
    for note in asked.notes:
        errors.say(f"{path}: {note}")
    return asked


def check(specs: Mapping[str, Benchmark], *, json: bool) -> None:
    """Raises BanzukeError naming a benchmark whose official code's output is not known."""
    if json:
        raise BanzukeError("--official and --json exclude each other", remedy="Leave one of them out")
    for spec in specs.values():
        if spec.official.output is None:
            raise BanzukeError(
                f"{spec.name} has no official code whose output it could print", remedy="Leave --official out"
            )


def results(specs: Mapping[str, Benchmark], records: Sequence[Record]) -> str:
    """Of each benchmark that has an official code."""
    return "".join(
        spec.official.output([outcome(record) for record in records if record.benchmark == spec.name])
        for spec in specs.values()
        if spec.official.output
    )
