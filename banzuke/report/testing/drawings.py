"""Reports without the time that it takes to draw their charts, for tests that look at no drawing."""

from collections.abc import Mapping
from typing import Any

from banzuke.report.charts.draw import ChartFiles, Drawings

DRAW = "banzuke.report.write.draw"
"""What `as_drawn` takes the place of."""


def as_drawn(specs: Mapping[str, Any], *_: object, **__: object) -> Drawings:
    return Drawings({name: ChartFiles("<svg/>", b"%PDF") for name in specs}, "vegaEmbed;")
