"""Tests of the report of figures over message sizes and of all pairs: content, tables, charts."""

import csv
import re
from datetime import timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from banzuke.document import Paragraph
from banzuke.document.markdown import document_markdown
from banzuke.judge.assess import assess_case
from banzuke.judge.siblings import Siblings
from banzuke.limit.by_state import CeilingsByState
from banzuke.record.hosts import Hosts
from banzuke.report.model import Evaluation
from banzuke.report.testing import HOSTILE, only
from banzuke.report.testing.documents import document, section, shown, summary, tables
from banzuke.report.testing.messages import (
    KNOWN,
    collective,
    host,
    judged,
    messages,
    pairs,
    point_to_point,
)
from banzuke.report.testing.pages import Page
from banzuke.report.write import write
from banzuke.testing import changed
from banzuke.words import message
from banzuke.words.language import words


@cache
def many() -> Evaluation:
    return messages()


def test_the_summary_has_latency_and_bandwidth_and_what_is_slow() -> None:
    latency, bandwidth, collectives = summary(many())
    titles = [line.title for line in (latency, bandwidth, collectives)]
    assert titles == ["Latency at 8 B", "Bandwidth at 512 KiB", "Latency (barrier)"]
    table = tables(section(many(), "summary"))[-1]
    assert table.rows[0].cells[0].note.endswith("; slow: rank 5 (koto2, processor 1), 7.05 times")


def test_a_headline_that_failed_is_not_replaced() -> None:
    failed = point_to_point(1, "latency", "same-complex").record
    update: dict[str, Any] = {"status": "failed", "reason": "killed", "metrics": {}, "curves": {}, "verification": []}
    cases = judged(failed.model_copy(update=update)), point_to_point(2, "bandwidth", "same-complex")
    (line,) = summary(only(*cases, benchmarks=KNOWN))
    assert line.figure is None


def test_of_several_launches_the_median_one_has_a_line_and_that_is_said() -> None:
    first = collective(1, "allreduce", "one-node").record
    assert first.provenance
    launches = [
        first.model_copy(
            update={
                "provenance": first.provenance.model_copy(update={"id": name, "repetition": place}),
                "started": first.started + timedelta(seconds=place),
                "ended": first.ended + timedelta(seconds=place),
                "metrics": {
                    metric: samples.model_copy(update={"samples": [factor * sample for sample in samples.samples]})
                    for metric, samples in first.metrics.items()
                },
            }
        )
        for place, (name, factor) in enumerate({"best": 1.0, "worst": 3.0, "middle": 2.0}.items())
    ]
    assessment = assess_case(
        launches, siblings=Siblings(), machine=host(), benchmarks=KNOWN, ceilings=CeilingsByState((), host(), {})
    )
    evaluation = only(assessment, benchmarks=KNOWN)
    assert {row.cells[0].text for row in shown(evaluation, "collectives").tables["sizes"].rows} == {"middle"}
    note = Paragraph(words()(message("report-median-launch")), small=True)
    assert note in section(evaluation, "benchmark-collectives").blocks


def test_the_files_of_a_report_agree(tmp_path: Path) -> None:
    names = {path.name for path in write(many(), tmp_path).files}
    assert {"pt2pt-sizes.csv", "pt2pt-pairs.csv", "collectives-sizes.csv", "pt2pt-over-latency.svg"} <= names
    assert "collectives-pairs.csv" not in names
    rows = list(csv.DictReader((tmp_path / "pt2pt-pairs.csv").read_text().splitlines()))
    for metric in ("latency", "bandwidth"):
        (row,) = (row for row in rows if (row["metric"], row["rank"]) == (metric, "6"))
        assert row["where"] == "rank 6 (koto2, processor 2)"
        worst = pairs(30).record.pairs[metric].worst
        assert [row[str(rank)] for rank in range(8)] == [*(repr(worst[6, rank]) for rank in range(6)), "", ""]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption")
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(attributes.get("scope") for tag, attributes in page.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))


def test_markdown_tells_regimes_and_slow_ranks() -> None:
    text = document_markdown(document(many()))
    assert re.search(r"\| two cores of different sockets \| 8 KiB to 4 MiB \| 1\.59 µs \| 6\.86 GB/s \|", text)
    assert "- rank 5 (koto2, processor 1): latency 7.05 times worse than usual with 7 of 7 ranks" in text
    width: int | None = None
    for line in text.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        assert width is None or cells in (None, width), line
        width = cells


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    matrix = pairs(1).record
    hosts = [Hosts(names=HOSTILE, ranks="0-3"), Hosts(names="b", ranks="4-7")]
    latency = point_to_point(2, "latency", "same-complex").record
    assert latency.curve
    curve = latency.curve.model_copy(update={"along": HOSTILE})
    hostile = [changed(matrix, hosts=hosts), latency.model_copy(update={"curves": {"size": curve}})]
    write(only(*map(judged, hostile), benchmarks=KNOWN), tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "window.hacked = 1</script>" not in text
    assert "\x00" not in text
    assert "\x00" not in (tmp_path / "pt2pt-pairs.csv").read_text(encoding="utf-8")


def test_sections_without_curves_have_no_such_part(tmp_path: Path) -> None:
    other = next(a for a in messages().assessments if a.record.pairs).record
    plain = other.model_copy(update={"pairs": {}})
    write(only(judged(plain), benchmarks=KNOWN), tmp_path)
    assert "n½" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*-sizes.csv"))
