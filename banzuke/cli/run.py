"""`banzuke run`: chosen benchmarks, with their standard cases or the user's parameters."""

import math
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from banzuke import evaluation
from banzuke.cli import official, tables
from banzuke.cli.console import errors, out, warn, warn_of, write_json, write_text
from banzuke.cli.options import (
    DEFAULT_RESULTS,
    WHAT,
    WHERE,
    BlasPath,
    Build,
    Cores,
    DryRun,
    Env,
    Environments,
    Fresh,
    HostList,
    Hosts,
    Image,
    InputPath,
    Json,
    LauncherOptions,
    Library,
    Memory,
    Mpi,
    Neighbours,
    Official,
    OsCores,
    Pages,
    Placements,
    Repeat,
    Results,
    Seconds,
    Timeout,
    Tune,
    TuneSeconds,
    Untuned,
    Verbose,
)
from banzuke.cli.progress import Display, Silent, looking
from banzuke.cli.tune import check_tunable, tuned_now, with_stored
from banzuke.cli.variants import made_ready, variants
from banzuke.environment.model import NATIVE
from banzuke.errors import BanzukeError
from banzuke.evaluation import Needed, Options
from banzuke.files import check_folder, write_whole
from banzuke.launch.check import answered, check, check_memory, check_values, memory
from banzuke.launch.guard import end_marked, guard
from banzuke.limit.ceilings import age_text
from banzuke.limit.launches import singly
from banzuke.limit.model import Assessment
from banzuke.machine.allocation import elsewhere
from banzuke.machine.model import Machine
from banzuke.plan import cases as planning
from banzuke.plan.axes import without_effect
from banzuke.plan.benchmark import Benchmark, Case
from banzuke.plan.budget import Budget
from banzuke.plan.cases import Request
from banzuke.plan.catalogue import benchmarks, families, find
from banzuke.program.describe import RefusedError
from banzuke.program.installed import NotBuiltError, backends
from banzuke.record.store import Run, Store
from banzuke.tuning.stored import kept
from banzuke.units import count, duration, quantity

MOST_HOSTS = 4
"""Named in a warning."""


def names_of_benchmarks(incomplete: str) -> list[str]:
    return [name for name in benchmarks() if name.startswith(incomplete)]


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
            "--set", metavar="NAME=VALUE", help="Set a parameter; n=1000,2000 sweeps it.", rich_help_panel=WHAT
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
            "--backend", metavar="NAMES", help="Backend, or several to run in turn: omp,mkl.", rich_help_panel=WHAT
        ),
    ] = None,
    placement: Placements = None,
    hosts: Hosts = None,
    environment: Environments = NATIVE,
    image: Image = None,
    os_cores: OsCores = None,
    neighbours: Neighbours = "0",
    build: Build = None,
    mpi: Mpi = None,
    library: Library = None,
    memory: Memory = None,
    pages: Pages = None,
    cores: Cores = None,
    env: Env = None,
    launcher_options: LauncherOptions = None,
    seconds: Seconds = None,
    input_path: InputPath = None,
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
    official_text: Official = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run benchmarks and judge their figures: the standard cases, or those that the options choose."""
    specs = {name: find(name) for name in dict.fromkeys(names)}
    file = official.file_of(specs) if input_path else None
    asked = official.read(file, input_path) if file and input_path else None
    request = Request(
        ranks=ranks,
        threads=threads,
        backend=backend,
        variants=variants(
            environment,
            image,
            os_cores,
            neighbours,
            build=build,
            mpi=mpi,
            library=library,
            memory=memory,
            pages=pages,
            cores=cores,
            env=env,
            launcher_options=launcher_options,
        ),
        overrides=planning.parse_overrides(settings or []),
        seconds=seconds,
        listed=asked.cases if asked else (),
        placements=tuple(name.strip() for name in placement.split(",")) if placement else (),
    )
    check_options(specs, request, official_text=official_text, json=json, tune=tune)
    store = Store(results)
    options = Options(timeout=timeout, oversubscribe=oversubscribe, folder=store.folder, dry_run=dry_run)
    machine = look(specs, blas, hosts)
    refuse(machine, specs, request, options, strict=request != Request(), stored=not (tune or untuned))
    written = [store.folder, *([Path(asked.output).parent] if asked and asked.output else [])]
    needed = find_needed(store, machine, specs)
    machine = prepare(store, machine, {**needed.missing, **specs}, written=() if dry_run else written)
    if not (tune or untuned):
        specs = with_stored(specs, machine, backend)
    planned = planning.plan_all(specs.values(), machine, request, families)
    tell_needed(needed, machine)
    largest = validate(planned, machine, specs, options, strict=request != Request())
    if dry_run:
        print_commands(planned, machine, specs, options, needed, repeat=repeat)
        return
    if tune:
        specs = tuned_now(specs, machine, store, backend, tune_seconds, request.variants)
        request = replace(request, variants=request.variants.settled)
        planned = planning.plan_all(specs.values(), machine, request, families)
    if largest:
        errors.say((f"needs up to {quantity(largest, 'B')} of memory", "dim"))
    current = carry_out(
        store,
        planned,
        machine,
        specs,
        options,
        needed=needed,
        request=f"{sorted(specs)} {request} {repeat} {blas} {oversubscribe} {untuned} {len(machine.allotment.hosts)}",
        repeat=repeat,
        fresh=fresh,
        quiet=json,
        verbose=verbose,
    )
    assessments = judged(current, specs)
    if json:
        write_json(tables.document(assessments))
    else:
        tables.show(assessments, specs, verbose=verbose, console=errors if asked or official_text else out)
        errors.say((f"records in {current.folder}", "dim"))
    if asked or official_text:
        text = official.results(specs, [launch.record for launch in singly(assessments)])
        if not json:
            write_text(text)
        if asked and asked.output:
            write_whole(Path(asked.output), text.encode())
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


def needs_blas(specs: Mapping[str, Benchmark]) -> bool:
    return any(spec.needs_blas for spec in specs.values())


def look(specs: Mapping[str, Benchmark], blas: str | None, hosts: HostList | None) -> Machine:
    """This machine, not measured yet. Raises BanzukeError."""
    with looking():
        return evaluation.find_machine(
            blas_path=blas if needs_blas(specs) else None, hosts=hosts.names if hosts else ()
        )


def find_needed(store: Store, machine: Machine, specs: Mapping[str, Benchmark]) -> Needed:
    """What limits the figures and is not measured by these benchmarks."""
    here = {name: spec for name, spec in benchmarks().items() if name in specs or backends(name)}
    return evaluation.find_needed(store, machine, specs, here)


def tell_needed(needed: Needed, machine: Machine) -> None:
    """Where ceilings come from that are not measured here, and which are measured first."""
    now = datetime.now(UTC)
    for record in needed.known:
        run = record.provenance.run if record.provenance else ""
        rates = find(record.benchmark).measures[0].title
        errors.say((f"limits follow from the {rates} in run {run}, {age_text(now - record.started)}", "dim"))
    for case in needed.cases(machine):
        rates = find(case.benchmark).measures[0].title
        errors.say(f"no run tells this machine's {rates}: measuring it first, about {duration(round(case.seconds))}")


def refuse(
    machine: Machine,
    specs: Mapping[str, Benchmark],
    request: Request,
    options: Options,
    *,
    strict: bool = False,
    stored: bool = False,
) -> None:
    """Raises BanzukeError for what cannot be, as far as this is known of a machine that was not measured yet.

    `strict`: the cases themselves must be possible. What measuring decides is left to `validate`: sizes that follow
    from the speed of a BLAS library, and, where `stored`, settings that were tuned with it.
    """
    planned = planning.plan_all(specs.values(), machine, request, families)
    for note in without_effect(request.variants, planned, specs, machine):
        errors.say(note)
    made_ready(planned, machine, options)
    given = {*request.overrides, *(name for _, parameters in request.listed for name in parameters)}
    for case in telling(planned, specs) if strict else ():
        spec = specs[case.benchmark]
        tuned = stored and kept(spec, case.backend, machine)
        try:
            answers = answered(case)
        except RefusedError:
            if not tuned:
                raise
            check_values(case)
            continue  # the layout that was tuned may suit these parameters
        except NotBuiltError:
            continue  # it will be skipped, and other builds go on
        if not tuned and (not spec.needs_blas or given.issuperset(spec.size)):
            check_memory(case, machine, answers)
        evaluation.rendered(case, machine, spec, answers, options)


def prepare(store: Store, machine: Machine, specs: Mapping[str, Benchmark], *, written: Sequence[Path]) -> Machine:
    """The machine, measured, with a word about what takes a moment.

    `written`: the folders of what will be written, which must be possible; without, nothing is kept. With them, no
    other process of this host measures into the results folder from here on.
    """
    for folder in written:
        check_folder(folder)
    if written:
        alone(store)
    with looking() as report:
        machine = evaluation.measure_machine(
            store, machine, needs_blas=needs_blas(specs), report=report, keep=bool(written)
        )
    hosts = machine.allotment.hosts
    if elsewhere(hosts):
        warn(
            f"{machine.name} is not one of the hosts to run on "
            f"({', '.join(hosts[:MOST_HOSTS])}{', ...' if len(hosts) > MOST_HOSTS else ''}), "
            "but its processors, memory and peaks are assumed for them. Start banzuke on one of them"
        )
    if machine.software.blas_choice:
        errors.say((f"BLAS: {machine.software.blas_choice}", "dim"))
    return machine


def alone(store: Store) -> None:
    """Until this process ends no other of this host measures into the folder; what killed ones have left is ended."""

    def waiting(process: int) -> None:
        errors.say(f"waiting for process {process}, which measures into {store.folder}")

    guard(store.folder, waiting)
    if left := end_marked(store.killed()):
        errors.say(f"ended {count(left, 'process')} that a killed run had left behind")


def validate(
    planned: Sequence[Case], machine: Machine, specs: Mapping[str, Benchmark], options: Options, *, strict: bool
) -> float:
    """Bytes that the largest case takes.

    What the user asked for must be possible, or nothing runs; standard cases that are not will be recorded as skipped.
    """
    largest = 0.0
    for case in telling(planned, specs):
        try:
            answers = check(case, machine)
            evaluation.rendered(case, machine, specs[case.benchmark], answers, options)
        except NotBuiltError:
            continue
        except BanzukeError:
            if strict:
                raise
        else:
            largest = max(largest, memory(case, answers))
    return largest


def telling(planned: Sequence[Case], specs: Mapping[str, Benchmark]) -> list[Case]:
    """Cases that tell whether all can run; of a collection the longest with each backend.

    It goes without its file: one that cannot be read is a case that fails, and no mistake in what was asked for.
    """
    longest: dict[tuple[str, str], Case] = {}
    for case in sorted(planned, key=lambda case: case.seconds):
        if specs[case.benchmark].collection:
            longest[case.benchmark, case.backend] = case
    return [case for case in planned if not specs[case.benchmark].collection] + [
        replace(case, parameters={name: value for name, value in case.parameters.items() if name != collection.file})
        for case in longest.values()
        if (collection := specs[case.benchmark].collection)
    ]


def print_commands(
    planned: Sequence[Case],
    machine: Machine,
    specs: Mapping[str, Benchmark],
    options: Options,
    needed: Needed,
    *,
    repeat: int = 1,
    budget: Budget | None = None,
) -> None:
    """What would be run, and what that takes: each case `repeat` times, or what fits the budget."""
    largest = 0.0
    known = {**needed.missing, **specs}
    first = needed.cases(machine)
    for case in (*first, *planned):
        try:
            answers = check(case, machine)
            command = evaluation.rendered(case, machine, known[case.benchmark], answers, options)
        except BanzukeError as error:
            errors.say(("would be skipped:", "yellow"), f" {error}")
            continue
        largest = max(largest, memory(case, answers))
        out.say(command.text())
    launches = budget.launches if budget else [repeat] * len(planned)
    seconds = sum(case.seconds for case in first)
    seconds += sum(case.seconds * count for case, count in zip(planned, launches, strict=True))
    time = duration(round(min(seconds, budget.seconds) if budget else seconds))
    errors.say(f"would take about {time} and up to {quantity(largest, 'B')} of memory; nothing was run")


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
    fresh: bool,
    quiet: bool,
    verbose: bool,
) -> Run:
    """Runs the cases, or, as it was described then, what is left of a run that was cut off.

    Within a budget, from `begun` on, of `time.monotonic`: what fits.
    """
    current = None if fresh else store.unfinished(machine, request)
    if current:
        errors.say(f"continuing {current.name}, which was interrupted (--fresh starts a new run)")
        machine = current.machine().changed(allotment={"hosts": machine.allotment.hosts})
    else:
        current = store.create(machine, planned, repeat, request, budget)
    try:
        with current.owned():
            current.keep_ceilings(needed.known)
            within = budget.seconds - (time.monotonic() - begun) if budget else math.inf
            cases = [*needed.cases(machine), *(case for case, _ in current.missing())]
            with Silent() if quiet else Display(cases, verbose=verbose, within=within) as observer:
                evaluation.measure_needed(current, machine, needed, observer, options)
                if budget:
                    evaluation.execute_within(current, machine, specs, observer, options, begun)
                else:
                    evaluation.execute(current, machine, specs, observer, options)
    except KeyboardInterrupt:
        _interrupted(current, store)
        raise typer.Exit(130) from None
    return current


def _interrupted(run: Run, store: Store) -> None:
    """Where a run stands that was cut off, and what can be done with it."""
    plan = run.plan()
    planned = len(plan.order()) if plan else 0
    finished = planned - len(run.missing())
    errors.say(f"Interrupted after {finished} of {count(planned, 'case')}; the run is {run.name}, in {run.folder}.")
    errors.say("The same command goes on from there (--fresh starts a new run).")
    if finished:
        given = [] if store.folder == DEFAULT_RESULTS else ["--results", str(store.folder)]
        errors.say(f"A report of what is finished: {shlex.join([_program(), 'report', run.name, *given])}")


def _program() -> str:
    """How this program is called from here."""
    called = Path(sys.argv[0])
    return sys.argv[0] if called.name == "banzuke" and not shutil.which("banzuke") else "banzuke"


def judged(current: Run, specs: Mapping[str, Benchmark]) -> tuple[Assessment, ...]:
    """The records of a run against its own machine; lines that are no records are named."""
    reading = current.read()
    warn_of(reading)
    # Also what did not run declares resources, and measures what is unknown.
    return evaluation.judge(reading.records, current.machine(), {**benchmarks(), **specs}, current.ceilings())[0]


def exit_status(assessments: Sequence[Assessment], *, may_skip: bool = False) -> int:
    """0 when every launch of every case was verified, or, with `may_skip`, some were and the others skipped; else 1."""
    states = {record.status for assessment in assessments for record in assessment.records}
    return 0 if states <= {"ok"} or (may_skip and states == {"ok", "skipped"}) else 1
