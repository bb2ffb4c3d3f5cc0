"""Writes the errors of predictions of published figures into docs/prediction.md, and the charts beside it.

With --check it writes nothing, and fails unless all three files are as stored.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from banzuke.document.markdown import blocks_markdown
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.blind import blind_figures
from banzuke.predict.blind_page import blind_blocks
from banzuke.predict.charts import errors_chart
from banzuke.predict.left_out import left_out
from banzuke.predict.public_chart import public_chart
from banzuke.predict.public_page import public_blocks
from banzuke.predict.validate import summaries, validated
from banzuke.predict.validation_page import validation_blocks
from banzuke.report.charts.draw import file_of

DOCS = Path(__file__).parent.parent / "docs"
PAGE, CHART, PUBLIC = DOCS / "prediction.md", DOCS / "prediction.svg", DOCS / "public-machines.svg"
BETWEEN = re.compile(r"(<!-- banzuke predict validate --markdown -->\n).*?(<!-- end -->)", re.DOTALL)
COORDINATE = re.compile(rb"\d+\.\d{4,}")


def make_files() -> dict[Path, bytes]:
    """Return the page and its charts as they should be."""
    every = benchmarks()
    figures = validated(every, published.load())
    by_benchmark, public = summaries(figures), left_out()
    blocks = [
        *validation_blocks(figures, by_benchmark, every),
        *public_blocks(public, every),
        *blind_blocks(blind_figures(every), every),
    ]
    tables = "\n".join(blocks_markdown(blocks))
    page, places = BETWEEN.subn(lambda match: f"{match[1]}\n{tables}\n{match[2]}", PAGE.read_text(encoding="utf-8"))
    if places != 1:
        sys.exit(f"{PAGE.name} has {places} places for the tables, marked as {BETWEEN.pattern}")
    return {
        PAGE: page.encode(),
        PUBLIC: file_of(public_chart(public, every).spec(), PUBLIC),
        CHART: file_of(errors_chart(figures, by_benchmark, every).spec(), CHART),
    }


def list_changed(files: Mapping[Path, bytes]) -> list[str]:
    """Return the names of files that are stored with different content."""
    return [file.name for file, content in files.items() if _rounded(file.read_bytes()) != _rounded(content)]


def _rounded(content: bytes) -> bytes:
    """Round coordinates, whose sixteen digits may differ in the last one on another processor."""
    return COORDINATE.sub(lambda number: b"%.3f" % float(number[0]), content)


def main() -> None:
    files = make_files()
    if "--check" not in sys.argv:
        for file, content in files.items():
            file.write_bytes(content)
    elif changed := list_changed(files):
        sys.exit(f"other than stored: {', '.join(changed)}; write again: python -m scripts.validate_predictions")


if __name__ == "__main__":
    main()
