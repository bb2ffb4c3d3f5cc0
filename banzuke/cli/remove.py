"""`banzuke remove`: removes runs."""

from typing import Annotated

import typer

from banzuke.cli.console import errors, write_text
from banzuke.cli.options import DEFAULT_RESULTS, HOW, Results
from banzuke.errors import BanzukeError
from banzuke.results import lines
from banzuke.results.store import Store
from banzuke.units import count, quantity


def remove(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="Runs, by name or prefix, `last` or `previous`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.", rich_help_panel=HOW)] = False,
    results: Results = DEFAULT_RESULTS,
) -> None:
    """Remove runs with their records and reports, after confirmation."""
    store = Store(results)
    chosen = list({run.name: run for run in map(store.find, runs)}.values())
    for run in chosen:
        run.check_removable()
    if not yes:
        answers = typer.get_text_stream("stdin")
        if not answers.isatty():
            raise BanzukeError(
                f"{count(len(chosen), 'run')} would be removed",
                why="not a terminal, so cannot ask for confirmation",
                remedy="Add --yes",
            )
        for run in chosen:
            files = [file for file in run.folder.rglob("*") if file.is_file() and not file.is_symlink()]
            size = quantity(sum(file.stat().st_size for file in files), "B")
            records = sum(map(lines.count, run.files()))
            errors.say(f"{run.folder}: {count(records, 'record')}, {count(len(files), 'file')}, {size}")
        errors.print(f"Remove {count(len(chosen), 'run')}? [y/N] ", end="")
        if answers.readline().strip().lower() not in ("y", "yes"):
            raise BanzukeError("nothing was removed", why="not confirmed")
    for run in chosen:
        run.remove()
        write_text(f"{run.folder} removed\n")
    store.clear()
