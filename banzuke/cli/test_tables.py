"""Tests of assessments as people and scripts read them."""

import dataclasses
import io
import json
import re

from banzuke.cli import tables
from banzuke.cli.console import Console
from banzuke.judge.data import document
from banzuke.judge.model import Assessment
from banzuke.launch.complete import CaseOrigin, unmeasured
from banzuke.limit.model import Residence
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.official import Violation
from banzuke.report.testing import hpl, stream
from banzuke.report.testing.launches import launched, together
from banzuke.report.testing.messages import KNOWN, collective, pairs, point_to_point
from banzuke.report.testing.noise import NOISE, fwq
from banzuke.words import message
from banzuke.words.language import words


def printed(assessment: Assessment, *, verbose: bool = True) -> str:
    console = Console(file=io.StringIO(), width=200)
    with console.capture() as captured:
        tables.show([assessment], {**KNOWN, "noise": NOISE}, verbose=verbose, console=console)
    return captured.get()


def test_where_the_time_went_is_told_when_asked() -> None:
    assessment = hpl(1, 20_000)
    assert "Where the time went" not in printed(assessment, verbose=False)
    lines = printed(assessment).splitlines()
    start = next(i for i, line in enumerate(lines) if "Where the time went" in line)
    rows = [line.split() for line in lines[start + 2 : start + 7]]
    assert [row[0] for row in rows] == ["update", "panel", "panel", "row", "waiting"]
    assert rows[0][1:] == ["26.3", "s", "95.8%"]


def test_a_case_without_a_breakdown_has_no_such_table() -> None:
    assert "Where the time went" not in printed(stream(1, 2, 0.9))


def test_what_stayed_in_the_caches_has_no_share_and_says_so() -> None:
    unknown = [
        dataclasses.replace(figure, limit=None, fraction_of_limit=None, fraction_of_peak=None)
        for figure in stream(1, 2, 0.9).figures
    ]
    cached = dataclasses.replace(stream(1, 2, 0.9), figures=tuple(unknown), residence=Residence("in cache", 1.0, 2))
    assert "in cache  in cache" in printed(cached)
    assert "–        –" in printed(dataclasses.replace(cached, residence=Residence("in memory", 9.0, 2)))


def test_a_case_without_its_environment_is_not_told_again() -> None:
    record = unmeasured(
        Case("stream", (RankGroup("omp"),), {}), CaseOrigin("run", "m"), "none", skipped=True, missing="vm"
    )
    assert "stream:" not in printed(dataclasses.replace(stream(1, 2, 0.9), record=record, figures=()), verbose=False)


def test_a_share_of_its_own_best_is_called_so() -> None:
    stated = printed(stream(1, 2, 0.9))
    assert "of limit: the median as a share of" in stated
    assert "% of its own best" not in stated
    assessment = stream(1, 2, 0.9)
    own = tuple(dataclasses.replace(figure, own_ceiling=True) for figure in assessment.figures)
    assert "81.5% of its own best" in printed(dataclasses.replace(assessment, figures=own))


def test_official_rules_are_told_of_the_headline_case() -> None:
    short = dataclasses.replace(stream(1, 2, 0.9), violations=(Violation("at least 60 s", "3 s"),))
    console = Console(file=io.StringIO(), width=200)
    with console.capture() as captured:
        tables.show([short, dataclasses.replace(short, violations=())], {}, verbose=False, console=console)
    assert "stream: VALID, but not an official result: 3 s instead of at least 60 s" in captured.get()
    assert "by all official rules" not in captured.get()
    assert "official" not in printed(stream(1, 2, 0.9))


def test_warnings_that_differ_in_numbers_are_told_once() -> None:
    """With `-v` each of them, and otherwise how many there are."""
    warned = [
        dataclasses.replace(stream(1, 2, 0.9), warnings=(message("limit-disturbed-in", run=f"r{i}", what="said"),))
        for i in range(3)
    ]
    console = Console(file=io.StringIO(), width=200)
    for verbose, wanted in ((False, ["r0"]), (True, ["r0", "r1", "r2"])):
        with console.capture() as captured:
            tables.show(warned, KNOWN, verbose=verbose, console=console)
        lines = [line for line in captured.get().splitlines() if line.startswith("warning: stream: ")]
        assert [run for run in ("r0", "r1", "r2") if any(run in line for line in lines)] == wanted
        assert any("(and 2 times with other numbers: -v)" in line for line in lines) != verbose


def test_the_document_holds_the_breakdown() -> None:
    assessment = hpl(1, 20_000)
    (entry,) = document([assessment], words())["records"]
    assert assessment.record.breakdown is not None
    assert entry["breakdown"] == assessment.record.breakdown.model_dump()


def test_of_noise_the_headlines_are_shown_and_all_figures_when_asked() -> None:
    noise = fwq(1)
    short = printed(noise, verbose=False)
    assert "Longest noise " in short
    assert "Mean" not in short
    assert "Mean" in printed(noise)
    (entry,) = document([noise], words())["records"]
    assert "series" not in entry
    assert entry["metrics"]["mean_noise"]["value"] > 0


def test_figures_over_sizes_are_told_when_asked() -> None:
    latency = point_to_point(1, "latency", "same-complex", count=1000)
    short = printed(latency, verbose=False)
    assert "same-complex" in short
    assert "Latency at 8 B" in short
    assert "message size" not in short
    lines = printed(latency).splitlines()
    start = next(i for i, line in enumerate(lines) if "Latency over message size" in line)
    rows = [line.split() for line in lines[start + 2 : start + 11]]
    assert [" ".join(row[:2]) for row in rows] == [
        *("0 B", "8 B", "64 B", "512 B", "4 KiB", "32 KiB", "256 KiB", "1 MiB", "4 MiB")
    ]
    assert any(re.match(r"0 B to 4 KiB +194 ns +", line) for line in lines)
    assert any(line.startswith("8 KiB to 4 MiB") for line in lines)
    assert "message size" not in printed(collective(1, "barrier", "one-node"))


def test_a_slow_rank_is_named_without_being_asked() -> None:
    assert "pt2pt: slow: rank 5 (koto2, processor 1), 7.0" in printed(pairs(1), verbose=False)
    assert "slow:" not in printed(pairs(1, sick=None), verbose=False)


def test_a_case_is_told_with_where_it_ran_and_beside_what() -> None:
    record = stream(1, 2, 0.9).record
    assert record.provenance is not None
    where = {"environment": "container:podman", "neighbours": 3}
    moved = record.model_copy(update={"provenance": record.provenance.model_copy(update=where)})
    assert tables.label(record, []) == "stream, 2 threads"
    assert tables.label(moved, []) == "stream, 2 threads, container:podman, 3 busy neighbours"


def several(*speeds: float, **disturbed: float) -> Assessment:
    (assessment,) = together(launched(stream(1, 2, 0.98).record, *speeds, **disturbed))
    return assessment


def test_several_launches_have_one_row_a_figure_with_their_interval() -> None:
    lines = printed(several(1.0, 1.01, 0.99), verbose=False).splitlines()
    assert [words for words in ("median", "launches", "95% interval", "best") if words in lines[0]] == [
        *("median", "launches", "95% interval", "best")
    ]
    (triad,) = [line for line in lines if "Triad" in line]
    assert re.search(r"GB/s +3 +[\d.]+ to [\d.]+ GB/s +[\d.]+ GB/s", triad)
    assert "launches" not in printed(stream(1, 2, 0.98), verbose=False)


def test_a_failed_and_a_disturbed_launch_are_told_without_being_asked() -> None:
    short = printed(several(1.0, 0.0, 1.01), verbose=False)
    assert "stream, 2 threads: 2 of 3 launches verified; 1 failed: killed by signal 9" in short
    assert re.search(r"GB/s +2 of 3 +", short)
    short = printed(several(1.0, 0.5, 1.01, other_busy_fraction=0.4), verbose=False)
    assert "launch 2 of 3 was 2.01 times worse than the others: other processes used 40% of" in short


def test_a_machine_that_others_used_is_reported_without_being_asked() -> None:
    (disturbed,) = together(launched(stream(1, 2, 0.98).record, 1.0, 1.0, other_busy_fraction=0.4))
    assert "warning: during 2 of 2 launches other processes used 40% of the processors" in printed(
        disturbed, verbose=False
    )
    (quiet,) = together(launched(stream(1, 2, 0.98).record, 1.0, 1.0, other_busy_fraction=0.04))
    assert "other processes used" not in printed(quiet, verbose=False)


def test_the_document_has_each_launch_and_each_case() -> None:
    assessment = several(1.0, 0.0, 1.02, 1.04)
    made = document([assessment, stream(5, 1, 0.9)], words())
    assert [entry["status"] for entry in made["records"]] == ["ok", "ok", "failed", "ok", "ok"]
    case, alone = made["cases"]
    triad = case["metrics"]["triad_bandwidth"]
    values = [entry["metrics"].get("triad_bandwidth", {}).get("value") for entry in made["records"]]
    assert triad["launches"] == [values[0], *values[3:]]
    assert triad["interval"][0] < triad["value"] < triad["interval"][1]
    assert [launch["status"] for launch in case["launches"]] == ["ok", "failed", "ok", "ok"]
    assert (len(alone["launches"]), alone["metrics"]["triad_bandwidth"]["interval"]) == (1, None)
    assert json.dumps(made, allow_nan=False)
