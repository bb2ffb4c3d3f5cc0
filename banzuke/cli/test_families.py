"""Tests of collections on the terminal, and of the checks before they run."""

import io
import re
from dataclasses import replace

from banzuke.cli import tables
from banzuke.cli.console import Console
from banzuke.evaluation.prepared import telling
from banzuke.report.model import Evaluation
from banzuke.report.testing import stream
from banzuke.report.testing.sparse import SPARSE, collection
from banzuke.testing import case


def printed(evaluation: Evaluation) -> str:
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as captured:
        tables.show(evaluation.assessments, evaluation.benchmarks, verbose=False, console=console)
    return captured.get()


def test_a_collection_is_a_line_a_family() -> None:
    text = printed(collection(("omp",), families=3, sizes=4))
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    families = {row[0]: row[1:] for row in rows if row[0] in ("stencil-5", "stencil-9", "own files", "all")}
    assert families["stencil-5"][0] == "4"
    assert families["own files"][:2] == ["0 of 1", "–"]
    assert families["all"][0] == "12 of 13"
    assert families["all"][1].endswith("flop/s")
    assert "stencil-7 1,000" not in text
    assert "13 matrices, 1 not verified; geometric mean " in text
    assert "column 12 of a matrix with 10 columns" in text


def test_two_solvers_have_lines_of_their_own_and_a_comparison() -> None:
    text = printed(collection(families=3, sizes=4))
    rows = {row[0]: row for line in text.splitlines() if (row := re.split(r"\s{2,}", line.strip()))}
    assert [rows[f"all with {solver}"][1] for solver in ("omp", "mkl")] == ["12 of 13", "12"]
    assert re.search(r"omp over mkl: geometric mean [\d.]+ over 12 matrices, from [\d.]+ to [\d.]+;", text)


def test_other_benchmarks_keep_their_lines() -> None:
    mixed = collection(("omp",), families=3, sizes=4)
    text = printed(replace(mixed, assessments=(stream(1, 2, 0.9), *mixed.assessments)))
    assert "stream, 2 threads" in text
    assert "spmv, 2 threads" not in text


def test_of_a_collection_the_longest_case_tells_whether_it_can_run() -> None:
    planned = [
        case(seconds=9.0),
        *(
            case(
                benchmark="spmv", backend=backend, parameters={"file": f"/{seconds}.mtx", "rounds": 3}, seconds=seconds
            )
            for seconds in (1.0, 3.0, 2.0)
            for backend in ("omp", "mkl")
        ),
    ]
    chosen = telling(planned, {"stream": replace(SPARSE, collection=None), "spmv": SPARSE})
    assert [(case.benchmark, case.backend, case.seconds) for case in chosen] == [
        ("stream", "omp", 9.0),
        ("spmv", "omp", 3.0),
        ("spmv", "mkl", 3.0),
    ]
    assert [dict(case.parameters) for case in chosen[1:]] == [{"rounds": 3}] * 2
