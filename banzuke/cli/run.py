"""`banzuke run`: chosen benchmarks, with their standard cases or the user's parameters."""

import math
import os
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from banzuke import evaluation
from banzuke.cli import official, tables
from banzuke.cli.console import errors, out, warn, warn_of, write_json, write_text
from banzuke.cli.options import (
    DEFAULT_RESULTS,
    WHAT,
    WHERE,
    Areas,
    Batch,
    BlasPath,
    DeviceNames,
    DryRun,
    Fresh,
    Hosts,
    InputPath,
    Json,
    Nodes,
    Official,
    PartitionName,
    Placements,
    Repeat,
    Results,
    RunName,
    Scaling,
    Seconds,
    SiteFile,
    Timeout,
    Tune,
    TuneSeconds,
    Untuned,
    Verbose,
)
from banzuke.cli.preparation import (
    find_needed,
    in_areas,
    look,
    prepare,
    print_commands,
    refuse,
    reserve,
    tell_copies,
    tell_needed,
    tell_variables,
    validate,
)
from banzuke.cli.progress import RunDisplay, Silent
from banzuke.cli.tune import check_tunable, tuned_now, with_stored
from banzuke.cli.variants import Launch, variants, with_variants
from banzuke.errors import BanzukeError
from banzuke.evaluation import Needed, Options
from banzuke.files import check_file, read_whole, whose, write_whole
from banzuke.files.own import for_commands
from banzuke.limit.launches import singly
from banzuke.limit.model import Assessment, Ceiling
from banzuke.machine.model import Machine
from banzuke.plan import cases as planning
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.budget import Budget
from banzuke.plan.cases import Request
from banzuke.plan.catalogue import benchmarks, families, find
from banzuke.plan.overrides import parse_overrides
from banzuke.power.accounting import Accounting
from banzuke.power.find import sources
from banzuke.power.recorder import recording
from banzuke.predict.residual_data import predicted_document
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count, duration, quantity
from banzuke.words.language import words

MUCH_MEMORY = 1 << 30
"""Bytes from which the memory that a run needs is worth a line."""


def names_of_benchmarks(incomplete: str) -> list[str]:
    return [name for name in benchmarks() if name.startswith(incomplete)]


@official.with_command_lines
@with_variants
def run(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="BENCHMARK", help="Benchmarks; `banzuke list` shows them.", autocompletion=names_of_benchmarks
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set a parameter; n=1000,2000 sweeps it. Repeatable.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("--ranks", metavar="N", min=1, help="MPI ranks.", rich_help_panel=WHAT)
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", min=1, help="Threads per rank.", rich_help_panel=WHAT)
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend", metavar="NAMES", help="Run each case with each backend: omp,mkl.", rich_help_panel=WHAT
        ),
    ] = None,
    placement: Placements = None,
    hosts: Hosts = None,
    devices: DeviceNames = None,
    nodes: Nodes = None,
    scaling: Scaling = None,
    site: SiteFile = None,
    partition: PartitionName = None,
    area: Areas = None,
    launch: Launch = variants,
    seconds: Seconds = None,
    input_path: InputPath = None,
    command_lines: Mapping[str, str] = MappingProxyType({}),
    oversubscribe: Annotated[
        bool,
        typer.Option("--oversubscribe", help="Allow more threads than processors.", rich_help_panel=WHERE),
    ] = False,
    blas: BlasPath = None,
    repeat: Repeat = 1,
    timeout: Timeout = None,
    tune: Tune = False,
    tune_seconds: TuneSeconds = None,
    untuned: Untuned = False,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    results: Results = DEFAULT_RESULTS,
    run_name: RunName = None,
    batch: Batch = None,
    official_text: Official = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run the standard cases of benchmarks, or those that the options select, and judge their figures."""
    specs = {name: find(name) for name in dict.fromkeys(names)}
    asked = official.asked_for(specs, input_path, command_lines)
    backend, area = (backend or asked.backend, official.area_of(asked, area)) if asked else (backend, area)
    request = Request(
        ranks=ranks,
        threads=threads,
        backend=backend,
        variants=launch(),
        overrides=parse_overrides(settings or []),
        seconds=seconds,
        listed=asked.cases if asked else (),
        placements=tuple(name.strip() for name in placement.split(",")) if placement else (),
        nodes=nodes,
        problem_of=scaling,
    )
    if asked and asked.output:
        check_file(Path(asked.output))
    check_options(specs, request, official_text=official_text, json=json, tune=tune)
    store = Store(results)
    options = Options(
        timeout=timeout, oversubscribe=oversubscribe, folder=for_commands(store.folder), dry_run=dry_run, batch=batch
    )
    machine = in_areas(look(specs, blas, hosts, site, partition, devices), specs, area, store)
    refuse(machine, specs, request, options, strict=request != Request(), stored=not (tune or untuned))
    written = [store.folder, *([Path(asked.output).parent] if asked and asked.output else [])]
    reserve(store, () if dry_run else written)
    needed = find_needed(store, machine, specs, request)
    machine = prepare(machine, {**needed.missing, **specs}, keep=not dry_run)
    if not (tune or untuned):
        specs = with_stored(specs, machine, backend)
    planned = planning.plan_all(specs.values(), machine, request, families)
    tell_needed(needed)
    tell_copies(planned)
    tell_variables(planned)
    largest = validate(planned, machine, specs, options, strict=request != Request())
    if dry_run:
        print_commands(planned, machine, specs, options, needed, repeat=repeat, json=json)
        return
    if tune:
        specs = tuned_now(
            specs, machine.on_hosts(nodes) if nodes else machine, store, backend, tune_seconds, request.variants
        )
        request = replace(request, variants=request.variants.settled)
        planned = planning.plan_all(specs.values(), machine, request, families)
    if largest >= MUCH_MEMORY:
        errors.say((f"needs up to {quantity(largest, 'B')} of memory", "dim"))
    current = carry_out(
        store,
        planned,
        machine,
        specs,
        options,
        needed=needed,
        request=f"{sorted(specs)} {request} {repeat} {blas} {oversubscribe} {untuned} {len(machine.allotment.hosts)}"
        f"{f' {devices}' if devices else ''}"
        f" {machine.allotment.folders}{f' {machine.allotment.partition}' if site else ''}",
        repeat=repeat,
        name=run_name,
        fresh=fresh,
        quiet=json,
        verbose=verbose,
    )
    assessments, ceilings = judged(current, specs)
    if json:
        write_json(predicted_document(assessments, current.machine(), ceilings, {**benchmarks(), **specs}, words()))
    else:
        tables.show(assessments, specs, verbose=verbose, console=errors if asked or official_text else out)
        errors.say((f"records in {current.folder}", "dim"))
    if asked or official_text:
        text = official.results(specs, [launch.record for launch in singly(assessments)])
        if not json:
            write_text(text)
        if asked and asked.output:
            output = Path(asked.output)
            before = read_whole(output) if asked.appends and output.exists() else b""
            write_whole(output, before + text.encode())
    raise typer.Exit(exit_status(assessments))


def check_options(
    specs: Mapping[str, Benchmark], request: Request, *, official_text: bool, json: bool, tune: bool
) -> None:
    """Raises BanzukeError for options that contradict one another on any machine; says which are ignored."""
    if official_text:
        official.check(specs, json=json)
    if tune:
        check_tunable(specs, request.backend, request.variants)
    for note in planning.check_all(list(specs.values()), request):
        errors.say(note)


def carry_out(
    store: Store,
    planned: Sequence[Case],
    machine: Machine,
    specs: Mapping[str, Benchmark],
    options: Options,
    *,
    needed: Needed,
    request: str,
    repeat: int = 1,
    budget: Budget | None = None,
    begun: float = 0.0,
    name: str | None,
    fresh: bool,
    quiet: bool,
    verbose: bool,
) -> Run:
    """Runs the cases, or, as it was described then, what is left of a run that was cut off, or that has this name.

    Within a budget, from `begun` on, of `time.monotonic`: what fits.
    """
    if name:
        current = store.named(name, machine, request)
        if current and fresh:
            raise BanzukeError(f"there is a run {name}", remedy="Leave --fresh out to continue it, or use another name")
    else:
        current = None if fresh else store.unfinished(machine, request, warn)
    if current:
        why = "" if name else ", which was interrupted (--fresh starts a new run)"
        errors.say(f"continuing {current.name}{why}")
        machine = current.machine().changed(allotment={"hosts": machine.allotment.hosts})
    else:
        current = store.create(machine, planned, repeat, request, budget, name)
    try:
        accounting = Accounting.of_job(os.environ)
        sensors = recording(sources(machine, os.environ), machine.node.power, _told_idle, accounting)
        with current.owned(), sensors as recorder:
            options = replace(options, recorder=recorder)
            for why in recorder.refused:
                errors.say(("warning:", "yellow"), f" a sensor of power is left out: {why}")
            current.keep_ceilings(needed.known)
            within = budget.seconds - (time.monotonic() - begun) if budget else math.inf
            cases = [*needed.cases(), *(case for case, _ in current.missing())]
            with Silent() if quiet else RunDisplay(cases, verbose=verbose, within=within) as observer:
                evaluation.measure_needed(current, machine, needed, observer, options)
                if budget:
                    evaluation.execute_within(current, machine, specs, observer, options, begun)
                else:
                    evaluation.execute(current, machine, specs, observer, options)
            current.check_there()
    except KeyboardInterrupt:
        _interrupted(current, store, named=name is not None)
        raise typer.Exit(130) from None
    return current


def _told_idle(seconds: float) -> None:
    errors.say((f"measuring the idle power for {duration(seconds)}", "dim"))


def _interrupted(run: Run, store: Store, *, named: bool) -> None:
    """How far an interrupted run came, and how to continue it."""
    plan = run.plan()
    planned = len(plan.order()) if plan else 0
    finished = planned - len(run.missing())
    errors.say(f"Interrupted after {finished} of {count(planned, 'launch')}. The run is {run.name} in {run.folder}.")
    if why := whose(run.folder, way="read"):
        errors.say(f"It is not continued here ({why}).")
    else:
        errors.say(f"The same command continues it{'' if named else ' (--fresh starts a new run)'}.")
    if finished:
        given = [] if store.folder == DEFAULT_RESULTS else ["--results", str(store.folder)]
        errors.say(f"To report what is finished: {shlex.join([_program(), 'report', run.name, *given])}")


def _program() -> str:
    """How this program is called from here."""
    called = Path(sys.argv[0])
    return sys.argv[0] if called.name == "banzuke" and not shutil.which("banzuke") else "banzuke"


def judged(current: Run, specs: Mapping[str, Benchmark]) -> tuple[tuple[Assessment, ...], tuple[Ceiling, ...]]:
    """The records of a run against its own machine, and the ceilings; lines that are no records are named."""
    reading = current.read()
    warn_of(reading)
    # Also what did not run declares resources, and measures what is unknown.
    return evaluation.judge(reading.records, current.machine(), {**benchmarks(), **specs}, current.ceilings())


def exit_status(assessments: Sequence[Assessment], *, may_skip: bool = False) -> int:
    """0 when every launch of every case was verified, or some were and the system cannot do the others; else 1.

    `may_skip`: cases may have been skipped for other reasons, too.
    """
    records = [record for assessment in assessments for record in assessment.records]
    verified = [record for record in records if record.status == "ok"]
    skipped = [record for record in records if record.unsupported or (may_skip and record.status == "skipped")]
    return 0 if len(verified) + len(skipped) == len(records) and (verified or not records) else 1
