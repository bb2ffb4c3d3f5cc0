"""The report as one HTML page that needs no network: styles, scripts, charts and all inside."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import vl_convert

from banzuke.charts.style import DARK, JAPANESE, LIGHT
from banzuke.document import Chart, Document, Section, inside
from banzuke.document.html import environment, section_html

TEMPLATES = Path(__file__).with_name("templates")
_SERIF = "Charter, 'Bitstream Charter', 'Iowan Old Style', Palatino, Cambria, Georgia, 'Noto Serif', serif"
_SANS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
_MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
RUN = "run"
"""Style of a section that begins one of several runs, of which those up to the next are."""


def page(document: Document) -> str:
    drawn = any(isinstance(block, Chart) for section in document.sections for block in inside(section.blocks))
    script, bundle = _file("report.js"), _bundle() if drawn else ""
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
            script_hashes=" ".join(_hash(text) for text in (script, bundle) if text),
        )
    )


def _contents(sections: Sequence[Section]) -> list[tuple[Section, list[Section]]]:
    """Sections; below each run its own."""
    found: list[tuple[Section, list[Section]]] = []
    for section in sections:
        if found and found[-1][0].style == RUN and section.style != RUN:
            found[-1][1].append(section)
        else:
            found.append((section, []))
    return found


def theme_css() -> str:
    """Light by default and on paper; dark where the system or the toggle asks for it."""
    fonts = {"serif": _SERIF, "sans": _SANS, "mono": _MONO}
    light, dark = _variables(LIGHT | fonts), _variables(DARK)
    japanese = _variables({name: _with_japanese(_MONO if name == "mono" else _SANS) for name in fonts})
    return (
        f":root {{ {light} }}\n"
        f":root:lang(ja) {{ {japanese} }}\n"
        f'@media screen {{ :root[data-theme="dark"] {{ {dark} }} }}\n'
        f"@media screen and (prefers-color-scheme: dark) {{ "
        f':root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}'
    )


def _with_japanese(fonts: str) -> str:
    """Before the generic font, which may have the shapes that Chinese readers expect."""
    named, _, generic = fonts.rpartition(", ")
    return f"{named}, {JAPANESE}, {generic}"


@cache
def _bundle() -> str:
    return (
        vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        .replace("\r", "")
        .replace("</script", "<\\/script")
    )


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _variables(values: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())
