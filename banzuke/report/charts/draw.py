"""Charts as drawings for papers."""

from typing import Any

import vl_convert

from banzuke.charts.style import resolve
from banzuke.text import printable


def svg(spec: dict[str, Any]) -> str:
    return printable(vl_convert.vegalite_to_svg(resolve(spec), allowed_base_urls=[]))


def pdf(drawing: str) -> bytes:
    return vl_convert.svg_to_pdf(drawing)
