"""`banzuke predict explore`: writes a page with sliders for a machine's properties and the predictions that follow."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banzuke.cli.console import errors, write_text
from banzuke.cli.options import DEFAULT_LANGUAGE, DEFAULT_RESULTS, OUTPUT, WHAT, Language, Results
from banzuke.errors import BanzukeError
from banzuke.files import write_whole
from banzuke.machine import published
from banzuke.machine.public import known_machines
from banzuke.machine.published import PublishedFigure
from banzuke.machine.site import Partition
from banzuke.plan.aspect import rank
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import find, modelled
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import UnpredictedError
from banzuke.results.store import Store
from banzuke.words import Message
from banzuke.words.language import words

if TYPE_CHECKING:
    from banzuke.predict.explore.data import Explored

Machine = tuple[PredictedMachine, Sequence[PublishedFigure]]
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEFAULT_FILE = Path("explore.html")


def explore(
    machines: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MACHINE",
            help="Machines of reports or public lists as `banzuke list` names them, SITE.toml or SITE.toml:PARTITION, "
            "runs: `last`. Repeatable.",
            show_default="those of the reports",
        ),
    ] = None,
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--benchmark",
            metavar="NAME",
            help="Benchmark whose figures are on the page. Repeatable.",
            show_default="all that have a model",
            rich_help_panel=WHAT,
        ),
    ] = None,
    file: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where the page is written.", rich_help_panel=OUTPUT),
    ] = DEFAULT_FILE,
    language: Language = DEFAULT_LANGUAGE,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Write a page to play with: sliders for nodes, bandwidths, latency, noise and memory, and the figures that follow.

    The page needs no network. It interpolates tables that the models fill in now, which takes seconds to minutes for
    each machine, and says how exact it is. All public machines together would take long: name those of interest,
    such as `frontera summit`.
    """
    from banzuke.predict.explore.page import page  # noqa: PLC0415

    benchmarks = sorted(
        (_modelled(name) for name in chosen or modelled()), key=lambda benchmark: rank(benchmark.aspect)
    )
    explored: list[Explored] = []
    omitted: dict[str, tuple[Message | str, ...]] = {}
    for machine in _explored(_machines(machines or (), Store(results)), [benchmark.name for benchmark in benchmarks]):
        if machine.tables:
            explored.append(machine)
        else:
            omitted[machine.machine.name] = tuple(dict.fromkeys(machine.refused.values()))
    if not explored:
        name, reasons = next(iter(omitted.items()))
        raise BanzukeError(f"nothing can be predicted for {name}", why=words().joined(reasons))
    write_whole(file, page(explored, omitted, benchmarks, language).encode(), option="--output")
    write_text(f"{file}\n")


def _explored(machines: Mapping[str, Machine], benchmarks: Sequence[str]) -> "Iterator[Explored]":
    """Tabulate the machines in child processes, as many at a time as there are processors."""
    workers = min(len(machines), len(os.sched_getaffinity(0)))
    received = (signal.SIG_UNBLOCK, _INTERRUPTS)
    with ProcessPoolExecutor(workers, initializer=signal.pthread_sigmask, initargs=received) as pool:
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)  # Python drops exceptions raised while it forks
            try:
                waiting = [pool.submit(_tabulated, name, machine, benchmarks) for name, machine in machines.items()]
            finally:
                signal.pthread_sigmask(*received)
            with errors.busy("Filling in tables") as say:
                for number, future in enumerate(waiting, 1):
                    yield future.result()
                    say(f"Filling in tables: {number} of {len(waiting)} machines")
        except BaseException:
            for child in active_children():  # otherwise leaving the pool would wait for their tables
                child.kill()
            raise


def _tabulated(name: str, machine: Machine, benchmarks: Sequence[str]) -> "Explored":
    from banzuke.predict.explore.data import explore as tabulated  # noqa: PLC0415

    described, figures = machine
    return tabulated(name, described, [find(benchmark) for benchmark in benchmarks], figures)


def _modelled(name: str) -> Benchmark:
    """Return a benchmark that has a model. Raises BanzukeError."""
    benchmark = find(name)
    if name not in modelled():
        raise UnpredictedError(benchmark, f"There are: {', '.join(modelled())}")
    return benchmark


def _machines(names: Sequence[str], store: Store) -> Mapping[str, Machine]:
    """Return the named machines, else all published ones that have nodes. Raises BanzukeError."""
    every = known_machines()
    wanted = names or [machine.id for machine in published.load() if isinstance(machine.part, Partition)]
    machines = {}
    for name in wanted:
        printed = published.in_file(name) or published.find(name, every)
        machines[name] = (predicted_machine(name, store), printed.figure if printed else ())
    return machines
