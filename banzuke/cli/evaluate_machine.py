"""What `banzuke evaluate` does: measures everything that this installation can, judges it and writes the report."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import typer

from banzuke.cli import tables
from banzuke.cli.answer import show_answer
from banzuke.cli.asked import call_of
from banzuke.cli.budget import budget_data, choose
from banzuke.cli.console import errors, out, warn, write_json
from banzuke.cli.dry_run import print_commands
from banzuke.cli.measure_benchmarks import exit_status, measure
from banzuke.cli.read_axes import variants
from banzuke.cli.report import evaluated, warn_of_charts, write_report
from banzuke.cli.run_options import RunOptions
from banzuke.evaluation.carry_out import judged
from banzuke.evaluation.prepare import prepare
from banzuke.judge.collection import collections, verdict
from banzuke.judge.data import stated
from banzuke.judge.model import Assessment
from banzuke.launch.complete import out_of_time
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.cut_short import messages, missing
from banzuke.plan.request import on_one_host
from banzuke.plan.wording import collection_noun
from banzuke.predict.residual_data import predicted_document
from banzuke.words.language import words

INCOMPLETE = 3
"""Exit status if nothing failed, but time ran out before some benchmark had a figure."""


def evaluate_machine(options: RunOptions) -> None:
    """Evaluate this machine, and exit with the status."""
    begun = time.monotonic()
    specs: Mapping[str, Benchmark] = choose(options.only or [], options.without or [])
    request = options.request(variants(options.axes))
    if alone := on_one_host(specs.values(), request):
        errors.say(f"{', '.join(alone)}: on one host each, because no case of theirs spans several")
    call = replace(call_of(specs, request, options), seconds=options.minutes * 60)
    ready = prepare(call, errors)
    begun += ready.waited  # waiting does not count towards the minutes
    if options.dry_run:
        print_commands(ready, call.launching, json=options.json)
        return
    started = datetime.now(UTC)
    current = measure("evaluate", call, ready, options, begun)
    specs = ready.prepared.specs
    assessments, ceilings = judged(current, specs, errors)
    inside = sum(
        (record.ended - record.started).total_seconds()
        for assessment in assessments
        for record in assessment.records
        if record.started >= started
    )
    done = current.plan()
    cut = messages(done.cases, done.budget) if done else []
    late = out_of_time(record for assessment in assessments for record in assessment.records)
    lacking = missing(done.cases, done.budget, late) if done else None
    if options.json:
        document = predicted_document(assessments, current.machine(), ceilings, {**benchmarks(), **specs}, words())
        incomplete = stated(lacking, words()) if lacking else None
        write_json({**document, "incomplete": incomplete, "budget": budget_data(current)})
    elif options.verbose:
        _show(assessments, specs)
    if lacking and not assessments:
        warn(words()(lacking))
        raise typer.Exit(INCOMPLETE)  # there is nothing to report
    evaluation = evaluated(current, overhead=lambda: time.monotonic() - begun - inside)
    if not options.json:
        show_answer(evaluation)
    if lacking:
        warn(words()(lacking))
    for index, line in enumerate(cut if options.verbose else cut[:1]):
        errors.say(("  " if index else "") + words()(line))
    with errors.busy("writing the report, a few seconds ..."):
        written = write_report(evaluation, current.folder, options.language)
    errors.say(f"report: {written.files[-1]}")
    warn_of_charts(written, options.language)
    failed = any(record.status == "failed" for assessment in assessments for record in assessment.records)
    raise typer.Exit(INCOMPLETE if lacking and not failed else exit_status(assessments, may_skip=True))


def _show(assessments: Sequence[Assessment], specs: Mapping[str, Benchmark]) -> None:
    """Print every figure, and each benchmark's verdict."""
    tables.show(assessments, specs, verbose=True)
    verdicts = {assessment.record.benchmark: words().joined(assessment.verdict) for assessment in reversed(assessments)}
    verdicts |= {
        name: words().joined(verdict(collection_noun(name, collection), members))
        for name, (collection, members) in collections(assessments, specs).items()
    }
    for benchmark in specs:
        if benchmark in verdicts:
            out.say((benchmark, "bold"), f": {verdicts[benchmark]}")
