"""`banzuke publish`: writes a run without identifiers into one file that may be given away."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from banzuke.cli.console import out, warn, warn_of, write_json, write_text
from banzuke.cli.options import DEFAULT_RESULTS, OUTPUT, WHAT, Json, OneRun, Results
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, write_whole
from banzuke.plan.catalogue import benchmarks
from banzuke.publish import editions
from banzuke.publish.make import Publication, make
from banzuke.publish.pseudonyms import key_path, publisher_key
from banzuke.publish.summary import RunSummary, public_name
from banzuke.results.store import Store
from banzuke.units import count, percent
from banzuke.words.language import words

MOST_SHOWN = 12
"""Most pseudonyms that are printed of a kind."""
KINDS = {
    "host": "hosts",
    "user": "users",
    "path": "paths",
    "domain": "domains",
    "address": "addresses",
    "device": "devices' own numbers",
    "id": "other numbers of devices",
    "site": "names of the site",
    "account": "accounts and queues",
    "area": "storage areas",
    "job": "jobs",
    "run": "names of runs",
    "url": "addresses of pages and services",
    "mail": "mail addresses",
    "hash": "hashes that could be guessed",
    "file": "names of imported files",
    "text": "free text",
}
"""What was removed, for people, in the order in which it is shown."""
SHOWN = ("host", "user", "domain", "site", "account", "area", "run")
"""Kinds whose pseudonyms are printed: a publisher knows the names."""


def _public_name(text: str) -> str:
    """Return a name for a machine. Raises BanzukeError."""
    try:
        return public_name(" ".join(text.split()))
    except ValueError as error:
        raise BanzukeError(
            f"a machine cannot be called '{text}'", why=str(error), remedy="Give --name another one"
        ) from error


def publish(
    run: OneRun = "last",
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            parser=_public_name,
            metavar="NAME",
            help="Public name of the machine.",
            show_default="a pseudonym",
            rich_help_panel=WHAT,
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            metavar="DIR",
            help="Directory to write `banzuke-NAME-ID.zip` to.",
            show_default="the current one",
            file_okay=False,
            rich_help_panel=OUTPUT,
        ),
    ] = Path(),
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would be removed, and write nothing.", rich_help_panel=OUTPUT),
    ] = False,
    results: Results = DEFAULT_RESULTS,
    json: Json = False,
) -> None:
    """Write a run without identifiers into one file that can be given away, with a reproducibility grade.

    Hosts, users and the like get pseudonyms that stay the same in all your publications. Figures do not change:
    `banzuke import FILE` makes a run of the file, with the same figures and verdicts.
    """
    located = Store(results).locate(run)
    if located.of_fleet:
        raise BanzukeError(
            f"run {located.name} is a screen of nodes",
            why="only runs whose figures stand for a machine are published",
            remedy="Publish a run of `banzuke evaluate` or `banzuke run`",
        )
    reading = located.read()
    warn_of(reading)
    if not reading.records:
        raise BanzukeError(f"run {located.name} has no records", remedy="Name another run: `banzuke list` shows them")
    if not dry_run:
        check_folder(output, "--output")
    key = publisher_key(key_path(), make=not dry_run)
    made = make(reading.records, located.machine(), located.ceilings(), benchmarks(), key, name)
    file = output / made.file
    if not dry_run:
        write_whole(file, made.content, option="--output")
    if json:
        document = {"file": None if dry_run else str(file), "pseudonyms": made.given, "plain": list(made.plain)}
        write_json({**document, "summary": made.summary.model_dump(mode="json")})
        return
    _show(made)
    if dry_run:
        out.say(("Nothing was written.", "dim"))
        if not key_path().exists():
            out.say(
                ("The published pseudonyms will differ from these: the first publication makes your secret key.", "dim")
            )
    else:
        write_text(f"{file}\n")


def _show(made: Publication) -> None:
    out.print(terminal_table(_removed(made.summary.removed)), "")
    table = _pseudonyms(made.given)
    if table.rows:
        out.print(terminal_table(table), "")
    relevant = [name for name in made.plain if any(name in names for names in made.given.values())]
    if relevant:
        warn(
            f"{', '.join(relevant)}: also an ordinary word of records, so replaced only where a host or a user stands. "
            "Read the file before you give it away"
        )
    _show_grade(made.summary)
    _show_editions(made.summary)
    out.say((f"{made.summary.machine.name}: ", "bold"), _contents(made.summary))


def _removed(removed: Mapping[str, int]) -> Table:
    rows = [Row((Cell(KINDS.get(kind, kind)), Cell(f"{removed[kind]:,}"))) for kind in KINDS if removed.get(kind)]
    rows += [Row((Cell(kind), Cell(f"{number:,}"))) for kind, number in removed.items() if kind not in KINDS]
    return Table((Column("removed or replaced"), Column("times", numeric=True)), tuple(rows))


def _pseudonyms(pseudonyms: Mapping[str, Mapping[str, str]]) -> Table:
    rows = []
    for kind in SHOWN:
        names = sorted(pseudonyms.get(kind, {}).items())
        rows += [Row((Cell(KINDS[kind]), Cell(name), Cell(pseudonym))) for name, pseudonym in names[:MOST_SHOWN]]
        if len(names) > MOST_SHOWN:
            rows.append(
                Row((Cell(KINDS[kind]), Cell(f"and {len(names) - MOST_SHOWN} more"), Cell("--json lists them")))
            )
    return Table((Column("what"), Column("name here"), Column("in the publication")), tuple(rows))


def _show_grade(summary: RunSummary) -> None:
    grade = summary.grade
    out.say((f"Reproducibility {grade.letter}", "bold"), f", {grade.points} of 100 points")
    for rule in grade.rules:
        if rule.missing:
            lost = rule.most - rule.points
            out.say(f"  -{lost:.0f} points: not true of {', '.join(rule.missing)}: {rule.asked}. {rule.mend}")


def _show_editions(summary: RunSummary) -> None:
    """Print which figures belong to each edition, and what the others lack."""
    for edition in editions.EDITIONS:
        judged = {
            figure.benchmark: figure.editions[edition] for figure in summary.figures if edition in figure.editions
        }
        inside = [name for name, missed in judged.items() if not missed]
        out.say((f"Edition {edition}", "bold"), f": {', '.join(inside) or 'no figure'}")
        lacking: dict[str, list[str]] = {}
        for name, missed in judged.items():
            for code in missed:
                lacking.setdefault(code, []).append(name)
        for code, names in lacking.items():
            asked = editions.asked(edition, code)
            out.say(f"  not {', '.join(names)}: {words()(asked) if asked else code}")


def _contents(summary: RunSummary) -> str:
    judged = [figure.of_limit for figure in summary.figures if figure.of_limit is not None and not figure.own_ceiling]
    best = f", up to {percent(max(judged))} of the limit" if judged else ""
    measured = sum(figure.value is not None for figure in summary.figures)
    cases, launches = count(summary.cases, "case"), count(summary.launches, "launch")
    return f"{count(measured, 'headline figure')}{best}; {cases}, {launches}"
