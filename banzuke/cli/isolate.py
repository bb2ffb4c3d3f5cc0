"""`banzuke isolate`: moves the operating system to some cores, runs a command on others, and restores everything."""

import shutil
from typing import Annotated

import typer

from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.options import HOW, WHAT, Json
from banzuke.cpu_lists import format_cpus, parse_cpus
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.files.own import state_folder
from banzuke.isolation import run
from banzuke.isolation.check import Possible, check, enumeration
from banzuke.isolation.isolate import IsolationReport, begin, default_scope
from banzuke.isolation.processes import Scope
from banzuke.machine.tree import Tree
from banzuke.units import count

REALTIME = (
    "under SCHED_FIFO a thread that spins, as MPI ranks do, never yields its processor to ordinary threads, nor to "
    "kernel threads bound there: more ranks than processors will hang, and the kernel takes back a share of every "
    "second (kernel.sched_rt_runtime_us)"
)


OsCores = Annotated[
    str,
    typer.Option(
        "--os-cores",
        metavar="LIST",
        help="Processors reserved for the operating system, such as 0 or 0-1,24-25.",
        rich_help_panel=HOW,
        show_default="the first core",
    ),
]
Processes = Annotated[
    Scope | None,
    typer.Option(
        "--processes",
        metavar="all|user|session",
        help="Whose processes to move. user and session move nothing else, such as interrupts.",
        rich_help_panel=HOW,
        show_default="all as root, else user",
    ),
]


def isolate(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="Command to run on the job's processors.", show_default=False),
    ] = None,
    only_check: Annotated[
        bool,
        typer.Option("--check", help="Show what isolation could do here; change nothing.", rich_help_panel=WHAT),
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Isolate and return, for a batch system's prologue.", rich_help_panel=WHAT)
    ] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore", help="Undo --apply, or clean up after an isolation that was killed.", rich_help_panel=WHAT
        ),
    ] = False,
    os_cores: OsCores = "",
    processes: Processes = None,
    realtime: Annotated[
        bool,
        typer.Option("--realtime", help="Run the command under SCHED_FIFO.", rich_help_panel=HOW),
    ] = False,
    lock_memory: Annotated[
        bool,
        typer.Option(
            "--lock-memory",
            help="Remove the limit on locked memory; Banzuke's programs then lock theirs.",
            rich_help_panel=HOW,
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Keep the operating system off the cores of a job while it runs, and restore everything exactly.

    Processes, interrupts, workqueues, kernel threads and timers are moved to the operating system's cores, and what
    cannot be moved is listed. The exit status is the command's, or 1 if something could not be restored.
    """
    ways = {"-- COMMAND": bool(command), "--check": only_check, "--apply": apply, "--restore": restore}
    chosen = [name for name, wanted in ways.items() if wanted]
    if len(chosen) != 1:
        why = f"{' and '.join(chosen)} exclude each other" if chosen else "there is nothing to do"
        raise BanzukeError(why, remedy="Give a command after --, or one of --check, --apply and --restore")
    if (realtime or lock_memory) and not command:
        raise BanzukeError("--realtime and --lock-memory need a command", remedy="Give it after --")
    if restore and (os_cores or processes):
        named = "--os-cores" if os_cores else "--processes"
        raise BanzukeError(
            f"{named} has no effect with --restore", why="the journal records what was changed", remedy="Omit it"
        )
    tree = Tree()
    cores = _cores(os_cores)
    if only_check:
        _show_possible(check(tree, cores), json=json)
    elif restore:
        _restore(tree, json=json)
    elif apply:
        journal, report = begin(tree, state_folder(), os_cores=cores, scope=default_scope(processes), command=[])
        try:
            run.apply(tree, journal, report)
        finally:
            _tell_unrestored(report.unrestored)
        _show(report, json=json)
    elif command:
        job = run.ConfinedJob(command, realtime, lock_memory)
        job.check()
        if realtime:
            warn(REALTIME)
        _run(tree, job, cores, default_scope(processes), json=json)


def _cores(text: str) -> list[int]:
    cores = parse_cpus(text)
    if text and not cores:
        raise BanzukeError(f"--os-cores '{text}' is not a list of processors", remedy="Write e.g. 0 or 0-1,24-25")
    return cores


def _run(tree: Tree, job: run.ConfinedJob, cores: list[int], scope: Scope, *, json: bool) -> None:
    if not shutil.which(job.command[0]):
        raise BanzukeError(
            f"cannot start '{job.command[0]}'",
            why="no such program, or it may not be executed",
            remedy="Check its name, or write its whole path",
        )
    journal, report = begin(tree, state_folder(), os_cores=cores, scope=scope, command=job.command)

    def said(report: IsolationReport) -> None:
        if json:
            write_json(report.document(), to_errors=True, indent=None)  # the output stream belongs to the command
        else:
            _tell(report)

    try:
        status = run.run(tree, journal, report, job, said)
    finally:
        _tell_unrestored(report.unrestored)
    run.end_as(status or (1 if report.unrestored else 0))


def _restore(tree: Tree, *, json: bool) -> None:
    problems = run.put_back(tree, state_folder())
    if json:
        write_json({"restored": problems is not None, "problems": problems or []}, indent=None)
    elif problems is None:
        errors.say("nothing to restore")
    _tell_unrestored(problems or [])
    if problems:
        raise typer.Exit(1)


def _tell_unrestored(problems: list[str]) -> None:
    for problem in problems:
        errors.say(("not restored:", "bold red"), f" {problem}")


def _show(report: IsolationReport, *, json: bool) -> None:
    if json:
        write_json(report.document(), indent=None)
    else:
        _tell(report)


def _tell(report: IsolationReport) -> None:
    """Print the report in a few lines on the error stream."""
    moved = report.moved
    counts = {
        f"{moved.unit} by control group": moved.by_group,
        "control group": len(moved.confined),
        "thread by affinity": moved.by_affinity,
        "kernel thread": moved.kernel,
        **report.settings,
    }
    summary = (
        ", ".join(_counted(number, what) for what, number in counts.items() if number) or "nothing had to be moved"
    )
    system, job = format_cpus(report.system), format_cpus(report.job)
    errors.say(f"isolated: operating system on {system}, job on {job}; moved: {summary}")
    why: dict[str, list[str]] = {}
    for left in report.left:
        why.setdefault(left.why, []).append(f"{left.count} {left.what}" if left.count > 1 else left.what)
    for reason, names in why.items():
        errors.say(f"  stays: {enumeration(names)} ({reason})")
    for warning in report.warnings:
        warn(warning)


def _counted(number: int, what: str) -> str:
    """Return a count with its noun, such as `3 threads by affinity`."""
    noun, by, way = what.partition(" by ")
    return f"{count(number, noun)}{by}{way}"


def _show_possible(possible: Possible, *, json: bool) -> None:
    if json:
        write_json(possible.document())
        return
    title = f"Operating system on {format_cpus(possible.system)}, job on {format_cpus(possible.job)}"
    rows = ((line.name, line.value, line.note) for line in possible.lines)
    out.print(terminal_table(Table.of_texts(map(Column, ("", "Here", "Note")), rows, title)))
    if possible.boot:
        out.say(f"For less noise still, add to the kernel's command line: {possible.boot}")
