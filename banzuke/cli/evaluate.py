"""`banzuke evaluate`: the main job. Everything that this installation can measure, and the report."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli import tables
from banzuke.cli.console import errors, out, write_json
from banzuke.cli.options import (
    DEFAULT_RESULTS,
    OUTPUT,
    WHAT,
    BlasPath,
    Build,
    Cores,
    DryRun,
    Env,
    Environments,
    Fresh,
    Hosts,
    Image,
    Json,
    LauncherOptions,
    Library,
    Memory,
    Mpi,
    Neighbours,
    OsCores,
    Pages,
    Repeat,
    Results,
    Timeout,
    Untuned,
    Verbose,
)
from banzuke.cli.report import write_report
from banzuke.cli.run import (
    available,
    carry_out,
    exit_status,
    find_needed,
    judged,
    look,
    names_of_benchmarks,
    prepare,
    print_commands,
    refuse,
    tell_needed,
)
from banzuke.cli.tune import with_stored
from banzuke.cli.variants import variants
from banzuke.environment.model import NATIVE
from banzuke.errors import BanzukeError
from banzuke.evaluation import Options
from banzuke.limit.collection import collections, sentence
from banzuke.plan.cases import Request, plan_all
from banzuke.plan.catalogue import families, find
from banzuke.record.store import Store


def evaluate(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="NAME",
            help="Run this benchmark only; may be given several times.",
            autocompletion=names_of_benchmarks,
            rich_help_panel=WHAT,
        ),
    ] = None,
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
    blas: BlasPath = None,
    repeat: Repeat = 1,
    timeout: Timeout = None,
    untuned: Untuned = False,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    results: Results = DEFAULT_RESULTS,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="TEXT",
            help="Name of the machine in the report.",
            show_default="host name",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Evaluate this machine: run every benchmark's standard cases and write the report."""
    begun = time.monotonic()
    specs = {benchmark: find(benchmark) for benchmark in only or available()}
    if not specs:
        raise BanzukeError(
            "no benchmark has been built here", remedy="Install Banzuke again: `make setup` or `pip install .`"
        )
    request = Request(
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
        )
    )
    store = Store(results)
    options = Options(timeout=timeout, folder=store.folder, dry_run=dry_run)
    machine = look(specs, blas, hosts)
    refuse(machine, specs, request, options)
    needed = find_needed(store, machine, specs)
    machine = prepare(store, machine, {**needed.missing, **specs}, written=() if dry_run else [store.folder])
    if not untuned:
        specs = with_stored(specs, machine)
    if name:
        machine = machine.changed(site={"name": name})
    planned = plan_all(specs.values(), machine, request, families)
    tell_needed(needed, machine)
    if dry_run:
        print_commands(planned, machine, specs, options, repeat, needed)
        return
    started = datetime.now(UTC)
    current = carry_out(
        store,
        planned,
        machine,
        specs,
        options,
        needed=needed,
        request=f"evaluate {sorted(specs)} {repeat} {name} {blas} {untuned} {len(machine.allotment.hosts)}"
        f"{'' if request == Request() else f' {request.variants}'}",
        repeat=repeat,
        fresh=fresh,
        quiet=json,
        verbose=verbose,
    )
    assessments = judged(current, specs)
    inside = sum(
        (record.ended - record.started).total_seconds()
        for assessment in assessments
        for record in assessment.records
        if record.started >= started
    )
    files: list[Path] = []
    unwritten: BanzukeError | None = None
    with errors.busy("writing the report, a few seconds ..."):
        try:
            files = write_report(current, overhead=lambda: time.monotonic() - begun - inside)
        except BanzukeError as error:
            unwritten = error  # the figures are shown all the same
    if json:
        write_json(tables.document(assessments))
    else:
        tables.show(assessments, specs, verbose=verbose)
        verdicts = {assessment.record.benchmark: assessment.verdict for assessment in reversed(assessments)}
        verdicts |= {name: sentence(*collected) for name, collected in collections(assessments, specs).items()}
        for benchmark in specs:
            if benchmark in verdicts:
                out.say((benchmark, "bold"), f": {verdicts[benchmark]}")
    if unwritten:
        raise unwritten
    errors.say(f"report: {files[-1]}")
    raise typer.Exit(exit_status(assessments))
