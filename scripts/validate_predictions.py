"""Writes into docs/prediction.md how far predictions of published figures are off, and the chart beside it."""

import re
from pathlib import Path

from banzuke.document.markdown import blocks_markdown
from banzuke.machine import published
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.charts import errors_chart
from banzuke.predict.left_out import left_out
from banzuke.predict.public_chart import public_chart
from banzuke.predict.public_page import public_blocks
from banzuke.predict.validate import Validated, summaries, validated
from banzuke.predict.validation_page import validation_blocks
from banzuke.report.charts.draw import file_of

DOCS = Path(__file__).parent.parent / "docs"
PAGE, CHART, PUBLIC = DOCS / "prediction.md", DOCS / "prediction.svg", DOCS / "public-machines.svg"
BETWEEN = re.compile(r"(<!-- banzuke predict --validate --markdown -->\n).*?(<!-- end -->)", re.DOTALL)


def figures() -> list[Validated]:
    return validated(benchmarks(), published.load())


def page(figures_validated: list[Validated]) -> str:
    """As it should be."""
    blocks = validation_blocks(figures_validated, summaries(figures_validated), benchmarks())
    tables = "\n".join(blocks_markdown([*blocks, *public_blocks(left_out(), benchmarks())]))
    return BETWEEN.sub(lambda match: f"{match[1]}\n{tables}\n{match[2]}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    every = figures()
    PAGE.write_text(page(every), encoding="utf-8")
    PUBLIC.write_bytes(file_of(public_chart(left_out(), benchmarks()).spec(), PUBLIC))
    CHART.write_bytes(file_of(errors_chart(every, summaries(every), benchmarks()).spec(), CHART))
