"""The kernels' times as in the Flow report: as written, tuned, and the ratios between them and between machines.

Kernel fft is tuned only by settings of the MPI library: the fastest of those tried.
"""

import math
from collections.abc import Iterator, Sequence

from banzuke.compare.matching import variant
from banzuke.compare.settings import figure_text
from banzuke.document import Block, Cell, Column, Origin, Row, Table
from banzuke.judge.model import Figure
from banzuke.plan.axes import AXES, shown
from banzuke.record.model import Record
from banzuke.units import number, percent, quantity
from banzuke.views.breakdown import Phase, TimeBreakdown
from banzuke.views.sweep import Sweep
from banzuke.views.sweep.plot import Plot
from banzuke.views.view import View, ViewCase, ViewSection
from banzuke.words import message
from banzuke.words.language import Words

PHASES = {
    "fft": Phase(
        "transforms and products",
        useful=True,
        advice="Bound by the processor where a plane of modes fits its L2 cache: banzuke run fft shows transforms "
        "alone",
    ),
    "alltoall": Phase(
        "all-to-all exchanges",
        advice="Try the algorithms of the MPI library, which launcher options or variables choose: "
        "--env MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=... of MPICH, --launcher-options of Open MPI; and fewer ranks with "
        "more threads",
    ),
    "other": Phase(
        "packing and waiting for other threads",
        advice="Bound by memory: check that each rank's memory is near and on huge pages",
    ),
}
ALIKE = ("nx", "ny", "nz", "nm", "nv", "layout")

HOW = ("variant", "rounds")
"""Parameters that do not change the problem."""


class VariantTable(View[None]):
    name = "variants"

    def show(self, section: ViewSection) -> Sequence[Block]:
        """Return a table of pairs: kernels as written and tuned, brackets by the usual MPI settings and the fastest."""
        words = section.words
        rows = tuple(
            _row(written, tuned, words) for written, tuned in (*_pairs(section.cases), *_brackets(section.cases))
        )
        if not rows:
            return ()
        titles = (
            message("gkv-kernel"),
            message("gkv-as-written"),
            message("gkv-tuned"),
            message("gkv-ratio"),
        )
        columns = tuple(Column(words(title), numeric=index > 0) for index, title in enumerate(titles))
        return (Table(columns, rows, caption=words(message("gkv-variants-caption")), file="variants"),)

    def beside(self, mine: ViewSection, theirs: ViewSection, names: tuple[str, str], slug: str) -> Sequence[Block]:
        """Return times of one run over another's, for the same problems, each by its fastest layout and settings."""
        words = mine.words
        here, there = (_fastest(section.cases) for section in (mine, theirs))
        rows = tuple(_over(*times) for key in here if key in there for times in _times(here[key], there[key]))
        if not rows:
            return ()
        titles = (words(message("gkv-kernel")), *names, words(message("gkv-over", a=names[0], b=names[1])))
        columns = tuple(Column(title, numeric=index > 0) for index, title in enumerate(titles))
        return (Table(columns, rows, caption=words(message("gkv-beside-caption")), file=slug),)


def _fastest(cases: Sequence[ViewCase]) -> dict[str, ViewCase]:
    """Return the fastest case of each problem and variant."""
    by_problem: dict[str, ViewCase] = {}
    for case in sorted(cases, key=_seconds, reverse=True):
        problem = {name: value for name, value in case.assessment.record.parameters.items() if name != "rounds"}
        if math.isfinite(_seconds(case)):
            by_problem[repr(sorted(problem.items()))] = case
    return {key: case for case in cases for key, fastest in by_problem.items() if fastest is case}


def _times(a: ViewCase, b: ViewCase) -> Iterator[tuple[str, float, float]]:
    """Yield a row's name and both times: of the kernel, and for kernel fft also of the parts in the report."""
    here, there = a.assessment.record, b.assessment.record
    kernel, of_variant = (str(here.parameters[name]) for name in ("kernel", "variant"))
    yield f"{kernel} {of_variant}", _seconds(a), _seconds(b)
    if here.breakdown and there.breakdown:
        for part, title in (("fft", "FFT"), ("alltoall", "Alltoall")):
            seconds = [
                sum(record.breakdown.seconds[part]) / len(record.metrics["time"].samples)
                for record in (here, there)
                if record.breakdown
            ]
            if all(seconds):
                yield f"{kernel} {of_variant}: {title}", seconds[0], seconds[1]


def _over(name: str, a: float, b: float) -> Row:
    return Row(
        (Cell(name), *(Cell(quantity(seconds, "s"), seconds, "s") for seconds in (a, b)), Cell(percent(a / b), a / b))
    )


def _brackets(cases: Sequence[ViewCase]) -> Iterator[tuple[ViewCase, ViewCase]]:
    """Pair each bracket of a layout, launched as usual or else first, with the fastest launch."""
    brackets: dict[str, list[ViewCase]] = {}
    for case in cases:
        record = case.assessment.record
        if _time(case) is None or record.parameters.get("kernel") != "fft":
            continue
        problem = {name: value for name, value in record.parameters.items() if name not in HOW}
        ran = [(group.program, group.ranks, group.threads) for group in record.groups]
        others = {name: value for name, value in variant(record).items() if name not in _of_library(record)}
        brackets.setdefault(repr((sorted(problem.items()), ran, sorted(others.items()))), []).append(case)
    for alike in brackets.values():
        if len(alike) > 1:
            usual = next((case for case in alike if not _of_library(case.assessment.record)), alike[0])
            yield usual, min(alike, key=_seconds)


def _of_library(record: Record) -> dict[str, str]:
    """Return the settings of the MPI library: variables, and options of its launcher."""
    return {name: value for name, value in variant(record).items() if name not in AXES or name == "launcher"}


def _pairs(cases: Sequence[ViewCase]) -> Iterator[tuple[ViewCase, ViewCase]]:
    """Pair cases of the same problem on the same cores, as written and tuned."""
    by_problem: dict[str, dict[str, ViewCase]] = {}
    for case in cases:
        record = case.assessment.record
        if _time(case) is None:
            continue
        problem = {name: value for name, value in record.parameters.items() if name not in HOW}
        ran = [(group.program, group.ranks, group.threads) for group in record.groups]
        key = repr((sorted(problem.items()), ran, sorted(variant(record).items())))
        by_problem.setdefault(key, {})[str(record.parameters.get("variant"))] = case
    for of_variant in by_problem.values():
        if {"default", "opt"} <= of_variant.keys():
            yield of_variant["default"], of_variant["opt"]


def _time(case: ViewCase) -> Figure | None:
    return next((figure for figure in case.assessment.figures if figure.metric == "time" and figure.value > 0), None)


def _seconds(case: ViewCase) -> float:
    time = _time(case)
    return time.value if time else math.inf


def _row(written: ViewCase, tuned: ViewCase, words: Words) -> Row:
    record = tuned.assessment.record
    kernel, settings = str(record.parameters["kernel"]), _of_library(record)
    if kernel == "fft":
        kernel = words(message("gkv-fft", ranks=record.ranks, threads=record.threads))
    times = [time for time in (_time(written), _time(tuned)) if time]
    ratio = times[1].value / times[0].value
    cells = [
        Cell(figure_text(time.value, time.unit), time.value, time.unit, Origin(case.id, time.metric, "median"))
        for case, time in zip((written, tuned), times, strict=True)
    ]
    return Row((Cell(kernel, note=", ".join(shown(settings))), *cells, Cell(number(ratio), ratio)))


VIEWS = (
    TimeBreakdown(PHASES),
    VariantTable(),
    Sweep(Plot("Time of a kernel by variant", ("time",), x="kernel", series="variant", alike=ALIKE)),
)
