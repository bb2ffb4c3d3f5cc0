"""`--dry-run`: prints the commands that a call would run, and what they would take."""

from banzuke.cli.console import errors, out, write_json
from banzuke.errors import BanzukeError
from banzuke.evaluation.options import MissingEnvironmentError, Options
from banzuke.evaluation.prepare import Ready
from banzuke.evaluation.prepared import Prepared
from banzuke.units import duration, quantity


def print_commands(ready: Ready, options: Options, *, repeat: int = 1, json: bool) -> None:
    """Print the commands, and the time and memory they take: each case `repeat` times, or what fits the budget."""
    prepared, needed = ready.prepared, ready.needed
    largest, commands = 0.0, []
    limits, first = Prepared(prepared.machine, needed.missing), needed.cases()
    for owner, case in (*((limits, case) for case in first), *((prepared, case) for case in prepared.cases)):
        try:
            command = owner.command(case, options)
        except MissingEnvironmentError:
            continue  # this was already printed for all its cases
        except BanzukeError as error:
            errors.say(("would be skipped:", "yellow"), f" {error}")
            continue
        largest = max(largest, owner.memory(case))
        commands.append(command.text())
    budget = prepared.budget
    launches = budget.launches if budget else [repeat] * len(prepared.cases)
    seconds = sum(case.seconds for case in first)
    seconds += sum(case.seconds * count for case, count in zip(prepared.cases, launches, strict=True))
    seconds = min(seconds, budget.seconds) if budget else seconds
    if json:
        write_json({"commands": commands, "seconds": seconds, "memory": largest})
    else:
        for text in commands:
            out.say(text)
    errors.say(
        f"would take {f'about {duration(round(seconds))}' if seconds >= 1 else 'less than a second'} "
        f"and up to {quantity(largest, 'B')} of memory; nothing was run"
    )
