"""The page: one file that needs no network."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from banzuke import __version__
from banzuke.charts.theme import theme_css
from banzuke.document.html import scripted_page
from banzuke.plan.benchmark import Benchmark
from banzuke.predict.explore.data import WORDS, Explored, content
from banzuke.words import Message
from banzuke.words.language import words

_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = ("evaluate.js", "text.js", "chart.js", "page.js")
"""Scripts in the order of their dependencies."""


def page(
    machines: Sequence[Explored],
    omitted: Mapping[str, Sequence[Message | str]],
    benchmarks: Sequence[Benchmark],
    language: str = "en",
) -> str:
    """Return the page, which has all languages and begins in this one."""
    say = words(language)
    return scripted_page(
        _TEMPLATES,
        "explore",
        _SCRIPTS,
        content(machines, omitted, benchmarks),
        language=language,
        words={name: say(text) for name, text in WORDS.items()},
        generator=f"banzuke {__version__}",
        theme_css=theme_css(),
    )
