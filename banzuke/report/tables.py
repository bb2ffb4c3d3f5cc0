"""What is not made of blocks yet, as Markdown."""

from banzuke.document.markdown import Markdown
from banzuke.report.content import BenchmarkData, Content
from banzuke.report.text import figures


def section_lines(content: Content, section: BenchmarkData) -> list[Markdown]:
    return figures(content.charts, section.charts)
