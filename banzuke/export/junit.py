"""JUnit XML, as Jenkins and GitLab read it: each case is a test case, each benchmark of a run a suite."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from banzuke import __version__
from banzuke.compare.settings import figure_text
from banzuke.compare.verdict import COUNT
from banzuke.export.model import ExportedCase, ExportedRun
from banzuke.text import printable
from banzuke.units import percent

FILE = "junit.xml"


def junit(runs: Sequence[ExportedRun]) -> str:
    """Return the document."""
    root = ET.Element("testsuites", {"name": "banzuke"})
    number = 0
    for run in runs:
        for benchmark in dict.fromkeys(case.benchmark for case in run.cases):
            cases = [case for case in run.cases if case.benchmark == benchmark]
            name = f"{run.name}: {benchmark}" if len(runs) > 1 else benchmark
            root.append(_suite(run, name, cases, number))
            number += 1
    totals = _totals([case for run in runs for case in run.cases])
    del totals["skipped"]  # Jenkins' schema has it for suites alone
    root.attrib |= totals
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _totals(cases: Sequence[ExportedCase]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == "failed" for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.outcome == "skipped" for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _suite(run: ExportedRun, name: str, cases: Sequence[ExportedCase], number: int) -> ET.Element:
    suite = ET.Element("testsuite", {"name": printable(name), **_totals(cases)})
    suite.attrib |= {
        "id": str(number),
        "timestamp": f"{run.began:%Y-%m-%dT%H:%M:%S}",
        "hostname": printable(run.machine.name),
    }
    properties = ET.SubElement(suite, "properties")
    for key, value in {"run": run.name, "machine": run.machine.name, "banzuke": __version__}.items():
        ET.SubElement(properties, "property", {"name": key, "value": printable(value)})
    suite.extend(map(_case, cases))
    return suite


def _case(case: ExportedCase) -> ET.Element:
    about = {
        "classname": printable(f"banzuke.{case.benchmark}"),
        "name": printable(case.label),
        "time": f"{case.seconds:.3f}",
    }
    element = ET.Element("testcase", about)
    if case.outcome == "failed":
        failure = ET.SubElement(element, "failure", {"type": "failed", "message": printable(_line(case.reason))})
        failure.text = printable("\n".join(filter(None, (case.reason, case.log))))
    elif case.outcome == "skipped":
        ET.SubElement(element, "skipped", {"message": printable(_line(case.reason))})
    if case.figures:
        ET.SubElement(element, "system-out").text = printable("\n".join(_figures(case)))
    return element


def _line(text: str) -> str:
    return " ".join(text.split())


def _figures(case: ExportedCase) -> Iterator[str]:
    """Yield `triad_bandwidth: 41.3 GB/s, 97% of its limit (41300000000.0 B/s)`; of a count, the number alone."""
    for figure in case.figures:
        limit = "" if figure.fraction_of_limit is None else f", {percent(figure.fraction_of_limit)} of its limit"
        exact = {COUNT: "", "1": f" ({figure.value!r})"}.get(figure.unit, f" ({figure.value!r} {figure.unit})")
        yield f"{figure.metric}: {figure_text(figure.value, figure.unit)}{limit}{exact}"
