"""What is exported is read back with the parsers of those who read it."""

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from banzuke.compare.test_runs import launches, provenance
from banzuke.errors import BanzukeError
from banzuke.export.junit import junit
from banzuke.export.model import ExportedRun, exported_run
from banzuke.export.openmetrics import metric_name, openmetrics, unit_name
from banzuke.export.reframe import reframe
from banzuke.plan.catalogue import benchmarks
from banzuke.results.lines import NODES
from banzuke.results.store import Store
from banzuke.testing import case, changed, machine

SPECS = benchmarks()
NASTY = 'a"b\\c\nd|e<&>\x1b[2J\u202e\ufffe 計'
"""Characters that end a string, a line, a field or an element, or that no XML may have."""
BAD: dict[str, Any] = {"status": "failed", "reason": NASTY, "metrics": {}, "verification": []}
Keep = Callable[..., None]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


@pytest.fixture
def keep(store: Store) -> Keep:
    """Return a function that adds a case of two launches to the only run; `second`: changes of the second launch."""
    run = store.create(machine().changed(site={"name": NASTY}), [case()], name="r")

    def add(name: str, second: dict[str, Any] | None = None, rate: float = 1e9, **changes: Any) -> None:
        for at, record in enumerate(launches(rate, count=2, origin=provenance(name, run=run.name))):
            run.append(changed(record, **changes, **(second or {} if at else {})))

    return add


def exported(store: Store) -> ExportedRun:
    (run,) = store.runs()
    contents, _ = exported_run(run, SPECS)
    return contents


@pytest.fixture
def run(store: Store, keep: Keep) -> ExportedRun:
    """Return a run with a case that passed, one with a failed launch, a skipped one, and one that was not launched."""
    keep("h", parameters={"n": 1000})
    keep("g", BAD, parameters={"n": 2000})
    keep("f", parameters={"n": 3000}, **{**BAD, "status": "skipped"})
    return exported(store)


def read_xml(runs: Sequence[ExportedRun]) -> ET.Element:
    return ET.fromstring(junit(runs).encode())  # noqa: S314  (our own)


def test_each_case_is_a_test_with_its_reason(run: ExportedRun) -> None:
    root = read_xml([run])
    cases = root.findall("./testsuite/testcase")
    states = [next((child.tag for child in element if child.tag != "system-out"), "passed") for element in cases]
    assert states == ["passed", "failure", "skipped", "skipped"]
    assert "1 of 2 launches: a" in cases[1][0].attrib["message"]
    assert "計" in (cases[1][0].text or "")
    assert "planned, and not launched" in cases[3][0].attrib["message"]
    assert "triad_bandwidth: " in (cases[0].findtext("system-out") or "")
    assert cases[2].find("system-out") is None
    assert len({(element.get("classname"), element.get("name")) for element in cases}) == len(cases)


def test_a_count_is_written_once(run: ExportedRun) -> None:
    passed = run.cases[0]
    counted = replace(passed.figures[0], metric="iterations", value=130.0, unit="count", limit=None)
    document = junit([replace(run, cases=(replace(passed, figures=(counted,)),))])
    assert ET.fromstring(document).findtext(".//system-out") == "iterations: 130"  # noqa: S314


def test_the_document_has_what_the_schema_of_jenkins_has(run: ExportedRun) -> None:
    """Its `junit-10.xsd` lists these elements and attributes."""
    allowed = {
        "testsuites": ("testsuite", "name tests failures errors time"),
        "testsuite": ("properties testcase", "name tests failures errors skipped time id timestamp hostname"),
        "testcase": ("failure skipped system-out", "name classname time"),
        "failure": ("", "type message"),
        "skipped": ("", "message"),
        "properties": ("property", ""),
        "property": ("", "name value"),
        "system-out": ("", ""),
    }
    root = read_xml([run, replace(run, name="other")])
    for element in root.iter():
        inner, attributes = allowed[element.tag]
        assert {child.tag for child in element} <= set(inner.split())
        assert element.attrib.keys() <= set(attributes.split())
    assert (root.get("tests"), root.get("failures")) == ("8", "2")
    assert [suite.get("name") for suite in root] == ["r: stream", "other: stream"]
    for suite in root:
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
        assert re.fullmatch(r"\d+\.\d{3}", suite.get("time", ""))


@pytest.mark.parametrize("module", ["prometheus_client.openmetrics.parser", "prometheus_client.parser"])
def test_figures_are_read_by_prometheus(run: ExportedRun, module: str) -> None:
    """The second parser is of the format that the textfile collector reads."""
    text = openmetrics(run)
    families = {family.name: family for family in importlib.import_module(module).text_string_to_metric_families(text)}
    triad = families["banzuke_stream_triad_bandwidth_bytes_per_second"]
    assert triad.type == "gauge"
    assert triad.documentation == "stream: STREAM Triad, higher is better. Median of verified launches."
    assert [sample.labels["case"] for sample in triad.samples] == ["4 threads, n 1,000", "4 threads, n 2,000"]
    assert all(sample.value > 0 for sample in triad.samples)
    assert [sample.value for sample in families["banzuke_case_verified"].samples] == [1, 0]
    (info,) = families["banzuke_run_info"].samples
    assert info.labels["machine"] == 'a"b\\c\nd|e<&>\\u001b[2J\\u202e\\ufffe 計'
    assert text.endswith("\n# EOF\n")
    if "openmetrics" in module:
        assert triad.unit == "bytes_per_second"


def test_names_follow_from_what_is_declared() -> None:
    names = {metric_name(spec.name, metric.name, metric.unit) for spec in SPECS.values() for metric in spec.metrics}
    assert all(re.fullmatch(r"banzuke(_[a-z0-9]+)+", name) for name in names)
    assert len(names) == sum(len(spec.metrics) for spec in SPECS.values())
    units = ("B/s", "flop/s/W", "1", "count", "s")
    assert [*map(unit_name, units)] == ["bytes_per_second", "flops_per_second_per_watt", "ratio", "", "seconds"]


def test_the_log_has_the_columns_of_reframe(run: ExportedRun) -> None:
    ((path, text),) = reframe([run]).items()
    assert re.fullmatch(r"perflogs/[\w.+-]+/nodes/stream\.log", path)
    head, *rows = [line.split("|") for line in text.splitlines()]
    assert (head[:3], head[-3:]) == (
        ["result", "job_completion_time", "descr"],
        ["short_name", "system", "unique_name"],
    )
    assert {len(row) for row in rows} == {len(head)}
    named = [dict(zip(head, row, strict=True)) for row in rows]
    assert [row["result"] for row in named] == ["pass", "fail"]
    assert float(named[0]["triad_bandwidth_value"]) > 0
    assert (named[0]["triad_bandwidth_unit"], named[0]["triad_bandwidth_ref"]) == ("B/s", "0")


def test_a_failed_case_has_no_figures(store: Store, keep: Keep) -> None:
    keep("h", **BAD)
    contents = exported(store)
    assert "triad" not in openmetrics(contents) + junit([contents])
    ((_, text),) = reframe([contents]).items()
    assert "triad" not in text


def test_several_runs_are_lines_of_one_log_in_their_order(run: ExportedRun) -> None:
    ((_, text),) = reframe([replace(run, name="second"), run]).items()
    assert len(text.splitlines()) == 1 + 2 * 2


def test_names_of_machines_lead_nowhere_else(run: ExportedRun) -> None:
    elsewhere = replace(run, machine=run.machine.changed(site={"name": "../../etc"}))
    assert list(reframe([elsewhere])) == ["perflogs/_.._etc/nodes/stream.log"]


def test_systems_whose_names_make_one_file_are_both_in_it(run: ExportedRun) -> None:
    runs = [replace(run, machine=run.machine.changed(site={"name": name})) for name in ("a/b", "a|b")]
    ((path, text),) = reframe(runs).items()
    assert path == "perflogs/a_b/nodes/stream.log"
    assert {line.split("|")[-2] for line in text.splitlines()[1:]} == {"a/b"}, "a field has no bar"
    assert len(text.splitlines()) == 1 + 2 * 2


def test_names_of_machines_are_short_enough_for_files(run: ExportedRun) -> None:
    (path,) = reframe([replace(run, machine=run.machine.changed(site={"name": 1000 * "計"}))])
    assert max(len(part.encode()) for part in path.split("/")) <= 104


def test_what_cannot_be_exported_is_told(store: Store) -> None:
    run = store.create(machine(), None)
    with pytest.raises(BanzukeError, match="has no records"):
        exported_run(run, SPECS)
    (run.folder / NODES).write_text("")
    with pytest.raises(BanzukeError, match=r"cannot be exported.*many nodes"):
        exported_run(run, SPECS)
