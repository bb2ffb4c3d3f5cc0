"""`banzuke report --beside`."""

from pathlib import Path

import pytest

from banzuke.cli.report import report
from banzuke.errors import BanzukeError
from banzuke.limit.model import Assessment
from banzuke.record.store import Run, Store
from banzuke.report.testing import stream
from banzuke.report.testing.parts import machine
from banzuke.report.testing.sparse import collection


def kept(store: Store, assessments: tuple[Assessment, ...], name: str = "koto") -> Run:
    run = store.create(machine(name), None)
    for assessment in assessments:
        run.append(assessment.record)
    return run


def test_another_machines_run_is_drawn_beside(tmp_path: Path) -> None:
    here = kept(Store(tmp_path / "here"), collection(("omp",), families=2, sizes=3).assessments)
    there = kept(Store(tmp_path / "there"), collection(("omp",), families=2, sizes=3).assessments, "nada")
    report(here.name, beside=str(there.folder), results=tmp_path / "here")
    text = (here.folder / "report.html").read_text(encoding="utf-8")
    assert f"<h3>this run beside nada, {there.name}</h3>" in text
    assert (here.folder / "figures" / "spmv-ratio-1.svg").is_file()


def test_runs_without_a_collection_in_common_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sparse = kept(store, collection(("omp",), families=2, sizes=3).assessments)
    one, other = (kept(store, (stream(1, 2, 0.9),)) for _ in range(2))
    for run in (sparse, one):
        with pytest.raises(BanzukeError, match=r"no collection in common.*`banzuke compare`"):
            report(run.name, beside=str(other.folder), results=tmp_path)
        assert not (run.folder / "report.html").exists()
