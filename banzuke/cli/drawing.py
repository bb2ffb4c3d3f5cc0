"""`--chart FILE`: writes a chart in addition to what a command prints."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banzuke.cli.console import errors
from banzuke.cli.options import OUTPUT
from banzuke.errors import BanzukeError
from banzuke.files import check_folder, write_whole

if TYPE_CHECKING:
    from banzuke.charts.style import Drawn


def _drawable(text: str) -> Path:
    """Return the path of a chart. Raises BanzukeError for an unknown kind of file."""
    path = Path(text)
    if path.suffix not in (".svg", ".pdf"):
        raise BanzukeError(f"--chart {path}: unknown kind of file", remedy="Name an .svg or a .pdf")
    return path


ChartFile = Annotated[
    Path | None,
    typer.Option(
        "--chart",
        parser=_drawable,
        metavar="FILE",
        help="Draw it into this .svg or .pdf file.",
        rich_help_panel=OUTPUT,
    ),
]


def check_chart(path: Path | None) -> None:
    """Raise BanzukeError if the chart cannot be written; called before anything is computed for it."""
    if path:
        check_folder(path.parent, "--chart")


def draw(chart: "Drawn", path: Path) -> None:
    """Write the chart. Raises BanzukeError."""
    from banzuke.report.charts.draw import file_of  # noqa: PLC0415  (brings Altair)

    write_whole(path, file_of(chart.spec(), path), option="--chart")
    errors.say((f"chart in {path}", "dim"))
