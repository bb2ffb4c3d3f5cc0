"""From what a process left behind to a record: every ending is one, with its reason."""

import json
import re
import signal
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic import ValidationError

from banzuke import __version__, paths
from banzuke.launch.command import Command
from banzuke.launch.process import Outcome
from banzuke.plan.benchmark import Case
from banzuke.plan.cases import key
from banzuke.record.model import Provenance, Record


@dataclass(frozen=True)
class Origin:
    """What a case's record says of where it comes from."""

    run: str
    machine: str
    repetition: int = 0
    started: datetime = field(default_factory=lambda: datetime.now(UTC))


@cache
def commit() -> str | None:
    """Git commit of the installed sources; None when they did not come from a git checkout."""
    try:
        return (paths.DATA / "commit").read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _provenance(case: Case, command: Command | None, origin: Origin, log: str | None = None) -> Provenance:
    return Provenance(
        id=uuid.uuid4().hex[:12],
        run=origin.run,
        case=key(case),
        repetition=origin.repetition,
        machine=origin.machine,
        command=command.words if command else [],
        environment=case.environment,
        variables=dict(command.variables) if command else {},
        banzuke=__version__,
        commit=commit(),
        log=log or None,
    )


def unmeasured(
    case: Case, origin: Origin, reason: str, *, skipped: bool = False, command: Command | None = None, log: str = ""
) -> Record:
    """The record of a case that gave no figure."""
    return Record(
        benchmark=case.benchmark,
        backend=case.backend,
        parameters=dict(case.parameters),
        ranks=case.ranks,
        threads=case.threads,
        status="skipped" if skipped else "failed",
        reason=reason,
        started=origin.started,
        ended=datetime.now(UTC),
        provenance=_provenance(case, command, origin, log),
    )


def complete(case: Case, command: Command, outcome: Outcome, origin: Origin, timeout: float) -> Record:
    """The record of a case that ran: the program's own with what the launching side knows, or why there is none."""

    def failed(reason: str) -> Record:
        return unmeasured(case, origin, reason, command=command, log=outcome.log)

    lines = [line for line in outcome.stdout.splitlines() if line.startswith("{")]  # launchers and libraries talk too
    number = _signal(outcome, silent=not lines)
    if outcome.timed_out or number:
        late = f"exceeded its time limit of {timeout:.3g} s and was ended"
        return failed(late if outcome.timed_out else _signalled(number))
    if not lines:
        return failed(f"ended with status {outcome.status} and no record: {_last_words(outcome.log)}")
    try:
        record = _written(lines[-1], case, command, outcome, origin)
    except (ValidationError, ValueError, TypeError) as error:
        return failed(f"its record cannot be read: {_first_line(error)}")
    if (record.ranks, record.threads) != (case.ranks, case.threads):
        ran = f"{record.ranks} ranks x {record.threads} threads"
        return failed(f"ran with {ran} instead of {case.ranks} x {case.threads}; a variable such as OMP_THREAD_LIMIT?")
    if record.status == "ok" and outcome.status != 0:
        return failed(f"ended with status {outcome.status} after its record")
    return record


def _written(line: str, case: Case, command: Command, outcome: Outcome, origin: Origin) -> Record:
    """The program's record with what the launching side adds."""
    written: dict[str, Any] = json.loads(line)
    written["provenance"] = _provenance(case, command, origin)
    written["conditions"] = {**written.get("conditions", {}), **outcome.conditions}
    return Record.model_validate(written)


def _signal(outcome: Outcome, *, silent: bool) -> int:
    """The signal that ended the program, 0 if none: ours to see, as shells say it (128 + n), or as launchers do."""
    number = -outcome.status if outcome.status < 0 else outcome.status - 128
    if number in signal.valid_signals():
        return number
    words = re.search(r"\bsignal:? (\d+)", outcome.stdout + outcome.log, re.IGNORECASE)
    return int(words[1]) if words and silent and outcome.status else 0


_LAUNCHERS_WORDS = re.compile(r"^(-{20,}$.*?^-{20,}|\[[^]]*:\d+\].*?)$", re.MULTILINE | re.DOTALL)
"""Open MPI's: in frames, or after `[host:process]`."""


def _last_words(log: str) -> str:
    """What the program said itself; a launcher's talk about it comes after."""
    for text in (_LAUNCHERS_WORDS.sub("", log), log):
        lines = [line.strip() for line in text.splitlines() if re.search(r"\w", line)]
        if lines:
            return next((line for line in lines if re.match(r"rank \d+: ", line)), lines[-1])
    return "no message"


def _signalled(number: int) -> str:
    name = signal.Signals(number).name if number in signal.Signals.__members__.values() else "unknown"
    hint = "; the kernel does so when memory runs out" if number == signal.SIGKILL else ""
    return f"killed by signal {number} ({name}){hint}"


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).splitlines()[0]
