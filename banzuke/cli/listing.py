"""`banzuke list`: what can be run, what was run, and whom it can be compared with."""

from typing import Any

from rich.table import Table

from banzuke.cli import builds
from banzuke.cli.console import out, write_json
from banzuke.cli.options import DEFAULT_RESULTS, Json, Results
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.program.installed import backends
from banzuke.record.store import Store

RUNS = """
SELECT run, min(started) AS started, list(DISTINCT benchmark ORDER BY benchmark) AS benchmarks,
       count(*) FILTER (status = 'ok') AS verified, count(*) FILTER (status = 'failed') AS failed,
       count(*) FILTER (status = 'skipped') AS skipped
FROM records GROUP BY run ORDER BY started
"""


def list_all(results: Results = DEFAULT_RESULTS, json: Json = False) -> None:
    """List benchmarks, builds, the runs in the results folder, and the published machines."""
    known = [{"name": name, "title": spec.title, "backends": backends(name)} for name, spec in benchmarks().items()]
    runs = Store(results).query(RUNS)
    machines = [{"name": machine.name, "figures": len(machine.figure)} for machine in published.load()]
    built = builds.known()
    if json:
        document = {"benchmarks": known, "builds": built, "runs": runs, "machines": machines}
        write_json(document)
        return
    _print("Benchmarks", known)
    _print("Builds", [{name: value for name, value in build.items() if name != "mpi"} for build in built])
    _print(f"Runs in {results}", [{**run, "started": run["started"][:16].replace("T", " ")} for run in runs])
    _print("Published machines", machines)


def _print(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in rows[0] if rows else ():
        table.add_column(name)
    for row in rows:
        table.add_row(*(", ".join(v) if isinstance(v, list) else str(v) for v in row.values()))
    if rows:
        out.print(table, "")
    else:
        out.say((title, "bold"))
        out.print("none\n")
