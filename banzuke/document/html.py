"""Prints blocks as HTML."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from banzuke.document import Cell, Column, Origin, Panel, Row, Section, Table
from banzuke.document.drawing import panel_svg
from banzuke.text import printable

TEMPLATES = Path(__file__).with_name("templates")


def environment(*folders: Path) -> Environment:
    """Return an environment for pages with templates in these folders, too; `blocks.html.j2` has the macros."""
    jinja = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_readable,
    )
    jinja.filters |= {
        "kind": lambda block: type(block).__name__,
        "rows": _rows,
        "exact": repr,
        "packed": packed,
        "coded": _coded,
        "panel_svg": _panel,
    }
    return jinja


def _panel(panel: Panel) -> Markup:
    return Markup(panel_svg(panel))  # noqa: S704  (of our own making, its text escaped)


def section_html(section: Section) -> Markup:
    return Markup(_macros().section(section))  # type: ignore[attr-defined]  # noqa: S704


def packed(value: object) -> Markup:
    """Return text, or another value as JSON, gzipped and in base64: a quarter of its size, and never markup."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())  # noqa: S704  (only letters)


def script_hash(script: str) -> str:
    """Return the name of a script that a page may run, for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def scripted_page(
    folder: Path, name: str, scripts: Sequence[str], content: Mapping[str, object], **values: object
) -> str:
    """Return a page that is one file without a network: NAME.html.j2 of the folder with NAME.css and these scripts.

    The template extends `scripted.html.j2`, and takes the values; the scripts find the content as gzipped JSON in
    base64 in the element `data`.
    """
    inner = "\n".join((folder / script).read_text(encoding="utf-8") for script in scripts)
    script = f'"use strict";\n(() => {{\n{inner}}})();\n'
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return (
        environment(folder)
        .get_template(f"{name}.html.j2")
        .render(
            css=(folder / f"{name}.css").read_text(encoding="utf-8"),
            script=script,
            script_hash=script_hash(script),
            data=packed(text),
            **values,
        )
    )


def _coded(text: str) -> Markup:
    """Return our sentences with text between backticks as code."""
    parts = printable(text).split("`")
    if len(parts) % 2 == 0:
        return escape(printable(text))
    return Markup("").join(_code(part) if at % 2 else part for at, part in enumerate(parts))


def _code(text: str) -> Markup:
    """Return a command whose options are not broken after their hyphens."""
    words = (Markup('<span class="option">{}</span>').format(w) if w[:1] == "-" else w for w in text.split(" "))
    return Markup("<code>{}</code>").format(Markup(" ").join(words))


def _readable(value: object) -> object:
    """Return printable text, unless it is markup: our own scripts and styles, and what was escaped."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _macros() -> object:
    return environment().get_template("blocks.html.j2").module


Placed = tuple[Cell, Column, int, int, bool]
"""A cell, its column, the rows and columns that it extends over, and whether it names the row."""


def _rows(table: Table) -> Sequence[dict[str, object]]:
    """Return rows without the cells that are merged with those above them."""
    return [
        {"kind": row.kind, "anchor": row.anchor, "of": _origin(row), "cells": _placed(table, at, row)}
        for at, row in enumerate(table.rows)
    ]


def _origin(row: Row) -> Origin | None:
    """Return the origin that all numbers of a row share; None: they do not share case and metric."""
    origins = [cell.origin for cell in row.cells if cell.origin]
    return origins[0] if len({(origin.case, origin.metric) for origin in origins}) == 1 else None


def _placed(table: Table, at: int, row: Row) -> list[Placed]:
    end = next((place for place, cell in enumerate(row.cells) if cell.wide), len(row.cells))
    return [
        (
            cell,
            column,
            _height(table, at, place),
            len(row.cells) - end if place == end else 1,
            place < table.heads and place != end,
        )
        for place, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True))
        if not cell.above and place <= end
    ]


def _height(table: Table, at: int, place: int) -> int:
    height = 1
    while at + height < len(table.rows) and table.rows[at + height].cells[place].above:
        height += 1
    return height
