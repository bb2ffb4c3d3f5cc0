import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banzuke.cli import app
from banzuke.cli.report import report
from banzuke.compare.test_runs import launches, provenance
from banzuke.errors import BanzukeError
from banzuke.fleet.testing import MadeFleet, write_array_runs
from banzuke.judge.model import Assessment
from banzuke.report.charts.draw import Drawings
from banzuke.report.testing import stream
from banzuke.report.testing.drawings import DRAW, as_drawn
from banzuke.report.testing.parts import machine
from banzuke.report.testing.sparse import collection
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.units import times


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip drawing: these tests only see which charts there are; those of `report` and of the command draw them."""
    monkeypatch.setattr(DRAW, as_drawn)


def kept(store: Store, assessments: tuple[Assessment, ...], name: str = "koto") -> Run:
    run = store.create(machine(name), None)
    for assessment in assessments:
        run.append(assessment.record)
    return run


def test_a_run_of_another_machine_is_set_beside_this_one(tmp_path: Path) -> None:
    here = kept(Store(tmp_path / "here"), collection(("omp",), families=2, sizes=3).assessments)
    there = kept(Store(tmp_path / "there"), collection(("omp",), families=2, sizes=3).assessments, "nada")
    report([here.name, str(there.folder)], results=tmp_path / "here")
    (folder,) = (tmp_path / "here" / "reports").iterdir()
    assert folder.name == f"{here.name}+{there.name}"
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h3>koto beside nada</h3>" in text
    assert (folder / "figures" / "side-by-side-run1-spmv-1.svg").is_file()
    assert [run.name for run in Store(tmp_path / "here").runs()] == [here.name], "reports are no runs"
    assert not (here.folder / "report.html").exists()


def test_other_runs_of_a_case_tell_how_runs_vary_as_in_compare(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rates = (1.0, 1.3, 0.8, 1.0, 1.3, 0.8, 1.0, 1.456)
    for day, rate in enumerate(rates):
        run = store.create(machine("koto"), None)
        origin = provenance("h", run=run.name)
        for launch in launches(rate, first=9e4 * day, origin=origin):
            run.append(launch)
    *_, a, b = (run.name for run in store.runs())
    done = CliRunner().invoke(app, ["compare", a, b, "--json", "--results", str(tmp_path)])
    low, high = json.loads(done.stdout)["comparisons"][0]["interval"]
    report([a, b], results=tmp_path)
    (text,) = (file.read_text(encoding="utf-8") for file in (tmp_path / "reports").glob("*/report.md"))
    assert f"{times(1.456, (low, high))} ×" in text
    assert "1.46" not in text, "the interval allows fewer digits"


def test_one_run_named_twice_is_one(tmp_path: Path) -> None:
    run = kept(Store(tmp_path), (stream(1, 2, 0.9),))
    report(["last", run.name, str(run.folder)], results=tmp_path)
    assert (run.folder / "report.html").is_file()
    assert not (tmp_path / "reports").exists()


def test_many_runs_have_a_folder_with_a_short_name(tmp_path: Path) -> None:
    runs = [kept(Store(tmp_path), (stream(number, 2, 0.9),)) for number in range(4)]
    for _ in range(2):
        report([run.name for run in runs], results=tmp_path)
    (folder,) = (tmp_path / "reports").iterdir()
    assert folder.name.startswith(f"{runs[0].name}+3-others-")
    assert len(json.loads((folder / "report.json").read_bytes())["runs"]) == 4


@pytest.mark.parametrize("spoil", ["records", "machine", "folder", "name", "several"])
def test_a_run_that_cannot_be_shown_is_named_and_nothing_is_written(tmp_path: Path, spoil: str) -> None:
    store = Store(tmp_path)
    good, bad = (kept(store, (stream(number, 2, 0.9),)) for number in (1, 2))
    wanted, named = bad.name, bad.name
    match spoil:
        case "records":
            bad.files()[0].write_text("damaged\n")
            (bad.folder / "plan.json").write_text("{}")
        case "machine":
            (bad.folder / "machine.json").write_text("{}")
        case "folder":
            wanted = named = str(tmp_path / "empty")
            (tmp_path / "empty").mkdir()
        case "name":
            wanted = named = "none"
        case _:
            wanted, named = "20", "2 runs in .* begin with '20'"
    with pytest.raises(BanzukeError, match="empty" if spoil == "folder" else named):
        report([good.name, wanted], results=tmp_path)
    assert not (tmp_path / "reports").exists()


def test_runs_are_reported_while_one_of_them_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    done, going = (kept(store, (stream(number, 2, 0.9),)) for number in (1, 2))
    script = (
        "import sys, time; from pathlib import Path; from banzuke.results.lines import OwnFile\n"
        "folder = Path(sys.argv[1]); line = next(folder.glob('records*')).read_bytes()\n"
        "file = OwnFile(folder).path.open('ab', 0)\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for start in range(0, len(line), 500): file.write(line[start:start + 500]); time.sleep(1e-3)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, going.folder], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
        try:
            report([done.name, going.name], output=tmp_path / "out", results=tmp_path)
        finally:
            writer.kill()
    written = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert [content["unreadable"] for content in written["runs"]] == [[], []]
    assert written["runs"][1]["verified"] >= 1


def test_a_link_in_a_run_of_others_leads_no_chart_elsewhere(tmp_path: Path) -> None:
    run = kept(Store(tmp_path / "results"), (stream(1, 2, 0.9),))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (run.folder / "figures").symlink_to(elsewhere)
    with pytest.raises(BanzukeError, match=r"figures is a link .what it leads to would be written to"):
        report([run.name], results=tmp_path / "results")
    assert not list(elsewhere.iterdir())
    assert not (run.folder / "report.json").exists()


@pytest.mark.parametrize("variable", [True, False])
def test_a_report_is_in_the_language_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: bool
) -> None:
    run = kept(Store(tmp_path), (stream(1, 2, 0.9),))
    asked = ["report", run.name, "--results", str(tmp_path)]
    if variable:
        monkeypatch.setenv("BANZUKE_LANGUAGE", "ja")
    else:
        asked += ["--language", "ja"]
    assert CliRunner().invoke(app, asked, catch_exceptions=False).exit_code == 0
    assert '<html lang="ja">' in (run.folder / "report.html").read_text(encoding="utf-8")


def test_an_unknown_language_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    run = kept(Store(tmp_path), (stream(1, 2, 0.9),))
    asked = ["report", run.name, "--results", str(tmp_path), "--language", "xx"]
    with pytest.raises(BanzukeError, match=r"unknown language 'xx'.*Choose one of: en, ja"):
        CliRunner().invoke(app, asked, catch_exceptions=False)
    assert not (run.folder / "report.html").exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_machine_without_fonts_for_a_language_says_what_its_files_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    def drawn(_specs: object, letters: str, **_: bool) -> Drawings:
        return Drawings(script="vegaEmbed", letters=there or letters.isascii())

    monkeypatch.setattr(DRAW, drawn)
    run = kept(Store(tmp_path), (stream(1, 2, 0.9),))
    for language, said in (("en", False), ("ja", not there)):
        shown = CliRunner().invoke(app, ["report", run.name, "--results", str(tmp_path), "--language", language])
        assert ("no font for" in shown.stderr) == said


def test_a_screen_is_reported_as_its_nodes_together(tmp_path: Path) -> None:
    made = MadeFleet(6, slow={2: {0: 0.5}}, states={4: "hung"}, links=((0, 1, 2e10), (2, 3, 2e10)))
    run = made.write(Store(tmp_path))
    report([run.name], results=tmp_path, language="ja")
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert len(page) < 5e6
    assert "ノードの健全性" in page
    assert "n00002" in page
    data = json.loads((run.folder / "report.json").read_bytes())
    assert data["runs"] == [run.name]
    assert {node["host"]: node["verdict"] for node in data["nodes"]}["n00002"] == "fail"
    nodes = (run.folder / "report.csv").read_text().splitlines()
    assert len(nodes) == 1 + 6
    assert nodes[5].startswith("n00004,fail,hung,rack 01,")
    drawn = {file.name for file in (run.folder / "figures").iterdir()}
    assert drawn == {f"fleet-{name}.{kind}" for name in ("nodes", "distribution", "0-links") for kind in ("svg", "pdf")}
    assert "| n00002" in (run.folder / "report.md").read_text(encoding="utf-8")


def test_elements_of_a_job_array_are_one_fleet_beside_their_comparison(tmp_path: Path) -> None:
    runs = write_array_runs(tmp_path, 3)
    report([run.name for run in runs], results=tmp_path)
    (folder,) = (tmp_path / "reports").iterdir()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Health of the nodes" in page
    assert "3 nodes of one type" in page
    assert page.index("Health of the nodes") < page.index(runs[0].name)
    report([runs[0].name], results=tmp_path)
    assert "Health of the nodes" not in (runs[0].folder / "report.html").read_text(encoding="utf-8")


def test_more_runs_than_can_be_compared_one_by_one_are_a_fleet_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("banzuke.cli.report.SIDE_BY_SIDE", 2)
    report([run.name for run in write_array_runs(tmp_path, 3)], results=tmp_path)
    (folder,) = (tmp_path / "reports").iterdir()
    assert len(json.loads((folder / "report.json").read_bytes())["nodes"]) == 3
