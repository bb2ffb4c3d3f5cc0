"""Makes a record of what a process left behind; however it ended, there is a record, with the reason."""

import json
import os
import re
import signal
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from banzuke.cpu_lists import format_cpus
from banzuke.files import refusal
from banzuke.installation import installation
from banzuke.launch.command import Command
from banzuke.launch.endings import ending, forbidden, misunderstood
from banzuke.launch.loader import loader_variables
from banzuke.launch.placed import misplaced, other_devices, without_effect
from banzuke.launch.process import MOST_PRINTED, ProcessResult
from banzuke.launch.shared_memory import shortage
from banzuke.machine.user_variables import inherited_settings
from banzuke.plan.case import Case, key
from banzuke.plan.variant import NODE_ORDER
from banzuke.program.installed import commit
from banzuke.record.hosts import folded_hosts
from banzuke.record.model import MISSING, Group, Provenance, Record
from banzuke.ulimits import explained
from banzuke.units import layout

MOST_STEPS = 5
"""Number of steps of ranks at the time limit that are listed one by one."""
OUT_OF_TIME = "it did not end within the time that was left for it"
"""Reason for a case that an evaluation began and then skipped."""
OWN_FIELDS = ("environment", "image", "neighbours")
"""Axes that are fields of the provenance."""
MOST_HOSTS = 32
"""Number of a record's host entries up to which hosts are listed in the order of their ranks."""
LONGEST_RANK_LIST = 80
"""Largest number of characters of a list of ranks in a reason."""


@dataclass(frozen=True)
class CaseOrigin:
    """The origin of a case, for its record."""

    run: str
    machine: str
    repetition: int = 0
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    batch: str | None = None


def _provenance(case: Case, command: Command | None, origin: CaseOrigin, log: str | None = None) -> Provenance:
    return Provenance(
        id=uuid.uuid4().hex[:12],
        run=origin.run,
        case=key(case),
        repetition=origin.repetition,
        machine=origin.machine,
        command=command.words if command else [],
        environment=case.variant.environment,
        image=case.variant.image or None,
        environment_details=dict(command.details) if command else {},
        neighbours=case.variant.neighbours,
        variant={name: value for name, value in case.variant.values.items() if name not in OWN_FIELDS},
        placement=case.placement or None,
        variables={**loader_variables(), **inherited_settings(os.environ), **command.variables} if command else {},
        batch=origin.batch,
        banzuke=installation(),
        commit=commit(case.variant.build),
        log=log or None,
    )


def unmeasured(
    case: Case,
    origin: CaseOrigin,
    reason: str,
    *,
    skipped: bool = False,
    missing: str = "",
    command: Command | None = None,
    log: str = "",
) -> Record:
    """Return the record of a case that gave no figure; `missing`: an environment that this system does not have."""
    provenance = _provenance(case, command, origin, log)
    if missing:
        provenance = provenance.having(environment_details={MISSING: missing})
    return Record(
        benchmark=case.benchmark,
        backend=case.backend,
        parameters=dict(case.parameters),
        groups=_launched(
            case, [Group(program=program, ranks=ranks, threads=threads) for program, ranks, threads in _asked(case)]
        ),
        status="skipped" if skipped else "failed",
        reason=reason,
        started=origin.started,
        ended=max(origin.started, datetime.now(UTC)),  # clocks are set back now and then
        provenance=provenance,
    )


def out_of_time(records: Iterable[Record]) -> set[str]:
    """Return the benchmarks without a verified record for which a case was ended when an evaluation's time was over."""
    listed = list(records)
    ended = {record.benchmark for record in listed if record.reason == OUT_OF_TIME}
    return ended - {record.benchmark for record in listed if record.status == "ok"}


def complete(case: Case, command: Command, outcome: ProcessResult, origin: CaseOrigin, timeout: float) -> Record:
    """Return the record of a case that ran: the program's, with what the launching side knows, or the reason for having
    none.
    """

    def failed(reason: str) -> Record:
        return unmeasured(case, origin, explained(reason), command=command, log=outcome.log)

    written = _last_object(outcome.stdout)
    if reason := _cut_short(case, command, outcome, timeout, silent=not written):
        return failed("; ".join(filter(None, [reason, misunderstood(outcome.log)])))
    try:
        record = _written(written, case, command, outcome, origin)
    except (ValidationError, ValueError, TypeError) as error:
        return failed(f"its record cannot be read: {_first_line(error)}")
    if reason := _otherwise(record, case, command, outcome):
        return failed(reason)
    changes = {"reason": explained(record.reason)} if record.reason else {}
    parameters = {
        name: value for name, value in record.parameters.items() if name not in {**case.places, **case.chosen}
    }
    return record.having(groups=_launched(case, record.groups), parameters=parameters, **changes)


def _last_object(text: str) -> str:
    """Return the last line that is a JSON object, because launchers and libraries print too; empty: there is none."""
    at = text.rfind("\n{") + 1
    return text[at:].partition("\n")[0] if text.startswith("{", at) else ""


def _cut_short(case: Case, command: Command, outcome: ProcessResult, timeout: float, *, silent: bool) -> str:
    """Return why there is no record that counts; empty: there is one."""
    if outcome.flooded:
        return f"printed more than {MOST_PRINTED >> 20} MiB and was ended"
    if outcome.timed_out:
        limits = f"{outcome.limits} times " if outcome.limits > 1 else ""
        return f"exceeded {limits}its time limit of {timeout:.3g} s and was ended{_last_steps(outcome, case.ranks)}"
    end = ending(outcome, silent=silent)
    said = _last_words(_LAUNCHERS_WORDS.sub("", outcome.log))  # a launcher's output comes after the program's
    if end.signal:
        was = f"{end.who} was " if end.suspects else ""
        shm = shortage(command, end.signal, case.per_host)
        attach = forbidden(outcome.log, _settings(command), end.signal) if case.per_host > 1 else ""
        return "; ".join(filter(None, [was + _signalled(end.signal), said and f"it said: {said}", shm, attach]))
    if silent:
        words = said or (
            f"{end.who} was first seen to end" if end.suspects else _last_words(outcome.log) or "no message"
        )
        attach = forbidden(outcome.log, _settings(command)) if case.per_host > 1 else ""
        return "; ".join(filter(None, [f"ended with status {outcome.status} and no record: {words}", attach]))
    return ""


def _settings(command: Command) -> list[str]:
    """Return the variables of its ranks as NAME=VALUE; those within containers are among the words."""
    variables = {**os.environ, **command.variables}
    return [*command.words, *(f"{name}={value}" for name, value in variables.items())]


def _otherwise(record: Record, case: Case, command: Command, outcome: ProcessResult) -> str:
    """Return how it ran differently from what was asked; empty: it ran as asked."""
    ran, wanted = [(group.program, group.ranks, group.threads) for group in record.groups], _asked(case)
    if ran != wanted:
        return f"ran with {_layouts(ran)} instead of {_layouts(wanted)}; is a variable such as OMP_THREAD_LIMIT set?"
    if record.status != "ok":
        return ""
    for group, placement in zip(record.groups, command.placements, strict=True):
        if placement and (why := misplaced(group, placement)):
            return f"placement {placement.name} did not take effect: {why}"
    for group, asked in zip(record.groups, command.devices, strict=False):
        if asked and (why := other_devices(group, asked)):
            return why
    if why := without_effect(record, case.variant, command):
        return why
    return f"ended with status {outcome.status} after its record" if outcome.status else ""


Asked = tuple[str, int, int]
"""Program, ranks and threads of a group."""


def _asked(case: Case) -> list[Asked]:
    return [(f"{case.benchmark}-{group.backend}", group.ranks, group.threads) for group in case.groups]


def _launched(case: Case, groups: Sequence[Group]) -> list[Group]:
    """Return the record's groups with their build and the partition in which they ran (none where the site has only
    one).

    Where there are many hosts and their ranks are reordered, the hosts are sorted by number, so that their names can be
    folded.
    """
    ordered = case.variant.rank_order != NODE_ORDER
    return [
        group.having(
            partition=asked.partition or None,
            build=case.variant.build,
            hosts=folded_hosts(group.hosts) if ordered and len(group.hosts) > MOST_HOSTS else group.hosts,
        )
        for group, asked in zip(groups, case.groups, strict=True)
    ]


def _layouts(groups: Sequence[Asked]) -> str:
    """Return the layouts in words; the programs are named where there are several."""
    names = len({program for program, _, _ in groups}) > 1
    return " and ".join(f"{f'{program} on ' * names}{layout(*numbers)}" for program, *numbers in groups)


def _written(line: str, case: Case, command: Command, outcome: ProcessResult, origin: CaseOrigin) -> Record:
    """Return the program's record with what the launching side adds."""
    written: dict[str, Any] = json.loads(line)
    written["provenance"] = _provenance(case, command, origin)
    written["conditions"] = {**written.get("conditions", {}), **outcome.conditions}
    return Record.model_validate(written)


def _last_steps(outcome: ProcessResult, ranks: int) -> str:
    """Return the last reported step of each rank, most ranks first; empty when none reported any."""
    steps = outcome.ranks.steps
    silent = set(range(ranks)).difference(*steps.values())
    if not steps:
        return ""
    if ranks == 1:
        return f"; its last step: {next(iter(steps))}"
    sentences = [f"{_ranks(doing)}: {text}" for text, doing in sorted(steps.items(), key=lambda item: -len(item[1]))]
    shown = sentences[:MOST_STEPS] + (
        [f"{len(sentences) - MOST_STEPS} other steps"] if len(sentences) > MOST_STEPS else []
    )
    return "; " + "; ".join(shown + ([f"{_ranks(silent)}: nothing was heard"] if silent else []))


def _ranks(ranks: Collection[int]) -> str:
    """Return `ranks 0,2-5`, shortened where that is long."""
    text = format_cpus(list(ranks))
    if len(text) > LONGEST_RANK_LIST:
        text = f"{text[:LONGEST_RANK_LIST].rpartition(',')[0]} and others, {len(ranks)} in all"
    return f"rank{'s' if len(ranks) > 1 else ''} {text}"


_LAUNCHERS_WORDS = re.compile(
    r"^(-{20,}$.*?^-{20,}|\W*\[[^]\n]*:\d+\][^\n]*|\[(mpiexec|proxy)\S*@\S+\][^\n]*)$", re.MULTILINE | re.DOTALL
)
"""Matches lines of launchers: Open MPI's in frames or after `[host:process]`, Hydra's after `[proxy:1@host]`."""


def _last_words(log: str) -> str:
    """Return the first line that a rank or a program wrote under its own name, or else the last line."""
    lines = [line.strip() for line in log.splitlines() if re.search(r"\w", line)]
    return next((line for line in lines if re.match(r"(rank \d+|banzuke-[\w-]+): ", line)), lines[-1] if lines else "")


def _signalled(number: int) -> str:
    name = signal.Signals(number).name if number in signal.Signals.__members__.values() else "unknown"
    hint = "; the kernel does so when memory runs out" if number == signal.SIGKILL else ""
    return f"killed by signal {number} ({name}){hint}"


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return refusal(error)
    return str(error).splitlines()[0]
