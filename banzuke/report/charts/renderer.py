"""Draws charts in a process of its own, which `draw` starts.

It reads one JSON document and writes one line of JSON for each answer at once: V8 and the allocator abort the process
when they run out of memory, and answers so far should be kept.
"""

import base64
import contextlib
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vl_convert

_NONE = "\U0010fffd"
"""A character that no font has."""


def main() -> None:
    _be_dispensable()
    for answer in _answers(json.load(sys.stdin.buffer)):
        print(json.dumps(answer), flush=True)  # noqa: T201


def _be_dispensable() -> None:
    """Make the kernel kill this process first if memory runs out, before the one that writes tables; dump no core."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _answers(asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return answers, the one that needs least memory first: the script does not start V8."""
    if asked["script"]:
        yield {"script": vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")}
    yield {"letters": _drawable(asked["letters"], asked["font"])}
    for name, svg in asked["pages"].items():
        yield {"page": name, "pdf": _pdf(svg)}
    for name, spec in asked["charts"].items():
        yield {"chart": name} | _drawn(spec)


def _drawable(characters: str, font: str) -> bool:
    """Return whether fonts of this machine have all these characters, because PDF files contain text as drawn here."""
    return all(_letter(character, font) != _letter(_NONE, font) for character in characters)


def _letter(character: str, font: str) -> bytes:
    return vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        f'<text x="4" y="32" font-size="28" font-family="{font}">{character}</text></svg>'
    )


def _drawn(spec: dict[str, Any]) -> dict[str, str]:
    try:
        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        return {"svg": svg, "pdf": _pdf(svg)}
    except ValueError as error:
        return {"refused": str(error)}


def _pdf(svg: str) -> str:
    return base64.b64encode(vl_convert.svg_to_pdf(svg)).decode()


if __name__ == "__main__":
    main()
