"""What `banzuke run` does: measures chosen benchmarks and shows their figures, as `evaluate` does with all."""

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from banzuke.cli import official, suites
from banzuke.cli.against import against
from banzuke.cli.answer import FEW, show_run
from banzuke.cli.asked import call_of
from banzuke.cli.console import Console, errors, out, write_json, write_text
from banzuke.cli.dry_run import print_commands
from banzuke.cli.options import DEFAULT_RESULTS
from banzuke.cli.progress import RunDisplay, Silent
from banzuke.cli.read_axes import variants
from banzuke.cli.report import evaluated
from banzuke.cli.run_identity import identify
from banzuke.cli.run_options import RunOptions
from banzuke.cli.tune import check_tunable, tuned_now
from banzuke.errors import BanzukeError
from banzuke.evaluation.carry_out import begin, carry_out, judged, without_repeated
from banzuke.evaluation.prepare import Call, Ready, prepare
from banzuke.files import check_file, read_whole, whose, write_whole
from banzuke.judge.launches import singly
from banzuke.judge.model import Assessment
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.catalogue import benchmarks, chosen
from banzuke.plan.request import Request, check_all
from banzuke.predict.residual_data import predicted_document
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import count, quantity
from banzuke.words.language import words

MUCH_MEMORY = 1 << 30
"""Bytes of memory from which a line says how much the run needs."""


def run_benchmarks(options: RunOptions) -> None:
    """Run the benchmarks that the options name, and exit with the status."""
    specs, suite = chosen(options.names)
    asked = None if suite else official.asked_for(specs, options.input_path, options.command_lines)
    if asked:
        area = official.area_of(asked, options.area)
        options = replace(options, backend=options.backend or asked.backend, area=area)
    if options.against and options.tune:
        raise BanzukeError("--against and --tune exclude each other", remedy="Tune first, then run with --against")
    request = replace(options.request(variants(options.axes)), listed=asked.cases if asked else ())
    request = suites.with_suite(request, suite, options)
    output = suites.output_of(suite, options, asked)
    if output:
        check_file(Path(output))
    check_options(specs, request, options)
    written = [Path(output).parent] if output else []
    call = replace(call_of(specs, request, options), strict=request != Request(), written=written)
    store, launching = call.store, call.launching
    ready = prepare(call, errors)
    if options.against:
        ready = replace(ready, prepared=against(ready.prepared, options.against, store))
    largest = ready.prepared.largest(launching, strict=call.strict or bool(options.against))
    if options.dry_run:
        print_commands(ready, launching, repeat=options.repeat or 1, json=options.json)
        return
    if options.tune:
        machine = ready.prepared.machine
        here = machine.on_hosts(options.nodes) if options.nodes else machine
        specs = tuned_now(specs, here, store, options.backend, options.tune_seconds, request.variants)
        settled = ready.prepared.on(machine, specs, replace(request, variants=request.variants.settled))
        ready = replace(ready, prepared=settled)
    if largest >= MUCH_MEMORY:
        errors.say((f"needs up to {quantity(largest, 'B')} of memory", "dim"))
    current = measure("run", call, ready, options)
    specs = ready.prepared.specs
    assessments, ceilings = judged(current, specs, errors)
    if options.json:
        write_json(predicted_document(assessments, current.machine(), ceilings, {**benchmarks(), **specs}, words()))
    else:
        _show(current, errors if asked or output or options.official else out, verbose=options.verbose)
    if asked or output or options.official:
        records = [launch.record for launch in singly(assessments)]
        text = suites.official_output(request, current.machine(), records) or official.results(specs, records)
        _write_official(text, output, appends=asked is None or asked.appends, quiet=options.json)
    raise typer.Exit(exit_status(assessments))


def _show(current: Run, console: Console, *, verbose: bool) -> None:
    """Print the answer, and where the rest is."""
    evaluation = evaluated(current)
    show_run(evaluation, verbose=verbose, console=console)
    cases = len(evaluation.assessments)
    if cases > FEW and not verbose:
        errors.say((f"all {cases} cases: banzuke report {current.name} (page and CSV); -v prints them here", "dim"))
    errors.say((f"records in {current.folder}", "dim"))


def _write_official(text: str, output: str | None, *, appends: bool, quiet: bool) -> None:
    """Write the output of the official codes: printed unless `quiet`, and into the file that the official code has."""
    if not quiet:
        write_text(text)
    if output:
        file = Path(output)
        before = read_whole(file) if appends and file.exists() else b""
        write_whole(file, before + text.encode())


def check_options(specs: Mapping[str, Benchmark], request: Request, options: RunOptions) -> None:
    """Raise BanzukeError for options that contradict each other on any machine, and print which are ignored."""
    if options.official:
        official.check({} if request.suite.name else specs, json=options.json)
    if options.tune:
        if (request.suite.name or request.listed) and not request.variants.lists:
            raise BanzukeError(
                "--tune has nothing to search here",
                why="the input file says the settings",
                remedy="Tune one benchmark (banzuke run BENCHMARK --tune), and write what it finds into a file",
            )
        check_tunable(specs, request.backend, request.variants)
    for note in check_all(list(specs.values()), request):
        errors.say(note)


def measure(command: str, call: Call, ready: Ready, options: RunOptions, begun: float = 0.0) -> Run:
    """Run the cases, or the remaining ones of the run that is continued, and show their progress; `begun`: see
    `carry_out`.
    """
    launching = call.launching
    prepared = without_repeated(ready.prepared, launching, errors)
    recognised = identify(options, command, prepared.specs, prepared.request, prepared.machine, launching.orders.text)
    current, left = begin(
        call.store,
        prepared,
        recognised,
        errors,
        name=options.run_name,
        fresh=options.fresh,
        repeat=options.repeat or 1,
    )

    def display(cases: Sequence[Case], within: float) -> Silent | RunDisplay:
        return Silent() if options.json else RunDisplay(cases, verbose=options.verbose, within=within)

    try:
        carry_out(current, left, ready.needed, launching, display, errors, begun)
    except KeyboardInterrupt:
        _interrupted(current, call.store, named=options.run_name is not None)
        raise typer.Exit(130) from None
    return current


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


def exit_status(assessments: Sequence[Assessment], *, may_skip: bool = False) -> int:
    """Return 0 if every launch was verified, or some were and the system does not support the others; else 1.

    `may_skip`: cases may also have been skipped for other reasons.
    """
    records = [record for assessment in assessments for record in assessment.records]
    verified = [record for record in records if record.status == "ok"]
    skipped = [record for record in records if record.unsupported or (may_skip and record.status == "skipped")]
    return 0 if len(verified) + len(skipped) == len(records) and (verified or not records) else 1
