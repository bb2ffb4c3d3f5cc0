"""`banzuke list`: shows benchmarks, builds, runs, and published machines to compare them with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from banzuke.cli import builds
from banzuke.cli.console import errors, out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, WHAT, Json, Results
from banzuke.cli.selection import COUNTS, OfMachine, Row, Since, Until, chosen, say_unread
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.machine.public import public_ids, public_machines
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import benchmarks, suites
from banzuke.program.installed import backends
from banzuke.results.store import Store
from banzuke.text import nearest


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
    entries, rows = [], []
    if runs:
        from banzuke.cli.headline import judged_row, shown_rows  # noqa: PLC0415  (imports what judges)

        with errors.busy(f"judging {len(runs)} runs ..."):
            entries = [judged_row(run, row, specs) for run, row in runs]
            rows = shown_rows(entries, benchmark, specs)
    whole = not (benchmark or machine or since or until)
    if whole or not entries:
        say_unread(store, entries if whole else [row for _, row in chosen(store)])
    if json:
        machines = _described([*published.load(), *public_machines()])
        data = [_stated(entry) for entry in entries]
        built = builds.describe_builds()
        write_json({"benchmarks": _available(specs), "builds": built, "runs": data, "machines": machines})
        return
    if whole:
        _print("Benchmarks", _available(specs))
        built = builds.describe_builds()
        _print("Builds", [{name: value for name, value in build.items() if name != "mpi"} for build in built])
    _print(f"Runs in {results}, times in UTC", rows)
    if whole:
        _print("Published machines", _described(published.load()))
        public = public_ids()
        out.say((f"Machines of public lists ({len(public)}), by year", "bold"))
        out.print(f"{', '.join(public)}\n")


def _available(specs: Mapping[str, Benchmark]) -> list[dict[str, Any]]:
    """Return the benchmarks with the backends that are built, and the suites."""
    return [
        *({"name": name, "title": spec.title, "backends": backends(name)} for name, spec in specs.items()),
        *({"name": name, "title": suite.title, "backends": []} for name, suite in suites().items()),
    ]


def _described(machines: Iterable[published.PublishedMachine]) -> list[dict[str, Any]]:
    return [{"id": machine.id, "name": machine.name, "figures": len(machine.figure)} for machine in machines]


def _stated(entry: Row) -> dict[str, Any]:
    """Return a judged run as JSON states it."""
    return {
        **entry,
        **{name: entry[name].isoformat() for name in ("started", "ended") if entry[name]},
        "states": [{"levels": list(state.levels), "launches": launches} for state, launches in entry["states"].items()],
        "headlines": {name: asdict(headline) for name, headline in entry["headlines"].items()},
    }


def _print(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    texts = [[", ".join(value) if isinstance(value, list) else str(value) for value in row.values()] for row in rows]
    if rows:
        columns = [Column(name, right=name in COUNTS, whole=name == "run") for name in rows[0]]
        out.print(terminal_table(Table.of_texts(columns, texts, title)), "")
    else:
        out.say((title, "bold"))
        out.print("none\n")
