"""For `banzuke compare`: what the views say of the ratios of two runs' problems, which the report draws."""

from collections.abc import Container, Iterator, Mapping

from rich.console import RenderableType

from banzuke.document.terminal import terminal
from banzuke.errors import BanzukeError
from banzuke.judge.records import judge
from banzuke.plan import catalogue
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.views.view import ShowsTogether, ViewCase, ViewSection, views
from banzuke.words.language import words


def ratios_told(store: Store, a: str, b: str, names: Container[str]) -> Iterator[RenderableType]:
    """Yield B's figures over A's for these benchmarks; nothing if a side has no machine to judge it by."""
    try:
        mine, theirs = (_sections(store.locate(name), names) for name in (b, a))
    except BanzukeError:  # a file of records, or a run without its machine
        return
    for name in mine.keys() & theirs.keys():
        for view in views(mine[name].benchmark):
            if isinstance(view, ShowsTogether):
                yield from terminal(view.beside_on_terminal(mine[name], theirs[name], ("B", "A")))


def _sections(run: Run, names: Container[str]) -> Mapping[str, ViewSection]:
    """Return the run's judged cases by benchmark."""
    machine, benchmarks = run.machine(), catalogue.benchmarks()
    assessments, _ = judge(run.read().records, machine, benchmarks, run.ceilings())
    by_benchmark: dict[str, list[ViewCase]] = {}
    for assessment in assessments:
        by_benchmark.setdefault(assessment.record.benchmark, []).append(ViewCase(assessment, "", ""))
    return {
        name: ViewSection(benchmarks[name], machine, name, cases, words())
        for name, cases in by_benchmark.items()
        if name in names and name in benchmarks
    }
