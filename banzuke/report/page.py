"""The report as one HTML page that needs no network: styles, scripts, charts and all inside."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from banzuke.charts.style import DARK, JAPANESE, LIGHT
from banzuke.document.html import blocks_html, embedded, section_html
from banzuke.machine.model import Machine
from banzuke.record.settings import setting_text
from banzuke.report.content import Measurement, Reproduction, Section
from banzuke.report.study_content import Study
from banzuke.report.tables import BETWEEN, between, launches
from banzuke.text import printable
from banzuke.units import NOT_FINITE, UNKNOWN, count, percent, quantity
from banzuke.words.language import Words, words

_TEMPLATES = Path(__file__).with_name("templates")
_SERIF = "Charter, 'Bitstream Charter', 'Iowan Old Style', Palatino, Cambria, Georgia, 'Noto Serif', serif"
_SANS = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"
_MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def page(
    study: Study, machines: Sequence[Machine], specs: dict[str, dict[str, Any]], wording: Words | None = None
) -> str:
    """`machines`: of the runs, in their order."""
    script, bundle = _file("report.js"), _bundle() if specs else ""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            language=(wording or words()).language,
            study=study,
            side=study.side_by_side,
            subtitles=[_subtitle(machine) for machine in machines],
            charts={
                chart.id: chart for charts in (study.charts, *(of.charts for of in study.runs)) for chart in charts
            },
            specs=specs,
            css=_file("report.css"),
            theme_css=theme_css(),
            script=script,
            bundle=bundle,
            script_hashes=" ".join(_hash(text) for text in (script, bundle) if text),
        )
    )


def theme_css() -> str:
    """Light by default and on paper; dark where the system or the toggle asks for it."""
    fonts = {"serif": _SERIF, "sans": _SANS, "mono": _MONO}
    light, dark = _variables(LIGHT | fonts), _variables(DARK)
    japanese = _variables(
        {"serif": _with_japanese(_SANS), "sans": _with_japanese(_SANS), "mono": _with_japanese(_MONO)}
    )
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
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_readable,
    )
    environment.globals |= {"not_finite": NOT_FINITE, "between": BETWEEN}
    environment.filters |= {
        "exact": repr,
        "embedded": embedded,
        "setting": setting_text,
        "metric_titles": _metric_titles,
        "repeated": _repeated,
        "limit_sources": _limit_sources,
        "shared_software": _shared_software,
        "own_software": _own_software,
        "blocks_html": blocks_html,
        "section_html": section_html,
        "launches": launches,
        "interval": between,
        "shown_figures": _shown,
        "seconds": lambda value: quantity(value, "s"),
        "percentage": percent,
    }
    return environment


def _readable(value: object) -> object:
    """What a template prints, unless it is markup: our own scripts and styles, and what was escaped."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _bundle() -> str:
    return (
        vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        .replace("\r", "")
        .replace("</script", "<\\/script")
    )


def _file(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _variables(values: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())


def _subtitle(machine: Machine) -> list[str]:
    cores = machine.allotment.allowed_cores
    facts = [
        machine.node.processor.model or machine.node.processor.architecture or UNKNOWN,
        count(cores, "usable core"),
    ]
    facts.append(f"{quantity(machine.allotment.memory_allowed, 'B')} memory")
    return facts + [device.name for device in machine.node.devices]


def _shown(section: Section) -> dict[str, list[Measurement]]:
    """By case; the headlines where a view tabulates the rest."""
    every = {entry.id: entry.measurements for entry in section.cases}
    headlines = {case: [m for m in of if m.headline] or of for case, of in every.items()}
    return headlines if section.tabulated else every


def _metric_titles(section: Section) -> list[str]:
    return list(dict.fromkeys(m.title for entry in section.cases for m in entry.measurements))


def _repeated(section: Section) -> bool:
    """Whether there is more to say of a figure than its one sample."""
    return any(len(m.samples) > 1 for entry in section.cases for m in entry.measurements)


def _limit_sources(section: Section) -> list[str]:
    texts = []
    for entry in section.cases:
        for m in entry.measurements:
            texts.append(f"Limit of {m.title}: {m.limit_source}" if m.limit and m.limit_source else "")
            texts.append(f"Peak of {m.title}: {m.peak_source}" if m.peak and m.peak_source else "")
    return [text for text in dict.fromkeys(texts) if text]


def _facts(how: Reproduction) -> dict[str, str]:
    version = f"{how.banzuke}, commit {how.commit}" if how.commit else f"{how.banzuke}, commit not recorded"
    return {"Banzuke": version, "environment": how.environment} | how.software


def _shared_software(section: Section) -> dict[str, str]:
    first, *others = [_facts(entry.reproduction) for entry in section.cases]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _own_software(how: Reproduction, shared: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in _facts(how).items() if name not in shared}
