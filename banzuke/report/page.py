"""The report as one HTML page that needs no network, with styles, scripts and charts."""

from collections.abc import Sequence
from pathlib import Path

from banzuke.charts.theme import theme_css
from banzuke.document import Document, Section
from banzuke.document.html import environment, script_hash, section_html

TEMPLATES = Path(__file__).with_name("templates")
RUN = "run"
"""Style of the section that begins one of several runs and extends to the next such section."""


def page(document: Document, charts_script: str = "") -> str:
    """Return the page. `charts_script` draws the charts; empty: none are to be drawn."""
    script, bundle = _file("report.js"), charts_script.replace("\r", "").replace("</script", "<\\/script")
    return (
        environment(TEMPLATES)
        .get_template("report.html.j2")
        .render(
            document=document,
            notes=document.notes,
            contents=_contents(document.sections),
            sections=map(section_html, document.sections),
            css=_file("report.css"),
            theme_css=theme_css(),
            script=script,
            bundle=bundle,
            script_hashes=" ".join(script_hash(text) for text in (script, bundle) if text),
        )
    )


def _contents(sections: Sequence[Section]) -> list[tuple[Section, list[Section]]]:
    """Return the table of contents; below each run its own sections."""
    contents: list[tuple[Section, list[Section]]] = []
    for section in sections:
        if contents and contents[-1][0].style == RUN and section.style != RUN:
            contents[-1][1].append(section)
        else:
            contents.append((section, []))
    return contents


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
