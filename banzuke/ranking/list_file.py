"""Reads a public list's file as its site offers it: a spreadsheet, or text separated by tabs, commas or semicolons.

Headings and units changed over the years: until 2016 figures were in GFlop/s and the heading did not say so; since then
they are in TFlop/s and it does. A file whose heading gives no unit is read only if its figures match a known edition,
from which the unit then follows.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banzuke.errors import BanzukeError
from banzuke.files import read_named
from banzuke.plan.capabilities import PublicList
from banzuke.ranking.editions import Ranking

MOST_BYTES = 64 << 20
COMPARED = 10
"""Number of figures at the top of a list by which its edition is recognized."""
SAME = 1e-3
"""Relative difference below which figures of two files are taken as equal, because files round differently."""
WATT, KILOWATT = 1.0, 1e3
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""First bytes of an XLSX and of an XLS file."""
_UNIT = re.compile(r"[\[(]([^\])]*)[\])]\s*$")
_RATE = re.compile(r"([kmgtpe]?)flops?(?:/s(?:ec)?)?(?:/w(?:att)?s?)?")
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15, "e": 1e18}
_NAMES = ("name", "computer", "system")
"""Headings of the columns that may name a machine, best first."""
_CORES = ("totalcores", "cores", "processors")
_ACCELERATORS = ("acceleratorcoprocessorcores", "acceleratorcores")
_POWER = ("power", "totalpower")
_EFFICIENCY = ("energyefficiency", "powerefficiency", "powereffeciency", "mflopswatt", "mflopsperwatt")
_FORMS = "Take the list as a spreadsheet (.xlsx, .xls) or as text separated by tabs (.tsv)"


@dataclass(frozen=True)
class ListEntry:
    """A machine of the list, with figures in SI units."""

    name: str
    value: float
    cores: int | None = None
    accelerated: bool = False
    power: float | None = None
    """Power in W."""
    per_watt: float | None = None
    """Figure per watt as the list gives it, maybe from a more efficient run than `value`; else `value` over `power`."""


@dataclass(frozen=True)
class ListFile:
    """The contents of a list's file that are used."""

    edition: str | None
    """Known edition with these figures; None: there is none."""
    entries: tuple[ListEntry, ...]
    """Machines, best first."""
    without: int
    """Number of lines left out because they have no figure or, if ranked by watt, no power."""


def read_list(path: Path, public: PublicList, ranking: Ranking, *, by_watt: bool = False) -> ListFile:
    """Read the machines of a file that have the list's figure and, with `by_watt`, power. Raises BanzukeError."""
    headings, rows = _table(path)
    columns = _columns(headings, public.column)
    missing = [*([] if public.column in columns else [public.column])]
    missing += [] if "name" in columns else ["Name or Computer"]
    missing += ["Power"] if by_watt and not {"power", "efficiency"} & columns.keys() else []
    if missing:
        raise BanzukeError(
            f"{path} is no list that can be read",
            why=f"it lacks the column{'s' * (len(missing) > 1)} {', '.join(missing)}; it has "
            + (", ".join(filter(None, headings[:12])) or "none"),
            remedy=f"Take a file of the {public.title} itself, or name its columns so",
        )
    numbered = [(row, number) for row in rows if (number := _number(row[columns[public.column]])) is not None]
    if not numbered:
        raise BanzukeError(f"{path} is empty", why=f"no line has a number under {public.column}", remedy=_FORMS)
    best = sorted((number for _, number in numbered), reverse=True)
    scale, edition = _scale(path, headings[columns[public.column]], best, ranking)
    entries = [_entry(row, number * scale, columns, headings, official=edition is not None) for row, number in numbered]
    if by_watt:
        entries = [entry for entry in entries if entry.per_watt is not None]
    if not entries:
        used = [headings[columns[kind]] for kind in ("power", "efficiency") if kind in columns]
        written = any(
            _number(row[columns[kind]]) for row, _ in numbered for kind in ("power", "efficiency") if kind in columns
        )
        raise BanzukeError(
            f"{path} has no power that can be used",
            why=f"no known unit is in the heading {' or '.join(used)}, and the figures are of no known edition"
            if written
            else f"no line has a number under {' or '.join(used)}",
            remedy="Write the unit into the heading: Power (kW)" if written else _FORMS,
        )
    return ListFile(edition, tuple(sorted(entries, key=lambda entry: -entry.value)), len(rows) - len(entries))


def _table(path: Path) -> tuple[list[str], list[list[Any]]]:
    """Return the headings, and the lines, padded to as many cells. Raises BanzukeError."""
    content = read_named(path, MOST_BYTES)
    try:
        rows = _sheet(content) if content.startswith(_SPREADSHEETS) else _text(content)
    except (csv.Error, ValueError) as error:
        raise BanzukeError(f"{path} cannot be read", why=str(error), remedy=_FORMS) from error
    filled = [row for row in rows if any(str(cell).strip() for cell in row)]
    if len(filled) < 2:
        raise BanzukeError(f"{path} is empty", why="a list has a line of headings, then machines", remedy=_FORMS)
    headings = [re.sub(r"\s+", " ", str(cell)).strip() for cell in filled[0]]
    return headings, [[*row, *[""] * (len(headings) - len(row))] for row in filled[1:]]


def _sheet(content: bytes) -> list[list[Any]]:
    """Return the rows of the first sheet. Raises ValueError if it is no spreadsheet."""
    from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415  (for the few lists in this form)

    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    except CalamineError as error:
        raise ValueError(str(error)) from error


def _text(content: bytes) -> list[list[Any]]:
    """Return the rows, split at the commonest separator of the first line. Raises ValueError for XML and HTML."""
    text = content.decode("utf-8-sig", errors="replace")
    if text.lstrip().startswith("<"):
        raise ValueError("it is XML or HTML")
    heading = next(iter(text.splitlines()), "")
    separator = max("\t;,", key=heading.count)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def _columns(headings: Sequence[str], figure: str) -> Mapping[str, int]:
    """Return the index of each kind of column that the file has; the key of the figure's column is `figure` itself."""
    folded = [_fold(_UNIT.sub("", heading)) for heading in headings]
    wanted = {
        figure: (_fold(figure),),
        "name": _NAMES,
        "cores": _CORES,
        "accelerators": _ACCELERATORS,
        "power": _POWER,
        "efficiency": _EFFICIENCY,
        "other name": _NAMES[1:],
    }
    places = {kind: [folded.index(name) for name in names if name in folded] for kind, names in wanted.items()}
    return {kind: at[0] for kind, at in places.items() if at}


def _scale(path: Path, heading: str, best: Sequence[float], ranking: Ranking) -> tuple[float, str | None]:
    """Return the factor that converts figures to SI units, and their edition if it is known.

    Raises BanzukeError if neither the heading nor a known edition gives the unit.
    """
    stated = _stated(heading)
    for scale in (stated,) if stated else _PREFIXES.values():
        if edition := _edition([figure * scale for figure in best], ranking):
            return scale, edition
    if stated is None:
        raise BanzukeError(
            f"{path} does not say in which unit '{heading}' is",
            why=f"its figures are of no edition of the {ranking.title} from {min(ranking.editions)} to "
            f"{ranking.newest}, by which to tell",
            remedy=f"Write the unit into the heading: {heading} [TFlop/s]",
        )
    return stated, None


def _edition(best: Sequence[float], ranking: Ranking) -> str | None:
    """Return the edition that begins with these figures and has the most others at the same places; None: none does."""
    alike: dict[str, int] = {}
    for edition, figures in ranking.editions.items():
        same = [abs(mine / theirs - 1) < SAME for mine, theirs in zip(best, figures, strict=False)]
        if len(same) >= COMPARED and all(same[:COMPARED]):
            alike[edition] = sum(same)
    return max(alike, key=alike.__getitem__, default=None)


def _stated(heading: str) -> float | None:
    """Return the factor to SI units that a heading such as `Rmax [TFlop/s]` gives; None: it has no known unit."""
    unit = _UNIT.search(heading)
    rate = _RATE.fullmatch(unit[1].strip().lower()) if unit else None
    return _PREFIXES[rate[1]] if rate else None


def _entry(
    row: Sequence[Any], value: float, columns: Mapping[str, int], headings: Sequence[str], *, official: bool
) -> ListEntry:
    """Return the machine of a line; `official`: the file is of a known edition, where power without a unit is in kW."""

    def cell(kind: str) -> Any:
        return row[columns[kind]] if kind in columns else ""

    name = _name(cell("name")) or _name(cell("other name")) or "(no name)"
    cores = _number(cell("cores"))
    power = _power(cell("power"), headings[columns["power"]] if "power" in columns else "", official=official)
    efficiency = _efficiency(cell("efficiency"), headings[columns["efficiency"]] if "efficiency" in columns else "")
    return ListEntry(
        name,
        value,
        int(cores) if cores else None,
        accelerated=bool(_number(cell("accelerators"))),
        power=power,
        per_watt=efficiency or (value / power if power else None),
    )


def _power(cell: Any, heading: str, *, official: bool) -> float | None:
    number, unit = _number(cell), _UNIT.search(heading)
    said = {"w": WATT, "kw": KILOWATT}.get(unit[1].strip().lower()) if unit else KILOWATT if official else None
    return number * said if number and said else None


def _efficiency(cell: Any, heading: str) -> float | None:
    number = _number(cell)
    scale = _PREFIXES["m"] if _fold(heading).startswith("mflops") else _stated(heading)
    return number * scale if number and scale else None


def _number(cell: Any) -> float | None:
    """Return the cell's number; None: it has no finite number above 0."""
    try:
        number = float(str(cell).replace(",", "")) if not isinstance(cell, bool) else 0.0
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None


def _name(cell: Any) -> str:
    """Return the machine's short name: `Summit` for `Summit - IBM Power System AC922, ...`."""
    return " ".join(str(cell).replace("\N{NO-BREAK SPACE}", " ").split()).partition(" - ")[0].strip()


def _fold(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
