"""The kernels' times as the Flow report has them: as written, tuned, and the ratio between them."""

from collections.abc import Iterator, Sequence

from banzuke.document import Block, Cell, Column, Origin, Row, Table
from banzuke.limit.model import Figure
from banzuke.limit.view import View, ViewCase, ViewSection
from banzuke.record.matching import variant
from banzuke.record.settings import figure_text
from banzuke.units import number
from banzuke.words import message

HOW = ("variant", "rounds")
"""Parameters that do not change what is solved."""


class VariantTable(View[None]):
    name = "variants"

    def show(self, section: ViewSection) -> Sequence[Block]:
        words = section.words
        rows = tuple(_row(written, tuned) for written, tuned in _pairs(section.cases))
        if not rows:
            return ()
        titles = (
            message("gkv-kernel"),
            message("gkv-as-written"),
            message("gkv-tuned"),
            message("gkv-ratio"),
        )
        columns = tuple(Column(words(title), numeric=place > 0) for place, title in enumerate(titles))
        return (Table(columns, rows, caption=words(message("gkv-variants-caption")), file="variants"),)


def _pairs(cases: Sequence[ViewCase]) -> Iterator[tuple[ViewCase, ViewCase]]:
    """Cases that solve the same problem on the same cores, as written and tuned."""
    found: dict[str, dict[str, ViewCase]] = {}
    for case in cases:
        record = case.assessment.record
        if _time(case) is None:
            continue
        problem = {name: value for name, value in record.parameters.items() if name not in HOW}
        ran = [(group.program, group.ranks, group.threads) for group in record.groups]
        key = repr((sorted(problem.items()), ran, sorted(variant(record).items())))
        found.setdefault(key, {})[str(record.parameters.get("variant"))] = case
    for of_variant in found.values():
        if {"default", "opt"} <= of_variant.keys():
            yield of_variant["default"], of_variant["opt"]


def _time(case: ViewCase) -> Figure | None:
    return next((figure for figure in case.assessment.figures if figure.metric == "time" and figure.value > 0), None)


def _row(written: ViewCase, tuned: ViewCase) -> Row:
    kernel = str(written.assessment.record.parameters["kernel"])
    times = [time for time in (_time(written), _time(tuned)) if time]
    ratio = times[1].value / times[0].value
    cells = [
        Cell(figure_text(time.value, time.unit), time.value, time.unit, Origin(case.id, time.metric, "median"))
        for case, time in zip((written, tuned), times, strict=True)
    ]
    return Row((Cell(kernel), *cells, Cell(number(ratio), ratio)))
