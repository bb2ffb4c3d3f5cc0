"""Several runs as Markdown: what sets them side by side, then each."""

from banzuke.document.markdown import EMPTY, ITEM, Markdown, table_markdown
from banzuke.report.study_content import Cell, Fact, Facts, SideBySide, Study
from banzuke.report.tables import markdown, versus_markdown
from banzuke.report.text import figures


def study_markdown(study: Study) -> str:
    side = study.side_by_side
    if side is None:
        raise ValueError("one run has nothing beside it")
    lines = [Markdown("# Performance evaluation of {}").format(study.title), EMPTY]
    lines += [Markdown("{}, {} runs side by side").format(study.date, len(study.runs)), EMPTY]
    lines += [ITEM.format(f"Unlike: {text}") for text in side.cautions] + ([EMPTY] if side.cautions else [])
    header = ["Benchmark", *(column.name for column in side.columns)]
    rows = [[headline.title, *map(_cell, headline.cells)] for headline in side.headlines]
    lines += [
        Markdown("## Figures side by side"),
        EMPTY,
        *table_markdown(header, rows),
        *figures(study.charts, side.charts),
    ]
    lines += [Markdown("## Machines side by side"), EMPTY]
    lines += _facts(side, "What differs", side.differing) + _facts(side, "The same in all runs", side.alike)
    for of in side.problems:
        lines += [Markdown("## {}, problem by problem").format(of.title), EMPTY, *versus_markdown(of.versus, of.noun)]
        lines += figures(study.charts, of.versus.charts)
    return Markdown("\n").join([*lines, *(Markdown(markdown(content)) for content in study.runs)])


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    shown, share = cell.figure or cell.mean, cell.of_limit or cell.mean_of_limit
    if shown is None:
        return cell.state
    parts = [shown.text, cell.ratio_text, f"{share.text} of limit" if share else "", cell.settings]
    return "; ".join(filter(None, parts))


def _facts(side: SideBySide, title: str, groups: list[Facts]) -> list[Markdown]:
    rows = [
        [group.title if first else "", row.name, *row.values] for group in groups for first, row in _numbered(group)
    ]
    header = ["", "Item", *(column.name for column in side.columns)]
    return [Markdown("### {}").format(title), EMPTY, *table_markdown(header, rows)] if rows else []


def _numbered(group: Facts) -> list[tuple[bool, Fact]]:
    return [(index == 0, row) for index, row in enumerate(group.rows)]
