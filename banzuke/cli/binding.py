"""`banzuke binding`: shows where the threads of any program run, beside whom, and on which memory."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from banzuke.binding.findings import BindingFinding, WorkingThread, findings, neighbours, working
from banzuke.binding.sample import BindingSight, SeenThread, observe
from banzuke.cli.console import Console, errors, out, write_json
from banzuke.cli.options import HOW, OUTPUT, WHAT, Json, WrittenNumber, read_time
from banzuke.cpu_lists import format_cpus
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.isolation.run import end_as
from banzuke.machine.topology import Topology, topology
from banzuke.machine.tree import Tree
from banzuke.units import count, percent, quantity

START, LENGTH = 1.0, 2.0
"""Seconds after its start from which a program is observed, and for how long."""
MOST_LINES = 32
"""Most lines of threads without `-v`."""


def binding(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="Program to start and to observe.", show_default=False),
    ] = None,
    pid: Annotated[
        int | None,
        typer.Option("--pid", metavar="N", min=1, help="Observe this running process instead.", rich_help_panel=WHAT),
    ] = None,
    after: Annotated[
        WrittenNumber | None,
        typer.Option(
            "--after",
            metavar="TIME",
            parser=read_time,
            help="Time after its start from which a program is observed.",
            show_default="1s",
            rich_help_panel=HOW,
        ),
    ] = None,
    seconds: Annotated[
        WrittenNumber | None,
        typer.Option(
            "--seconds",
            metavar="TIME",
            parser=read_time,
            help="How long it is observed.",
            show_default="2s",
            rich_help_panel=HOW,
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List every thread.", rich_help_panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> None:
    """Show where the threads and ranks of any program run, beside whom, on which memory, and what of that costs time.

    The program itself is not changed. A started program keeps its output, and the result goes to the error stream.
    """
    if bool(command) == (pid is not None):
        raise BanzukeError("one thing is to be observed", remedy="Give a command after --, or --pid")
    tree = Tree()
    if pid is not None:
        _show(
            _observed(tree, pid, lambda: not tree.exists(f"proc/{pid}"), 0.0, seconds or LENGTH),
            tree,
            json,
            verbose,
            out,
        )
        return
    assert command  # noqa: S101  (one of both is given)
    if not shutil.which(command[0]):
        raise BanzukeError(
            f"cannot start '{command[0]}'", why="no such program, or it may not be executed", remedy="Check its name"
        )
    program = subprocess.Popen(command)
    try:
        sight = _observed(tree, program.pid, lambda: program.poll() is not None, after or START, seconds or LENGTH)
        _show(sight, tree, json, verbose, errors)
        status = program.wait()
    except BaseException:
        program.terminate()
        raise
    end_as(status)


def _observed(tree: Tree, root: int, ended: Callable[[], bool], after: float, seconds: float) -> BindingSight:
    """Return what is seen from `after` on; of a program that ends earlier, from its start. Raises BanzukeError."""
    if not tree.exists(f"proc/{root}/stat"):
        raise BanzukeError(f"there is no process {root}", remedy="ps -e lists them")
    sight = observe(tree, root, lambda passed: passed >= after or ended()) if after > 0 else None
    if sight is None or not ended():
        later = observe(tree, root, lambda passed: passed >= seconds or ended())
        sight = later if sight is None or later.seconds > sight.seconds or not ended() else sight
    if not sight.processes:
        raise BanzukeError(f"process {root} ended before it was seen", remedy="Observe one that runs longer")
    return sight


def _show(sight: BindingSight, tree: Tree, json: bool, verbose: bool, console: Console) -> None:
    layout = topology(tree)
    threads, causes = working(sight), list(findings(sight, layout))
    if json:
        write_json(_document(sight, threads, layout, causes), to_errors=console is errors)
        return
    idle = sum(len(process.threads) for process in sight.processes.values()) - len(threads)
    console.say(
        (f"{count(len(threads), 'working thread')} of {count(len(sight.processes), 'process')}", "bold"),
        f", {idle} idle, observed for {quantity(sight.seconds, 's')}",
    )
    lines = [_line(own, sight, layout) for own in threads]
    shown = lines if verbose else lines[:MOST_LINES]
    if shown:
        titles = (
            "rank",
            "process",
            "thread",
            "may run on",
            "ran on",
            "core",
            "NUMA",
            "memory by node",
            "of a processor",
        )
        kept = [place for place in range(len(titles)) if any(line[place] for line in shown)]
        columns = [Column(titles[place], right=place == len(titles) - 1) for place in kept]
        console.print(terminal_table(Table.of_texts(columns, [[line[place] for place in kept] for line in shown])))
    if len(shown) < len(lines):
        console.say(f"{len(lines) - len(shown)} more threads: -v")
    for finding in causes:
        console.say((f"{finding.what}.", "yellow"), f" {finding.remedy}")
    if threads and not causes:
        console.say("Each working thread has a processor of its own, and nothing else ran there.")


def _line(own: WorkingThread, sight: BindingSight, layout: Topology) -> list[str]:
    thread = own.thread
    process = sight.processes[thread.pid]
    cores, nodes = _cores(thread, layout), _nodes(thread, layout)
    total = sum(process.memory.values())
    held = [f"{quantity(size, 'B')} on {node}" for node, size in sorted(process.memory.items()) if size >= total / 100]
    return [
        "" if own.rank is None else str(own.rank),
        f"{process.name} ({process.pid})",
        str(sorted(process.threads).index(thread.tid)),
        format_cpus(list(thread.allowed)) or "?",
        format_cpus(sorted(thread.ran)),
        format_cpus(cores),
        format_cpus(nodes) if len(layout.numa) > 1 else "",
        ", ".join(held) if len(layout.numa) > 1 else "",
        percent(own.share),
    ]


def _cores(thread: SeenThread, layout: Topology) -> list[int]:
    return [number for number, core in enumerate(layout.cores) if thread.ran & set(core)]


def _nodes(thread: SeenThread, layout: Topology) -> list[int]:
    return [node.node for node in layout.numa if thread.ran & set(node.cpus)]


def _document(
    sight: BindingSight, threads: Sequence[WorkingThread], layout: Topology, causes: Sequence[BindingFinding]
) -> dict[str, Any]:
    cpus = {cpu for own in threads for cpu in own.thread.ran}
    return {
        "seconds": sight.seconds,
        "threads": [
            {
                "rank": own.rank,
                "process": own.thread.pid,
                "thread": own.thread.tid,
                "name": own.thread.name,
                "allowed": list(own.thread.allowed),
                "ran": sorted(own.thread.ran),
                "cores": _cores(own.thread, layout),
                "numa": _nodes(own.thread, layout),
                "share": own.share,
            }
            for own in threads
        ],
        "processes": [
            {"process": process.pid, "name": process.name, "rank": process.rank, "bytes_by_node": dict(process.memory)}
            for process in sight.processes.values()
        ],
        "neighbours": [
            {"process": own.pid, "name": own.name, "ran": sorted(own.ran & cpus), "share": sight.share(own)}
            for own in neighbours(sight, cpus)
        ],
        "findings": [{"code": finding.code, "text": finding.what, "remedy": finding.remedy} for finding in causes],
    }
