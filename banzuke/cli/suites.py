"""Suites of several benchmarks: reads their input file (`--input`), and writes their official output."""

from collections.abc import Sequence
from dataclasses import replace

from banzuke.cli.console import errors
from banzuke.cli.run_options import RunOptions
from banzuke.errors import BanzukeError
from banzuke.machine.model import Machine
from banzuke.plan.catalogue import suites
from banzuke.plan.lines import text_of
from banzuke.plan.official import InputCases, Outcome
from banzuke.plan.outcome import outcome
from banzuke.plan.request import Request
from banzuke.plan.suite_cases import asked as asked_of_suite
from banzuke.plan.suite_cases import results_of
from banzuke.record.model import Record


def output_of(suite: str, options: RunOptions, asked: InputCases | None) -> str | None:
    """Return the file that the official output goes to, of the suite or of a benchmark's input file; None: there is
    none, or it is not wanted.
    """
    if suite:
        return suites()[suite].output if options.official or options.input_path else None
    return asked.output if asked else None


def with_suite(request: Request, suite: str, options: RunOptions) -> Request:
    """Return the request with what is asked for of the suite, if one is named, and print what is done differently from
    what its input file asks. Raises BanzukeError.
    """
    if not suite:
        return request
    path = options.input_path
    if options.command_lines:
        options_named = " and ".join(f"--{name}" for name in options.command_lines)
        raise BanzukeError(f"{options_named}: {suite} has no command line", remedy="Give an input file: --input FILE")
    wanted, notes = asked_of_suite(
        suite, str(path or ""), text_of(path) if path else "", options.ranks, options.threads
    )
    for note in notes:
        errors.say(f"{path}: {note}")
    return replace(request, suite=wanted)


def official_output(request: Request, machine: Machine, records: Sequence[Record]) -> str:
    """Return what the official code would print of these records of a suite's benchmarks; nothing without a suite."""
    if not request.suite.name:
        return ""
    outcomes: dict[str, list[Outcome]] = {}
    for record in records:
        outcomes.setdefault(record.benchmark, []).append(outcome(record))
    return results_of(request.suite, machine, outcomes, request.nodes or 1)
