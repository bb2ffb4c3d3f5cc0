"""`banzuke run`: runs chosen benchmarks, with their standard cases or the user's parameters."""

import math
import os
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from banzuke.cli import official
from banzuke.cli.against import against
from banzuke.cli.answer import FEW, show_run
from banzuke.cli.console import Console, errors, out, warn, warn_of, write_json, write_text
from banzuke.cli.declared import with_options
from banzuke.cli.options import DEFAULT_RESULTS
from banzuke.cli.orders import without_repeated
from banzuke.cli.preparation import launching_of, make_ready, print_commands
from banzuke.cli.progress import RunDisplay, Silent
from banzuke.cli.report import evaluated
from banzuke.cli.run_help import RunCommand
from banzuke.cli.run_options import RunOptions
from banzuke.cli.tune import check_tunable, tuned_now
from banzuke.cli.variants import variants
from banzuke.errors import BanzukeError
from banzuke.evaluation.execute import execute_all, run_of
from banzuke.evaluation.needed import Needed
from banzuke.evaluation.options import Options
from banzuke.evaluation.prepared import Prepared
from banzuke.files import check_file, read_whole, whose, write_whole
from banzuke.judge.launches import singly
from banzuke.judge.model import Assessment
from banzuke.judge.records import judge
from banzuke.limit.model import Ceiling
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.official import InputCases
from banzuke.plan.request import Request, check_all
from banzuke.power.accounting import Accounting
from banzuke.power.find import sources
from banzuke.power.recorder import recording
from banzuke.predict.residual_data import predicted_document
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count, duration, quantity
from banzuke.words.language import words

COMMAND = RunCommand
MUCH_MEMORY = 1 << 30
"""Bytes of memory from which a line says how much the run needs."""


@with_options(RunOptions, "run")
def run(options: RunOptions) -> None:
    """Run the standard cases of benchmarks, or those that the options select, and judge their figures."""
    specs: Mapping[str, Benchmark] = {name: find(name) for name in dict.fromkeys(options.names)}
    asked = official.asked_for(specs, options.input_path, options.command_lines)
    if asked:
        area = official.area_of(asked, options.area)
        options = replace(options, backend=options.backend or asked.backend, area=area)
    if options.against and options.tune:
        raise BanzukeError("--against and --tune exclude each other", remedy="Tune first, then run with --against")
    request = replace(options.request(variants(options.axes)), listed=asked.cases if asked else ())
    if asked and asked.output:
        check_file(Path(asked.output))
    check_options(specs, request, options)
    store = Store(options.results)
    launching = launching_of(options, store)
    strict = request != Request()
    written = [Path(asked.output).parent] if asked and asked.output else []
    prepared, needed, _ = make_ready(specs, request, launching, options, store, strict=strict, written=written)
    if options.against:
        prepared = against(prepared, options.against, store)
    largest = prepared.largest(launching, strict=strict or bool(options.against))
    if options.dry_run:
        print_commands(prepared, launching, needed, repeat=options.repeat or 1, json=options.json)
        return
    if options.tune:
        here = prepared.machine.on_hosts(options.nodes) if options.nodes else prepared.machine
        specs = tuned_now(specs, here, store, options.backend, options.tune_seconds, request.variants)
        prepared = prepared.on(prepared.machine, specs, replace(request, variants=request.variants.settled))
    if largest >= MUCH_MEMORY:
        errors.say((f"needs up to {quantity(largest, 'B')} of memory", "dim"))
    current = carry_out(store, prepared, launching, options, needed)
    specs = prepared.specs
    assessments, ceilings = judged(current, specs)
    if options.json:
        write_json(predicted_document(assessments, current.machine(), ceilings, {**benchmarks(), **specs}, words()))
    else:
        _show(current, errors if asked or options.official else out, verbose=options.verbose)
    if asked or options.official:
        _write_official(specs, assessments, asked, quiet=options.json)
    raise typer.Exit(exit_status(assessments))


def _show(current: Run, console: Console, *, verbose: bool) -> None:
    """Print the answer, and where the rest is."""
    evaluation = evaluated(current)
    show_run(evaluation, verbose=verbose, console=console)
    cases = len(evaluation.assessments)
    if cases > FEW and not verbose:
        errors.say((f"all {cases} cases: banzuke report {current.name} (page and CSV); -v prints them here", "dim"))
    errors.say((f"records in {current.folder}", "dim"))


def _write_official(
    specs: Mapping[str, Benchmark], assessments: Sequence[Assessment], asked: InputCases | None, *, quiet: bool
) -> None:
    """Write the output of the official codes: printed unless `quiet`, and into the file that an input file names."""
    text = official.results(specs, [launch.record for launch in singly(assessments)])
    if not quiet:
        write_text(text)
    if asked and asked.output:
        output = Path(asked.output)
        before = read_whole(output) if asked.appends and output.exists() else b""
        write_whole(output, before + text.encode())


def check_options(specs: Mapping[str, Benchmark], request: Request, options: RunOptions) -> None:
    """Raise BanzukeError for options that contradict each other on any machine, and print which are ignored."""
    if options.official:
        official.check(specs, json=options.json)
    if options.tune:
        check_tunable(specs, request.backend, request.variants)
    for note in check_all(list(specs.values()), request):
        errors.say(note)


def carry_out(
    store: Store, prepared: Prepared, launching: Options, options: RunOptions, needed: Needed, begun: float = 0.0
) -> Run:
    """Run the cases, or the remaining ones of the run that is continued (interrupted, or named by --run), as planned
    then.

    With a budget, run what fits, from the time `begun` of `time.monotonic` on.
    """
    prepared = without_repeated(prepared, launching)
    budget, name = prepared.budget, options.run_name
    command = "evaluate" if budget else "run"
    identity = options.identity(command, prepared.specs, prepared.request, prepared.machine, launching.orders.text)
    current, left = run_of(
        store, prepared, identity, name, fresh=options.fresh, repeat=options.repeat or 1, report=warn
    )
    if left is not prepared:
        why = "" if name else ", which was interrupted (--fresh starts a new run)"
        errors.say(f"continuing {current.name}{why}")
    try:
        accounting = Accounting.of_job(os.environ)
        sensors = recording(sources(left.machine, os.environ), left.machine.node.power, _tell_idle, accounting)
        with current.owned(), sensors as recorder:
            launching = replace(launching, recorder=recorder)
            for why in recorder.refused:
                errors.say(("warning:", "yellow"), f" a sensor of power is left out: {why}")
            current.keep_ceilings(needed.known)
            if orders := launching.orders.kept():
                current.keep_orders(orders)
            within = budget.seconds - (time.monotonic() - begun) if budget else math.inf
            cases = [*needed.cases(), *(case for case, _ in current.missing())]
            with Silent() if options.json else RunDisplay(cases, verbose=options.verbose, within=within) as observer:
                execute_all(current, left, needed, observer, launching, begun)
            current.check_there()
    except KeyboardInterrupt:
        _interrupted(current, store, named=name is not None)
        raise typer.Exit(130) from None
    return current


def _tell_idle(seconds: float) -> None:
    errors.say((f"measuring the idle power for {duration(seconds)}", "dim"))


def _interrupted(run: Run, store: Store, *, named: bool) -> None:
    """Print how far an interrupted run came, and how to continue it."""
    plan = run.plan()
    planned = len(plan.order()) if plan else 0
    finished = planned - len(run.missing())
    errors.say(f"Interrupted after {finished} of {count(planned, 'launch')}. The run is {run.name} in {run.folder}.")
    if why := whose(run.folder, way="read"):
        errors.say(f"It is not continued here ({why}).")
    else:
        errors.say(f"The same command continues it{'' if named else ' (--fresh starts a new run)'}.")
    if finished:
        option = [] if store.folder == DEFAULT_RESULTS else ["--results", str(store.folder)]
        errors.say(f"To report what is finished: {shlex.join([_program(), 'report', run.name, *option])}")


def _program() -> str:
    """Return the word that calls this program from here."""
    called = Path(sys.argv[0])
    return sys.argv[0] if called.name == "banzuke" and not shutil.which("banzuke") else "banzuke"


def judged(current: Run, specs: Mapping[str, Benchmark]) -> tuple[tuple[Assessment, ...], tuple[Ceiling, ...]]:
    """Judge the records of a run by its own machine, return the ceilings, too, and print which lines are no records."""
    reading = current.read()
    warn_of(reading)
    # Benchmarks that did not run also declare resources, and name what would measure unknown ones.
    return judge(reading.records, current.machine(), {**benchmarks(), **specs}, current.ceilings())


def exit_status(assessments: Sequence[Assessment], *, may_skip: bool = False) -> int:
    """Return 0 if every launch was verified, or some were and the system does not support the others; else 1.

    `may_skip`: cases may also have been skipped for other reasons.
    """
    records = [record for assessment in assessments for record in assessment.records]
    verified = [record for record in records if record.status == "ok"]
    skipped = [record for record in records if record.unsupported or (may_skip and record.status == "skipped")]
    return 0 if len(verified) + len(skipped) == len(records) and (verified or not records) else 1
