"""No English is left on Japanese pages, except for names, identifiers and what programs and reports themselves say."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from altair.utils.schemapi import debug_mode
from typer.testing import CliRunner

from banzuke.acceptance.contract import Contract, ContractFile
from banzuke.acceptance.sheet import Acceptance, sheet
from banzuke.acceptance.testing import DRIFT, judged, measured_run, term
from banzuke.cli import app
from banzuke.compare.explained import differences
from banzuke.compare.watched import Vanished, series_labels
from banzuke.document import Chart, inside
from banzuke.fleet.judge import judge
from banzuke.fleet.load import load
from banzuke.fleet.testing import MadeFleet
from banzuke.machine import published
from banzuke.plan.axes import AXES
from banzuke.plan.catalogue import benchmarks
from banzuke.predict.explore.data import Explored, content
from banzuke.predict.explore.table import tabulate
from banzuke.predict.find import predicted_machine
from banzuke.publish.site import PAGE, gather, site
from banzuke.publish.test_make import document
from banzuke.publish.test_make import published as publication
from banzuke.publish.test_site import content as content_of
from banzuke.report.compose import compose, page_notes, runs_of
from banzuke.report.fleet import fleet_document
from banzuke.report.page import page
from banzuke.report.test_watch import LOWER, STEADY, TRIAD, figure, watching
from banzuke.report.testing.catalogue import catalogue
from banzuke.report.testing.latin import latin, visible
from banzuke.report.watch import watch_document
from banzuke.results.store import Store
from banzuke.testing import machine
from banzuke.words import message
from banzuke.words.language import words

JAPANESE = words("ja")
PRODUCTS = (
    "Banzuke Intel Xeon Gold sapphirerapids Opteron ClearSpeed Tesla OpenBLAS Debian Markdown JavaScript "
    "Copy Scale Add Triad Dot Allreduce Compute Capability Student Welch Huber Theil Sen Transparent Huge Pages Gen "
    "Yayoi Oakleaf Reedbush Type Unit GeoFEM Cube WAXPBY Linpack XGMI"
)
"""Names of products, machines, operations and methods."""
SYSTEM = (
    "kvm hwloc ethernet tmpfs madvise fsync cgroup isolcpus nohz rcu nocbs clocksource swappiness cpupower frequency "
    "set top meltdown mds mpiexec csv toml English File Per Process Single Shared"
)
"""Names of the system: programs, settings, and what is spelt out once."""
UNITS = "ns ms us Hz flop B"
FORMULAS = "eps ln sqrt grad psi mod"


def names() -> set[str]:
    """Return all names that a page may have: of benchmarks, programs, parameters, settings."""
    every = [*PRODUCTS.split(), *SYSTEM.split(), *UNITS.split(), *FORMULAS.split(), "koto", "native"]
    evaluation = catalogue()
    for assessment in evaluation.assessments:
        record = assessment.record
        every += [record.benchmark, record.backend, *record.parameters]
    every += [*benchmarks(), *AXES, "allreduce", "alltoall", "barrier", "nxw", "nyw"]
    return {part for name in every for part in name.replace("-", "_").split("_")}


@pytest.fixture(scope="module")
def allowed() -> set[str]:
    return names()


def drawn(spec: object) -> Iterator[str]:
    """Return the texts of a chart: titles of axes and legends, and labels."""
    if isinstance(spec, Mapping):
        for name, part in spec.items():
            if name in ("title", "text", "description") and isinstance(part, str):
                yield part
            else:
                yield from drawn(part)
    elif isinstance(spec, Sequence) and not isinstance(spec, str):
        for part in spec:
            yield from drawn(part)


def left(texts: Sequence[str], allowed: set[str]) -> dict[str, list[str]]:
    """Return the texts with English words, and these words."""
    words_by_text: dict[str, list[str]] = {}
    for word, text in latin(texts, allowed):
        words_by_text.setdefault(text, []).append(word)
    return words_by_text


@pytest.mark.catalogue
def test_a_report_of_every_benchmark(allowed: set[str]) -> None:
    with debug_mode(arg=False):
        document = compose(runs_of([catalogue()], JAPANESE), JAPANESE)
    assert not left(visible(page(document)), allowed)
    charts = [block for section in document.sections for block in inside(section.blocks) if isinstance(block, Chart)]
    assert charts
    assert not left([text for chart in charts for text in drawn(chart.spec)], allowed)


def test_the_page_of_watched_figures(allowed: set[str]) -> None:
    settings = [{"preemption": "none or voluntary", "mitigations": "none needed"}, {"preemption": "full"}]
    sides = []
    for kernel in settings:
        described = machine()
        described.partition.kernel.update(kernel)
        sides.append((described, figure(STEADY).series.record))
    facts = [fact for seen in differences(*sides) for fact in (seen.what, seen.before, seen.after)]
    assert len(facts) == 6
    assert not left(list(map(JAPANESE.fact, facts)), allowed)
    gone = Vanished("f", "stream", "omp", TRIAD, "run-9", "failed: killed by signal 9 (SIGKILL)")
    figures = [figure(STEADY, differences=0), figure(LOWER, differences=1)]
    labels = series_labels([own.series for own in figures])
    named = [replace(own, case=label) for own, label in zip(figures, labels, strict=True)]
    assert not left(visible(page(watch_document(watching(*named, missing=[gone]), JAPANESE))), allowed)


def test_the_page_of_a_fleet(allowed: set[str], tmp_path: Path) -> None:
    made = MadeFleet(
        12,
        slow={7: {0: 0.8}},
        states={9: "hung", 10: "dead", 11: "failed"},
        facts={7: {"setting.governor": "powersave"}},
        bins={5: "Example 7000"},
        racks=6,
        links=tuple((at, (at + step) % 12, 1e10 if at == 2 else 2.4e10) for step in (1, 5) for at in range(12)),
    )
    fleet = load([made.write(Store(tmp_path))])
    shown = page(fleet_document(fleet, judge(fleet), ["run-1"], machine(), JAPANESE))
    assert not left(visible(shown), allowed | {"example", "rack", "performance", "powersave", "screen"})


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.5])
def test_the_sheet_of_an_acceptance(factor: float, allowed: set[str]) -> None:
    asked = term(minimum=10.0, nodes=4)
    results = tuple(
        judged(asked, measured_run([10 * factor * drift for drift in DRIFT], host=host)) for host in ("a1", "b2")
    )
    file = ContractFile(title="受入", customer="A", vendor="B", figure=[asked.asked])
    contract = Contract(file, (asked, asked), "0" * 64, Path("c.toml"))
    acceptance = Acceptance(contract, (measured_run(DRIFT),), results, None, datetime(2026, 11, 1, tzinfo=UTC))
    assert not left(visible(page(sheet(acceptance, JAPANESE, dict(page_notes(JAPANESE))))), allowed)


def test_the_page_of_orders(allowed: set[str], tmp_path: Path) -> None:
    network = tmp_path / "tree.toml"
    network.write_text('name = "t"\nrate = 1e9\nhosts = "n[01-16]"\nfat_tree = { down = [4, 4], up = [1, 2] }\n')
    words = ["place", "fft", "--topology", str(network), "--seconds", "0", "--size", "1e8", "--language", "ja"]
    result = CliRunner().invoke(app, [*words, "--output", str(tmp_path / "page")], catch_exceptions=False)
    assert result.exit_code == 0
    assert not left(visible((tmp_path / "page" / "report.html").read_text(encoding="utf-8")), allowed)


def test_the_page_to_explore(allowed: set[str]) -> None:
    described = predicted_machine("oakleaf-fx", Store(Path("nowhere")))
    printed = next(site.figure for site in published.load() if site.id == "oakleaf-fx")
    stream = benchmarks()["stream"]
    table = tabulate(stream, described, printed, most=2, checked=1)
    machines = [Explored("m", described, {"stream": table}, {"hpl": UNDESCRIBED})]
    explored = content(machines, {"n": [UNDESCRIBED]}, [stream, benchmarks()["hpl"]])["words"]["ja"]
    assert {dot.where for dot in table.dots} <= explored["said"].keys()
    assert not left(list(texts(explored)), allowed)


def test_the_ranking_sheets(allowed: set[str], tmp_path: Path) -> None:
    made = publication(document(), name="koto")
    (tmp_path / made.file).write_bytes(made.content)
    sheets = site(gather(tmp_path), benchmarks(), "ja")[PAGE]
    data = content_of(sheets)
    shown = [*data["words"].values(), *(sheet["title"] for sheet in data["sheets"]), *texts(data["rules"])]
    for ranked in data["machines"]:
        shown += [*ranked["missing"], *(fields[TITLE] for fields in ranked["figures"])]
    assert any("2\N{KATAKANA LETTER NO}" in text for text in shown)
    assert not left([*shown, *visible(sheets.decode())], allowed)


TITLE = 11
"""Place of the title among a figure's fields, as the script reads them."""
UNDESCRIBED = message(
    "unpredicted-why", problem=message("hpl-no-matrix", name="m"), why=message("unpredicted-exchange", nodes=8)
)


def texts(data: object) -> Iterator[str]:
    """Return the texts of a page's data without `{placeholders}`."""
    if isinstance(data, str):
        yield re.sub(r"\{[\w-]+\}", "", data)
    elif isinstance(data, Mapping):
        for part in data.values():
            yield from texts(part)
