"""`banzuke time`: times any program over several launches, beside what else happened, in turn with another one."""

import os
import resource
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.options import HOW, WHAT, Json
from banzuke.cli.options import launches as checked_launches
from banzuke.compare.statistics import (
    Interval,
    Launches,
    launch_spread,
    mean_interval,
    median,
    paired_interval,
    times_better,
)
from banzuke.compare.verdict import conclude
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.launch.conditions import between, snapshot
from banzuke.record.state import Taken
from banzuke.units import count, percent, quantity, span, times, times_span

FEWEST_QUIET = 3
"""Fewest undisturbed rounds for which the disturbed ones are left out."""


@dataclass(frozen=True)
class TimedLaunch:
    """One launch of a program."""

    seconds: float
    processor: float
    """Processor seconds of the program and its children."""
    memory: int
    """Most bytes that one of its processes held; 0: not more than this one, from which it was forked."""
    others: float
    """Share of the processors' time that other programs used meanwhile."""
    stolen: float
    """Share that the hypervisor gave to others."""

    @property
    def disturbed(self) -> bool:
        return Taken(self.others, self.stolen).disturbed


def time_command(
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND", help="Program to time, with its arguments.", show_default=False)
    ],
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", metavar="N", min=1, callback=checked_launches, help="Launches of each.", rich_help_panel=HOW
        ),
    ] = 5,
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="LINE", help="Another command, in quotes, launched in turn.", rich_help_panel=WHAT
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Time any program over several launches, and say how they differ, what disturbed them, and which of two is faster.

    The program's output goes to the error stream. Exit status: 0, or 1 if a launch failed.
    """
    programs = [command, *([_words(against)] if against else [])]
    for words in programs:
        if not shutil.which(words[0]):
            why = "no such program, or it may not be executed"
            raise BanzukeError(f"cannot start '{words[0]}'", why=why, remedy="Check its name, or write its whole path")
    measured: list[list[TimedLaunch]] = [[] for _ in programs]
    for number in range(repeat):
        for launches, words in zip(measured, programs, strict=True):
            launches.append(_launched(words, number + 1, repeat))
    _tell(programs, measured, json=json)


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BanzukeError(f"--against '{line}' is not a command", why=str(error), remedy="Close its quotes") from error
    if not words:
        raise BanzukeError("--against is empty", remedy="Give a command in quotes")
    return words


def _launched(words: Sequence[str], number: int, repeat: int) -> TimedLaunch:
    """Launch the program once. Raises typer.Exit if it fails."""
    before, begun = snapshot(), time.monotonic()
    program = subprocess.Popen(words, stdout=2)  # the results have the output stream to themselves
    try:
        _, status, usage = os.wait4(program.pid, 0)
    except BaseException:
        program.kill()
        program.wait()
        raise
    seconds = time.monotonic() - begun
    program.returncode = os.waitstatus_to_exitcode(status)
    conditions = between(before, snapshot())
    if program.returncode:
        errors.say(
            ("error:", "bold red"),
            f" launch {number} of {repeat} of {shlex.join(words)} ended with status {program.returncode} after "
            f"{quantity(seconds, 's')}: a program that fails is not timed",
        )
        raise typer.Exit(1)
    others, stolen = (conditions.get(name, 0.0) for name in ("other_busy_fraction", "steal_fraction"))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0
    return TimedLaunch(seconds, usage.ru_utime + usage.ru_stime, memory, others, stolen)


def _counted(launches: Sequence[TimedLaunch]) -> Sequence[TimedLaunch]:
    """Return the undisturbed launches if enough remain; else all."""
    quiet = [launch for launch in launches if not launch.disturbed]
    return quiet if len(quiet) >= FEWEST_QUIET else launches


def _interval(launches: Sequence[TimedLaunch]) -> Interval | None:
    return mean_interval(Launches([launch.seconds for launch in launches], []))


@dataclass(frozen=True)
class TimedAgainst:
    """The other program against the first."""

    ratio: float
    interval: Interval | None
    verdict: str
    rounds: int


def _compared(mine: Sequence[TimedLaunch], other: Sequence[TimedLaunch]) -> TimedAgainst:
    pairs = list(zip(mine, other, strict=True))
    quiet = [pair for pair in pairs if not any(launch.disturbed for launch in pair)]
    counted = quiet if len(quiet) >= FEWEST_QUIET else pairs
    top, bottom = ([launch.seconds for launch in side] for side in zip(*counted, strict=True))
    interval = paired_interval(bottom, top) if len(counted) > 1 else None
    ratio = times_better(median(top), median(bottom), "lower") or 1.0
    verdict = "no verdict from one launch" if len(counted) < 2 else conclude(interval, {})[0]
    return TimedAgainst(ratio, interval, verdict, len(counted))


def _tell(programs: Sequence[Sequence[str]], measured: Sequence[Sequence[TimedLaunch]], *, json: bool) -> None:
    compared = _compared(*measured) if len(measured) > 1 else None
    if json:
        write_json(_document(programs, measured, compared))
        return
    columns = ("command", "median", "95% interval", "spread", "processor time", "most memory", "launches")
    rows = [_row(words, launches) for words, launches in zip(programs, measured, strict=True)]
    out.print(
        terminal_table(Table.of_texts([Column(name, right=place > 0) for place, name in enumerate(columns)], rows))
    )
    if compared:
        within = f" ({' to '.join(times_span(*compared.interval))})" if compared.interval else ""
        out.say(
            (f"{shlex.join(programs[0])}: {compared.verdict}", "bold"),
            f", {times(compared.ratio, compared.interval)} times as fast as {shlex.join(programs[1])}{within}, in "
            f"{count(compared.rounds, 'round')} in turn",
        )
    for said in _cautions(measured):
        warn(said)


def _row(words: Sequence[str], launches: Sequence[TimedLaunch]) -> list[str]:
    counted = _counted(launches)
    seconds, interval = [launch.seconds for launch in counted], _interval(counted)
    varied = launch_spread(seconds)
    return [
        shlex.join(words),
        quantity(median(seconds), "s"),
        span(*interval, "s") if interval else "–",
        percent(varied) if varied is not None else "–",
        quantity(median([launch.processor for launch in counted]), "s"),
        quantity(most, "B") if (most := max(launch.memory for launch in counted)) else "–",
        f"{len(counted)} of {len(launches)}" if len(counted) < len(launches) else str(len(launches)),
    ]


def _cautions(measured: Sequence[Sequence[TimedLaunch]]) -> Iterator[str]:
    every = [launch for launches in measured for launch in launches]
    bad = [launch for launch in every if launch.disturbed]
    if bad:
        most = max(bad, key=lambda launch: launch.others + launch.stolen)
        left_out = all(len(_counted(launches)) == sum(not own.disturbed for own in launches) for launches in measured)
        yield (
            f"{len(bad)} of {count(len(every), 'launch')} were disturbed: other programs used up to "
            f"{percent(most.others)} of the processors' time, the hypervisor {percent(most.stolen)}; "
            f"{'they do not count' if left_out else 'too few are left without them, so they count'}"
        )
    if len(measured[0]) == 1:
        yield "one launch does not show how launches differ: --repeat 5"
    if min(launch.seconds for launch in every) < 0.01:
        yield "a launch of less than 10 ms is mostly the start of the program"


def _document(
    programs: Sequence[Sequence[str]], measured: Sequence[Sequence[TimedLaunch]], compared: TimedAgainst | None
) -> dict[str, Any]:
    sides = []
    for words, launches in zip(programs, measured, strict=True):
        counted = _counted(launches)
        interval = _interval(counted)
        sides.append(
            {
                "command": list(words),
                "seconds": median([launch.seconds for launch in counted]),
                "interval": list(interval) if interval else None,
                "launches": [
                    {
                        "seconds": launch.seconds,
                        "processor_seconds": launch.processor,
                        "largest_bytes": launch.memory or None,
                        "other_busy_fraction": launch.others,
                        "steal_fraction": launch.stolen,
                        "disturbed": launch.disturbed,
                    }
                    for launch in launches
                ],
            }
        )
    against = compared and {
        "ratio": compared.ratio,
        "interval": list(compared.interval) if compared.interval else None,
        "verdict": compared.verdict,
        "rounds": compared.rounds,
    }
    return {"commands": sides, "against": against, "cautions": list(_cautions(measured))}
