"""`banzuke explain`: a benchmark in ten lines, then its page in the terminal."""

from typing import Annotated

import typer

from banzuke.cli.console import out
from banzuke.cli.options import names_of_benchmarks
from banzuke.document import Column, Table
from banzuke.document.terminal import terminal_table
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.catalogue import benchmarks, find, page, question, suites, usual_backend
from banzuke.program.describe import describe
from banzuke.program.installed import backends
from banzuke.units import count


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK",
            help="A benchmark; `banzuke list` shows them.",
            autocompletion=names_of_benchmarks,
        ),
    ],
) -> None:
    """Show a benchmark in ten lines, then its page: its question, how it counts and verifies, its limit, its traps."""
    from rich.markdown import Markdown  # noqa: PLC0415  (takes longer to load than the rest of this command)

    if name in suites():
        out.say((f"{suites()[name].title}: {question(name)}", "bold"))
    else:
        spec = find(name)
        out.say((f"{spec.title}: {question(name)}", "bold"))
        out.print(terminal_table(in_short(spec)))
    out.print()
    out.print(Markdown(page(name), hyperlinks=False))


def in_short(spec: Benchmark) -> Table:
    """Return what the benchmark's folder declares, by what a newcomer asks; what it does not declare has no row."""
    rows = (
        ("figure", "; ".join(_with_unit(metric) for metric in spec.metrics if metric.headline)),
        ("limited by", ", ".join(_limits(spec))),
        ("is the limit of", ", ".join(_judged_by(spec))),
        ("start", f"banzuke run {spec.name}"),
        ("parameters", _parameters(spec)),
        ("backends here", ", ".join(backends(spec.name)) or "none: its programs are not built"),
        ("official code", _official(spec)),
        ("compared with", _compared_with(spec)),
    )
    return Table.of_texts((Column(""), Column("")), (row for row in rows if row[1]))


def _with_unit(metric: Metric) -> str:
    return metric.title if metric.unit == "1" else f"{metric.title} ({metric.unit})"


def _limits(spec: Benchmark) -> list[str]:
    titles = {resource.name: resource.title for other in benchmarks().values() for resource in other.resources.measures}
    own = [f"theoretical {resource.title}" for resource in spec.resources.measures if resource.peak]
    return own + [titles[name] for name in spec.resources.needs if name in titles]


def _judged_by(spec: Benchmark) -> list[str]:
    measures = {resource.name for resource in spec.resources.measures}
    return [other.name for other in benchmarks().values() if measures.intersection(other.resources.needs)]


def _parameters(spec: Benchmark) -> str:
    try:
        names = [parameter.name for parameter in describe(spec.name, usual_backend(spec)).parameters]
    except BanzukeError:  # the page can be read without the programs
        return ""
    return f"{', '.join(names)}; each is described by: banzuke run {spec.name} --help"


def _official(spec: Benchmark) -> str:
    official = spec.official
    ways = (
        f"--input {official.input_file.name}" if official.input_file else "",
        "takes its command line" if official.command_line else "",
        "--official prints its output" if official.output else "",
    )
    return ", ".join(filter(None, ways))


def _compared_with(spec: Benchmark) -> str:
    by_machine = [sum(figure.benchmark == spec.name for figure in machine.figure) for machine in published.load()]
    counts = list(filter(None, by_machine))
    reports = f"{count(sum(counts), 'figure')} of {count(len(counts), 'published machine')}" if counts else ""
    return ", ".join(filter(None, (reports, f"the {spec.public_list.title}" if spec.public_list else "")))
