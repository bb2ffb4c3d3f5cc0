"""Shows nodes of several kinds for `banzuke predict BENCHMARK SITE`: the reasons for the choice, and what each adds."""

from dataclasses import asdict
from typing import Any

from banzuke.cli.console import out
from banzuke.document import Cell, Column, Row, Table
from banzuke.document.terminal import terminal_table
from banzuke.predict.kinds import AddedKind, Composition
from banzuke.units import percent, quantity
from banzuke.words import data, message
from banzuke.words.language import words


def kinds_data(composition: Composition) -> dict[str, Any]:
    """Return the kinds and reasons for `--json`."""
    return {
        "kinds": [asdict(kind) for kind in composition.kinds],
        "reasons": [data(reason) for reason in composition.reasons],
    }


def show_kinds(composition: Composition, unit: str) -> None:
    """Print the reasons and the table of kinds."""
    say = words()
    out.print()
    for reason in composition.reasons:
        out.say(f"{say(reason)}{say(message('fact-full-stop'))}")
    out.print()
    titles = (
        message("predict-kinds-nodes"),
        message("predict-kinds-alone"),
        message("predict-kinds-together"),
        message("predict-kinds-added"),
        message("predict-kinds-of-alone"),
    )
    columns = (Column(say(message("predict-kinds-kind"))), *(Column(say(title), numeric=True) for title in titles))
    rows = tuple(_row(kind, unit) for kind in composition.kinds)
    out.print(terminal_table(Table(columns, rows)))


def _row(kind: AddedKind, unit: str) -> Row:
    nodes = words()(message("predict-kinds-of", used=kind.nodes, there=kind.there))
    figures = (quantity(figure, unit) if figure is not None else "" for figure in (kind.alone, kind.together))
    added = kind.added
    share = percent(added / kind.alone) if added and added > 0 and kind.alone else ""
    cells = (kind.name, nodes, *figures, quantity(added, unit) if added is not None else "", share)
    return Row(tuple(Cell(text, tone="" if kind.nodes else "faint") for text in cells))
