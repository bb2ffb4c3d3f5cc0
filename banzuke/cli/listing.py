"""`banzuke list`: what can be run, what was run, and whom it can be compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from banzuke import evaluation
from banzuke.cli import builds
from banzuke.cli.console import errors, out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, WHAT, Json, Results
from banzuke.cli.selection import OfMachine, Since, Until, chosen
from banzuke.cli.selection import Row as Entry
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.limit.headline import Headline, headlines
from banzuke.machine import published
from banzuke.plan.aspect import rank
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks
from banzuke.plan.wording import full_title
from banzuke.program.installed import backends
from banzuke.record.settings import figure_text
from banzuke.record.store import Run, Store
from banzuke.text import nearest
from banzuke.units import percent
from banzuke.words.language import words


def list_all(
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", metavar="NAME", help="Only runs of this benchmark.", rich_help_panel=WHAT),
    ] = None,
    machine: OfMachine = None,
    since: Since = None,
    until: Until = None,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """List runs. Without a filter, also benchmarks, builds and published machines."""
    store, specs = Store(results), benchmarks()
    runs = chosen(store, benchmark=benchmark, machine=machine, since=since, until=until)
    if benchmark and not runs and benchmark not in specs:
        raise BanzukeError(f"no run has a benchmark '{benchmark}'", remedy=nearest(benchmark, list(specs)))
    with errors.busy(f"judging {len(runs)} runs ..."):
        entries = [{**row, "headlines": _headlines(run, specs)} for run, row in runs]
    known = [{"name": name, "title": spec.title, "backends": backends(name)} for name, spec in specs.items()]
    machines = [{"name": machine.name, "figures": len(machine.figure)} for machine in published.load()]
    built = builds.known()
    if json:
        data = [
            {
                **entry,
                **{name: entry[name].isoformat() for name in ("started", "ended") if entry[name]},
                "headlines": {name: asdict(of) for name, of in entry["headlines"].items()},
            }
            for entry in entries
        ]
        write_json({"benchmarks": known, "builds": built, "runs": data, "machines": machines})
        return
    whole = not (benchmark or machine or since or until)
    if whole:
        _print("Benchmarks", known)
        _print("Builds", [{name: value for name, value in build.items() if name != "mpi"} for build in built])
    _print(f"Runs in {results}, times in UTC", [_shown(entry, benchmark, specs) for entry in entries])
    if whole:
        _print("Published machines", machines)


def _headlines(run: Run, specs: Mapping[str, Benchmark]) -> dict[str, Headline]:
    """Empty where the machine's description is lost: without it nothing can be judged."""
    try:
        assessments, _ = evaluation.judge(run.read().records, run.machine(), specs, run.ceilings())
    except BanzukeError:
        return {}
    return headlines(assessments, specs)


def _shown(entry: Entry, benchmark: str | None, specs: Mapping[str, Benchmark]) -> dict[str, Any]:
    found: Mapping[str, Headline] = entry["headlines"]
    first = min(found.values(), key=lambda one: _order(one, specs), default=None)
    headline = found.get(benchmark) if benchmark else first
    return {
        "run": entry["run"],
        "started": f"{entry['started']:%Y-%m-%d %H:%M}",
        "machine": entry["machine"] or entry["fingerprint"] or "unknown",
        "benchmarks": entry["benchmarks"],
        **{name: entry[name] for name in ("verified", "failed", "skipped")},
        "headline": _text(headline, specs.get(headline.benchmark)) if headline else "–",
        "of limit": percent(headline.fraction_of_limit) if headline else "–",
    }


def _order(headline: Headline, specs: Mapping[str, Benchmark]) -> tuple[bool, int]:
    """What is judged first, then from the processors outwards, as in a report."""
    spec = specs.get(headline.benchmark)
    return headline.fraction_of_limit is None, rank(spec.aspect if spec else None)


def _text(headline: Headline, spec: Benchmark | None) -> str:
    title = full_title(spec.title if spec else headline.benchmark, headline.title, words())
    return f"{title} {figure_text(headline.value, headline.unit)}"


def _print(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [tuple(Cell(", ".join(v) if isinstance(v, list) else str(v)) for v in row.values()) for row in rows]
    if rows:
        out.print(terminal_table(Table(tuple(map(Column, rows[0])), tuple(map(Row, cells)), title)), "")
    else:
        out.say((title, "bold"))
        out.print("none\n")
