"""Tests that reports, lists, comparisons and predictions cope with any records and machines that the models allow."""

import contextlib
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banzuke import paths
from banzuke.acceptance.cases import MeasuredRun, distinct
from banzuke.acceptance.contract import AgreedFigure, Contract, ContractFile, Improvement, Rules, Term
from banzuke.acceptance.data import acceptance_csv, acceptance_data
from banzuke.acceptance.improvement import improvement
from banzuke.acceptance.judge import judge_contract
from banzuke.acceptance.paper import pages
from banzuke.acceptance.sheet import Acceptance, sheet
from banzuke.charts.style import FONT, LIGHT
from banzuke.cli.compare import compare
from banzuke.cli.listing import list_all
from banzuke.cli.predict_noise import noise
from banzuke.cli.report import report
from banzuke.compare.explained import differences
from banzuke.compare.history import follow
from banzuke.compare.verdict import Confidence
from banzuke.compare.watched import Alarm, WatchedFigure, series_labels, vanished, watch
from banzuke.document.markdown import document_markdown
from banzuke.errors import BanzukeError
from banzuke.export.junit import junit
from banzuke.export.model import exported_run
from banzuke.export.openmetrics import openmetrics
from banzuke.export.reframe import reframe
from banzuke.judge.records import judge
from banzuke.machine import published
from banzuke.machine.model import Machine
from banzuke.plan import catalogue
from banzuke.plan.benchmark import Metric
from banzuke.plan.official import Official, Outcome, Violation
from banzuke.record.model import Record
from banzuke.record.testing import machines, noisy_records, records
from banzuke.report import benchmark
from banzuke.report.chapter import figure_title
from banzuke.report.compose import compose, runs_of
from banzuke.report.data import report_json
from banzuke.report.figures_csv import figures_csv
from banzuke.report.model import Evaluation
from banzuke.report.page import page
from banzuke.report.watch import Watching, watch_document
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import machine
from banzuke.text import json_text
from banzuke.words.language import LANGUAGES, words

PUBLISHED = tuple(published.load())
PARSER = "prometheus_client.openmetrics.parser"
few = settings(max_examples=settings().max_examples // 5)
"""Fewer examples, because they are large and each takes a while."""
several = st.lists(records | noisy_records, min_size=1, max_size=2)


@pytest.fixture(autouse=True, scope="module")
def _published_machines_are_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "load", lambda: list(PUBLISHED))
        yield


@contextlib.contextmanager
def store(described: Machine, *runs: Sequence[Record]) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        made = Store(Path(folder))
        for number, measured in enumerate(runs):
            run = Run(made.create(described, None).folder.rename(Path(folder) / str(number)))
            for record in measured:
                run.append(record)
        yield made


@pytest.mark.fuzz
@few
@given(several, machines, st.sampled_from(sorted(LANGUAGES)))
def test_are_reported(measured: list[Record], described: Machine, language: str) -> None:
    assessments, ceilings = judge(measured, described, catalogue.benchmarks())
    launches = [record for assessment in assessments for record in assessment.records]
    assert sorted(map(repr, launches)) == sorted(map(repr, measured)), "judging failed, and withheld a record"
    made = Evaluation(
        run="run",
        machine=described,
        assessments=assessments,
        ceilings=ceilings,
        benchmarks=catalogue.benchmarks(),
        started=min(record.started for record in measured),
        ended=max(record.ended for record in measured),
        planned=len(measured),
        published=PUBLISHED,
    )
    runs = runs_of([made, replace(made, run="another", assessments=assessments[:1])], words(language))
    document = compose(runs, words(language))
    assert json.loads(report_json(runs))["runs"][0]["launches"] == len(measured)
    assert figures_csv(runs)
    assert document_markdown(document)
    assert page(document)


@pytest.mark.fuzz
@few
@given(several)
def test_are_listed(measured: list[Record]) -> None:
    with store(machine(), measured) as made:
        list_all(results=made.folder)


def again(record: Record) -> Record:
    """Return the launch as of another run, because a launch is not compared with itself."""
    return record.having(provenance=record.provenance.having(run="the other run")) if record.provenance else record


@pytest.mark.fuzz
@few
@given(several, several, machines, st.booleans())
def test_are_compared(a: list[Record], b: list[Record], described: Machine, as_json: bool) -> None:
    with store(described, a, list(map(again, (*a, *b)))) as made:  # without a common case it is refused
        compare("previous", "last", made.folder, as_json)
        with contextlib.suppress(BanzukeError):
            compare("last", "fugaku", made.folder, as_json)


@pytest.mark.fuzz
@few
@given(several, machines, st.sampled_from(sorted(LANGUAGES)))
def test_are_watched(measured: list[Record], described: Machine, language: str) -> None:
    launched = [
        record.having(started=record.started.replace(year=2020 + at), ended=record.ended.replace(year=9999))
        for at, record in enumerate([*measured, *measured])
    ]
    readings = [(str(at), [record]) for at, record in enumerate(launched)]
    metrics = {
        (record.benchmark, name): Metric(name, samples.unit, "lower", name)
        for record in measured
        for name, samples in record.metrics.items()
    }
    lines = [
        (line, metric)
        for (name, _), metric in metrics.items()
        if name in catalogue.benchmarks()
        for line in follow(readings, name, metric).lines
    ]
    watched = [series for line, metric in lines for series in watch(line, metric)]
    figures = []
    for series, label in zip(watched, series_labels(watched), strict=True):
        differ = differences((described, series.record), (machine(), launched[0]))
        first, last = series.runs[0], series.runs[-1]
        alarms = (Alarm(last, first, last, 0.9),) if first != last else ()
        explained = {id(alarm): differ for alarm in alarms}
        figures.append(WatchedFigure(replace(series, alarms=alarms), described.name, label, explained))
    shown = Watching(figures, list(vanished(lines, readings)), catalogue.benchmarks(), 2, None)
    if figures:
        document = watch_document(shown, words(language))
        assert page(document)
        assert document_markdown(document)


@pytest.mark.fuzz
@few
@given(several, machines)
def test_are_exported(measured: list[Record], described: Machine) -> None:
    with store(described, measured) as made:
        run, _ = exported_run(made.runs()[0], catalogue.benchmarks())
        ET.fromstring(junit([run, run]).encode())  # noqa: S314  (our own)
        for text in reframe([run]).values():
            head, *rows = text.splitlines()
            assert {row.count("|") for row in rows} <= {head.count("|")}
        written = openmetrics(run)
        assert list(importlib.import_module(PARSER).text_string_to_metric_families(written))


@pytest.mark.fuzz
@few
@given(several, several, machines, st.sampled_from(["interval", "median"]), st.sampled_from(sorted(LANGUAGES)))
def test_are_judged_by_a_contract(
    measured: list[Record], before: list[Record], described: Machine, confidence: Confidence, language: str
) -> None:
    rules = Rules(launches=1, confidence=confidence, verified=False, undisturbed=False)
    terms = tuple(
        Term(AgreedFigure(benchmark=spec.name, metric=metric.name, unit=metric.unit, minimum=1.0), metric, rules, 1.0)
        for spec in catalogue.benchmarks().values()
        for metric in spec.metrics
    )
    asked = Improvement(predecessor="before", minimum=1.0, confidence=confidence)
    file = ContractFile(title="T", figure=[term.asked for term in terms], improvement=asked)
    contract = Contract(file, terms, "", Path("c.toml"))
    runs = distinct([MeasuredRun("run", measured, described), MeasuredRun("copy", measured)])
    figures = judge_contract(contract, runs, catalogue.benchmarks())
    for predecessor in (MeasuredRun("before", list(map(again, before))), PUBLISHED[0]):
        improved = improvement(asked, predecessor, figures, catalogue.benchmarks())
        acceptance = Acceptance(contract, tuple(runs), figures, improved, max(record.ended for record in measured))
        document = sheet(acceptance, words(language), {})
        assert document_markdown(document)
        assert pages(document, LIGHT, FONT)
        assert json_text(acceptance_data(acceptance, words(language)))
        assert acceptance_csv(acceptance, words(language))


@pytest.mark.fuzz
@few
@given(
    st.lists(noisy_records | records, min_size=1, max_size=3),
    st.lists(st.floats(1e-9, 1e3), max_size=2),
    st.booleans(),
    st.booleans(),
)
def test_are_predicted_from(measured: list[Record], periods: list[float], with_clock: bool, own: bool) -> None:
    with store(machine(), measured) as made, contextlib.suppress(BanzukeError):
        taken = ["last"] if own else None
        noise(periods, taken, run="last", with_clock=with_clock, ranks_per_node=4, slowdown=0.01, results=made.folder)


def golden(name: str) -> Record:
    return Record.model_validate_json((paths.SCHEMA / "golden" / f"{name}.json").read_bytes())


@pytest.mark.parametrize("place", ["rules", "rendering"])
def test_a_record_that_cannot_be_judged_or_shown_is_reported_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    good, bad = golden("verified"), golden("verified").model_copy(update={"backend": "bad"})

    def rules(_machine: Machine, outcome: Outcome) -> Sequence[Violation]:
        return [Violation("", f"{1 / outcome.parameters['zero']:g}")]  # type: ignore[operator]  # a defect

    def title(record: Record, *more: Any) -> str:
        if record.backend == "bad" and record.status == "ok":
            raise ZeroDivisionError("division by zero")
        return make(record, *more)

    make = figure_title
    if place == "rendering":
        monkeypatch.setattr(benchmark, "figure_title", title)
    else:
        specs = {"stream": replace(catalogue.find("stream"), official=Official(rules=rules))}
        monkeypatch.setattr(sys.modules["banzuke.cli.report"], "benchmarks", lambda: specs)  # not the command
        good, bad = (
            record.model_copy(update={"parameters": {**record.parameters, "zero": zero}})
            for record, zero in ((good, 1), (bad, 0))
        )
    with store(machine(), [good, bad]) as made:
        report(["last"], output=tmp_path, results=made.folder)
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (written["measured"], written["verified"]) == (2, 1)
    (reason,) = (case["reason"] for case in written["cases"] if case["state"] != "verified")
    assert "left out" in reason
    assert "ZeroDivisionError: " in reason
    assert "division by zero" in (tmp_path / "report.html").read_text(encoding="utf-8")
