"""Tests of list files: headings and units of all years, and files that are refused."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.plan.capabilities import PublicList
from banzuke.ranking.editions import Ranking
from banzuke.ranking.list_file import COMPARED, ListFile, read_list

PUBLIC = PublicList("List", column="Rmax", by_watt=True)
FIGURES = [2e15 / number for number in range(1, 21)]
RANKING = Ranking("List", {"2010-06": FIGURES, "2010-11": [*FIGURES[:COMPARED], *[1e13] * 10]})
HEADINGS = ["Rank", "Name", "Computer", "Total Cores", "Rmax [TFlop/s]", "Power (kW)"]


def written(file: Path, headings: Sequence[str], *rows: Sequence[object], separator: str = "\t") -> Path:
    lines = [separator.join(map(str, row)) for row in (headings, *rows)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def spreadsheet(rows: Sequence[Sequence[object]]) -> bytes:
    """Return a minimal XLSX file with these rows."""
    cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    main, package = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org"
    link = f"{package}/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/package/2006/content-types"/>',
        "_rels/.rels": _link(f"{link}/officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": _link(f"{link}/worksheet", "worksheets/sheet1.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{link}"><sheets>'
        '<sheet name="1" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return content.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, int | float):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>'


def _link(kind: str, target: str) -> str:
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}"><Relationship Id="r1" Type="{kind}" Target="{target}"/></Relationships>'


def read(file: Path, *, by_watt: bool = False) -> ListFile:
    return read_list(file, PUBLIC, RANKING, by_watt=by_watt)


def test_units_in_headings_are_those_of_figures(tmp_path: Path) -> None:
    file = written(
        tmp_path / "list.tsv", HEADINGS, (2, "", "Slow machine", 100, 3.5, ""), (1, "Fast", "X", 8, "7.5", 2)
    )
    fast, slow = read(file).entries
    assert (fast.name, fast.value, fast.cores, fast.power, fast.per_watt) == ("Fast", 7.5e12, 8, 2000, 3.75e9)
    assert (slow.name, slow.value, slow.power) == ("Slow machine", 3.5e12, None)
    assert read(file).edition is None
    assert [entry.name for entry in read(file, by_watt=True).entries] == ["Fast"]


def test_a_spreadsheet_reads_as_the_same_text(tmp_path: Path) -> None:
    rows = (HEADINGS, (1, "Fast", "X", 8, 7.5, 2), (2, "Slow", "Y", 4, 1.5, 1))
    text = written(tmp_path / "list.csv", rows[0], *rows[1:], separator=",")
    sheet = tmp_path / "list.xlsx"
    sheet.write_bytes(spreadsheet(rows))
    assert read(sheet).entries == read(text).entries


@pytest.mark.parametrize(("heading", "unit"), [("RMax", 1e9), ("Rmax", 1e12)])
def test_figures_of_a_known_edition_tell_their_unit_and_that_of_power(
    tmp_path: Path, heading: str, unit: float
) -> None:
    rows = [(number, f"m{number}", figure / unit, 5) for number, figure in enumerate(FIGURES, 1)]
    listed = read(written(tmp_path / "list.tsv", ["Rank", "Computer", heading, "Power"], *rows))
    assert listed.edition == "2010-06", "the other begins with the same figures"
    assert listed.entries[0].value == pytest.approx(2e15)
    assert listed.entries[0].power == 5000


def test_efficiency_of_another_run_is_the_lists_own(tmp_path: Path) -> None:
    headings = [*HEADINGS, "Energy Efficiency [GFlops/Watts]", "Accelerator/Co-Processor Cores"]
    file = written(tmp_path / "list.tsv", headings, (1, "JEDI", "X", 8, 4504, 67.31, 72.73, 6))
    (entry,) = read(file, by_watt=True).entries
    assert entry.per_watt == pytest.approx(72.73e9)
    assert entry.accelerated


@pytest.mark.parametrize(
    ("headings", "row", "why"),
    [
        (["Rank", "Name", "HPCG"], (1, "a", 2), "it lacks the column Rmax; it has Rank, Name, HPCG"),
        (["Rank", "Nom"], (1, "a"), "it lacks the columns Rmax, Name or Computer"),
        (["Name", "Rmax"], ("a", 5), "does not say in which unit 'Rmax' is"),
        (["Name", "Rmax [Mips]"], ("a", 5), "does not say in which unit"),
        (["Name", "Rmax [TFlop/s]"], ("a", "many"), "no line has a number under Rmax"),
        (["Name", "Rmax [TFlop/s]"], ("", ""), "is empty"),
        (["<list>"], ("</list>",), "it is XML or HTML"),
    ],
)
def test_what_is_unclear_is_refused(tmp_path: Path, headings: list[str], row: tuple[object, ...], why: str) -> None:
    with pytest.raises(BanzukeError) as error:
        read(written(tmp_path / "list.tsv", headings, row))
    assert why in str(error.value)
    assert error.value.remedy


def test_power_without_a_unit_is_no_power(tmp_path: Path) -> None:
    file = written(tmp_path / "list.tsv", ["Name", "Rmax [TFlop/s]", "Power"], ("a", 5, 5))
    assert read(file).entries[0].power is None
    with pytest.raises(BanzukeError, match="no known unit is in the heading Power,"):
        read(file, by_watt=True)
    with pytest.raises(BanzukeError, match="no line has a number under Power"):
        read(written(file, ["Name", "Rmax [TFlop/s]", "Power [kW]"], ("a", 5, "")), by_watt=True)
    with pytest.raises(BanzukeError, match="lacks the column Power"):
        read(written(file, ["Name", "Rmax [TFlop/s]"], ("a", 5)), by_watt=True)


def test_damaged_and_missing_files_are_refused(tmp_path: Path) -> None:
    for content in (b"PK\x03\x04 torn", b"\xd0\xcf\x11\xe0", b"", b"\x00\x01\x02"):
        (tmp_path / "list.xls").write_bytes(content)
        with pytest.raises(BanzukeError):
            read(tmp_path / "list.xls")
    with pytest.raises(BanzukeError):
        read(tmp_path / "none.tsv")
