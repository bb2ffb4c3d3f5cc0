"""The page: one file that needs no network."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke import __version__
from banzuke.charts.theme import theme_css
from banzuke.document.html import environment, script_hash
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.explore.data import WORDS, Explored, content, packed
from banzuke.words.language import words

_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = ("evaluate.js", "text.js", "chart.js", "page.js")
"""Scripts in the order of their dependencies."""


def page(
    machines: Sequence[Explored], omitted: Mapping[str, str], benchmarks: Sequence[Benchmark], language: str = "en"
) -> str:
    """Return the page, which has all languages and begins in this one."""
    say = words(language)
    inner = "\n".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{inner}}})();\n'
    return (
        environment(_TEMPLATES)
        .get_template("explore.html.j2")
        .render(
            language=language,
            words={name: say(text) for name, text in WORDS.items()},
            generator=f"banzuke {__version__}",
            theme_css=theme_css(),
            css=(_TEMPLATES / "explore.css").read_text(encoding="utf-8"),
            script=script,
            script_hash=script_hash(script),
            data=packed(content(machines, omitted, benchmarks)),
        )
    )
